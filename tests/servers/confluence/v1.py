"""REST v1: the whole of it on Data Center, on Cloud what v2 has not taken over.

https://developer.atlassian.com/server/confluence/rest/v920/ and
https://developer.atlassian.com/cloud/confluence/rest/v1/intro/
"""

from __future__ import annotations

import re
from typing import Any

from tests.servers.confluence import cql
from tests.servers.confluence.asked import Asked, Refused, number_of
from tests.servers.confluence.paging import v1_page
from tests.servers.confluence.parts import Group, Page, Space, User
from tests.servers.confluence.site import EVERYONE
from tests.servers.confluence.v1_json import (
    attachment_json,
    content_json,
    group_json,
    restriction_json,
    space_json,
    user_json,
)

# content


def gone(asked: Asked) -> Any:
    """https://developer.atlassian.com/cloud/confluence/changelog/#CHANGE-864"""
    raise Refused(410, "This deprecated endpoint has been removed.")


def contents(asked: Asked) -> Any:
    """Pages by id. A space key that is not there gives no page and no error."""
    key, title = asked.query.get("spaceKey"), asked.query.get("title")
    statuses = asked.several("status") or ["current"]
    found = [
        page
        for page in asked.site.pages.values()
        if page.kind == asked.query.get("type", "page") and (key is None or page.space == key)
        and (title is None or page.title == title) and (page.status in statuses or "any" in statuses)
    ]  # fmt: skip
    found.sort(key=lambda page: number_of(page.page_id))
    return _content_page(asked, found)


def content(asked: Asked) -> Any:
    return content_json(asked, _visible(asked))


def search_content(asked: Asked) -> Any:
    """https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content/"""
    return _content_page(asked, cql.search(asked, _cql(asked)), cursor=asked.flavour == "cloud")


def restrictions(asked: Asked) -> Any:
    found = _visible(asked)
    shown = {operation: restriction_json(asked, found, operation) for operation in ("read", "update")}
    path = f"{asked.base}/rest/api/content/{found.page_id}/restriction/byOperation"
    return shown | {"_links": {"self": path, "base": asked.base, "context": asked.context}}


def restriction(asked: Asked) -> Any:
    operation = asked.match["operation"]
    if operation not in ("read", "update"):
        raise Refused(400, f"Operation {operation} is not supported for content restrictions")
    found = _visible(asked)
    return restriction_json(
        asked, found, operation, asked.number("start", 0), asked.number("limit", asked.limits.subjects)
    )


def attachments(asked: Asked) -> Any:
    found = _visible(asked)
    return v1_page(asked, found.attachments, lambda one: attachment_json(asked, found, one), 200, default=50)


# spaces


def spaces(asked: Asked) -> Any:
    keys = asked.query.getall("spaceKey", [])
    found = [space for space in asked.site.spaces.values() if not keys or space.key in keys]
    found.sort(key=lambda space: space.key)

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


def current_user(asked: Asked) -> Any:
    return user_json(asked, asked.account)


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
        raise cql.unparsable(_cql(asked))
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
    return group_json(asked, _group(asked))


def _content_page(asked: Asked, found: list[Page], cursor: bool = False) -> Any:
    most = asked.limits.v1(asked.expand)
    return v1_page(asked, found, lambda page: content_json(asked, page), most, sees=asked.sees, cursor=cursor)


def _cql(asked: Asked) -> str:
    given = asked.query.get("cql")
    if not given:
        raise Refused(400, "Could not parse cql : ")
    return str(given)


def _visible(asked: Asked) -> Page:
    page_id = asked.match["id"]
    statuses = asked.several("status") or ["current"]
    found = asked.site.pages.get(page_id)
    if found is None or not asked.sees(found) or not (found.status in statuses or "any" in statuses):
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


def _group(asked: Asked) -> Group:
    wanted = asked.match.get("name") or asked.query.get("id") or asked.query.get("name")
    for found in asked.site.groups.values():
        if wanted == (found.group_id if asked.flavour == "cloud" else found.name):
            return found
    raise Refused(404, f"No group found with name: {wanted}")
