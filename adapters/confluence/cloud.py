"""Confluence Cloud: REST v2 (``https://developer.atlassian.com/cloud/confluence/rest/v2/``), and v1 for what v2 lacks:
restrictions, groups and accounts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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
from adapters.confluence.cloud_people import CloudPeople
from adapters.confluence.cloud_readers import CloudReaders
from adapters.confluence.comments import add_comments, has_same_comments
from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json
from adapters.confluence.restrictions import Node
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
    read_part,
    read_text,
    read_title,
    read_version_number,
    run_concurrently,
    select_label_names,
)
from adapters.confluence.v2 import POST, V2, list_v2_items, make_path, read_parent
from core.indexing.files import FileTexts
from core.model import LinkTarget, Page, PageFacts
from core.ports.wiki import ListedPage, SpaceReaders

_MOMENT = "createdAt"
_FOLDER = '<ac:structured-macro ac:name="children" />'  # what people see of a folder
_UNTOLD = frozenset({400, 403, 404, 410})
"""Statuses with which v2 says that it does not tell about an item."""


class CloudSite:
    """A Confluence Cloud, reached with an account's e-mail address and API token."""

    def __init__(self, http: Http, reads_comments: Callable[[str], bool], files: FileTexts | None) -> None:
        self._http = http
        self._files = files
        self._reads_comments = reads_comments
        self._spaces: dict[str, Json] = {}  # by key, as of the last listing
        self._kinds: dict[str, str] = {}  # kinds of listed folders and the like, by id
        self._listed: tuple[str, dict[str, Node]] = ("", {})  # the space that was listed last, and its nodes by id
        self._readers = CloudReaders(http)
        self._people = CloudPeople(http)

    @property
    def people(self) -> CloudPeople:
        return self._people

    async def find_readers(self, space: str) -> SpaceReaders:
        return await self._people.find_readers(str((await self._read_space(space))["id"]))

    async def list_spaces(self) -> list[str]:
        return [
            key for space in await list_v2_items(self._http, f"{V2}/spaces") if (key := read_text(space.get("key")))
        ]

    async def list_pages(self, space: str) -> list[ListedPage]:
        self._spaces.pop(space, None)
        found = await self._read_space(space)
        path = f"{V2}/spaces/{found['id']}"
        listed = await list_v2_items(self._http, f"{path}/pages", {"status": "current"})
        listed += [
            {**each, "type": POST}
            for each in await list_v2_items(self._http, f"{path}/blogposts", {"status": "current"})
        ]
        nodes = {str(item["id"]): Node(str(item["id"]), read_parent(item)) for item in listed}
        await self._readers.add_restrictions(space, nodes)
        loaded = await self._readers.add_ancestors(nodes, listed)
        above = [each for each in loaded if _is_folder(each, found)]
        self._kinds |= {str(each["id"]): each["type"] for each in above}
        self._listed = (space, nodes)
        return [
            restrictions.make_listed_page(item, space, _make_version(item, found), nodes) for item in (*listed, *above)
        ]

    async def list_linked(self, space: str, targets: Collection[LinkTarget]) -> list[ListedPage]:
        found = await self._read_space(space)
        asked = await run_concurrently(map(self._find_target, targets))
        items = [item for item in asked if item and item.get("status") == "current" and _is_folder(item, found)]
        known = self._listed[1] if self._listed[0] == space else {}
        own = await run_concurrently(
            self._readers.request_restriction(Node(item["id"], read_parent(item))) for item in items
        )
        nodes = known | {node.node_id: node for node in own}
        await self._readers.add_ancestors(nodes, items)
        self._kinds |= {item["id"]: item["type"] for item in items}
        return [restrictions.make_listed_page(item, space, _make_version(item, found), nodes) for item in items]

    async def _find_target(self, target: LinkTarget) -> Json | None:
        """Return what a link leads to, or None if v2 does not tell, such as for a lack of rights."""
        try:
            item = (await self._http.get(make_path(target.page_id, target.kind))).body
        except Refusal as refusal:
            # After a temporary error, what is stored would look as if it were deleted.
            if refusal.is_site_wide or refusal.status not in _UNTOLD:
                raise
            return None
        return {**item, "id": target.page_id, "type": target.kind}

    async def find_page(self, page_id: str) -> ListedPage | None:
        for _ in range(restrictions.TRIES):
            item = await self._find_item(page_id)
            if item is None or item.get("status") != "current":
                return None
            found = await get_or_none(self._http.get(f"{V2}/spaces/{quote(str(item.get('spaceId')), safe='')}"))
            if found is None:
                return None
            space = read_text(found.get("key"))
            nodes = {page_id: await self._readers.request_restriction(Node(page_id, read_parent(item)))}
            await self._readers.add_ancestors(nodes, [item])
            hidden = restrictions.NOBODY in restrictions.find_effective_restrictions(page_id, nodes).read_restrictions
            readers = () if hidden else await self._readers.find_current_readers(item, space)
            if readers is not None:
                self._spaces[space] = found
                return restrictions.make_listed_page(item, space, _make_version(item, found), nodes, readers)
        raise make_changing_page_error(page_id)

    async def _find_item(self, page_id: str) -> Json | None:
        """Return a page, blog post or listed folder from v2 with its id and type, or None if there is none."""
        for kind in dict.fromkeys(("page", POST, self._kinds.get(page_id, "page"))):
            item = await get_or_none(self._http.get(make_path(page_id, kind)))
            if item is not None:
                return {**item, "id": page_id, "type": kind}
        return None

    async def read_page(self, listed: ListedPage) -> Page:
        kind = POST if listed.is_post else self._kinds.get(listed.page_id, "page")
        if kind not in {POST, "page"}:
            return await self._read_folder(listed, kind)
        path = make_path(listed.page_id, kind)
        space = await self._read_space(listed.space)
        files = self._files and self._files.reads_files(listed.space) and AttachmentReader(self._http, self._files)
        for _ in range(restrictions.TRIES):
            item = (await self._http.get(path, {"body-format": "storage", "include-labels": "true"})).body
            item |= {"id": listed.page_id, "type": kind}
            check_location(
                listed.space if str(item.get("spaceId")) == str(space["id"]) else "",
                listed,
                read_text(item.get("status")),
            )
            attachments = await self._read_attachments(listed, path)
            labels = await self._read_labels(path, item)
            page = await self._add_comments(self._make_page(listed, item, space, labels, list_names(attachments)))
            page = await files.add_files(page, attachments) if files else page
            hidden = restrictions.NOBODY in listed.read_restrictions
            readers = (
                () if hidden else await self._readers.find_current_readers(item, listed.space)
            )  # of the version that was read
            if readers is None or not await has_same_comments(self._http, page):
                continue
            if not has_text(page) or has_same_files(page, await self._read_attachments(listed, path)):
                return replace(page, read_restrictions=readers)
        raise make_changing_page_error(listed.page_id)

    async def _read_folder(self, listed: ListedPage, kind: str) -> Page:
        """Return a folder or the like as a page that shows the pages below it, as far as v2 tells: it has no body."""
        space = await self._read_space(listed.space)
        for _ in range(restrictions.TRIES):
            item = (await self._http.get(make_path(listed.page_id, kind))).body | {"id": listed.page_id, "type": kind}
            found = listed.space if str(item.get("spaceId")) == str(space["id"]) else ""
            check_location(found, listed, read_text(item.get("status")))
            hidden = restrictions.NOBODY in listed.read_restrictions
            readers = () if hidden else await self._readers.find_current_readers(item, listed.space)
            if readers is not None:
                body = {"body": {"storage": {"value": _FOLDER if kind == "folder" else ""}}}
                return replace(self._make_page(listed, item | body, space, (), ()), read_restrictions=readers)
        raise make_changing_page_error(listed.page_id)

    async def _read_attachments(self, listed: ListedPage, path: str) -> list[Attachment]:
        return read_attachments(await list_v2_items(self._http, f"{path}/attachments"), listed.page_id, self._http.url)

    async def _add_comments(self, page: Page) -> Page:
        return await add_comments(self._http, page) if self._reads_comments(page.space) else page

    def _make_page(
        self, listed: ListedPage, item: Json, space: Json, labels: tuple[str, ...], attachments: tuple[str, ...]
    ) -> Page:
        """Make the page without its readers and comments."""
        moment = read_part(item, "version").get(_MOMENT)
        is_home = _is_home(item, space)
        return Page(
            page_id=listed.page_id,
            space=listed.space,
            title=read_title(item),
            url=make_page_url(item, self._http.url)
            or f"{self._http.url}/pages/viewpage.action?pageId={listed.page_id}",
            content=read_body(item),
            date=read_text(moment),
            read_restrictions=(restrictions.NOBODY,),  # until they are read
            author=read_text(item.get("authorId")),
            labels=labels,
            attachments=tuple(sorted(attachments)),
            version=_make_version(item, space),
            posted=read_text(item.get("createdAt")) if listed.is_post else "",
            # v2 has only accounts of people, no names.
            facts=PageFacts(
                created=read_day(item.get("createdAt")),
                updated=read_day(moment),
                version=read_version_number(item),
                owner_account=make_account("account-id", item.get("ownerId")),
                creator_account=make_account("account-id", item.get("authorId")),
                editor_account=make_account("account-id", read_part(item, "version").get("authorId")),
                space_name=read_text(space.get("name")) if is_home else "",
                space_owner_account=make_account("account-id", space.get("spaceOwnerId")) if is_home else "",
                space_creator_account=make_account("account-id", space.get("authorId")) if is_home else "",
            ),
        )

    async def _read_space(self, space: str) -> Json:
        if space not in self._spaces:
            listed = await list_v2_items(self._http, f"{V2}/spaces", {"keys": space})
            found = [each for each in listed if each.get("key") == space]
            if not found:
                raise make_unknown_space_error(space, self._http.host, await self.list_spaces())
            self._spaces[space] = found[0]
        return self._spaces[space]

    async def _read_labels(self, path: str, item: Json) -> tuple[str, ...]:
        labels = read_part(item, "labels")
        if isinstance(labels.get("results"), list) and not read_part(labels, "meta").get("hasMore"):
            return select_label_names(labels["results"])
        return select_label_names(await list_v2_items(self._http, f"{path}/labels"))


def _is_home(item: Mapping[str, Any], space: Mapping[str, Any]) -> bool:
    """Whether this is the home page of its space."""
    return str(item["id"]) == str(space.get("homepageId"))


def _is_folder(item: Mapping[str, Any], space: Mapping[str, Any]) -> bool:
    """Whether an ancestor is a folder or the like of this space, of which v2 tells enough to show it."""
    is_told = bool(read_text(item.get("title"))) and isinstance(read_part(item, "version").get("number"), int)
    return is_told and item["type"] != "page" and str(item.get("spaceId")) == str(space["id"])


def _make_version(item: Mapping[str, Any], space: Mapping[str, Any]) -> str:
    """Return a page's version; that of a home page changes with the owner of the space, too."""
    owner = read_text(space.get("spaceOwnerId")) if _is_home(item, space) else ""
    version = make_version(item, _MOMENT)
    return f"{version} {owner}" if owner else version
