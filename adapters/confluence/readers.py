"""A page's own read restriction, as the REST API v1 of both flavours gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Parameters
from adapters.confluence.paging import Get
from adapters.confluence.restrictions import Node
from adapters.confluence.site import part, text

EXPAND = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class OwnRestriction:
    """``readers``: None if there is no restriction. ``complete``: whether no more users or groups may follow."""

    readers: frozenset[str] | None
    complete: bool


def read_restriction(item: Mapping[str, Any], account: str) -> OwnRestriction | None:
    """The restriction within an expanded page, None if it is not there. ``account``: the field that names a user."""
    return own_restriction(part(item, "restrictions", "read", "restrictions"), account)


def own_restriction(restrictions: Mapping[str, Any], account: str) -> OwnRestriction | None:
    """The readers that ``{"user": {"results": […]}, "group": {"results": […]}}`` names, None if it is not that.

    Somebody whom the API does not name still restricts: then nobody may read, rather than everybody.
    """
    found: set[str] = set()
    restricted, complete = False, True
    for kind, name in (("user", account), ("group", "name")):
        subjects = part(restrictions, kind)
        results = subjects.get("results")
        if not isinstance(results, list):
            return None
        restricted = restricted or bool(results) or _count(subjects.get("size")) > 0
        limit = _count(subjects.get("limit"))
        complete = complete and not (limit and len(results) >= limit) and not part(subjects, "_links").get("next")
        named = [text(subject.get(name)) for subject in results if isinstance(subject, dict)]
        found.update(f"{kind}:{each}" for each in named if each)
    return OwnRestriction(frozenset(found) if restricted else None, complete)


async def ask_restriction(get: Get, content_path: str, node: Node, account: str) -> Node:
    """The node with its readers, asked for by itself, all pages of them; with a defect where that is refused."""
    found: set[str] = set()
    restricted, start = False, 0
    path = f"{content_path}/{node.node_id}/restriction/byOperation/read"
    try:
        while True:
            parameters: Parameters = {
                "expand": "restrictions.user,restrictions.group",
                "start": start,
                "limit": _AT_ONCE,
            }
            restrictions = part((await get(path, parameters)).body, "restrictions")
            own = own_restriction(restrictions, account)
            if own is None:
                raise make_malformed_response_error("restrictions without users and groups")
            fresh = (own.readers or frozenset()) - found
            restricted = restricted or own.readers is not None
            found |= fresh
            if not fresh:
                break
            start += max(len(restrictions[kind]["results"]) for kind in ("user", "group"))
    except Refusal as refusal:
        if refusal.of_site:
            raise
        return Node(node.node_id, node.parent, defect=f"cannot be read: Confluence {refusal.cause}")
    return Node(node.node_id, node.parent, frozenset(found) if restricted else None)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0
