"""Confluence Cloud: REST v2 (``https://developer.atlassian.com/cloud/confluence/rest/v2/``), and v1 for what v2 lacks:
restrictions, groups and accounts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from adapters.confluence import restrictions
from adapters.confluence.attachments import (
    Attachment,
    AttachmentReader,
    has_same_files,
    has_text,
    list_names,
    read_attachments,
)
from adapters.confluence.comments import add_comments, has_same_comments
from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters, Reply
from adapters.confluence.paging import iterate_items, read_items
from adapters.confluence.restrictions import Node, OwnRestriction, Snapshot
from adapters.confluence.site import (
    check_location,
    get_or_none,
    make_account,
    make_changing_page_error,
    make_unknown_space_error,
    make_version,
    page_url,
    part,
    quote_cql,
    read_body,
    read_day,
    read_labels,
    read_name,
    read_title,
    run_concurrently,
    select_label_names,
    text,
    version_number,
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
_AT_ONCE = 250  # maximum of v2
_PEOPLE_AT_ONCE = 100
_AT_ONCE_IN_V1 = 200  # maximum of v1 with expanded pages; it may return fewer
_MOST_USERS = 10_000  # maximum of a user search
_KINDS = frozenset({"page", "folder", "whiteboard", "database", "embed"})  # of ancestors of pages
_FOLDER = '<ac:structured-macro ac:name="children" />'  # what people see of a folder
_ANONYMOUS, _LICENSED = frozenset({"anonymous", "anonymous-users"}), frozenset({"all-licensed-users"})


class CloudSite:
    """A Confluence Cloud, reached with an account's e-mail address and API token."""

    def __init__(self, http: Http, reads_comments: Callable[[str], bool], files: FileTexts | None) -> None:
        self._http = http
        self._files = files
        self._reads_comments = reads_comments
        self._spaces: dict[str, Json] = {}  # by key, as of the last listing
        self._kinds: dict[str, str] = {}  # kinds of listed folders and the like, by id
        self._has_bulk = True  # until a request shows that the site lacks it

    async def spaces(self) -> list[str]:
        return [key for space in await self._list(f"{_V2}/spaces") if (key := text(space.get("key")))]

    async def pages(self, space: str) -> list[ListedPage]:
        self._spaces.pop(space, None)
        found = await self._space(space)
        path = f"{_V2}/spaces/{found['id']}"
        listed = await self._list(f"{path}/pages", {"status": "current"})
        listed += [{**each, "type": _POST} for each in await self._list(f"{path}/blogposts", {"status": "current"})]
        nodes = {str(item["id"]): Node(str(item["id"]), _parent(item)) for item in listed}
        await self._add_restrictions(space, nodes)
        loaded = await self._add_ancestors(nodes, listed)
        above = [each for each in loaded if _is_folder(each, found)]
        self._kinds |= {str(each["id"]): each["type"] for each in above}
        return [
            restrictions.make_listed_page(item, space, _make_version(item, found), nodes) for item in (*listed, *above)
        ]

    async def find(self, page_id: str) -> ListedPage | None:
        for _ in range(restrictions.TRIES):
            item = await self._find_item(page_id)
            if item is None or item.get("status") != "current":
                return None
            found = await get_or_none(self._http.get(f"{_V2}/spaces/{quote(str(item.get('spaceId')), safe='')}"))
            if found is None:
                return None
            space = text(found.get("key"))
            nodes = {page_id: await self._ask_restriction(Node(page_id, _parent(item)))}
            await self._add_ancestors(nodes, [item])
            hidden = restrictions.NOBODY in restrictions.find_effective_restrictions(page_id, nodes).read_restrictions
            readers = () if hidden else await self._readers_of(item, space)
            if readers is not None:
                self._spaces[space] = found
                return restrictions.make_listed_page(item, space, _make_version(item, found), nodes, readers)
        raise make_changing_page_error(page_id)

    async def _find_item(self, page_id: str) -> Json | None:
        """Return a page, blog post or listed folder from v2 with its id and type, or None if there is none."""
        for kind in dict.fromkeys(("page", _POST, self._kinds.get(page_id, "page"))):
            item = await get_or_none(self._http.get(_path_of(page_id, kind)))
            if item is not None:
                return {**item, "id": page_id, "type": kind}
        return None

    async def page(self, listed: ListedPage) -> Page:
        kind = _POST if listed.is_post else self._kinds.get(listed.page_id, "page")
        if kind not in {_POST, "page"}:
            return await self._folder(listed, kind)
        path = _path_of(listed.page_id, kind)
        space = await self._space(listed.space)
        files = self._files and self._files.reads_files(listed.space) and AttachmentReader(self._http, self._files)
        for _ in range(restrictions.TRIES):
            item = (await self._http.get(path, {"body-format": "storage", "include-labels": "true"})).body
            item |= {"id": listed.page_id, "type": kind}
            check_location(
                listed.space if str(item.get("spaceId")) == str(space["id"]) else "", listed, text(item.get("status"))
            )
            attachments = await self._attachments(listed, path)
            labels = await self._labels(path, item)
            page = await self._with_comments(self._page(listed, item, space, labels, list_names(attachments)))
            page = await files.add_files(page, attachments) if files else page
            hidden = restrictions.NOBODY in listed.read_restrictions
            readers = () if hidden else await self._readers_of(item, listed.space)  # of the version that was read
            if readers is None or not await has_same_comments(self._http, page):
                continue
            if not has_text(page) or has_same_files(page, await self._attachments(listed, path)):
                return replace(page, read_restrictions=readers)
        raise make_changing_page_error(listed.page_id)

    async def _folder(self, listed: ListedPage, kind: str) -> Page:
        """Return a folder or the like as a page that shows the pages below it, as far as v2 tells: it has no body."""
        space = await self._space(listed.space)
        for _ in range(restrictions.TRIES):
            item = (await self._http.get(_path_of(listed.page_id, kind))).body | {"id": listed.page_id, "type": kind}
            found = listed.space if str(item.get("spaceId")) == str(space["id"]) else ""
            check_location(found, listed, text(item.get("status")))
            hidden = restrictions.NOBODY in listed.read_restrictions
            readers = () if hidden else await self._readers_of(item, listed.space)
            if readers is not None:
                body = {"body": {"storage": {"value": _FOLDER if kind == "folder" else ""}}}
                return replace(self._page(listed, item | body, space, (), ()), read_restrictions=readers)
        raise make_changing_page_error(listed.page_id)

    async def _attachments(self, listed: ListedPage, path: str) -> list[Attachment]:
        return read_attachments(await self._list(f"{path}/attachments"), listed.page_id, self._http.url)

    async def _with_comments(self, page: Page) -> Page:
        return await add_comments(self._http, page) if self._reads_comments(page.space) else page

    def _page(
        self, listed: ListedPage, item: Json, space: Json, labels: tuple[str, ...], attachments: tuple[str, ...]
    ) -> Page:
        """Make the page without its readers and comments."""
        moment = part(item, "version").get(_MOMENT)
        is_home = _is_home(item, space)
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=read_title(item),
            url=page_url(item, self._http.url) or f"{self._http.url}/pages/viewpage.action?pageId={listed.page_id}",
            content=read_body(item),
            date=text(moment),
            read_restrictions=(restrictions.NOBODY,),  # until they are read
            author=text(item.get("authorId")),
            labels=labels,
            attachments=tuple(sorted(attachments)),
            version=_make_version(item, space),
            posted=text(item.get("createdAt")) if listed.is_post else "",
            # v2 has only accounts of people, no names.
            facts=PageFacts(
                created=read_day(item.get("createdAt")),
                updated=read_day(moment),
                version=version_number(item),
                owner_account=make_account("account-id", item.get("ownerId")),
                creator_account=make_account("account-id", item.get("authorId")),
                editor_account=make_account("account-id", part(item, "version").get("authorId")),
                space_name=text(space.get("name")) if is_home else "",
                space_owner_account=make_account("account-id", space.get("spaceOwnerId")) if is_home else "",
                space_creator_account=make_account("account-id", space.get("authorId")) if is_home else "",
            ),
        )

    async def readers(self, space: str) -> SpaceReaders:
        listed = await self._list(f"{_V2}/spaces/{(await self._space(space))['id']}/permissions")
        principals = [part(entry, "principal") for entry in listed if _is_read_operation(part(entry, "operation"))]
        users = {f"user:{each['id']}" for each in principals if each.get("type") == "user" and each.get("id")}
        group_ids = sorted({text(each.get("id")) for each in principals if each.get("type") == "group"} - {""})
        groups = await run_concurrently(self._group(group_id) for group_id in group_ids)
        ids = {text(each.get("id")) for each in principals}
        named = frozenset(users | {f"group:{name}" for name in groups if name})
        return SpaceReaders(named, bool(ids & _ANONYMOUS), bool(ids & (_ANONYMOUS | _LICENSED)))

    async def account(self, account_id: str) -> Account | None:
        """Return the account. It is active if Atlassian says so and it may use this Confluence, which a search tells.

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
        """Return the addresses that users show to everybody. Cloud shows others only to approved apps, not tokens."""
        found = self._search_users("type=user", "all")
        people = [each async for each in found if each.get("accountType") == "atlassian"]
        told = tuple((email, text(each.get("accountId"))) for each in people if (email := text(each.get("email"))))
        return Emails(told, complete=len(told) == len(people) < _MOST_USERS)

    @property
    def people_per_request(self) -> int:
        return _PEOPLE_AT_ONCE if self._has_bulk else 1

    async def people(self, accounts: Collection[str]) -> dict[str, WikiPerson]:
        # https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/
        ids = {account: account.removeprefix(_KIND) for account in accounts if account.startswith(_KIND)}
        found: dict[str, Json] = {}
        asked = sorted(ids.values())
        for start in range(0, len(asked), _PEOPLE_AT_ONCE):
            users = await self._users(asked[start : start + _PEOPLE_AT_ONCE])
            found |= {text(user.get("accountId")): user for user in users}
        # Keys and usernames of Data Center are left over from a migration and identify nobody on Cloud.
        return {account: _person(found.get(ids.get(account, ""), {})) for account in accounts}

    async def _users(self, account_ids: Sequence[str]) -> list[Json]:
        """Return the users that the account may see, by one request if the site supports that."""
        if self._has_bulk:
            try:
                return read_items(
                    (await self._http.post(f"{_V2}/users-bulk", {"accountIds": account_ids})).body, _ACCOUNT
                )
            except Refusal as refusal:
                if refusal.status != 404:
                    raise
                self._has_bulk = False
        asked = (get_or_none(self._http.get("rest/api/user", {"accountId": each})) for each in account_ids)
        return [user for user in await run_concurrently(asked) if user is not None]

    async def groups(self, account_id: str) -> frozenset[str]:
        parameters: Parameters = {"accountId": account_id, "limit": _AT_ONCE_IN_V1}
        listed = iterate_items(self._http.get, self._http.host, "rest/api/user/memberof", parameters, key="name")
        return frozenset([text(group["name"]) async for group in listed])

    async def _list(self, path: str, parameters: Parameters | None = None) -> list[Json]:
        """Return all items of a listing of v2. Raises Refusal rather than return only some."""
        wanted = {**(parameters or {}), "limit": _AT_ONCE}
        return [item async for item in iterate_items(self._http.get, self._http.host, path, wanted)]

    async def _search_users(self, cql: str, permission: str) -> AsyncIterator[Json]:
        """Yield the users that a search finds. The search index lags by minutes.

        ``permission``: none, externalCollaborator (guests) or all, for ``sitePermissionTypeFilter``.
        """

        async def get(path: str, parameters: Parameters) -> Reply:
            reply = await self._http.get(path, parameters)
            results = reply.body.get("results")
            if not isinstance(results, list):
                raise make_malformed_response_error("a listing without results")
            users = [part(each, "user") for each in results if isinstance(each, dict)]
            return replace(reply, body={**reply.body, "results": [user for user in users if user.get("accountId")]})

        parameters: Parameters = {"cql": cql, "sitePermissionTypeFilter": permission, "limit": _AT_ONCE_IN_V1}
        async for user in iterate_items(get, self._http.host, "rest/api/search/user", parameters, key="accountId"):
            yield user

    async def _space(self, space: str) -> Json:
        if space not in self._spaces:
            listed = await self._list(f"{_V2}/spaces", {"keys": space})
            found = [each for each in listed if each.get("key") == space]
            if not found:
                raise make_unknown_space_error(space, self._http.host, await self.spaces())
            self._spaces[space] = found[0]
        return self._spaces[space]

    async def _readers_of(self, item: Json, space: str) -> ReadRestrictions | None:
        """Return the current readers of a page from v2, or None if its version or location has changed."""
        kinds: dict[str, str] = {}

        async def take() -> Snapshot | None:
            kind = text(item.get("type"))
            by_search = await self._snapshot_by_search(str(item["id"])) if kind in {_POST, "page"} else None
            found = by_search or await self._snapshot_by_v2(item, space)
            if found is None:
                return None
            above = {} if kind == _POST else await self._ancestors_of(found.page_id, kind)
            kinds.update(above)
            # v1 may omit folders among the ancestors; ancestors that only v1 has are due to a move meanwhile.
            return replace(found, above=tuple(above)) if above.keys() >= set(found.above) else None

        async def ask(node_id: str) -> Node:
            defect = _find_unknown_kind(node_id, kinds)
            return Node(node_id, defect=defect) if defect else await self._ask_restriction(Node(node_id))

        found = await take()
        if found is None or (found.version, found.space) != (version_number(item), space):
            return None
        if (found.above[-1] if found.above else "") != _parent(item):
            return None
        return await restrictions.find_current_readers(found, take, ask)

    async def _snapshot_by_search(self, page_id: str) -> Snapshot | None:
        """Return the page's snapshot by search, or None if the index lacks it or an ancestor cannot be expanded.

        The index lags, but expanded content is current. https://jira.atlassian.com/browse/CONFCLOUD-77618
        """
        query: Parameters = {"cql": f"id={page_id}", "expand": restrictions.SNAPSHOT, "limit": 1}
        try:
            found = read_items((await self._http.get(f"{restrictions.CONTENT}/search", query)).body)
        except Refusal as refusal:
            if refusal.is_site_wide or refusal.status is None:
                raise
            return None
        return next((restrictions.read_snapshot(each, _ACCOUNT) for each in found if str(each["id"]) == page_id), None)

    async def _snapshot_by_v2(self, item: Json, space: str) -> Snapshot | None:
        """Return the page's snapshot by v2, without restrictions, or None if the page moved to another space."""
        now = await get_or_none(self._http.get(_path_of(str(item["id"]), text(item.get("type")))))
        if now is None or now.get("spaceId") != item.get("spaceId") or now.get("status") != "current":
            return None
        return Snapshot(str(item["id"]), version_number(now), space, (), {})

    async def _ancestors_of(self, page_id: str, kind: str) -> dict[str, str]:
        """Return id to kind of a page's ancestors, including folders, from the top down."""
        listed = await self._list(f"{_path_of(page_id, kind)}/ancestors")
        kinds = {str(each["id"]): text(each.get("type")) for each in listed}
        if len(kinds) >= _AT_ONCE:
            raise Refusal(f"has page {page_id} below more than {_AT_ONCE} others", "Move it further up.")
        return kinds

    async def _add_restrictions(self, space: str, nodes: dict[str, Node]) -> None:
        """Add restrictions by search, for many pages per request; those of pages that it lacks are requested singly.

        The search also returns labels. Missing ones are not requested, because a later sync will find them. The index
        lags by seconds to minutes, so it may lack new pages, but expanded content is current.
        """
        found: dict[str, OwnRestriction] = {}
        labels: dict[str, frozenset[str] | None] = {}
        query: Parameters = {
            "cql": f"type in (page, {_POST}) and space={quote_cql(space)}",
            "expand": restrictions.LISTED,
            "limit": _AT_ONCE_IN_V1,
        }
        async for item in iterate_items(self._http.get, self._http.host, f"{restrictions.CONTENT}/search", query):
            labels[str(item["id"])] = read_labels(item)
            own = restrictions.read_own_restriction(item, _ACCOUNT)
            if own is not None and own.complete:
                found[str(item["id"])] = own
        lacking = [node for node_id, node in nodes.items() if node_id not in found]
        for node in await run_concurrently(map(self._ask_restriction, lacking)):
            nodes[node.node_id] = node
        for node_id in nodes.keys() & found.keys():
            nodes[node_id] = replace(nodes[node_id], readers=found[node_id].readers)
        for node_id in nodes.keys() & labels.keys():
            nodes[node_id] = replace(nodes[node_id], labels=labels[node_id])

    async def _add_ancestors(self, nodes: dict[str, Node], listed: Iterable[Json]) -> list[Json]:
        """Add missing ancestors: folders and the like, which can be restricted too, and pages created meanwhile.

        Returns those that can be seen, each with its kind as ``type``.
        """
        loaded: list[Json] = []
        kinds = dict(map(_kind_of_parent, listed))

        async def load(node_id: str) -> Node:
            if defect := _find_unknown_kind(node_id, kinds):
                return Node(node_id, defect=defect)
            try:
                kind = kinds.get(node_id, "page")
                item = (await self._http.get(_path_of(node_id, kind))).body
            except Refusal as refusal:
                return Node(node_id).mark_unreadable(refusal)
            kinds.update([_kind_of_parent(item)])
            loaded.append({**item, "id": node_id, "type": kind})
            return await self._ask_restriction(Node(node_id, _parent(item)))

        await restrictions.add_ancestors(nodes, load)
        return loaded

    def _ask_restriction(self, node: Node) -> Coroutine[Any, Any, Node]:
        return restrictions.request_restriction(self._http.get, node, _ACCOUNT)

    async def _labels(self, path: str, item: Json) -> tuple[str, ...]:
        labels = part(item, "labels")
        if isinstance(labels.get("results"), list) and not part(labels, "meta").get("hasMore"):
            return select_label_names(labels["results"])
        return select_label_names(await self._list(f"{path}/labels"))

    async def _group(self, group_id: str) -> str:
        """Return a group's name, or "" for a deleted group, which has no members."""
        return text((await get_or_none(self._http.get("rest/api/group/by-id", {"id": group_id})) or {}).get("name"))


def _person(user: Mapping[str, Any]) -> WikiPerson:
    """Return the person. A deactivated account keeps its name; a closed or invisible one has none.

    Cloud adds "(Deactivated)" to the display name of the former, in the site's language, but not to the public name.
    """
    name, public = read_name(user), " ".join(text(user.get("publicName")).split())
    active = user.get("accountStatus") == "active"
    return WikiPerson(public if not active and public and name.startswith(f"{public} (") else name, active)


def _path_of(page_id: str, kind: str = "page") -> str:
    return f"{_V2}/{kind}s/{quote(page_id, safe='')}"


def _is_home(item: Mapping[str, Any], space: Mapping[str, Any]) -> bool:
    """Whether this is the home page of its space."""
    return str(item["id"]) == str(space.get("homepageId"))


def _is_folder(item: Mapping[str, Any], space: Mapping[str, Any]) -> bool:
    """Whether an ancestor is a folder or the like of this space, of which v2 tells enough to show it."""
    is_told = bool(text(item.get("title"))) and isinstance(part(item, "version").get("number"), int)
    return is_told and item["type"] != "page" and str(item.get("spaceId")) == str(space["id"])


def _make_version(item: Mapping[str, Any], space: Mapping[str, Any]) -> str:
    """Return a page's version; that of a home page changes with the owner of the space, too."""
    owner = text(space.get("spaceOwnerId")) if _is_home(item, space) else ""
    version = make_version(item, _MOMENT)
    return f"{version} {owner}" if owner else version


def _parent(item: Mapping[str, Any]) -> str:
    parent = item.get("parentId")
    return str(parent) if isinstance(parent, str | int) else ""


def _kind_of_parent(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return id and kind of an item's parent."""
    return _parent(item), text(item.get("parentType")) or "page"


def _find_unknown_kind(node_id: str, kinds: Mapping[str, str]) -> str:
    """Return why the restrictions of an ancestor of this kind cannot be read, "" if they can."""
    kind = kinds.get(node_id, "page")
    return "" if kind in _KINDS else f"cannot be read: it is a {kind}, which is not known here"


def _is_read_operation(operation: Mapping[str, Any]) -> bool:
    return operation.get("key") == "read" and operation.get("targetType") == "space"
