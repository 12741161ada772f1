"""Confluence Cloud: REST v2 for pages, ``https://developer.atlassian.com/cloud/confluence/rest/v2/``, and of v1 what
v2 lacks: restrictions, groups and accounts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from adapters.confluence.attachments import (
    Attachment,
    AttachmentReader,
    has_same_files,
    has_text,
    names_of,
    read_attachments,
)
from adapters.confluence.comments import add_comments, has_same_comments
from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters, Reply
from adapters.confluence.paging import items, page_items
from adapters.confluence.restrictions import (
    CONTENT,
    LISTED,
    NOBODY,
    SNAPSHOT,
    TRIES,
    Node,
    OwnRestriction,
    Snapshot,
    add_ancestors,
    ask_restriction,
    effective,
    list_page,
    read_restriction,
    readers_now,
    snapshot_of,
)
from adapters.confluence.site import (
    account_of,
    changes_too_often,
    check_place,
    concurrently,
    day_of,
    get_or_none,
    label_names,
    make_unknown_space_error,
    name_of,
    page_url,
    part,
    quote_cql,
    read_labels,
    storage_body,
    text,
    title_of,
    version_number,
    version_of,
)
from core.indexing.files import FileTexts
from core.model import Page, PageFacts
from core.ports.wiki import Account, Emails, ListedPage, SpaceReaders, WikiPerson
from core.retrieval.entries import ReadRestrictions

_V2 = "api/v2"
_ACCOUNT = "accountId"
_KIND = "account-id:"
_MOMENT = "createdAt"
_POST = "blogpost"
_AT_ONCE = 250  # the most that v2 gives
_PEOPLE_AT_ONCE = 100
_AT_ONCE_IN_V1 = 200  # the most that v1 gives of expanded pages; it may give fewer
_MOST_USERS = 10_000  # that a search finds
# What a page may hang below, and where v2 has it.
_KINDS = {"page": "pages", "folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}
_ANONYMOUS, _LICENSED = frozenset({"anonymous", "anonymous-users"}), frozenset({"all-licensed-users"})


class CloudSite:
    """A Confluence Cloud, reached with an account's e-mail address and API token."""

    def __init__(self, http: Http, reads_comments: Callable[[str], bool], files: FileTexts | None) -> None:
        self._http = http
        self._files = files
        self._reads_comments = reads_comments
        self._space_ids: dict[str, str] = {}
        self._has_bulk = True  # until it says otherwise

    async def spaces(self) -> list[str]:
        return [key for space in await self._list(f"{_V2}/spaces") if (key := text(space.get("key")))]

    async def pages(self, space: str) -> list[ListedPage]:
        path = f"{_V2}/spaces/{await self._space_id(space)}"
        listed = await self._list(f"{path}/pages", {"status": "current"})
        listed += [{**each, "type": _POST} for each in await self._list(f"{path}/blogposts", {"status": "current"})]
        nodes = {str(item["id"]): Node(str(item["id"]), _parent(item)) for item in listed}
        await self._add_restrictions(space, nodes)
        await self._add_ancestors(nodes, listed)
        return [list_page(item, space, version_of(item, _MOMENT), nodes) for item in listed]

    async def find(self, page_id: str) -> ListedPage | None:
        for _ in range(TRIES):
            item = await self._find_item(page_id)
            if item is None or item.get("status") != "current":
                return None
            found = await get_or_none(self._http.get(f"{_V2}/spaces/{quote(str(item.get('spaceId')), safe='')}"))
            if found is None:
                return None
            space = text(found.get("key"))
            nodes = {page_id: await self._ask_restriction(Node(page_id, _parent(item)))}
            await self._add_ancestors(nodes, [item])
            hidden = NOBODY in effective(page_id, nodes).read_restrictions
            readers = () if hidden else await self._readers_of(item, space)
            if readers is not None:
                return list_page(item, space, version_of(item, _MOMENT), nodes, readers)
        raise changes_too_often(page_id)

    async def _find_item(self, page_id: str) -> Json | None:
        """A page or blog post as v2 gives it, with its id and its type; None if there is neither."""
        for kind in ("page", _POST):
            item = await get_or_none(self._http.get(_path_of(page_id, kind)))
            if item is not None:
                return {**item, "id": page_id, "type": kind}
        return None

    async def page(self, listed: ListedPage) -> Page:
        kind = _POST if listed.is_post else "page"
        path = _path_of(listed.page_id, kind)
        space_id = await self._space_id(listed.space)
        files = self._files and self._files.reads_files(listed.space) and AttachmentReader(self._http, self._files)
        for _ in range(TRIES):
            item = (await self._http.get(path, {"body-format": "storage", "include-labels": "true"})).body
            item |= {"id": listed.page_id, "type": kind}
            check_place(listed.space if str(item.get("spaceId")) == space_id else "", listed, text(item.get("status")))
            attachments = await self._attachments(listed, path)
            labels = await self._labels(path, item)
            page = await self._with_comments(self._page(listed, item, labels, names_of(attachments)))
            page = await files.add_files(page, attachments) if files else page
            hidden = NOBODY in listed.read_restrictions
            readers = () if hidden else await self._readers_of(item, listed.space)  # of what was read before
            if readers is None or not await has_same_comments(self._http, page):
                continue
            if not has_text(page) or has_same_files(page, await self._attachments(listed, path)):
                return replace(page, read_restrictions=readers)
        raise changes_too_often(listed.page_id)

    async def _attachments(self, listed: ListedPage, path: str) -> list[Attachment]:
        return read_attachments(await self._list(f"{path}/attachments"), listed.page_id, self._http.url)

    async def _with_comments(self, page: Page) -> Page:
        return await add_comments(self._http, page) if self._reads_comments(page.space) else page

    def _page(self, listed: ListedPage, item: Json, labels: tuple[str, ...], attachments: tuple[str, ...]) -> Page:
        """The page without its readers and comments."""
        moment = part(item, "version").get(_MOMENT)
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=title_of(item),
            url=page_url(item, self._http.url) or f"{self._http.url}/pages/viewpage.action?pageId={listed.page_id}",
            content=storage_body(item),
            date=text(moment),
            read_restrictions=(NOBODY,),  # until they are known
            author=text(item.get("authorId")),
            labels=labels,
            attachments=tuple(sorted(attachments)),
            version=version_of(item, _MOMENT),
            posted=text(item.get("createdAt")) if listed.is_post else "",
            # v2 names people by their accounts only.
            facts=PageFacts(
                created=day_of(item.get("createdAt")),
                updated=day_of(moment),
                version=version_number(item),
                owner_account=account_of("account-id", item.get("ownerId")),
                creator_account=account_of("account-id", item.get("authorId")),
                editor_account=account_of("account-id", part(item, "version").get("authorId")),
            ),
        )

    async def readers(self, space: str) -> SpaceReaders:
        listed = await self._list(f"{_V2}/spaces/{await self._space_id(space)}/permissions")
        principals = [part(entry, "principal") for entry in listed if _is_read_operation(part(entry, "operation"))]
        users = {f"user:{each['id']}" for each in principals if each.get("type") == "user" and each.get("id")}
        group_ids = sorted({text(each.get("id")) for each in principals if each.get("type") == "group"} - {""})
        groups = await concurrently(self._group(group_id) for group_id in group_ids)
        ids = {text(each.get("id")) for each in principals}
        named = frozenset(users | {f"group:{name}" for name in groups if name})
        return SpaceReaders(named, bool(ids & _ANONYMOUS), bool(ids & (_ANONYMOUS | _LICENSED)))

    async def account(self, account_id: str) -> Account | None:
        """An account is active if Atlassian has it as such, and if it may use this Confluence, which the search tells.

        https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-users/
        """
        user = await get_or_none(self._http.get("rest/api/user", {"accountId": account_id}))
        if user is None or text(user.get("accountId")) != account_id:
            return None
        if user.get("accountStatus") != "active" or user.get("accountType") != "atlassian":
            return Account(account_id, active=False, guest=True)
        query = f"user.accountid={quote_cql(account_id)}"
        licensed = account_id in [user["accountId"] async for user in self._search_users(query, "none")]
        guest = not licensed and account_id in [
            user["accountId"] async for user in self._search_users(query, "externalCollaborator")
        ]
        return Account(account_id, active=licensed or guest, guest=not licensed)

    async def emails(self) -> Emails:
        """Those that their owners show to everybody: Cloud tells others to approved apps alone; a token is none."""
        found = self._search_users("type=user", "all")
        people = [each async for each in found if each.get("accountType") == "atlassian"]
        told = tuple((email, text(each.get("accountId"))) for each in people if (email := text(each.get("email"))))
        return Emails(told, complete=len(told) == len(people) < _MOST_USERS)

    @property
    def people_at_once(self) -> int:
        return _PEOPLE_AT_ONCE if self._has_bulk else 1

    async def people(self, accounts: Collection[str]) -> dict[str, WikiPerson]:
        # https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/
        ids = {account: account.removeprefix(_KIND) for account in accounts if account.startswith(_KIND)}
        found: dict[str, Json] = {}
        asked = sorted(ids.values())
        for start in range(0, len(asked), _PEOPLE_AT_ONCE):
            users = await self._users(asked[start : start + _PEOPLE_AT_ONCE])
            found |= {text(user.get("accountId")): user for user in users}
        # Keys and names of Data Center are left over from a migration: nobody is found by them any more.
        return {account: _person(found.get(ids.get(account, ""), {})) for account in accounts}

    async def _users(self, account_ids: Sequence[str]) -> list[Json]:
        """Those of the users that the account may see, all in one request where the site can do that."""
        if self._has_bulk:
            try:
                return page_items(
                    (await self._http.post(f"{_V2}/users-bulk", {"accountIds": account_ids})).body, _ACCOUNT
                )
            except Refusal as refusal:
                if refusal.status != 404:
                    raise
                self._has_bulk = False
        asked = (get_or_none(self._http.get("rest/api/user", {"accountId": each})) for each in account_ids)
        return [user for user in await concurrently(asked) if user is not None]

    async def groups(self, account_id: str) -> frozenset[str]:
        parameters: Parameters = {"accountId": account_id, "limit": _AT_ONCE_IN_V1}
        listed = items(self._http.get, self._http.host, "rest/api/user/memberof", parameters, key="name")
        return frozenset([text(group["name"]) async for group in listed])

    async def _list(self, path: str, parameters: Parameters | None = None) -> list[Json]:
        """All items of a listing of v2. Raises Refusal rather than return some of them."""
        wanted = {**(parameters or {}), "limit": _AT_ONCE}
        return [item async for item in items(self._http.get, self._http.host, path, wanted)]

    async def _search_users(self, cql: str, permission: str) -> AsyncIterator[Json]:
        """The users that a search finds. The index follows changes within minutes.

        ``permission``: none, externalCollaborator (guests) or all, as ``sitePermissionTypeFilter`` has it.
        """

        async def get(path: str, parameters: Parameters) -> Reply:
            reply = await self._http.get(path, parameters)
            results = reply.body.get("results")
            if not isinstance(results, list):
                raise make_malformed_response_error("a listing without results")
            users = [part(each, "user") for each in results if isinstance(each, dict)]
            return replace(reply, body={**reply.body, "results": [user for user in users if user.get("accountId")]})

        parameters: Parameters = {"cql": cql, "sitePermissionTypeFilter": permission, "limit": _AT_ONCE_IN_V1}
        async for user in items(get, self._http.host, "rest/api/search/user", parameters, key="accountId"):
            yield user

    async def _space_id(self, space: str) -> str:
        if space not in self._space_ids:
            listed = await self._list(f"{_V2}/spaces", {"keys": space})
            found = [str(each["id"]) for each in listed if each.get("key") == space]
            if not found:
                raise make_unknown_space_error(space, self._http.host, await self.spaces())
            self._space_ids[space] = found[0]
        return self._space_ids[space]

    async def _readers_of(self, item: Json, space: str) -> ReadRestrictions | None:
        """The readers now of a page that v2 gave, None if it has another version by now, or hangs elsewhere."""
        kinds: dict[str, str] = {}

        async def take() -> Snapshot | None:
            found = await self._snapshot_by_search(str(item["id"])) or await self._snapshot_by_v2(item, space)
            if found is None:
                return None
            above = {} if item.get("type") == _POST else await self._ancestors_of(found.page_id)
            kinds.update(above)
            # What v1 gives may lack folders among the ancestors; what it has beyond them was moved meanwhile.
            return replace(found, above=tuple(above)) if above.keys() >= set(found.above) else None

        async def ask(node_id: str) -> Node:
            defect = _find_unknown_kind(node_id, kinds)
            return Node(node_id, defect=defect) if defect else await self._ask_restriction(Node(node_id))

        found = await take()
        if found is None or (found.version, found.space) != (version_number(item), space):
            return None
        if (found.above[-1] if found.above else "") != _parent(item):
            return None
        return await readers_now(found, take, ask)

    async def _snapshot_by_search(self, page_id: str) -> Snapshot | None:
        """The page as the search gives it, None if its index lacks the page, or an ancestor cannot be expanded.

        The index is late, what it expands is up to date. https://jira.atlassian.com/browse/CONFCLOUD-77618
        """
        query: Parameters = {"cql": f"id={page_id}", "expand": SNAPSHOT, "limit": 1}
        try:
            found = page_items((await self._http.get(f"{CONTENT}/search", query)).body)
        except Refusal as refusal:
            if refusal.of_site or refusal.status is None:
                raise
            return None
        return next((snapshot_of(each, _ACCOUNT) for each in found if str(each["id"]) == page_id), None)

    async def _snapshot_by_v2(self, item: Json, space: str) -> Snapshot | None:
        """The page as v2 gives it, without anybody's restrictions; None if it moved to another space."""
        now = await get_or_none(self._http.get(_path_of(str(item["id"]), text(item.get("type")))))
        if now is None or now.get("spaceId") != item.get("spaceId") or now.get("status") != "current":
            return None
        return Snapshot(str(item["id"]), version_number(now), space, (), {})

    async def _ancestors_of(self, page_id: str) -> dict[str, str]:
        """The ids of a page's ancestors, folders included, from the top down; and of each its kind."""
        kinds = {str(each["id"]): text(each.get("type")) for each in await self._list(f"{_path_of(page_id)}/ancestors")}
        if len(kinds) >= _AT_ONCE:
            raise Refusal(f"has page {page_id} below more than {_AT_ONCE} others", "Move it further up.")
        return kinds

    async def _add_restrictions(self, space: str, nodes: dict[str, Node]) -> None:
        """The search gives the restrictions of many pages in one request; what it lacks is asked for one by one.

        It gives their labels too, which nobody needs to ask for where it lacks them: a later sync has them.

        Its index is late by seconds to minutes, so it may lack new pages; what it expands is up to date.
        """
        found: dict[str, OwnRestriction] = {}
        labels: dict[str, frozenset[str] | None] = {}
        query: Parameters = {
            "cql": f"type in (page, {_POST}) and space={quote_cql(space)}",
            "expand": LISTED,
            "limit": _AT_ONCE_IN_V1,
        }
        async for item in items(self._http.get, self._http.host, f"{CONTENT}/search", query):
            labels[str(item["id"])] = read_labels(item)
            own = read_restriction(item, _ACCOUNT)
            if own is not None and own.complete:
                found[str(item["id"])] = own
        lacking = [node for node_id, node in nodes.items() if node_id not in found]
        for node in await concurrently(map(self._ask_restriction, lacking)):
            nodes[node.node_id] = node
        for node_id in nodes.keys() & found.keys():
            nodes[node_id] = replace(nodes[node_id], readers=found[node_id].readers)
        for node_id in nodes.keys() & labels.keys():
            nodes[node_id] = replace(nodes[node_id], labels=labels[node_id])

    async def _add_ancestors(self, nodes: dict[str, Node], listed: Iterable[Json]) -> None:
        """Folders and the like, which can be restricted too, and pages that came to be meanwhile."""
        kinds = dict(map(_kind_of_parent, listed))

        async def load(node_id: str) -> Node:
            if defect := _find_unknown_kind(node_id, kinds):
                return Node(node_id, defect=defect)
            try:
                path = f"{_V2}/{_KINDS[kinds.get(node_id, 'page')]}/{quote(node_id, safe='')}"
                item = (await self._http.get(path)).body
            except Refusal as refusal:
                return Node(node_id).mark_unreadable(refusal)
            kinds.update([_kind_of_parent(item)])
            return await self._ask_restriction(Node(node_id, _parent(item)))

        await add_ancestors(nodes, load)

    def _ask_restriction(self, node: Node) -> Coroutine[Any, Any, Node]:
        return ask_restriction(self._http.get, node, _ACCOUNT)

    async def _labels(self, path: str, item: Json) -> tuple[str, ...]:
        labels = part(item, "labels")
        if isinstance(labels.get("results"), list) and not part(labels, "meta").get("hasMore"):
            return label_names(labels["results"])
        return label_names(await self._list(f"{path}/labels"))

    async def _group(self, group_id: str) -> str:
        """The group's name, "" for a deleted one, of which nobody is a member any more."""
        return text((await get_or_none(self._http.get("rest/api/group/by-id", {"id": group_id})) or {}).get("name"))


def _person(user: Mapping[str, Any]) -> WikiPerson:
    """A deactivated account keeps its name; one that was closed, or that cannot be seen, has none."""
    return WikiPerson(name_of(user), user.get("accountStatus") == "active")


def _path_of(page_id: str, kind: str = "page") -> str:
    return f"{_V2}/{kind}s/{quote(page_id, safe='')}"


def _parent(item: Mapping[str, Any]) -> str:
    parent = item.get("parentId")
    return str(parent) if isinstance(parent, str | int) else ""


def _kind_of_parent(item: Mapping[str, Any]) -> tuple[str, str]:
    """The id of what an item hangs below, and its kind."""
    return _parent(item), text(item.get("parentType")) or "page"


def _find_unknown_kind(node_id: str, kinds: Mapping[str, str]) -> str:
    """Why the restrictions of an ancestor of this kind cannot be read, "" if they can."""
    kind = kinds.get(node_id, "page")
    return "" if kind in _KINDS else f"cannot be read: it is a {kind}, which is not known here"


def _is_read_operation(operation: Mapping[str, Any]) -> bool:
    return operation.get("key") == "read" and operation.get("targetType") == "space"
