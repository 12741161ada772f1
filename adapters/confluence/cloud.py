"""Confluence Cloud: REST v2 for pages, ``https://developer.atlassian.com/cloud/confluence/rest/v2/``, and of v1 what
v2 lacks: restrictions and groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import items, page_items
from adapters.confluence.people import cloud_account, cloud_emails, cloud_groups
from adapters.confluence.readers import (
    EXPAND,
    SNAPSHOT,
    TRIES,
    OwnRestriction,
    Snapshot,
    ask_restriction,
    read_restriction,
    readers_now,
    snapshot_of,
)
from adapters.confluence.restrictions import NOBODY, Node, effective, find_unknown_parents
from adapters.confluence.site import (
    FoundPage,
    SitePage,
    SpacePages,
    changes_too_often,
    check_place,
    concurrently,
    get_or_none,
    make_unknown_space_error,
    names,
    page_url,
    part,
    storage_body,
    text,
    title_of,
)
from core.model import Page
from core.ports.wiki import Account, Emails, ListedPage, SpaceReaders
from core.retrieval.access import ReadRestrictions

_V2 = "api/v2"
_CONTENT = "rest/api/content"
_ACCOUNT = "accountId"
_AT_ONCE = 250  # the most that v2 gives
_SEARCHED_AT_ONCE = 200  # the most that v1 gives of expanded pages; it may give fewer
# What a page may hang below, and where v2 has it.
_KINDS = {"page": "pages", "folder": "folders", "whiteboard": "whiteboards", "database": "databases", "embed": "embeds"}
_ANONYMOUS, _LICENSED = frozenset({"anonymous", "anonymous-users"}), frozenset({"all-licensed-users"})


class CloudSite:
    """A Confluence Cloud, reached with an account's e-mail address and API token."""

    def __init__(self, http: Http) -> None:
        self._http = http
        self._space_ids: dict[str, str] = {}

    async def spaces(self) -> list[str]:
        listed = items(self._http.get, self._http.host, f"{_V2}/spaces", {"limit": _AT_ONCE})
        return [key async for space in listed if (key := text(space.get("key")))]

    async def pages(self, space: str) -> SpacePages:
        path = f"{_V2}/spaces/{await self._space_id(space)}/pages"
        parameters: Parameters = {"limit": _AT_ONCE, "status": "current"}
        found, kinds = SpacePages(), dict[str, str]()
        async for item in items(self._http.get, self._http.host, path, parameters):
            page_id, parent = str(item["id"]), _parent(item)
            found.pages.append(SitePage(page_id, title_of(item), _version(item)))
            found.nodes[page_id] = Node(page_id, parent)
            kinds[parent] = text(item.get("parentType")) or "page"
        await self._add_restrictions(space, found.nodes)
        await self._add_ancestors(found.nodes, kinds)
        return found

    async def find(self, page_id: str) -> FoundPage | None:
        for _ in range(TRIES):
            item = await get_or_none(self._http.get(f"{_V2}/pages/{quote(page_id, safe='')}"))
            if item is None or item.get("status") != "current":
                return None
            space = await get_or_none(self._http.get(f"{_V2}/spaces/{quote(str(item.get('spaceId')), safe='')}"))
            if space is None:
                return None
            parent = _parent(item)
            own = await ask_restriction(self._http.get, _CONTENT, Node(page_id, parent), _ACCOUNT)
            nodes = {page_id: own}
            await self._add_ancestors(nodes, {parent: text(item.get("parentType")) or "page"})
            page, key = SitePage(page_id, title_of(item), _version(item)), text(space.get("key"))
            hidden = NOBODY in effective(page_id, nodes).read_restrictions
            readers = () if hidden else await self._readers_of({**item, "id": page_id}, key)
            if readers is not None:
                return FoundPage(page, key, nodes, readers)
        raise changes_too_often(page_id)

    async def page(self, listed: ListedPage) -> Page:
        path = f"{_V2}/pages/{quote(listed.page_id, safe='')}"
        space_id = await self._space_id(listed.space)
        for _ in range(TRIES):
            item = (await self._http.get(path, {"body-format": "storage", "include-labels": "true"})).body
            item["id"] = listed.page_id
            check_place(listed.space if str(item.get("spaceId")) == space_id else "", listed, text(item.get("status")))
            attached = items(self._http.get, self._http.host, f"{path}/attachments", {"limit": _AT_ONCE})
            attachments = names([attachment async for attachment in attached], "title")
            labels = await self._labels(path, item)
            hidden = NOBODY in listed.read_restrictions
            readers = () if hidden else await self._readers_of(item, listed.space)  # of what was read before
            if readers is not None:
                return self._page(listed, item, labels, attachments, readers)
        raise changes_too_often(listed.page_id)

    def _page(
        self,
        listed: ListedPage,
        item: Json,
        labels: tuple[str, ...],
        attachments: tuple[str, ...],
        readers: ReadRestrictions,
    ) -> Page:
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=title_of(item),
            url=page_url(item, {}, self._http.url) or f"{self._http.url}/pages/viewpage.action?pageId={listed.page_id}",
            content=storage_body(item),
            date=text(part(item, "version").get("createdAt")),
            read_restrictions=readers,
            author=text(item.get("authorId")),
            labels=labels,
            attachments=tuple(sorted(attachments)),
            version=_version(item),
        )

    async def readers(self, space: str) -> SpaceReaders:
        path = f"{_V2}/spaces/{await self._space_id(space)}/permissions"
        listed = items(self._http.get, self._http.host, path, {"limit": _AT_ONCE})
        granted = [entry async for entry in listed if _is_read_operation(part(entry, "operation"))]
        principals = [part(entry, "principal") for entry in granted]
        users = {f"user:{each['id']}" for each in principals if each.get("type") == "user" and each.get("id")}
        group_ids = sorted({text(each.get("id")) for each in principals if each.get("type") == "group"} - {""})
        groups = await concurrently(self._group(group_id) for group_id in group_ids)
        ids = {text(each.get("id")) for each in principals}
        named = frozenset(users | {f"group:{name}" for name in groups if name})
        return SpaceReaders(named, bool(ids & _ANONYMOUS), bool(ids & (_ANONYMOUS | _LICENSED)))

    async def account(self, account_id: str) -> Account | None:
        return await cloud_account(self._http, account_id)

    async def emails(self) -> Emails:
        return await cloud_emails(self._http)

    async def groups(self, account_id: str) -> frozenset[str]:
        return await cloud_groups(self._http, account_id)

    async def _space_id(self, space: str) -> str:
        if space not in self._space_ids:
            listed = items(self._http.get, self._http.host, f"{_V2}/spaces", {"keys": space, "limit": _AT_ONCE})
            found = [str(each["id"]) async for each in listed if each.get("key") == space]
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
            above = await self._ancestors_of(found.page_id)
            kinds.update(above)
            # What v1 gives may lack folders among the ancestors; what it has beyond them was moved meanwhile.
            return replace(found, above=tuple(above)) if above.keys() >= set(found.above) else None

        found = await take()
        if found is None or (found.version, found.space) != (_number(item), space):
            return None
        if (found.above[-1] if found.above else "") != _parent(item):
            return None
        return await readers_now(found, take, lambda node_id: self._restriction(node_id, kinds))

    async def _snapshot_by_search(self, page_id: str) -> Snapshot | None:
        """The page as the search gives it, None if its index lacks the page, or an ancestor cannot be expanded.

        The index is late, what it expands is up to date. https://jira.atlassian.com/browse/CONFCLOUD-77618
        """
        query: Parameters = {"cql": f"id={page_id}", "expand": SNAPSHOT, "limit": 1}
        try:
            found = page_items((await self._http.get(f"{_CONTENT}/search", query)).body)
        except Refusal as refusal:
            if refusal.of_site or refusal.status is None:
                raise
            return None
        return next((snapshot_of(each, _ACCOUNT) for each in found if str(each["id"]) == page_id), None)

    async def _snapshot_by_v2(self, item: Json, space: str) -> Snapshot | None:
        """The page as v2 gives it, without anybody's restrictions; None if it moved to another space."""
        now = await get_or_none(self._http.get(f"{_V2}/pages/{quote(str(item['id']), safe='')}"))
        if now is None or now.get("spaceId") != item.get("spaceId") or now.get("status") != "current":
            return None
        return Snapshot(str(item["id"]), _number(now), space, (), {})

    async def _ancestors_of(self, page_id: str) -> dict[str, str]:
        """The ids of a page's ancestors, folders included, from the top down; and of each its kind."""
        path = f"{_V2}/pages/{quote(page_id, safe='')}/ancestors"
        found = items(self._http.get, self._http.host, path, {"limit": _AT_ONCE})
        kinds = {str(each["id"]): text(each.get("type")) async for each in found}
        if len(kinds) >= _AT_ONCE:
            raise Refusal(f"has page {page_id} below more than {_AT_ONCE} others", "Move it further up.")
        return kinds

    async def _restriction(self, node_id: str, kinds: Mapping[str, str]) -> Node:
        if kinds.get(node_id, "page") not in _KINDS:
            return Node(node_id, defect=_unknown_kind(kinds[node_id]))
        return await ask_restriction(self._http.get, _CONTENT, Node(node_id), _ACCOUNT)

    async def _add_restrictions(self, space: str, nodes: dict[str, Node]) -> None:
        """The search gives the restrictions of many pages in one request; what it lacks is asked for one by one.

        Its index is late by seconds to minutes, so it may lack new pages; what it expands is up to date.
        """
        found: dict[str, OwnRestriction] = {}
        quoted = space.replace("\\", "\\\\").replace('"', '\\"')
        query: Parameters = {"cql": f'type=page and space="{quoted}"', "expand": EXPAND, "limit": _SEARCHED_AT_ONCE}
        async for item in items(self._http.get, self._http.host, f"{_CONTENT}/search", query):
            own = read_restriction(item, _ACCOUNT)
            if own is not None and own.complete:
                found[str(item["id"])] = own
        lacking = [node for node_id, node in nodes.items() if node_id not in found]
        for node in await concurrently(ask_restriction(self._http.get, _CONTENT, each, _ACCOUNT) for each in lacking):
            nodes[node.node_id] = node
        for node_id in nodes.keys() & found.keys():
            nodes[node_id] = Node(node_id, nodes[node_id].parent, found[node_id].readers)

    async def _add_ancestors(self, nodes: dict[str, Node], kinds: dict[str, str]) -> None:
        """Folders and the like, which can be restricted too, and pages that came to be meanwhile."""
        while missing := sorted(find_unknown_parents(nodes)):
            for node in await concurrently(self._ancestor(each, kinds) for each in missing):
                nodes[node.node_id] = node

    async def _ancestor(self, node_id: str, kinds: dict[str, str]) -> Node:
        kind = _KINDS.get(kinds.get(node_id, "page"))
        if kind is None:
            return Node(node_id, defect=_unknown_kind(kinds[node_id]))
        try:
            item = (await self._http.get(f"{_V2}/{kind}/{quote(node_id, safe='')}")).body
        except Refusal as refusal:
            if refusal.of_site:
                raise
            return Node(node_id, defect=f"cannot be read: Confluence {refusal.cause}")
        parent = _parent(item)
        kinds[parent] = text(item.get("parentType")) or "page"
        return await ask_restriction(self._http.get, _CONTENT, Node(node_id, parent), _ACCOUNT)

    async def _labels(self, path: str, item: Json) -> tuple[str, ...]:
        labels = part(item, "labels")
        if isinstance(labels.get("results"), list) and not part(labels, "meta").get("hasMore"):
            return names(labels["results"], "name")
        listed = items(self._http.get, self._http.host, f"{path}/labels", {"limit": _AT_ONCE})
        return names([label async for label in listed], "name")

    async def _group(self, group_id: str) -> str:
        try:
            return text((await self._http.get("rest/api/group/by-id", {"id": group_id})).body.get("name"))
        except Refusal as refusal:
            if refusal.of_site or refusal.status != 404:
                raise
            return ""  # a deleted group, of which nobody is a member any more


def _version(item: Mapping[str, Any]) -> str:
    return f"{_number(item)} {text(part(item, 'version').get('createdAt'))} {text(item.get('title'))}"


def _number(item: Mapping[str, Any]) -> int:
    number = part(item, "version").get("number")
    if not isinstance(number, int):
        raise make_malformed_response_error("a listed page without its version")
    return number


def _unknown_kind(kind: str) -> str:
    return f"cannot be read: it is a {kind}, which is not known here"


def _parent(item: Mapping[str, Any]) -> str:
    parent = item.get("parentId")
    return str(parent) if isinstance(parent, str | int) else ""


def _is_read_operation(operation: Mapping[str, Any]) -> bool:
    return operation.get("key") == "read" and operation.get("targetType") == "space"
