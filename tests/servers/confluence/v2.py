"""Cloud's REST v2: https://developer.atlassian.com/cloud/confluence/rest/v2/intro/"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from tests.servers.confluence.asked import Asked, Refused, number_of
from tests.servers.confluence.paging import v2_page
from tests.servers.confluence.parts import Page, Space

_BULK_FORMATS = ("storage", "atlas_doc_format")
_FORMATS = (*_BULK_FORMATS, "view", "export_view", "anonymous_export_view", "styled_view", "editor")
_SORTS: dict[str, Callable[[Page], Any]] = {
    "id": lambda page: "",
    "title": lambda page: page.title,
    "created-date": lambda page: page.created.isoformat(),
    "modified-date": lambda page: page.modified.isoformat(),
}


def spaces(asked: Asked) -> Any:
    """Spaces by id. A key that is not there, or not to be seen, is left out without a word."""
    keys, ids = asked.several("keys"), asked.several("ids")
    statuses = asked.several("status") or ["current", "archived"]
    found = [
        space
        for space in asked.site.spaces.values()
        if (not keys or space.key in keys) and (not ids or space.space_id in ids) and space.status in statuses
        and asked.query.get("type", space.kind) == space.kind
    ]  # fmt: skip
    return v2_page(
        asked, found, lambda space: _space_json(asked, space), lambda space: number_of(space.space_id),
        sees=lambda space: asked.site.may_read_space(asked.me, space.key),
    )  # fmt: skip


def space(asked: Asked) -> Any:
    return _space_json(asked, _space(asked))


def space_permissions(asked: Asked) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-permissions/"""
    found = _space(asked)
    principals = [("user", asked.site.users[name].account_id) for name in found.readers.users]
    principals += [("group", asked.site.groups[name].group_id) for name in found.readers.groups]
    principals += [("role", "anonymous")] if found.anonymous else []
    operations = [("read", "space"), ("create", "comment")]
    assignments = [
        {
            "id": f"{found.space_id}{number:03}",
            "principal": {"type": kind, "id": who},
            "operation": {"key": key, "targetType": target},
        }
        for number, (kind, who, key, target) in enumerate(
            (kind, who, key, target) for kind, who in principals for key, target in operations
        )
    ]
    return v2_page(
        asked, assignments, lambda assignment: assignment, lambda assignment: number_of(str(assignment["id"]))
    )


def space_pages(asked: Asked) -> Any:
    found = _space(asked)
    return _pages(asked, lambda page: page.space == found.key)


def pages(asked: Asked) -> Any:
    ids, space_ids = asked.several("id"), asked.several("space-id")
    keys = [space.key for space in asked.site.spaces.values() if space.space_id in space_ids]
    return _pages(asked, lambda page: (not ids or page.page_id in ids) and (not space_ids or page.space in keys))


def page(asked: Asked) -> Any:
    """One page. 404 for one in the trash, and for one that the account may not see."""
    statuses = asked.several("status") or ["current", "archived"]
    if asked.query.get("get-draft") == "true":
        statuses.append("draft")
    found = _visible(asked, "page", statuses)
    shown = _page_json(asked, found, _body_format(asked, _FORMATS))
    if asked.query.get("include-labels") == "true":
        shown["labels"] = {"results": _labels(found), "meta": {"hasMore": False}, "_links": {}}
    return shown


def folder(asked: Asked) -> Any:
    return _page_json(asked, _visible(asked, "folder", ["current"]), None)


def labels(asked: Asked) -> Any:
    found = _visible(asked, "page", ["current", "archived"])
    return v2_page(asked, _labels(found), lambda label: label, lambda label: (label["name"],))


def attachments(asked: Asked) -> Any:
    found = _visible(asked, "page", ["current", "archived"])

    def shown(attachment: Any) -> dict[str, Any]:
        link = f"/download/attachments/{found.page_id}/{quote_plus(attachment.title)}"
        return {
            "id": attachment.attachment_id, "status": "current", "title": attachment.title,
            "createdAt": _date(found.modified),
            "pageId": found.page_id, "mediaType": attachment.media_type, "fileSize": attachment.size, "comment": "",
            "webuiLink": f"/pages/viewpageattachments.action?pageId={found.page_id}", "downloadLink": link,
            "version": _version_json(asked, found), "_links": {"download": link},
        }  # fmt: skip

    return v2_page(asked, found.attachments, shown, lambda attachment: (attachment.attachment_id,))


def ancestors(asked: Asked) -> Any:
    """From the top down, ids and kinds only."""
    found = _visible(asked, None, ["current", "archived"])
    chain = list(enumerate(asked.site.ancestors(found.page_id)))
    return v2_page(asked, chain, lambda at: {"id": at[1].page_id, "type": at[1].kind}, lambda at: (at[0],))


def _pages(asked: Asked, wanted: Callable[[Page], bool]) -> Any:
    body_format = _body_format(asked, _BULK_FORMATS)
    statuses = asked.several("status") or ["current", "archived"]
    for status in statuses:
        if status not in ("current", "archived", "deleted", "trashed"):
            raise Refused(400, f"Provided value {{{status}}} for 'status' is not valid")
    sort = asked.query.get("sort", "id")
    if sort.removeprefix("-") not in _SORTS:
        raise Refused(400, f"Provided value {{{sort}}} for 'sort' is not valid")
    title, by = asked.query.get("title"), _SORTS[sort.removeprefix("-")]
    found = [
        page
        for page in asked.site.pages.values()
        if page.kind == "page" and page.status in statuses and (title is None or page.title == title) and wanted(page)
        and (asked.query.get("depth") != "root" or page.parent_id is None)
    ]  # fmt: skip
    return v2_page(
        asked, found, lambda page: _page_json(asked, page, body_format),
        lambda page: (by(page), *number_of(page.page_id)),
        falling=sort.startswith("-"), sees=asked.sees,
    )  # fmt: skip


def _body_format(asked: Asked, allowed: tuple[str, ...]) -> str | None:
    given = asked.query.get("body-format")
    if given is not None and given not in allowed:
        raise Refused(
            400, f"Provided value {{{given}}} for 'body-format' is not valid. Valid values are {', '.join(allowed)}"
        )
    return given or None


def _space(asked: Asked) -> Space:
    for found in asked.site.spaces.values():
        if found.space_id == asked.match["id"] and asked.site.may_read_space(asked.me, found.key):
            return found
    raise Refused(404, "Space not found")


def _visible(asked: Asked, kind: str | None, statuses: list[str]) -> Page:
    page_id = asked.match["id"]
    if not page_id.isdigit():
        raise Refused(400, f"Provided value {{{page_id}}} for 'id' is not the correct type. Expected type is long")
    found = asked.site.pages.get(page_id)
    if found is None or kind not in (None, found.kind) or found.status not in statuses or not asked.sees(found):
        raise Refused(404, f"{(kind or 'content').capitalize()} not found")
    return found


def _space_json(asked: Asked, space: Space) -> dict[str, Any]:
    return {
        "id": space.space_id, "key": space.key, "name": space.name, "type": space.kind, "status": space.status,
        "authorId": asked.site.users[asked.site.syncing].account_id, "createdAt": "2024-01-08T09:00:00.000Z",
        "homepageId": space.homepage_id, "spaceOwnerId": asked.site.users[asked.site.syncing].account_id,
        "currentActiveAlias": space.key, "description": None, "icon": None, "_links": {"webui": f"/spaces/{space.key}"},
    }  # fmt: skip


def _page_json(asked: Asked, page: Page, body_format: str | None) -> dict[str, Any]:
    site = asked.site
    parent = site.pages.get(page.parent_id or "")
    webui = f"/spaces/{page.space}/{page.kind}s/{page.page_id}/{quote_plus(page.title)}".rstrip("/")
    shown: dict[str, Any] = {
        "id": page.page_id, "status": page.status, "title": page.title, "spaceId": site.spaces[page.space].space_id,
        "parentId": page.parent_id, "parentType": (parent.kind if parent else "page") if page.parent_id else None,
        "position": 0, "authorId": site.users[page.author].account_id, "ownerId": site.users[page.author].account_id,
        "lastOwnerId": None, "createdAt": _date(page.created), "version": _version_json(asked, page), "body": {},
        "_links": {
            "webui": webui,
            "editui": f"/pages/resumedraft.action?draftId={page.page_id}", "tinyui": f"/x/{page.page_id}",
            "edituiv2": f"/spaces/{page.space}/pages/edit-v2/{page.page_id}",
        },
    }  # fmt: skip
    if body_format:
        asked.sent.bodies[page.page_id] += 1
        shown["body"] = {body_format: {"representation": body_format, "value": page.body}}
    return shown


def _version_json(asked: Asked, page: Page) -> dict[str, Any]:
    author = asked.site.users[page.editor].account_id
    return {
        "number": page.version, "message": "", "minorEdit": False, "authorId": author,
        "createdAt": _date(page.modified), "ncsStepVersion": None,
    }  # fmt: skip


def _labels(page: Page) -> list[dict[str, str]]:
    return [{"id": str(number), "name": name, "prefix": "global"} for number, name in enumerate(page.labels, 1)]


def _date(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"
