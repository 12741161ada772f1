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

from tests.servers.confluence.asked import Asked, Refused, number_of, v1_page
from tests.servers.confluence.site import EVERYONE, Attachment, Group, Page, Site, Space, User

_CQL_TERM = re.compile(r"""(type|space|id)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s"]+)""")

# content


def contents(asked: Asked) -> Any:
    """Pages by id. A space key that is not there gives no page and no error."""
    key, statuses = asked.query.get("spaceKey"), asked.several("status") or ["current"]
    found = [
        page
        for page in asked.site.pages.values()
        if page.kind == "page" and (key is None or page.space == key) and page.status in statuses
    ]
    found.sort(key=lambda page: number_of(page.page_id))
    return _content_page(asked, found)


def content(asked: Asked) -> Any:
    return content_json(asked, _visible(asked))


def search_content(asked: Asked) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content/"""
    return _content_page(asked, _search(asked), cursor=asked.flavour == "cloud")


def _search(asked: Asked) -> list[Page]:
    """As much CQL as a sync asks: ``type``, ``space`` and ``id``, joined by ``and``. Finds current pages, by id.

    What the account may not see is still among them.
    https://developer.atlassian.com/server/confluence/advanced-searching-using-cql/
    """
    terms = [_CQL_TERM.fullmatch(term.strip()) for term in _cql(asked).split(" and ")]
    wanted = {term[1]: re.sub(r"\\(.)", r"\1", term[2].strip('"')) for term in terms if term}
    if len(wanted) < len(terms):
        raise _unparsable(_cql(asked))
    found = [
        page
        for page, status, space in asked.site.indexed()
        if status == "current" and {"type": page.kind, "space": space, "id": page.page_id}.items() >= wanted.items()
    ]
    return sorted(found, key=lambda page: number_of(page.page_id))


def read_restriction(asked: Asked) -> Any:
    start, limit = asked.number("start", 0), asked.number("limit", asked.limits.subjects)
    return restriction_json(asked, _visible(asked), start, limit)


def attachments(asked: Asked) -> Any:
    found = _visible(asked)
    return v1_page(asked, found.attachments, attachment_json, 200, default=50)


# spaces


def spaces(asked: Asked) -> Any:
    found = sorted(asked.site.spaces.values(), key=lambda space: space.key)

    def sees(space: Space) -> bool:
        return asked.site.may_read_space(asked.me, space.key)

    return v1_page(asked, found, lambda space: space_json(asked, space), asked.limits.v1(""), sees=sees)


def space(asked: Asked) -> Any:
    return space_json(asked, _space(asked))


def space_permissions(asked: Asked) -> Any:
    """Since Data Center 9.1: a bare list, users by key only.

    https://jira.atlassian.com/browse/CONFSERVER-100505
    """
    found = _space(asked)
    subjects: list[dict[str, str]] = [{"type": "group", "name": name} for name in found.readers.groups]
    subjects += [{"type": "user", "userKey": asked.site.users[name].user_key} for name in found.readers.users]
    subjects += [{"type": "anonymous"}] if found.anonymous else []
    operations = [{"targetType": "space", "operationKey": "read"}, {"targetType": "comment", "operationKey": "create"}]
    about = {"spaceKey": found.key, "spaceId": int(found.space_id)}
    return [{"operation": operation, "subject": subject, **about} for subject in subjects for operation in operations]


# people


def user(asked: Asked) -> Any:
    found = _user(asked)
    shown = user_json(asked, found)
    if asked.flavour == "datacenter" and asked.expands("status"):
        shown["status"] = "current" if found.active else "deactivated"
    return shown


def search_user(asked: Asked) -> Any:
    """Who may use the site: licensed users, guests, or both. Others are not found; who was deactivated still is.

    https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/#api-wiki-rest-api-search-user-get
    """
    one = re.fullmatch(r'user\.accountid="([^"]+)"', _cql(asked))
    if one is None and _cql(asked) != "type=user":
        raise _unparsable(_cql(asked))
    filtered = asked.query.get("sitePermissionTypeFilter", "none")
    licensed = {name for name in asked.site.groups[EVERYONE].members if not asked.site.users[name].guest}
    guests = {user.name for user in asked.site.users.values() if user.guest}
    names = {"none": licensed, "externalCollaborator": guests, "all": licensed | guests}[filtered]
    found = [
        user for user in asked.site.users.values() if user.name in names and (one is None or user.account_id == one[1])
    ]

    def shown(user: User) -> dict[str, Any]:
        return {"user": user_json(asked, user), "title": user.display_name, "excerpt": "", "entityType": "user"}

    return v1_page(asked, found, shown, 200) | {"totalSize": len(found), "cqlQuery": _cql(asked)}


def active_users(asked: Asked) -> Any:
    """Since Data Center 9.4, for administrators.

    https://developer.atlassian.com/server/confluence/rest/v940/api-group-admin-users/
    """
    if not asked.account.super_user:
        raise Refused(403, "User is not authorized to perform this operation")
    found = [user for user in asked.site.users.values() if user.active]
    return v1_page(asked, found, lambda user: user_json(asked, user) | {"email": user.email}, 200, default=200)


def member_of(asked: Asked) -> Any:
    found = sorted(asked.site.groups_of(_user(asked).name), key=lambda group: group.name)
    return v1_page(asked, found, lambda group: group_json(asked, group), 200, default=200)


def group(asked: Asked) -> Any:
    for found in asked.site.groups.values():
        if found.group_id == asked.query.get("id"):
            return group_json(asked, found)
    raise Refused(404, f"No group found with id: {asked.query.get('id')}")


def _content_page(asked: Asked, found: list[Page], cursor: bool = False) -> Any:
    most = asked.limits.v1(asked.expand)
    return v1_page(asked, found, lambda page: content_json(asked, page), most, sees=asked.sees, cursor=cursor)


def _cql(asked: Asked) -> str:
    return str(asked.query.get("cql", ""))


def _unparsable(cql: str) -> Refused:
    return Refused(400, f"Could not parse cql : {cql}")


def _visible(asked: Asked) -> Page:
    page_id = asked.match["id"]
    statuses = asked.several("status") or ["current"]
    found = asked.site.pages.get(page_id)
    if found is None or not asked.sees(found) or found.status not in statuses:
        raise Refused(404, f"No content found with id: ContentId{{id={page_id}}}")
    return found


def _space(asked: Asked) -> Space:
    key = asked.match["key"]
    if not asked.site.may_read_space(asked.me, key):
        raise Refused(404, f"No space found with key : {key}")
    return asked.site.spaces[key]


def _user(asked: Asked) -> User:
    for name, value in asked.query.items():
        for found in asked.site.users.values():
            if asked.flavour == "cloud" and name == "accountId" and found.account_id == value:
                return found
            if asked.flavour == "datacenter" and (name, value) in (("key", found.user_key), ("username", found.name)):
                return found
    raise Refused(404, f"No user found with {asked.link().partition('?')[2]}")


# JSON: a part of a page is there if it was expanded

Expands = Callable[[str], bool]


def content_json(asked: Asked, page: Page, expands: Expands | None = None) -> dict[str, Any]:
    """https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-resource/

    ``expands`` says what of it was asked for, where that is not the request's own ``expand``.
    """
    expands = expands or asked.expands

    def above(name: str) -> bool:
        return asked.nests and not name.startswith("ancestors") and expands(f"ancestors.{name}")

    def author() -> dict[str, Any]:
        return user_json(asked, asked.site.users[page.author])

    parts: dict[str, Callable[[], Any]] = {
        "space": lambda: space_json(asked, asked.site.spaces[page.space]),
        "version": lambda: {"number": page.version, "when": _date(page.modified), "by": author()},
        "history": lambda: {"createdBy": author(), "createdDate": _date(page.created)},
        "ancestors": lambda: [content_json(asked, at, above) for at in asked.site.ancestors(page.page_id)],
        "body": lambda: _body(asked, page, expands),
        "metadata": lambda: {"labels": _listed([{"prefix": "global", "name": name} for name in page.labels], 200)},
        "restrictions": lambda: _restrictions(asked, page, expands),
        "children": lambda: {"attachment": _listed([attachment_json(one) for one in page.attachments[:25]], 25)},
    }
    shown: dict[str, Any] = {"id": page.page_id, "type": page.kind, "status": page.status, "title": page.title}
    shown["_links"] = {"webui": _web_path(asked, page)}
    return shown | {name: rendered() for name, rendered in parts.items() if expands(name)}


def _body(asked: Asked, page: Page, expands: Expands) -> dict[str, Any]:
    if not expands("body.storage"):
        return {}
    asked.sent.bodies[page.page_id] += 1
    return {"storage": {"value": page.body, "representation": "storage"}}


def _restrictions(asked: Asked, page: Page, expands: Expands) -> dict[str, Any]:
    """Without ``….restrictions.user`` and ``….restrictions.group`` the operation is named, but not who may do it."""
    if not expands("restrictions.read"):
        return {}
    listed = restriction_json(asked, page)["restrictions"]
    named = {subject: listed[subject] for subject in listed if expands(f"restrictions.read.restrictions.{subject}")}
    return {"read": {"operation": "read"} | ({"restrictions": named} if named else {})}


def restriction_json(asked: Asked, page: Page, start: int = 0, limit: int | None = None) -> dict[str, Any]:
    """Who alone may read the page. Users and groups are paged together, by the same ``start`` and ``limit``.

    https://developer.atlassian.com/server/confluence/rest/v920/api-group-content-restrictions
    """
    most = min(limit or asked.limits.subjects, asked.limits.subjects, asked.limits.cap or asked.limits.subjects)
    users = [user_json(asked, asked.site.users[name]) for name in page.read.users]
    groups = [group_json(asked, asked.site.groups[name]) for name in page.read.groups]
    named = {"user": users[start : start + most], "group": groups[start : start + most]}
    return {"operation": "read", "restrictions": {name: _listed(each, most, start) for name, each in named.items()}}


def _listed(results: list[dict[str, Any]], limit: int, start: int = 0) -> dict[str, Any]:
    return {"results": results, "start": start, "limit": limit, "size": len(results)}


def space_json(asked: Asked, space: Space) -> dict[str, Any]:
    return {"id": int(space.space_id), "key": space.key, "name": space.name, "status": "current", "type": space.kind}


def user_json(asked: Asked, user: User) -> dict[str, Any]:
    """Data Center names people by key and username, without e-mail; Cloud by account id, with it if they allow it.

    https://developer.atlassian.com/cloud/confluence/deprecation-notice-user-privacy-api-migration-guide/
    """
    shown: dict[str, Any] = {"type": "known", "displayName": user.display_name}
    if asked.flavour == "datacenter":
        return shown | {"username": user.name, "userKey": user.user_key}
    return shown | {
        "accountId": user.account_id, "accountType": "atlassian",
        "accountStatus": "active" if user.active else "inactive",
        "email": user.email if user.email_visible or user.name == asked.me else "",
    }  # fmt: skip


def group_json(asked: Asked, group: Group) -> dict[str, Any]:
    return {"type": "group", "name": group.name} | ({"id": group.group_id} if asked.flavour == "cloud" else {})


def attachment_json(attachment: Attachment) -> dict[str, Any]:
    return {"id": attachment.attachment_id, "type": "attachment", "status": "current", "title": attachment.title}


def _web_path(asked: Asked, page: Page) -> str:
    """Data Center's pretty address only works for titles that have nothing an address must escape."""
    if asked.flavour == "cloud":
        return f"/spaces/{page.space}/{page.kind}s/{page.page_id}/{quote_plus(page.title)}".rstrip("/")
    plain = page.title and all(sign.isalnum() or sign in " -_." for sign in page.title)
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
