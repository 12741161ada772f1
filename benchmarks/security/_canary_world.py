"""The world of one canary case: a wiki whose texts are canary words, people, rooms, and changes.

A canary word encodes its page, its version and its part of the page: ``Zqbatqz`` is the title (t) of
the first version (a) of page b. So every text that leaves shows which page its readers must be allowed to read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from core.access import Channel, Channels
from core.accounts import ChatAccounts
from core.model import make_person_key
from core.ports.chat import Place, Platform
from tests.servers.confluence.request import Flavour
from tests.servers.confluence.site import EVERYONE, Site

ENG, OPS = "ZQENG", "ZQOPS"
"""The spaces' keys. They are unlike any other word, since texts that leave are searched for keys too."""

CANARY = re.compile("zq([a-p])([a-p])([thbcl])qz", re.IGNORECASE)
KEY = re.compile("ZQENG|ZQOPS")

SLACK_TEAM, TEAMS_TENANT = "T0CANARY1", "72f988bf-86f1-41af-91ab-2d7cd011db47"
ADMIN = "UANN00001"


@dataclass(frozen=True, slots=True)
class Room:
    """A channel, group or direct chat. ``user``: the person of a direct chat, "" otherwise."""

    name: str
    platform: Platform
    channel: str
    user: str = ""

    @property
    def team(self) -> str:
        return SLACK_TEAM if self.platform == "slack" else TEAMS_TENANT

    @property
    def direct(self) -> bool:
        return bool(self.user)


ROOMS = {
    room.name: room
    for room in (
        Room("channel", "slack", "C0CANARY1"),
        Room("group", "teams", "19:canarygroup@thread.v2"),
        Room("teams channel", "teams", "19:canary@thread.tacv2;messageid=1000"),
        Room("direct ann", "slack", "D0CANARY1", "UANN00001"),
        Room("direct bob", "teams", "a:canarybob", "UBOB00001"),
    )
}


@dataclass(frozen=True, slots=True)
class Person:
    """A person. ``account``: the name in the wiki. ``guest``: of the chat; ``foreign``: of another organisation."""

    name: str
    user: str
    account: str = ""
    guest: bool = False
    foreign: bool = False


PEOPLE = {
    person.user: person
    for person in (
        Person("ann", "UANN00001", "ann"),
        Person("bob", "UBOB00001", "bob"),
        Person("gus", "UGUS00001", "gus", guest=True),
        Person("fay", "UFAY00001", guest=True, foreign=True),
    )
}


@dataclass(frozen=True, slots=True)
class _Page:
    letter: str
    space: str
    topic: str
    parent: str = ""


_PAGES = (
    _Page("a", ENG, "travel"),
    _Page("b", ENG, "travel", "a"),
    _Page("c", ENG, "travel"),
    _Page("d", ENG, "travel", "c"),
    _Page("e", ENG, "kitchen"),
    _Page("f", OPS, "travel"),
    _Page("g", OPS, "kitchen", "f"),
    _Page("h", OPS, "kitchen"),
)
TOPICS = ("travel", "kitchen")


def canary(letter: str, version: int, part: str) -> str:
    """Return the word of a part (title, heading, body, cell or list item) of a version (from 1) of a page."""
    return f"Zq{letter}{chr(96 + version)}{part}qz"


def title(page: _Page, version: int) -> str:
    return f"{page.topic.capitalize()} rules {canary(page.letter, version, 't')}"


def body(page: _Page, version: int) -> str:
    """Return a page in storage format with all kinds of evidences."""
    words = {part: canary(page.letter, version, part) for part in "hbcl"}
    topic = page.topic.capitalize()
    return (
        f"<h2>Approval of {page.topic} {words['h']}</h2><p>{topic} is approved by {words['b']} within two days.</p>"
        f"<table><tbody><tr><th>Kind</th><th>Owner</th></tr><tr><td>{topic} abroad</td><td>{words['c']}</td></tr>"
        f"</tbody></table><p>For {page.topic} bring:</p><ul><li>the form {words['l']}</li></ul>"
    )


def broken(page: _Page, version: int) -> str:
    """Return an unreadable body, so that the sync has to name the page."""
    return f"<!-- {canary(page.letter, version, 'b')}"


@dataclass(slots=True)
class World:
    """The world. ``moment``: returns the number of operations so far, by which the readers of pages are recorded."""

    flavour: Flavour
    moment: Callable[[], int]
    site: Site = field(init=False)
    pages: dict[str, _Page] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    born: dict[tuple[str, int], int] = field(default_factory=dict)
    readers: dict[str, list[tuple[int, str, frozenset[str]]]] = field(default_factory=dict)
    config: dict[str, frozenset[str] | None] = field(default_factory=dict)
    shared: dict[str, bool] = field(default_factory=dict)
    changed: list[Callable[[], None]] = field(default_factory=list)
    _minutes: int = 0

    def __post_init__(self) -> None:
        self.site = site = Site(self._clock)
        for name in ("ann", "bob", "gus"):
            site.add_user(name)
        site.add_group("board", ["ann"])
        site.add_group("ops", ["ann", "bob"])
        site.add_group("nobody", [])
        site.add_space(ENG)
        site.add_space(OPS, groups=["ops"], users=[site.syncing])
        for page in _PAGES:
            added = site.add_page(page.space, title(page, 1), body(page, 1), parent=self.ids.get(page.parent))
            self.pages[added.page_id], self.ids[page.letter] = page, added.page_id
            self.versions[page.letter] = 1
            self.born[page.letter, 1] = 0
        site.restrict(self.ids["c"], groups=["board"])
        site.restrict(self.ids["h"], users=["ann"])
        self.config = dict.fromkeys(ROOMS)
        self.shared = dict.fromkeys(ROOMS, False)
        self._note_readers()

    def _clock(self) -> datetime:
        self._minutes += 1
        return datetime(2026, 11, 2, 9, tzinfo=UTC) + timedelta(minutes=self._minutes)

    # ------------------------------------------------------------------------------------------ what is true

    @property
    def channels(self) -> Channels:
        """Return the current channels file."""
        own = {name: spaces for name, spaces in self.config.items() if spaces is not None}
        return Channels({_config_key(ROOMS[name]): Channel(spaces) for name, spaces in own.items()})

    @property
    def accounts(self) -> ChatAccounts:
        """Return the current accounts file."""
        return ChatAccounts(
            {
                make_person_key(platform, team, person.user): frozenset({self.account_id(person.account)})
                for person in PEOPLE.values()
                if person.account
                for platform, team in (("slack", SLACK_TEAM), ("teams", TEAMS_TENANT))
            }
        )

    def account_id(self, name: str) -> str:
        user = self.site.users[name]
        return user.account_id if self.flavour == "cloud" else user.name

    def principals(self, person: Person) -> frozenset[str]:
        """Return the current principals of a person in the wiki."""
        if not person.account:
            return frozenset()
        groups = {f"group:{group.name}" for group in self.site.groups_of(person.account)}
        return frozenset({f"user:{self.account_id(person.account)}", *groups})

    def has_account(self, person: Person) -> bool:
        """Whether a person has an active account in the wiki. Cloud deactivates accounts without a suitable group."""
        return bool(person.account) and (
            self.flavour == "datacenter" or person.account in self.site.groups[EVERYONE].members
        )

    def reads_space(self, person: Person, key: str) -> bool:
        return bool(person.account) and self.site.may_read_space(person.account, key)

    def admitted(self, restrictions: tuple[frozenset[str], ...]) -> frozenset[str]:
        """Return the people whom these restrictions admit now. ``anybody`` stands for a person without rights."""
        found = {person.name for person in PEOPLE.values() if all(r & self.principals(person) for r in restrictions)}
        return frozenset(found if restrictions else found | {"anybody"})

    def _note_readers(self) -> None:
        for letter, page_id in self.ids.items():
            page = self.site.pages.get(page_id)
            if page is None or page.status != "current":
                now = ("", frozenset[str]())
            else:
                chain = [page, *self.site.ancestors(page_id)]
                restrictions = tuple(self._principals_of(at.page_id) for at in chain if at.read)
                now = (page.space, self.admitted(restrictions))
            kept = self.readers.setdefault(letter, [])
            if not kept or kept[-1][1:] != now:
                kept.append((self.moment(), *now))

    def _principals_of(self, page_id: str) -> frozenset[str]:
        read = self.site.pages[page_id].read
        return frozenset({f"user:{self.account_id(name)}" for name in read.users} | {f"group:{g}" for g in read.groups})

    def readers_since(self, letter: str, version: int) -> Iterator[tuple[str, frozenset[str]]]:
        """Return who could read a page in the wiki, and its spaces, at any time since a version of it was written."""
        since = self.born[letter, version]
        kept = self.readers[letter]
        for at, (_, space, admitted) in enumerate(kept):
            until = kept[at + 1][0] if at + 1 < len(kept) else None
            if until is None or until > since or (until == since and kept[at][0] == since):
                yield space, admitted

    # ------------------------------------------------------------------------------------------ what changes

    def change(self, kind: str, letter: str, room: str, random: Random) -> None:
        """Apply one of :data:`MUTATIONS` to this page or room."""
        MUTATIONS[kind](self, letter, room, random)
        self._note_readers()
        for hear in self.changed:
            hear()

    def edit(self, letter: str, text: Callable[[_Page, int], str] = body) -> None:
        page_id = self.ids[letter]
        if page_id in self.site.pages and self.versions[letter] < 15:
            self._note_readers()
            self.versions[letter] += 1
            version = self.versions[letter]
            self.site.pages[page_id].title = title(self.pages[page_id], version)
            self.site.edit_body(page_id, text(self.pages[page_id], version))
            self.born[letter, version] = self.moment()


def _config_key(room: Room) -> str:
    place = Place(room.platform, room.team, room.channel, "")
    return f"{room.platform}:{room.team}:{place.room}"


def _restrict(world: World, letter: str, room: str, random: Random) -> None:
    if random.random() < 0.5:
        world.site.restrict(world.ids[letter], groups=["board"])
    else:
        world.site.restrict(world.ids[letter], groups=["nobody"])


def _restrict_above(world: World, letter: str, room: str, random: Random) -> None:
    parent = world.site.pages[world.ids[letter]].parent_id
    world.site.restrict(parent or world.ids[letter], groups=["board"])


def _move_below(world: World, letter: str, room: str, random: Random) -> None:
    world.site.move(world.ids[letter], parent=world.ids["c" if letter != "c" and letter != "d" else "h"])


def _move_space(world: World, letter: str, room: str, random: Random) -> None:
    page = world.site.pages[world.ids[letter]]
    world.site.move(page.page_id, parent=None, space=OPS if page.space == ENG else ENG)


def _edit(world: World, letter: str, room: str, random: Random) -> None:
    world.edit(letter)


def _break(world: World, letter: str, room: str, random: Random) -> None:
    world.edit(letter, broken)


def _delete(world: World, letter: str, room: str, random: Random) -> None:
    if random.random() < 0.5:
        world.site.trash(world.ids[letter])
    else:
        world.site.archive(world.ids[letter])


def _leave_group(world: World, letter: str, room: str, random: Random) -> None:
    world.site.leave(random.choice(("board", "ops", EVERYONE)), "ann" if random.random() < 0.5 else "bob")


def _close_space(world: World, letter: str, room: str, random: Random) -> None:
    world.site.open_space_to(random.choice((ENG, OPS)), users=[world.site.syncing])


def _channel_spaces(world: World, letter: str, room: str, random: Random) -> None:
    choices: tuple[frozenset[str] | None, ...] = (None, frozenset(), frozenset({ENG}), frozenset({OPS}))
    world.config[room] = random.choice([spaces for spaces in choices if spaces != world.config[room]])


def _share(world: World, letter: str, room: str, random: Random) -> None:
    world.shared[room] = not ROOMS[room].direct


def _and_edit(
    first: Callable[[World, str, str, Random], None],
) -> Callable[[World, str, str, Random], None]:
    """Restrict a page, then write the secret into it, so that nobody else could ever read it."""

    def both(world: World, letter: str, room: str, random: Random) -> None:
        first(world, letter, room, random)
        world._note_readers()
        world.edit(letter)

    return both


def _unrestrict(world: World, letter: str, room: str, random: Random) -> None:
    world.site.unrestrict(world.ids[letter])


MUTATIONS: dict[str, Callable[[World, str, str, Random], None]] = {
    "restrict": _restrict,
    "restrict above": _restrict_above,
    "move below restricted": _move_below,
    "move to space": _move_space,
    "edit": _edit,
    "break": _break,
    "delete": _delete,
    "leave group": _leave_group,
    "close space": _close_space,
    "channel spaces": _channel_spaces,
    "share room": _share,
    "restrict, edit": _and_edit(_restrict),
    "restrict above, edit": _and_edit(_restrict_above),
    "move, edit": _and_edit(_move_space),
    "unrestrict": _unrestrict,
}
OF_ROOM = frozenset({"channel spaces", "share room"})
"""Mutations of a room. They take effect at once, the others with the next sync or lookup."""
