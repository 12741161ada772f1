"""Cloud's REST v2: https://developer.atlassian.com/cloud/confluence/rest/v2/intro/"""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Any

from tests.servers.confluence import attachments as attached_files
from tests.servers.confluence.request import Request, RequestError, cloud_path, number_of, v2_page
from tests.servers.confluence.site import Page, Space, User


def spaces(request: Request) -> Any:
    """Spaces by id. A key that is not there, or not to be seen, is left out without a word."""
    keys = request.several("keys")
    found = [space for space in request.site.spaces.values() if not keys or space.key in keys]
    return v2_page(
        request, found, lambda space: _space_json(request, space), lambda space: number_of(space.space_id),
        sees=lambda space: request.site.may_read_space(request.me, space.key),
    )  # fmt: skip


def space(request: Request) -> Any:
    return _space_json(request, _space(request))


def space_permissions(request: Request) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-space-permissions/"""
    found = _space(request)
    principals = [("user", request.site.users[name].account_id) for name in found.readers.users]
    principals += [("group", request.site.groups[name].group_id) for name in found.readers.groups]
    principals += [("role", "anonymous")] if found.anonymous else []
    operations = ({"key": "read", "targetType": "space"}, {"key": "create", "targetType": "comment"})
    assignments = [
        {"id": f"{found.space_id}{number}", "principal": {"type": kind, "id": who}, "operation": operation}
        for number, ((kind, who), operation) in enumerate(itertools.product(principals, operations), 100)
    ]
    return v2_page(request, assignments, lambda each: each, lambda each: number_of(str(each["id"])))


def space_pages(request: Request) -> Any:
    """Current and archived ones, by id."""
    return _of_space(request, "page")


def space_posts(request: Request) -> Any:
    return _of_space(request, "blogpost")


def _of_space(request: Request, kind: str) -> Any:
    key, statuses = _space(request).key, request.several("status") or ["current", "archived"]
    found = [each for each in request.site.pages.values() if each.kind == kind and each.space == key]
    return v2_page(
        request, [each for each in found if each.status in statuses], lambda each: _page_json(request, each),
        lambda each: number_of(each.page_id), sees=request.sees,
    )  # fmt: skip


def page(request: Request) -> Any:
    """One page. 404 for one in the trash, and for one that the account may not see."""
    body_format = request.query.get("body-format", "")
    if body_format not in ("", "storage"):
        raise RequestError(
            400, f"Provided value {{{body_format}}} for 'body-format' is not valid. Valid values are storage"
        )
    found = _visible(request, _kind_in(request))
    shown = _page_json(request, found)
    if body_format:
        request.sent_bodies[found.page_id] += 1
        shown["body"] = {"storage": {"representation": "storage", "value": found.body}}
    if request.query.get("include-labels") == "true":
        shown["labels"] = {"results": _labels(found), "meta": {"hasMore": False}, "_links": {}}
    return shown


def folder(request: Request) -> Any:
    """One folder, database or whiteboard."""
    kind = next(kind for kind in ("folder", "database", "whiteboard") if f"/{kind}s/" in request.path)
    return _page_json(request, _visible(request, kind))


def labels(request: Request) -> Any:
    return v2_page(
        request, _labels(_visible(request, _kind_in(request))), lambda label: label, lambda label: (label["name"],)
    )


def attachments(request: Request) -> Any:
    return attached_files.of_page_v2(request, _visible(request, _kind_in(request)))


def ancestors(request: Request) -> Any:
    """From the top down, ids and kinds only."""
    chain = list(enumerate(request.site.ancestors(_visible(request).page_id)))
    return v2_page(request, chain, lambda at: {"id": at[1].page_id, "type": at[1].kind}, lambda at: (at[0],))


def users_bulk(request: Request) -> Any:
    """Of accounts that were closed it gives the id alone, with a name that says so.

    https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/
    """
    ids = request.body.get("accountIds")
    if not isinstance(ids, list) or not 0 < len(ids) <= request.limits.v2:
        raise RequestError(400, f"accountIds must have 1 to {request.limits.v2} entries")
    found = [user for user in request.site.users.values() if user.account_id in ids]
    return {"results": [_user_json(user) for user in found], "_links": {}}


def _user_json(user: User) -> dict[str, Any]:
    shown = {"accountId": user.account_id, "accountType": "atlassian", "email": "", "publicName": user.display_name}
    if user.hidden:
        return shown | {"publicName": "Former user"} | user.former("cloud")
    if not user.active:
        return shown | {"displayName": f"{user.display_name} (Deactivated)", "accountStatus": "inactive"}
    return shown | {"displayName": user.display_name, "accountStatus": "active"}


def _space(request: Request) -> Space:
    for found in request.site.spaces.values():
        if found.space_id == request.match["id"] and request.site.may_read_space(request.me, found.key):
            return found
    raise RequestError(404, "Space not found")


def _visible(request: Request, kind: str = "") -> Page:
    page_id = request.match["id"]
    if not page_id.isdigit():
        raise RequestError(400, f"Provided value {{{page_id}}} for 'id' is not the correct type. Expected type is long")
    found = request.site.pages.get(page_id)
    there = found and kind in ("", found.kind) and found.status in ("current", "archived") and request.sees(found)
    if found is None or not there:
        raise RequestError(404, f"{(kind or 'content').capitalize()} not found")
    return found


def _kind_in(request: Request) -> str:
    """What the path asks for."""
    return "blogpost" if "/blogposts/" in request.path else "page"


def _space_json(request: Request, space: Space) -> dict[str, Any]:
    """The owner is not in Atlassian's documentation, but Cloud gives it."""
    users = request.site.users
    return {
        "id": space.space_id, "key": space.key, "name": space.name, "type": space.kind, "status": "current",
        "authorId": users[space.creator].account_id, "spaceOwnerId": users[space.owner].account_id,
        "homepageId": space.home_id or None, "_links": {"webui": f"/spaces/{space.key}"},
    }  # fmt: skip


def _page_json(request: Request, page: Page) -> dict[str, Any]:
    site = request.site
    parent = site.pages.get(page.parent_id or "")
    return {
        "id": page.page_id, "status": page.status, "title": page.title, "spaceId": site.spaces[page.space].space_id,
        "parentId": page.parent_id, "parentType": (parent.kind if parent else "page") if page.parent_id else None,
        "authorId": site.users[page.author].account_id, "createdAt": _date(page.created), "body": {},
        "ownerId": site.users[page.author].account_id, "_links": {"webui": cloud_path(page)},
        "version": {
            "number": page.version, "createdAt": _date(page.modified),
            "authorId": site.users[page.editor or page.author].account_id,
        },
    }  # fmt: skip


def _labels(page: Page) -> list[dict[str, str]]:
    return [{"id": str(number), **label} for number, label in enumerate(page.label_parts, 1)]


def _date(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"
