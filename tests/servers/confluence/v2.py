"""Cloud's REST v2: https://developer.atlassian.com/cloud/confluence/rest/v2/intro/"""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from tests.servers.confluence.asked import Asked, Refused, number_of, v2_page
from tests.servers.confluence.site import Attachment, Page, Space


def spaces(asked: Asked) -> Any:
    """Spaces by id. A key that is not there, or not to be seen, is left out without a word."""
    keys = asked.several("keys")
    found = [space for space in asked.site.spaces.values() if not keys or space.key in keys]
    return v2_page(
        asked, found, _space_json, lambda space: number_of(space.space_id),
        sees=lambda space: asked.site.may_read_space(asked.me, space.key),
    )  # fmt: skip


def space(asked: Asked) -> Any:
    return _space_json(_space(asked))


def space_permissions(asked: Asked) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-permissions/"""
    found = _space(asked)
    principals = [("user", asked.site.users[name].account_id) for name in found.readers.users]
    principals += [("group", asked.site.groups[name].group_id) for name in found.readers.groups]
    principals += [("role", "anonymous")] if found.anonymous else []
    operations = ({"key": "read", "targetType": "space"}, {"key": "create", "targetType": "comment"})
    assignments = [
        {"id": f"{found.space_id}{number}", "principal": {"type": kind, "id": who}, "operation": operation}
        for number, ((kind, who), operation) in enumerate(itertools.product(principals, operations), 100)
    ]
    return v2_page(asked, assignments, lambda each: each, lambda each: number_of(str(each["id"])))


def space_pages(asked: Asked) -> Any:
    """Current and archived ones, by id."""
    key, statuses = _space(asked).key, asked.several("status") or ["current", "archived"]
    found = [each for each in asked.site.pages.values() if each.kind == "page" and each.space == key]
    return v2_page(
        asked, [each for each in found if each.status in statuses], lambda each: _page_json(asked, each),
        lambda each: number_of(each.page_id), sees=asked.sees,
    )  # fmt: skip


def page(asked: Asked) -> Any:
    """One page. 404 for one in the trash, and for one that the account may not see."""
    body_format = asked.query.get("body-format", "")
    if body_format not in ("", "storage"):
        raise Refused(400, f"Provided value {{{body_format}}} for 'body-format' is not valid. Valid values are storage")
    found = _visible(asked, "page")
    shown = _page_json(asked, found)
    if body_format:
        asked.sent.bodies[found.page_id] += 1
        shown["body"] = {"storage": {"representation": "storage", "value": found.body}}
    if asked.query.get("include-labels") == "true":
        shown["labels"] = {"results": _labels(found), "meta": {"hasMore": False}, "_links": {}}
    return shown


def folder(asked: Asked) -> Any:
    return _page_json(asked, _visible(asked, "folder"))


def labels(asked: Asked) -> Any:
    return v2_page(asked, _labels(_visible(asked, "page")), lambda label: label, lambda label: (label["name"],))


def attachments(asked: Asked) -> Any:
    def shown(attachment: Attachment) -> dict[str, Any]:
        return {"id": attachment.attachment_id, "status": "current", "title": attachment.title}

    return v2_page(asked, _visible(asked, "page").attachments, shown, lambda attachment: (attachment.attachment_id,))


def ancestors(asked: Asked) -> Any:
    """From the top down, ids and kinds only."""
    chain = list(enumerate(asked.site.ancestors(_visible(asked).page_id)))
    return v2_page(asked, chain, lambda at: {"id": at[1].page_id, "type": at[1].kind}, lambda at: (at[0],))


def _space(asked: Asked) -> Space:
    for found in asked.site.spaces.values():
        if found.space_id == asked.match["id"] and asked.site.may_read_space(asked.me, found.key):
            return found
    raise Refused(404, "Space not found")


def _visible(asked: Asked, kind: str = "") -> Page:
    page_id = asked.match["id"]
    if not page_id.isdigit():
        raise Refused(400, f"Provided value {{{page_id}}} for 'id' is not the correct type. Expected type is long")
    found = asked.site.pages.get(page_id)
    there = found and kind in ("", found.kind) and found.status in ("current", "archived") and asked.sees(found)
    if found is None or not there:
        raise Refused(404, f"{(kind or 'content').capitalize()} not found")
    return found


def _space_json(space: Space) -> dict[str, Any]:
    return {
        "id": space.space_id, "key": space.key, "name": space.name, "type": space.kind, "status": "current",
        "_links": {"webui": f"/spaces/{space.key}"},
    }  # fmt: skip


def _page_json(asked: Asked, page: Page) -> dict[str, Any]:
    site = asked.site
    parent = site.pages.get(page.parent_id or "")
    webui = f"/spaces/{page.space}/{page.kind}s/{page.page_id}/{quote_plus(page.title)}".rstrip("/")
    return {
        "id": page.page_id, "status": page.status, "title": page.title, "spaceId": site.spaces[page.space].space_id,
        "parentId": page.parent_id, "parentType": (parent.kind if parent else "page") if page.parent_id else None,
        "authorId": site.users[page.author].account_id, "createdAt": _date(page.created), "body": {},
        "version": {"number": page.version, "createdAt": _date(page.modified)}, "_links": {"webui": webui},
    }  # fmt: skip


def _labels(page: Page) -> list[dict[str, str]]:
    return [{"id": str(number), "name": name, "prefix": "global"} for number, name in enumerate(page.labels, 1)]


def _date(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"
