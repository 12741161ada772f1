"""Confluence Data Center: REST v1, ``https://docs.atlassian.com/ConfluenceServer/rest/``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
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
from adapters.confluence.datacenter_people import ACCOUNT, DataCenterPeople, read_username
from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json, Parameters
from adapters.confluence.paging import AT_ONCE_IN_V1, ListingShifted, iterate_items_by_offset, list_items
from adapters.confluence.restrictions import Node, Snapshot
from adapters.confluence.site import (
    check_location,
    get_or_none,
    make_account,
    make_changing_page_error,
    make_page_url,
    make_unknown_space_error,
    make_version,
    read_body,
    read_day,
    read_labels,
    read_name,
    read_part,
    read_text,
    read_title,
    read_version_number,
    select_label_names,
)
from core.evidence.anchors import is_cloud
from core.indexing.files import FileTexts
from core.model import LinkTarget, Page, PageFacts, ReadRestrictions
from core.ports.wiki import ListedPage, SpaceReaders

_MOMENT = "when"
_POST = "blogpost"
_BODY = "body.storage,history,metadata.labels,children.attachment.version,children.comment,space.homepage"
_LISTINGS = 3


class DataCenterSite:
    """A Confluence Data Center (or Server), reached with a personal access token."""

    def __init__(self, http: Http, reads_comments: Callable[[str], bool], files: FileTexts | None) -> None:
        self._http = http
        self._files = files
        self._reads_comments = reads_comments
        self._people = DataCenterPeople(http)

    @property
    def people(self) -> DataCenterPeople:
        return self._people

    async def find_readers(self, space: str) -> SpaceReaders:
        await self._check_space(space)
        return await self._people.find_readers(space)

    async def list_spaces(self) -> list[str]:
        return [str(space["key"]) for space in await list_items(self._http, "rest/api/space", key="key")]

    async def list_pages(self, space: str) -> list[ListedPage]:
        listed = [*await self._list_pages(space, "page"), *await self._list_pages(space, _POST)]
        if not listed:  # which is also the listing of a space that does not exist
            await self._check_space(space)
        nodes = {str(item["id"]): await self._make_node(item) for item in listed}
        await restrictions.add_ancestors(nodes, self._read_ancestor)
        return [restrictions.make_listed_page(item, space, make_version(item, _MOMENT), nodes) for item in listed]

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> list[ListedPage]:
        return []  # only Cloud has folders and the like

    async def find_page(self, page_id: str) -> ListedPage | None:
        parameters: Parameters = {"expand": f"version,space,ancestors,{restrictions.EXPAND}", "status": "current"}
        for _ in range(restrictions.TRIES):
            item = await get_or_none(self._http.get(_make_path(page_id), parameters))
            if item is None or item.get("status") != "current" or item.get("type") not in {"page", _POST}:
                return None
            item["id"] = page_id
            nodes = {page_id: await self._make_node(item)}
            await restrictions.add_ancestors(nodes, self._read_ancestor)
            space = read_text(read_part(item, "space").get("key"))
            hidden = restrictions.NOBODY in restrictions.find_effective_restrictions(page_id, nodes).read_restrictions
            readers = () if hidden else await self._read_readers(page_id, read_version_number(item), space)
            if readers is not None:
                return restrictions.make_listed_page(item, space, make_version(item, _MOMENT), nodes, readers)
        raise make_changing_page_error(page_id)

    async def read_page(self, listed: ListedPage) -> Page:
        files = self._files and self._files.reads_files(listed.space) and AttachmentReader(self._http, self._files)
        for _ in range(restrictions.TRIES):
            item = await self._expand(listed.page_id, f"{_BODY},")
            check_location(read_text(read_part(item, "space").get("key")), listed, read_text(item.get("status")))
            own = restrictions.read_snapshot(item, ACCOUNT)
            inline = _read_first_attachments(item)
            attachments = (
                await self._read_attachments(listed.page_id)
                if inline is None
                else read_attachments(inline, listed.page_id, self._http.url)
            )
            commented = self._reads_comments(listed.space) and _may_have_comments(item)
            # If parts were read after the page, their moment is later, so the readers must be read after them.
            at_once = inline is not None and not commented
            page = await self._add_space_creator(self._make_page(listed, item, list_names(attachments)), item)
            if commented:
                page = await add_comments(self._http, page)
            if files:
                page = await files.add_files(page, attachments)
                at_once = at_once and not has_text(page)
            readers = await (
                self._read_readers_since(own) if at_once else self._read_readers(listed.page_id, own.version, own.space)
            )
            if readers is None or not await has_same_comments(self._http, page):
                continue
            if not has_text(page) or has_same_files(page, await self._read_attachments(listed.page_id)):
                return replace(page, read_restrictions=readers)
        raise make_changing_page_error(listed.page_id)

    async def _read_attachments(self, page_id: str) -> list[Attachment]:
        listed = await list_items(self._http, f"{_make_path(page_id)}/child/attachment", {"expand": "version"})
        return read_attachments(listed, page_id, self._http.url)

    def _make_page(self, listed: ListedPage, item: Json, attachments: tuple[str, ...]) -> Page:
        """Make the page without its readers and comments."""
        url = make_page_url(item, self._http.url)
        if not url or is_cloud(url):  # a context path of /wiki makes a URL look like Cloud's, which has other anchors
            url = f"{url.partition('/spaces/')[0] or self._http.url}/pages/viewpage.action?pageId={listed.page_id}"
        version, history = read_part(item, "version"), read_part(item, "history")
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=read_title(item),
            url=url,
            content=read_body(item),
            date=read_text(version.get(_MOMENT)),
            read_restrictions=(restrictions.NOBODY,),  # until they are read
            author=read_username(read_part(history, "createdBy")) or read_username(read_part(version, "by")),
            labels=select_label_names(read_part(item, "metadata", "labels").get("results")),
            attachments=tuple(sorted(attachments)),
            version=make_version(item, _MOMENT),
            posted=read_text(history.get("createdDate")) if listed.is_post else "",
            facts=PageFacts(
                creator=read_name(read_part(history, "createdBy")),
                created=read_day(history.get("createdDate")),
                editor=read_name(read_part(version, "by")),
                updated=read_day(version.get(_MOMENT)),
                version=read_version_number(item),
                creator_account=make_account("userkey", read_part(history, "createdBy").get("userKey")),
                editor_account=make_account("userkey", read_part(version, "by").get("userKey")),
                comments=0 if self._reads_comments(listed.space) else None,
            ),
        )

    async def _add_space_creator(self, page: Page, item: Json) -> Page:
        """Add who created the space to its home page, since Data Center knows no owners of spaces."""
        if read_part(item, "space", "homepage").get("id") != page.page_id:
            return page
        space = read_part(item, "space")
        if not read_part(space, "creator"):
            space |= await get_or_none(self._http.get(f"rest/api/space/{quote(page.space, safe='~')}")) or {}
        creator = read_part(space, "creator")
        facts = replace(
            page.facts,
            space_name=read_text(space.get("name")),
            space_creator=read_name(creator),
            space_creator_account=make_account("userkey", creator.get("userKey")),
        )
        return replace(page, facts=facts)

    async def _check_space(self, space: str) -> None:
        if await get_or_none(self._http.get(f"rest/api/space/{quote(space, safe='~')}")) is None:
            raise make_unknown_space_error(space, self._http.host, await self.list_spaces())

    async def _list_pages(self, space: str, kind: str) -> list[Json]:
        parameters: Parameters = {
            "type": kind,
            "spaceKey": space,
            "status": "current",
            "start": 0,
            "limit": AT_ONCE_IN_V1,
            "expand": f"version,ancestors,{restrictions.LISTED}",
        }
        for _ in range(_LISTINGS):
            try:
                found = iterate_items_by_offset(self._http.get, self._http.host, restrictions.CONTENT, parameters)
                return [{**item, "type": kind} async for item in found]
            except ListingShifted:
                continue
        cause = f"returned {_LISTINGS} listings from which pages were missing, or that changed while they were read"
        raise Refusal(cause, "Sync again when fewer pages are moved or deleted; if it never works, please report it.")

    async def _make_node(self, item: Json) -> Node:
        ancestors = item.get("ancestors")
        if not isinstance(ancestors, list):
            return Node(str(item["id"]), defect="are unknown, because its ancestors are missing")
        parent = str(ancestors[-1].get("id", "")) if ancestors and isinstance(ancestors[-1], dict) else ""
        own = restrictions.read_own_restriction(item, ACCOUNT)
        node = Node(str(item["id"]), parent, labels=read_labels(item))
        if own is not None and own.complete:
            return replace(node, readers=own.readers)
        return await restrictions.request_restriction(self._http.get, node, ACCOUNT)

    async def _read_ancestor(self, node_id: str) -> Node:
        """Return an ancestor that the listing lacks because it was created meanwhile."""
        try:
            item = (await self._http.get(_make_path(node_id), {"expand": f"ancestors,{restrictions.EXPAND}"})).body
        except Refusal as refusal:
            return Node(node_id).mark_unreadable(refusal)
        return await self._make_node({**item, "id": node_id})

    async def _read_readers(self, page_id: str, version: int, space: str) -> ReadRestrictions | None:
        """Return the page's current readers, or None if its version or space has changed."""
        found = await self._read_snapshot(page_id)
        if found is None or (found.version, found.space) != (version, space):
            return None
        return await self._read_readers_since(found)

    async def _read_readers_since(self, found: Snapshot) -> ReadRestrictions | None:
        def ask(node_id: str) -> Coroutine[Any, Any, Node]:
            return restrictions.request_restriction(self._http.get, Node(node_id), ACCOUNT)

        return await restrictions.find_current_readers(found, lambda: self._read_snapshot(found.page_id), ask)

    async def _read_snapshot(self, page_id: str) -> Snapshot | None:
        item = await get_or_none(self._expand(page_id))
        return restrictions.read_snapshot(item, ACCOUNT) if item and item.get("status") == "current" else None

    async def _expand(self, page_id: str, expand: str = "") -> Json:
        """Return the page with its snapshot and other expanded fields.

        Confluence may refuse to expand an ancestor of some kinds. Then the ancestors' restrictions are omitted.
        """
        path = _make_path(page_id)
        try:
            item = (
                await self._http.get(path, {"expand": f"{expand}{restrictions.SNAPSHOT}", "status": "current"})
            ).body
        except Refusal as refusal:
            if refusal.is_site_wide or refusal.status is None:
                raise
            item = (
                await self._http.get(path, {"expand": f"{expand}{restrictions.ONLY_OWN}", "status": "current"})
            ).body
        return {**item, "id": page_id}


def _make_path(page_id: str) -> str:
    return f"{restrictions.CONTENT}/{quote(page_id, safe='')}"


def _read_first_attachments(item: Json) -> list[Json] | None:
    """Return the attached files that came with the page, or None if there may be more."""
    inline = read_part(item, "children", "attachment")
    results, limit = inline.get("results"), inline.get("limit")
    if isinstance(results, list) and isinstance(limit, int) and len(results) < limit:
        return [each for each in results if isinstance(each, dict) and each.get("id")]
    return None


def _may_have_comments(item: Json) -> bool:
    """Whether a page has comments, or may have some."""
    return read_part(item, "children", "comment").get("results") != []
