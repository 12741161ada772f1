"""Confluence Data Center: REST v1, ``https://docs.atlassian.com/ConfluenceServer/rest/``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import ListingShifted, items, items_by_offset
from adapters.confluence.people import data_center_account, data_center_emails, data_center_groups
from adapters.confluence.readers import (
    EXPAND,
    ONLY_OWN,
    SNAPSHOT,
    TRIES,
    Snapshot,
    Take,
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
from core.evidence.anchors import is_cloud
from core.model import Page
from core.ports.wiki import Account, Emails, ListedPage, SpaceReaders
from core.retrieval.access import ReadRestrictions

_CONTENT = "rest/api/content"
_ACCOUNT = "username"
_AT_ONCE = 200  # the most that Data Center gives of expanded pages; it may give fewer
_BODY = "body.storage,history,metadata.labels,children.attachment"
_LISTINGS = 3


class DataCenterSite:
    """A Confluence Data Center (or Server), reached with a personal access token."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def spaces(self) -> list[str]:
        listed = items(self._http.get, self._http.host, "rest/api/space", {"limit": _AT_ONCE}, key="key")
        return [str(space["key"]) async for space in listed]

    async def pages(self, space: str) -> SpacePages:
        await self._check_space(space)
        found = SpacePages()
        for item in await self._list_pages(space):
            page_id = str(item["id"])
            found.pages.append(SitePage(page_id, title_of(item), _version(item)))
            found.nodes[page_id] = await self._node(item)
        await self._add_ancestors(found.nodes)
        return found

    async def find(self, page_id: str) -> FoundPage | None:
        parameters: Parameters = {"expand": f"version,space,ancestors,{EXPAND}", "status": "current"}
        for _ in range(TRIES):
            item = await get_or_none(self._http.get(f"{_CONTENT}/{quote(page_id, safe='')}", parameters))
            if item is None or item.get("status") != "current" or item.get("type") != "page":
                return None
            nodes = {page_id: await self._node({**item, "id": page_id})}
            await self._add_ancestors(nodes)
            page, space = SitePage(page_id, title_of(item), _version(item)), text(part(item, "space").get("key"))
            hidden = NOBODY in effective(page_id, nodes).read_restrictions
            number = part(item, "version").get("number")
            readers = () if hidden else await self._readers_of(page_id, number, space)
            if readers is not None:
                return FoundPage(page, space, nodes, readers)
        raise changes_too_often(page_id)

    async def page(self, listed: ListedPage) -> Page:
        path = f"{_CONTENT}/{quote(listed.page_id, safe='')}"
        for _ in range(TRIES):
            item = await self._expand(listed.page_id, f"{_BODY},")
            check_place(text(part(item, "space").get("key")), listed, text(item.get("status")))
            own = snapshot_of(item, _ACCOUNT)
            attachments = _first_attachments(item)
            if attachments is None:  # then they are of a later moment than the rest, and the readers have to be too
                attachments = await self._all_attachments(path)
                readers = await self._readers_of(listed.page_id, own.version, own.space)
            else:
                readers = await readers_now(own, self._taker_of(listed.page_id), self._restriction)
            if readers is not None:
                return self._page(listed, item, attachments, readers)
        raise changes_too_often(listed.page_id)

    def _page(self, listed: ListedPage, item: Json, attachments: tuple[str, ...], readers: ReadRestrictions) -> Page:
        url = page_url(item, {}, self._http.url)
        if not url or is_cloud(url):  # a context path of /wiki makes an address look like Cloud's, with other anchors
            url = f"{url.partition('/spaces/')[0] or self._http.url}/pages/viewpage.action?pageId={listed.page_id}"
        version = part(item, "version")
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=title_of(item),
            url=url,
            content=storage_body(item),
            date=text(version.get("when")),
            read_restrictions=readers,
            author=_user(part(item, "history", "createdBy")) or _user(part(version, "by")),
            labels=names(part(item, "metadata", "labels").get("results"), "name"),
            attachments=tuple(sorted(attachments)),
            version=_version(item),
        )

    async def readers(self, space: str) -> SpaceReaders:
        """From Confluence 9.1 on; before, Data Center tells nobody's space permissions but one's own."""
        await self._check_space(space)
        path = f"rest/api/space/{quote(space, safe='~')}/permissions"
        granted = await self._http.get_list(path)
        entries = [entry for entry in granted if isinstance(entry, dict)]
        subjects = [
            part(entry, "subject") for entry in entries if part(entry, "operation").get("operationKey") == "read"
        ]
        groups = {f"group:{subject.get('name')}" for subject in subjects if subject.get("type") == "group"}
        keys = sorted({text(subject.get("userKey")) for subject in subjects if subject.get("type") == "user"} - {""})
        users = await concurrently(self._username(key) for key in keys)
        anonymous = any(subject.get("type") == "anonymous" for subject in subjects)
        return SpaceReaders(frozenset(groups | {f"user:{name}" for name in users if name}), anonymous, anonymous)

    async def account(self, account_id: str) -> Account | None:
        return await data_center_account(self._http, account_id)

    async def emails(self) -> Emails:
        return await data_center_emails(self._http)

    async def groups(self, account_id: str) -> frozenset[str]:
        return await data_center_groups(self._http, account_id)

    async def _check_space(self, space: str) -> None:
        try:
            await self._http.get(f"rest/api/space/{quote(space, safe='~')}")
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            raise make_unknown_space_error(space, self._http.host, await self.spaces()) from None

    async def _list_pages(self, space: str) -> list[Json]:
        parameters: Parameters = {
            "type": "page",
            "spaceKey": space,
            "status": "current",
            "start": 0,
            "limit": _AT_ONCE,
            "expand": f"version,ancestors,{EXPAND}",
        }
        for _ in range(_LISTINGS):
            try:
                return [item async for item in items_by_offset(self._http.get, self._http.host, _CONTENT, parameters)]
            except ListingShifted:
                continue
        cause = f"gave {_LISTINGS} listings in which pages came or went meanwhile, or were left out"
        raise Refusal(cause, "Sync again when fewer pages are moved or deleted; if it never works, please report it.")

    async def _node(self, item: Json) -> Node:
        ancestors = item.get("ancestors")
        if not isinstance(ancestors, list):
            return Node(str(item["id"]), defect="cannot be told, because its ancestors are missing")
        parent = str(ancestors[-1].get("id", "")) if ancestors and isinstance(ancestors[-1], dict) else ""
        node = Node(str(item["id"]), parent)
        own = read_restriction(item, _ACCOUNT)
        if own is not None and own.complete:
            return Node(node.node_id, parent, own.readers)
        return await ask_restriction(self._http.get, _CONTENT, node, _ACCOUNT)

    async def _add_ancestors(self, nodes: dict[str, Node]) -> None:
        """Pages above, which the listing lacks because they came to be meanwhile."""
        while missing := sorted(find_unknown_parents(nodes)):
            for node in await concurrently(self._ancestor(node_id) for node_id in missing):
                nodes[node.node_id] = node

    async def _ancestor(self, node_id: str) -> Node:
        try:
            item = (
                await self._http.get(f"{_CONTENT}/{quote(node_id, safe='')}", {"expand": f"ancestors,{EXPAND}"})
            ).body
        except Refusal as refusal:
            if refusal.of_site:
                raise
            return Node(node_id, defect=f"cannot be read: Confluence {refusal.cause}")
        return await self._node({**item, "id": node_id})

    async def _readers_of(self, page_id: str, version: object, space: str) -> ReadRestrictions | None:
        """The page's readers now, None if it has another version by now, or another space."""
        take = self._taker_of(page_id)
        found = await take()
        if found is None or (found.version, found.space) != (version, space):
            return None
        return await readers_now(found, take, self._restriction)

    def _taker_of(self, page_id: str) -> Take:
        async def take() -> Snapshot | None:
            item = await get_or_none(self._expand(page_id))
            return snapshot_of(item, _ACCOUNT) if item and item.get("status") == "current" else None

        return take

    async def _expand(self, page_id: str, expand: str = "") -> Json:
        """The page with its snapshot and what else is to be expanded.

        A refusal may be due to an ancestor of a kind that cannot be expanded; then its restrictions are left out.
        """
        path = f"{_CONTENT}/{quote(page_id, safe='')}"
        try:
            item = (await self._http.get(path, {"expand": f"{expand}{SNAPSHOT}", "status": "current"})).body
        except Refusal as refusal:
            if refusal.of_site or refusal.status is None:
                raise
            item = (await self._http.get(path, {"expand": f"{expand}{ONLY_OWN}", "status": "current"})).body
        return {**item, "id": page_id}

    async def _restriction(self, node_id: str) -> Node:
        return await ask_restriction(self._http.get, _CONTENT, Node(node_id), _ACCOUNT)

    async def _all_attachments(self, path: str) -> tuple[str, ...]:
        listed = items(self._http.get, self._http.host, f"{path}/child/attachment", {"limit": _AT_ONCE})
        return names([attachment async for attachment in listed], "title")

    async def _username(self, key: str) -> str:
        try:
            return _user((await self._http.get("rest/api/user", {"key": key})).body)
        except Refusal as refusal:
            if refusal.of_site or refusal.status != 404:
                raise
            return ""  # a deleted user, who reads nothing any more


def _first_attachments(item: Json) -> tuple[str, ...] | None:
    """The names of attached files that came with the page, None where there may be more."""
    inline = part(item, "children", "attachment")
    results, limit = inline.get("results"), inline.get("limit")
    if isinstance(results, list) and isinstance(limit, int) and len(results) < limit:
        return names(results, "title")
    return None


def _version(item: Mapping[str, Any]) -> str:
    version = part(item, "version")
    number = version.get("number")
    if not isinstance(number, int):
        raise make_malformed_response_error("a listed page without its version")
    return f"{number} {text(version.get('when'))} {text(item.get('title'))}"


def _user(user: Mapping[str, Any]) -> str:
    return text(user.get(_ACCOUNT))
