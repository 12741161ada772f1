"""A Confluence site as data, with what people do to it. No HTTP here.

    site = Site()
    site.add_space("ENG")
    page = site.add_page("ENG", "Runbook", "<p>Ring first.</p>")
    site.restrict(page.page_id, groups=["board"])

What an edit does to version and date follows Confluence: a text or a title makes a new version; a move, a
restriction, the trash and the archive do not.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

SYNCING = "wikiwhy-sync"
EVERYONE = "confluence-users"

Status = Literal["current", "archived", "trashed", "draft"]
Kind = Literal["page", "folder", "database", "whiteboard", "blogpost"]


@dataclass
class User:
    """``name`` is the handle that tests use; Data Center calls it username, Cloud shows it nowhere."""

    name: str
    account_id: str
    user_key: str
    display_name: str
    email: str
    email_visible: bool = False  # on Cloud a profile setting of the user's own
    active: bool = True
    super_user: bool = False  # of Data Center's super group: no restriction holds
    guest: bool = False  # of Cloud: sees the spaces that name it, and is no licensed user
    hidden: bool = False  # nobody is told who it is, as after an account was closed or deleted

    def mention(self, flavour: str) -> str:
        """The storage format of a mention, as each flavour writes it."""
        who = f'ri:account-id="{self.account_id}"' if flavour == "cloud" else f'ri:userkey="{self.user_key}"'
        return f"<ac:link><ri:user {who} /></ac:link>"

    def former(self, flavour: str) -> dict[str, str]:
        """What v1 gives of a closed or deleted account in place of its name and status; nothing of another account."""
        if not self.hidden:
            return {}
        if flavour == "cloud":
            return {"displayName": "Former user", "accountStatus": "closed"}
        return {"type": "unknown", "displayName": f"Unknown User ({self.name})"}


@dataclass
class Group:
    name: str
    group_id: str
    members: list[str] = field(default_factory=list)  # names of users


@dataclass
class Restriction:
    """Who alone may read; nobody named means that the page inherits."""

    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.users or self.groups)


@dataclass
class Space:
    space_id: str
    key: str
    name: str
    kind: str = "global"
    readers: Restriction = field(default_factory=Restriction)  # nobody named: nobody, unless anonymous
    anonymous: bool = False
    creator: str = SYNCING  # the name of a user
    owner: str = SYNCING  # the same; only Cloud knows owners
    home_id: str = ""  # of the home page


@dataclass
class Attachment:
    """A file of a page. ``size``: what listings say of its bytes, where that is not how many there are."""

    attachment_id: str
    title: str
    content: bytes = b""
    version: int = 1
    size: int | None = None


@dataclass
class Comment:
    """``marked`` is the text that an inline comment is about, "" for one below the page."""

    comment_id: str
    page_id: str
    body: str
    author: str  # the name of a user
    created: datetime
    modified: datetime
    parent_id: str | None = None
    version: int = 1
    marked: str = ""
    resolved: bool = False


@dataclass
class Page:
    """``created`` and ``modified`` are UTC. Folders, databases and whiteboards have no text; only Cloud has them.

    A ``blogpost`` has no parent.
    """

    page_id: str
    space: str  # its key
    title: str
    body: str
    created: datetime
    modified: datetime
    author: str
    editor: str = ""  # of the last version; "" for the author
    parent_id: str | None = None
    version: int = 1
    status: Status = "current"
    labels: list[str] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    read: Restriction = field(default_factory=Restriction)
    kind: Kind = "page"

    @property
    def label_parts(self) -> list[dict[str, str]]:
        """Prefix and name of each label: ``my:favourite`` is one that the syncing account alone sees."""
        parted = (label.rpartition(":") for label in self.labels)
        return [{"prefix": prefix or "global", "name": name} for prefix, _, name in parted]


def _now() -> datetime:
    return datetime.now(UTC)


class Site:
    """``syncing`` is the name of the account that the sync signs in with; it is there from the start."""

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self.lock = threading.RLock()
        self.clock = clock
        self.syncing = SYNCING
        self.users: dict[str, User] = {}
        self.groups: dict[str, Group] = {}
        self.spaces: dict[str, Space] = {}
        self.pages: dict[str, Page] = {}
        self.comments: dict[str, Comment] = {}
        self._ids = 65_536
        self._index: dict[str, tuple[Status, str]] | None = None
        self._indexed_comments: set[str] | None = None
        self.add_group(EVERYONE)
        self.add_user(SYNCING, "WikiWhy Sync")

    # people

    def add_user(self, name: str, display_name: str = "", *, email: str = "", everyone: bool = True) -> User:
        """Adds a person; with ``everyone`` also to the group that may read every space added without readers."""
        with self.lock:
            code = uuid.uuid5(uuid.NAMESPACE_DNS, name).hex
            address = email or f"{name}@hollerbell.example"
            user = User(name, f"557058:{uuid.UUID(code)}", code, display_name or name, address)
            self.users[name] = user
            if everyone:
                self.groups[EVERYONE].members.append(name)
            return user

    def add_group(self, name: str, members: Sequence[str] = ()) -> Group:
        with self.lock:
            group = Group(name, str(uuid.uuid5(uuid.NAMESPACE_URL, name)), list(members))
            self.groups[name] = group
            return group

    def join(self, group: str, *users: str) -> None:
        with self.lock:
            self.groups[group].members.extend(user for user in users if user not in self.groups[group].members)

    def leave(self, group: str, *users: str) -> None:
        with self.lock:
            self.groups[group].members = [member for member in self.groups[group].members if member not in users]

    def groups_of(self, user: str) -> list[Group]:
        return [group for group in self.groups.values() if user in group.members]

    def call(self, name: str, display_name: str) -> None:
        """Gives a person another display name."""
        with self.lock:
            self.users[name].display_name = display_name

    def deactivate(self, name: str) -> None:
        with self.lock:
            self.users[name].active = False

    def hide_person(self, name: str) -> None:
        """Closes the account (Cloud) or deletes it (Data Center)."""
        with self.lock:
            self.users[name].active, self.users[name].hidden = False, True

    # spaces

    def add_space(
        self, key: str, name: str = "", *, users: Sequence[str] = (), groups: Sequence[str] | None = None
    ) -> Space:
        """A space that ``groups`` (everyone, if not said) and ``users`` may read."""
        with self.lock:
            readers = Restriction(list(users), [EVERYONE] if groups is None else list(groups))
            kind = "personal" if key.startswith("~") else "global"
            self.spaces[key] = Space(self._new_id(), key, name or key, kind, readers=readers)
            return self.spaces[key]

    def open_space_to(
        self, key: str, users: Sequence[str] = (), groups: Sequence[str] = (), anonymous: bool = False
    ) -> None:
        """Sets who may read the space: exactly these."""
        with self.lock:
            self.spaces[key].readers = Restriction(list(users), list(groups))
            self.spaces[key].anonymous = anonymous

    def set_home(self, key: str, page_id: str, *, owner: str = SYNCING, creator: str = SYNCING) -> None:
        """Makes a page the home page of the space, and sets who owns and created that."""
        with self.lock:
            space = self.spaces[key]
            space.home_id, space.owner, space.creator = page_id, owner, creator

    def delete_space(self, key: str) -> None:
        with self.lock:
            del self.spaces[key]
            self.pages = {page_id: page for page_id, page in self.pages.items() if page.space != key}
            self._drop_orphaned_comments()

    # pages

    def add_page(
        self,
        space: str,
        title: str,
        body: str = "<p></p>",
        *,
        page_id: str | None = None,
        parent: str | None = None,
        author: str = SYNCING,
        labels: Sequence[str] = (),
        modified: datetime | None = None,
        kind: Kind = "page",
    ) -> Page:
        """A new page, version 1. ``modified`` in UTC, else now."""
        with self.lock:
            at = modified or self.clock()
            page_id = page_id or self._new_id()
            page = Page(page_id, space, title, body, at, at, author, parent_id=parent, labels=list(labels))
            page.kind = kind
            self.pages[page_id] = page
            return page

    def edit_body(self, page_id: str, body: str, editor: str = "") -> None:
        with self.lock:
            self.pages[page_id].body = body
            self.pages[page_id].editor = editor
            self._new_version(page_id)

    def rename(self, page_id: str, title: str) -> None:
        with self.lock:
            self.pages[page_id].title = title
            self._new_version(page_id)

    def move(self, page_id: str, *, parent: str | None = None, space: str | None = None) -> None:
        """Under another parent (None: the top), also of another space; what is below it goes along. No new version."""
        with self.lock:
            self.pages[page_id].parent_id = parent
            target = space or (self.pages[parent].space if parent in self.pages else self.pages[page_id].space)
            for page in [self.pages[page_id], *self.descendants(page_id)]:
                page.space = target

    def label(self, page_id: str, *labels: str) -> None:
        """Gives the page these labels and no others. No new version."""
        with self.lock:
            self.pages[page_id].labels = list(labels)

    def trash(self, page_id: str) -> None:
        """To the trash; its children move up to its parent."""
        self._put_away(page_id, "trashed")

    def archive(self, page_id: str) -> None:
        self._put_away(page_id, "archived")

    def restore(self, page_id: str) -> None:
        """Back from the trash or the archive, to its parent if that is still there."""
        with self.lock:
            page = self.pages[page_id]
            page.status = "current"
            parent = self.pages.get(page.parent_id or "")
            page.parent_id = parent.page_id if parent and parent.status == "current" else None

    def purge(self, page_id: str) -> None:
        """Out of the trash too: gone for good."""
        with self.lock:
            self.trash(page_id)
            del self.pages[page_id]
            self._drop_orphaned_comments()

    # attached files, none of which changes its page's version

    def attach(self, page_id: str, title: str, content: bytes = b"", size: int | None = None) -> Attachment:
        """Attaches a file, or a new version of the one of that name."""
        with self.lock:
            attached = self.pages[page_id].attachments
            for found in attached:
                if found.title == title:
                    found.content, found.version, found.size = content, found.version + 1, size
                    return found
            attached.append(Attachment(f"att{self._new_id()}", title, content, size=size))
            return attached[-1]

    def detach(self, page_id: str, title: str) -> None:
        """Deletes an attached file."""
        with self.lock:
            self.pages[page_id].attachments = [each for each in self.pages[page_id].attachments if each.title != title]

    def move_attachment(self, page_id: str, title: str, target: str) -> None:
        """To another page. The file keeps its id and its version."""
        with self.lock:
            moved = next(each for each in self.pages[page_id].attachments if each.title == title)
            self.detach(page_id, title)
            self.pages[target].attachments.append(moved)

    # comments, none of which changes its page's version

    def add_comment(
        self,
        page_id: str,
        body: str,
        *,
        author: str = SYNCING,
        parent: str | None = None,
        marked: str = "",
        written: datetime | None = None,
    ) -> Comment:
        """A new comment, inline where ``marked``, or a reply to ``parent``. ``written`` in UTC, else now."""
        with self.lock:
            at = written or self.clock()
            comment = Comment(self._new_id(), page_id, body, author, at, at, parent, marked=marked)
            self.comments[comment.comment_id] = comment
            return comment

    def edit_comment(self, comment_id: str, body: str) -> None:
        with self.lock:
            comment = self.comments[comment_id]
            comment.body, comment.version, comment.modified = body, comment.version + 1, self.clock()

    def resolve(self, comment_id: str, resolved: bool = True) -> None:
        with self.lock:
            comment = self.comments[comment_id]
            comment.resolved, comment.version, comment.modified = resolved, comment.version + 1, self.clock()

    def delete_comment(self, comment_id: str) -> None:
        """For good, with the replies to it."""
        with self.lock:
            del self.comments[comment_id]
            for reply in [each for each in self.comments.values() if each.parent_id == comment_id]:
                self.delete_comment(reply.comment_id)

    def comments_of(self, page_id: str) -> list[Comment]:
        return [comment for comment in self.comments.values() if comment.page_id == page_id]

    def comments_above(self, comment: Comment) -> list[Comment]:
        """The comments that it replies to, from the first of the thread down."""
        if comment.parent_id is None:
            return []
        parent = self.comments[comment.parent_id]
        return [*self.comments_above(parent), parent]

    def _drop_orphaned_comments(self) -> None:
        self.comments = {each.comment_id: each for each in self.comments.values() if each.page_id in self.pages}

    # who may read

    def restrict(
        self, page_id: str, users: Sequence[str] = (), groups: Sequence[str] = (), *, and_syncing: bool = True
    ) -> None:
        """Only these may read; with ``and_syncing`` also the syncing account, as it must for the page to be synced."""
        with self.lock:
            misspelt = {*users} - self.users.keys() | {*groups} - self.groups.keys()
            if misspelt:  # would restrict to nobody
                raise KeyError(*misspelt)
            also = [self.syncing] if and_syncing and self.syncing not in users else []
            self.pages[page_id].read = Restriction([*users, *also], list(groups))

    def unrestrict(self, page_id: str) -> None:
        with self.lock:
            self.pages[page_id].read = Restriction()

    def hide(self, page_id: str) -> None:
        """Restricts the page so that the syncing account cannot see it."""
        with self.lock:
            if "someone-else" not in self.users:
                self.add_user("someone-else", everyone=False)
            self.restrict(page_id, users=["someone-else"], and_syncing=False)

    def may_read_space(self, user: str, key: str) -> bool:
        space = self.spaces.get(key)
        if space is None:
            return False
        return space.anonymous or self.users[user].super_user or self._named(user, space.readers)

    def may_read(self, user: str, page: Page) -> bool:
        """The space's permission, the page's own restriction, and every ancestor's."""
        if not self.may_read_space(user, page.space):
            return False
        if self.users[user].super_user:
            return True
        return all(not at.read or self._named(user, at.read) for at in [page, *self.ancestors(page.page_id)])

    def _named(self, user: str, restriction: Restriction) -> bool:
        return user in restriction.users or any(
            user in self.groups[name].members for name in restriction.groups if name in self.groups
        )

    # the tree

    def ancestors(self, page_id: str) -> list[Page]:
        """From the top down to the parent. Ends where a parent is missing or would come a second time."""
        chain: list[Page] = []
        seen = {page_id}
        parent = self.pages[page_id].parent_id
        while parent is not None and parent in self.pages and parent not in seen:
            seen.add(parent)
            chain.append(self.pages[parent])
            parent = self.pages[parent].parent_id
        return chain[::-1]

    def descendants(self, page_id: str) -> list[Page]:
        found: dict[str, Page] = {}
        level = [page_id]
        while level:
            below = [page for page in self.pages.values() if page.parent_id in level and page.page_id not in found]
            found |= {page.page_id: page for page in below if page.page_id != page_id}
            level = [page.page_id for page in below if page.page_id != page_id]
        return list(found.values())

    def in_space(self, key: str, status: Status = "current") -> Iterator[Page]:
        return (page for page in self.pages.values() if page.space == key and page.status == status)

    # the search index, which lags

    def stop_index(self) -> None:
        """From now on CQL sees the site as it is now."""
        with self.lock:
            self._index = {page.page_id: (page.status, page.space) for page in self.pages.values()}
            self._indexed_comments = set(self.comments)

    def start_index(self) -> None:
        """The search has caught up."""
        with self.lock:
            self._index = self._indexed_comments = None

    def indexed_comments(self) -> Iterator[Comment]:
        """Comments as the search finds them: a new one may be absent; a deleted one cannot be shown any more."""
        known = self._indexed_comments
        return (comment for comment_id, comment in self.comments.items() if known is None or comment_id in known)

    def indexed(self) -> Iterator[tuple[Page, Status, str]]:
        """Pages as the search knows them: status and space key may be out of date, a new page absent."""
        for page in self.pages.values():
            if self._index is None:
                yield page, page.status, page.space
            elif page.page_id in self._index:
                yield page, *self._index[page.page_id]

    def _put_away(self, page_id: str, status: Status) -> None:
        with self.lock:
            page = self.pages[page_id]
            for child in [child for child in self.pages.values() if child.parent_id == page_id]:
                child.parent_id = page.parent_id
            page.status = status

    def _new_version(self, page_id: str) -> None:
        page = self.pages[page_id]
        page.version += 1
        page.modified = max(self.clock(), page.modified)

    def _new_id(self) -> str:
        while True:
            self._ids += 32_768 + 1
            if str(self._ids) not in self.pages:
                return str(self._ids)
