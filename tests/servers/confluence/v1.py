"""REST v1: the whole of it on Data Center, on Cloud what v2 has not taken over.

https://developer.atlassian.com/server/confluence/rest/v920/ and
https://developer.atlassian.com/cloud/confluence/rest/v1/intro/
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote_plus

from tests.servers.confluence import attachments as attached_files
from tests.servers.confluence import comments
from tests.servers.confluence.request import Request, RequestError, cloud_path, number_of, v1_page
from tests.servers.confluence.site import EVERYONE, Group, Page, Site, Space, User

_BOTH_KINDS = "type in (page, blogpost)"
_CQL_TERM = re.compile(r"""(type|space|id)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+)""")

# content


def contents(request: Request) -> Any:
    """Pages by id. A space key that is not there gives no page and no error."""
    key, statuses = request.query.get("spaceKey"), request.several("status") or ["current"]
    found = [
        page
        for page in request.site.pages.values()
        if page.kind == request.query.get("type", "page")
        and (key is None or page.space == key)
        and page.status in statuses
    ]
    found.sort(key=lambda page: number_of(page.page_id))
    return _content_page(request, found)


def content(request: Request) -> Any:
    return content_json(request, _visible(request))


def search_content(request: Request) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content/"""
    if comments.is_asked_for(_cql(request)):
        return comments.search(request, _cql(request))
    if attached_files.is_asked_for(_cql(request)):
        return attached_files.search(request, _cql(request))
    return _content_page(request, _search(request), cursor=request.flavour == "cloud")


def _search(request: Request) -> list[Page]:
    """As much CQL as a sync asks: ``type``, ``space`` and ``id``, joined by ``and``. Finds current pages, by id.

    What the account may not see is still among them.
    https://developer.atlassian.com/server/confluence/advanced-searching-using-cql/
    """
    kinds = {"page", "blogpost"} if _BOTH_KINDS in _cql(request) else None
    asked = _cql(request).removeprefix(f"{_BOTH_KINDS} and ")
    terms = [_CQL_TERM.fullmatch(term.strip()) for term in asked.split(" and ")]
    wanted = {term[1]: re.sub(r"\\(.)", r"\1", term[2].strip('"')) for term in terms if term}
    if len(wanted) < len(terms):
        raise _unparsable(_cql(request))
    found = [
        page
        for page, status, space in request.site.indexed()
        if status == "current"
        and (kinds is None or page.kind in kinds)
        and {"type": page.kind, "space": space, "id": page.page_id}.items() >= wanted.items()
    ]
    return sorted(found, key=lambda page: number_of(page.page_id))


def read_restriction(request: Request) -> Any:
    start, limit = request.number("start", 0), request.number("limit", request.limits.subjects)
    return restriction_json(request, _visible(request), start, limit)


def attachments(request: Request) -> Any:
    return attached_files.of_page_v1(request, _visible(request))


# spaces


def spaces(request: Request) -> Any:
    found = sorted(request.site.spaces.values(), key=lambda space: space.key)

    def sees(space: Space) -> bool:
        return request.site.may_read_space(request.me, space.key)

    return v1_page(request, found, lambda space: space_json(request, space), request.limits.v1(""), sees=sees)


def space(request: Request) -> Any:
    return space_json(request, _space(request))


def space_permissions(request: Request) -> Any:
    """Since Data Center 9.1: a bare list, users by key only.

    https://jira.atlassian.com/browse/CONFSERVER-100505
    """
    found = _space(request)
    subjects: list[dict[str, str]] = [{"type": "group", "name": name} for name in found.readers.groups]
    subjects += [{"type": "user", "userKey": request.site.users[name].user_key} for name in found.readers.users]
    subjects += [{"type": "anonymous"}] if found.anonymous else []
    operations = [{"targetType": "space", "operationKey": "read"}, {"targetType": "comment", "operationKey": "create"}]
    about = {"spaceKey": found.key, "spaceId": int(found.space_id)}
    return [{"operation": operation, "subject": subject, **about} for subject in subjects for operation in operations]


# people


def user(request: Request) -> Any:
    found = _user(request)
    shown = user_json(request, found)
    if request.flavour == "datacenter" and request.expands("status"):
        shown["status"] = "current" if found.active else "deactivated"
    return shown


def search_user(request: Request) -> Any:
    """Who may use the site: licensed users, guests, or both. Others are not found; who was deactivated still is.

    https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/#api-wiki-rest-api-search-user-get
    """
    one = re.fullmatch(r'user\.accountid="([^"]+)"', _cql(request))
    if one is None and _cql(request) != "type=user":
        raise _unparsable(_cql(request))
    filtered = request.query.get("sitePermissionTypeFilter", "none")
    licensed = {name for name in request.site.groups[EVERYONE].members if not request.site.users[name].guest}
    guests = {user.name for user in request.site.users.values() if user.guest}
    names = {"none": licensed, "externalCollaborator": guests, "all": licensed | guests}[filtered]
    found = [
        user
        for user in request.site.users.values()
        if user.name in names and (one is None or user.account_id == one[1])
    ]

    def shown(user: User) -> dict[str, Any]:
        return {"user": user_json(request, user), "title": user.display_name, "excerpt": "", "entityType": "user"}

    return v1_page(request, found, shown, 200) | {"totalSize": len(found), "cqlQuery": _cql(request)}


def active_users(request: Request) -> Any:
    """Since Data Center 9.4, for administrators.

    https://developer.atlassian.com/server/confluence/rest/v940/api-group-admin-users/
    """
    if not request.account.super_user:
        raise RequestError(403, "User is not authorized to perform this operation")
    found = [user for user in request.site.users.values() if user.active]
    return v1_page(request, found, lambda user: user_json(request, user) | {"email": user.email}, 200, default=200)


def member_of(request: Request) -> Any:
    found = sorted(request.site.groups_of(_user(request).name), key=lambda group: group.name)
    return v1_page(request, found, lambda group: group_json(request, group), 200, default=200)


def group(request: Request) -> Any:
    for found in request.site.groups.values():
        if found.group_id == request.query.get("id"):
            return group_json(request, found)
    raise RequestError(404, f"No group found with id: {request.query.get('id')}")


def _content_page(request: Request, found: list[Page], cursor: bool = False) -> Any:
    most = request.limits.v1(request.expand)
    return v1_page(request, found, lambda page: content_json(request, page), most, sees=request.sees, cursor=cursor)


def _cql(request: Request) -> str:
    return str(request.query.get("cql", ""))


def _unparsable(cql: str) -> RequestError:
    return RequestError(400, f"Could not parse cql : {cql}")


def _visible(request: Request) -> Page:
    page_id = request.match["id"]
    statuses = request.several("status") or ["current"]
    found = request.site.pages.get(page_id)
    if found is None or not request.sees(found) or found.status not in statuses:
        raise RequestError(404, f"No content found with id: ContentId{{id={page_id}}}")
    return found


def _space(request: Request) -> Space:
    key = request.match["key"]
    if not request.site.may_read_space(request.me, key):
        raise RequestError(404, f"No space found with key : {key}")
    return request.site.spaces[key]


def _user(request: Request) -> User:
    for name, value in request.query.items():
        for found in request.site.users.values():
            if found.hidden:
                continue
            if request.flavour == "cloud" and name == "accountId" and found.account_id == value:
                return found
            if request.flavour == "datacenter" and (name, value) in (("key", found.user_key), ("username", found.name)):
                return found
    raise RequestError(404, f"No user found with {request.link().partition('?')[2]}")


# JSON: a part of a page is there if it was expanded

Expands = Callable[[str], bool]


def content_json(request: Request, page: Page, expands: Expands | None = None) -> dict[str, Any]:
    """https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-resource/

    ``expands`` says what of it was asked for, where that is not the request's own ``expand``.
    """
    expands = expands or request.expands

    def above(name: str) -> bool:
        return request.nests and not name.startswith("ancestors") and expands(f"ancestors.{name}")

    def author() -> dict[str, Any]:
        return user_json(request, request.site.users[page.author])

    def editor() -> dict[str, Any]:
        return user_json(request, request.site.users[page.editor or page.author])

    def files() -> list[dict[str, Any]]:
        versioned = expands("children.attachment.version")
        return [attached_files.v1_json(request, page, one, versioned) for one in page.attachments[:25]]

    parts: dict[str, Callable[[], Any]] = {
        "space": lambda: space_json(request, request.site.spaces[page.space]),
        "version": lambda: {"number": page.version, "when": _date(page.modified), "by": editor()},
        "history": lambda: {"createdBy": author(), "createdDate": _date(page.created)},
        "ancestors": lambda: [content_json(request, at, above) for at in request.site.ancestors(page.page_id)],
        "body": lambda: _body(request, page, expands),
        "metadata": lambda: {"labels": _listed(page.label_parts, 200)},
        "restrictions": lambda: _restrictions(request, page, expands),
        "children": lambda: {
            "attachment": _listed(files(), 25),
            "comment": _listed(comments.first_json(request, page)[:25], 25),
        },
    }
    shown: dict[str, Any] = {"id": page.page_id, "type": page.kind, "status": page.status, "title": page.title}
    shown["_links"] = {"webui": _web_path(request, page)}
    return shown | {name: rendered() for name, rendered in parts.items() if expands(name)}


def _body(request: Request, page: Page, expands: Expands) -> dict[str, Any]:
    if not expands("body.storage"):
        return {}
    request.sent_bodies[page.page_id] += 1
    return {"storage": {"value": page.body, "representation": "storage"}}


def _restrictions(request: Request, page: Page, expands: Expands) -> dict[str, Any]:
    """Without ``….restrictions.user`` and ``….restrictions.group`` the operation is named, but not who may do it."""
    if not expands("restrictions.read"):
        return {}
    listed = restriction_json(request, page)["restrictions"]
    named = {subject: listed[subject] for subject in listed if expands(f"restrictions.read.restrictions.{subject}")}
    return {"read": {"operation": "read"} | ({"restrictions": named} if named else {})}


def restriction_json(request: Request, page: Page, start: int = 0, limit: int | None = None) -> dict[str, Any]:
    """Who alone may read the page. Users and groups are paged together, by the same ``start`` and ``limit``.

    https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-restrictions
    """
    most = min(limit or request.limits.subjects, request.limits.subjects, request.limits.cap or request.limits.subjects)
    users = [user_json(request, request.site.users[name]) for name in page.read.users]
    groups = [group_json(request, request.site.groups[name]) for name in page.read.groups]
    named = {"user": users[start : start + most], "group": groups[start : start + most]}
    return {"operation": "read", "restrictions": {name: _listed(each, most, start) for name, each in named.items()}}


def _listed(results: list[dict[str, Any]], limit: int, start: int = 0) -> dict[str, Any]:
    return {"results": results, "start": start, "limit": limit, "size": len(results)}


def space_json(request: Request, space: Space) -> dict[str, Any]:
    """Data Center has the creator in it; the home page if it is expanded."""
    shown = _space_json(space)
    if request.flavour == "datacenter":
        shown["creator"] = user_json(request, request.site.users[space.creator])
    if request.expands("space.homepage") and space.home_id:
        shown["homepage"] = {"id": space.home_id, "type": "page"}
    return shown


def _space_json(space: Space) -> dict[str, Any]:
    return {"id": int(space.space_id), "key": space.key, "name": space.name, "status": "current", "type": space.kind}


def user_json(request: Request, user: User) -> dict[str, Any]:
    """Data Center names people by key and username, without e-mail; Cloud by account id, with it if they allow it.

    https://developer.atlassian.com/cloud/confluence/deprecation-notice-user-privacy-api-migration-guide/
    """
    shown: dict[str, Any] = {"type": "known", "displayName": user.display_name}
    if request.flavour == "datacenter":
        return shown | {"username": user.name, "userKey": user.user_key} | user.former("datacenter")
    return shown | {
        "accountId": user.account_id, "accountType": "atlassian",
        "accountStatus": "active" if user.active else "inactive",
        "email": user.email if user.email_visible or user.name == request.me else "",
    } | user.former("cloud")  # fmt: skip


def group_json(request: Request, group: Group) -> dict[str, Any]:
    return {"type": "group", "name": group.name} | ({"id": group.group_id} if request.flavour == "cloud" else {})


def _web_path(request: Request, page: Page) -> str:
    """Data Center's pretty address only works for titles that have nothing an address must escape."""
    if request.flavour == "cloud":
        return cloud_path(page)
    plain = page.kind == "page" and page.title and all(sign.isalnum() or sign in " -_." for sign in page.title)
    pretty = f"/display/{page.space}/{quote_plus(page.title)}"
    return pretty if plain else f"/pages/viewpage.action?pageId={page.page_id}"


def _date(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def webhook(site: Site, event: str, page_id: str, secret: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of what Data Center posts to a webhook: ``page_updated``, ``page_trashed``, … of a page.

    https://developer.atlassian.com/server/confluence/webhooks/
    """
    page = site.pages[page_id]
    about = {"id": int(page_id), "title": page.title, "spaceKey": page.space, "version": page.version}
    delivery = {"timestamp": int(site.clock().timestamp() * 1000), "event": event, "page": about}
    body = json.dumps(delivery).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return body, {"Content-Type": "application/json", "X-Hub-Signature": f"sha256={signature}"}
