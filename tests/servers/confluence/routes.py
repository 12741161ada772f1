"""Which path leads to what, below the context path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.servers.confluence import v1, v2
from tests.servers.confluence.asked import Asked, Flavour

Endpoint = Callable[[Asked], Any]

_BOTH: dict[str, Endpoint] = {
    "GET /rest/api/content/search": v1.search_content,
    "GET /rest/api/content/{id}/restriction/byOperation": v1.restrictions,
    "GET /rest/api/content/{id}/restriction/byOperation/{operation}": v1.restriction,
    "GET /rest/api/user": v1.user,
    "GET /rest/api/user/current": v1.current_user,
    "GET /rest/api/user/memberof": v1.member_of,
}
_CLOUD: dict[str, Endpoint] = {
    "GET /api/v2/spaces": v2.spaces,
    "GET /api/v2/spaces/{id}": v2.space,
    "GET /api/v2/spaces/{id}/pages": v2.space_pages,
    "GET /api/v2/spaces/{id}/permissions": v2.space_permissions,
    "GET /api/v2/pages": v2.pages,
    "GET /api/v2/pages/{id}": v2.page,
    "GET /api/v2/pages/{id}/labels": v2.labels,
    "GET /api/v2/pages/{id}/attachments": v2.attachments,
    "GET /api/v2/pages/{id}/ancestors": v2.ancestors,
    "GET /api/v2/folders/{id}": v2.folder,
    "GET /api/v2/folders/{id}/ancestors": v2.ancestors,
    "GET /rest/api/search/user": v1.search_user,
    "GET /rest/api/group/by-id": v1.group,
    "GET /rest/api/content": v1.gone,
    "GET /rest/api/content/{id}": v1.gone,
    "GET /rest/api/space": v1.gone,
    "GET /rest/api/space/{key}": v1.gone,
}
_DATA_CENTER: dict[str, Endpoint] = {
    "GET /rest/api/content": v1.contents,
    "GET /rest/api/content/{id}": v1.content,
    "GET /rest/api/content/{id}/child/attachment": v1.attachments,
    "GET /rest/api/admin/users/list/active": v1.active_users,
    "GET /rest/api/space": v1.spaces,
    "GET /rest/api/space/{key}": v1.space,
    "GET /rest/api/space/{key}/permissions": v1.space_permissions,
}
_OF: dict[Flavour, dict[str, Endpoint]] = {"cloud": _BOTH | _CLOUD, "datacenter": _BOTH | _DATA_CENTER}
_PATTERNS = {
    flavour: [
        (route.partition(" ")[0], re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route.partition(" ")[2])), endpoint)
        for route, endpoint in sorted(routes.items(), key=lambda item: item[0].count("{"))
    ]
    for flavour, routes in _OF.items()
}


def find(flavour: Flavour, method: str, path: str) -> tuple[Endpoint, Mapping[str, str]] | int:
    """The endpoint and its path's parts, or the status that says there is none: 404, or 405 for another method."""
    status = 404
    for allowed, pattern, endpoint in _PATTERNS[flavour]:
        match = pattern.fullmatch(path)
        if match and allowed == method:
            return endpoint, match.groupdict()
        if match:
            status = 405
    return status
