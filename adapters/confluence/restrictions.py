"""Determines the readers of a page from its own read restriction and those of its ancestors.

Confluence lets an account read a page if it may read the space and satisfies the restrictions of the page and of each
ancestor. No restriction means inherited, never nobody:
https://confluence.atlassian.com/doc/page-restrictions-139414.html

Restrictions that are read one after the other may combine to a state that never existed: if somebody restricts the page
and then opens its parent, a reader that asks for the page before and for the parent after that finds both open. The
REST API v1 of both flavours returns all of them together with the page's version in one response: a snapshot.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Json, Parameters
from adapters.confluence.paging import Get
from adapters.confluence.site import (
    read_editor,
    read_part,
    read_text,
    read_title,
    read_version_number,
    run_concurrently,
)
from core.indexing.index_entries import combine_restrictions
from core.model import ReadRestrictions
from core.ports.wiki import ListedPage

CONTENT = "rest/api/content"
EXPAND = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
ONLY_OWN = f"version,space,ancestors,{EXPAND}"
"""Fields to expand for the version, location and own restriction of a page in one response."""
SNAPSHOT = ",".join([ONLY_OWN, *(f"ancestors.{each}" for each in EXPAND.split(","))])
"""Fields to expand for all readers of a page in one response."""
TRIES = 3
"""The number of attempts to read a page that changes each time."""
NOBODY: frozenset[str] = frozenset()
_AT_ONCE = 100


LISTED = f"{EXPAND},metadata.labels"
"""Fields to expand for the pages of a space. Labels change neither version nor location."""


@dataclass(frozen=True, slots=True)
class Node:
    """A page, or another ancestor of pages, such as a folder."""

    node_id: str
    parent: str = ""  # its parent's id; "" at the top of the space
    readers: frozenset[str] | None = None  # principals of its own restriction; None if it has none
    defect: str = ""  # why its readers are unknown
    labels: frozenset[str] | None = None  # None if unknown

    def mark_unreadable(self, refusal: Refusal) -> Node:
        """Return the node with a refusal as its defect. Raises the refusal if other requests would fail as well."""
        if refusal.is_site_wide:
            raise refusal
        return replace(self, defect=f"cannot be read: Confluence {refusal.cause}")


@dataclass(frozen=True, slots=True)
class AppliedRestrictions:
    """The restrictions that apply to a page."""

    read_restrictions: ReadRestrictions  # one set of principals per restricted page up to the top
    defect: str = ""  # why nobody may read it


def find_effective_restrictions(node_id: str, nodes: Mapping[str, Node]) -> AppliedRestrictions:
    """Return the restrictions of a page, its own first. If any is unknown, nobody may read it."""
    restrictions: list[frozenset[str]] = []
    passed: set[str] = set()
    at = node_id
    while at:
        if at in passed:
            return _admit_nobody(f"its ancestors form a circle through page {at}")
        passed.add(at)
        node = nodes.get(at)
        if node is None:
            return _admit_nobody(f"its ancestor {at} cannot be seen")
        if node.defect:
            return _admit_nobody(f"the restrictions of {'it' if at == node_id else f'its ancestor {at}'} {node.defect}")
        if node.readers is not None and node.readers not in restrictions:
            restrictions.append(node.readers)
        at = node.parent
    return AppliedRestrictions(tuple(restrictions))


def _admit_nobody(reason: str) -> AppliedRestrictions:
    return AppliedRestrictions((NOBODY,), f"{reason}, so nobody may read it")


def find_above(node_id: str, nodes: Mapping[str, Node]) -> tuple[str, ...]:
    """Return the ids of a page's ancestors, from the parent to the top, as far as they are known."""
    above: dict[str, None] = {}
    node = nodes.get(node_id)
    while node is not None and node.parent and node.parent not in above and node.parent != node_id:
        above[node.parent] = None
        node = nodes.get(node.parent)
    return tuple(above)


def find_unknown_parents(nodes: Mapping[str, Node]) -> set[str]:
    """Return the ids of parents that are not among the nodes."""
    return {node.parent for node in nodes.values() if node.parent} - nodes.keys()


async def add_ancestors(nodes: dict[str, Node], load: Callable[[str], Coroutine[Any, Any, Node]]) -> None:
    """Load missing parents, and their missing ancestors."""
    while missing := sorted(find_unknown_parents(nodes)):
        for node in await run_concurrently(load(each) for each in missing):
            nodes[node.node_id] = node


def make_listed_page(
    item: Json, space: str, version: str, nodes: Mapping[str, Node], readers: ReadRestrictions = ()
) -> ListedPage:
    """Make a listed page or blog post, with its restrictions by ``nodes``, which were read one by one.

    ``readers``: its restrictions at one moment, if they are known.
    """
    page_id = str(item["id"])
    found = find_effective_restrictions(page_id, nodes)
    restrictions = combine_restrictions(found.read_restrictions, readers)
    place = (item.get("type") == "blogpost", find_above(page_id, nodes))
    told = (nodes[page_id].labels, read_editor(item))
    return ListedPage(page_id, space, read_title(item), version, restrictions, found.defect, *place, *told)


# ------------------------------------------------------------------------------ a page's own restriction


@dataclass(frozen=True, slots=True)
class OwnRestriction:
    """The read restriction of one page."""

    readers: frozenset[str] | None  # None if there is no restriction
    complete: bool  # no more users or groups can follow


def read_own_restriction(item: Mapping[str, Any], account: str) -> OwnRestriction | None:
    """Return the restriction of an expanded page, or None if it is missing. ``account``: the field with a user's id."""
    return parse_restriction(read_part(item, "restrictions", "read", "restrictions"), account)


def parse_restriction(restrictions: Mapping[str, Any], account: str) -> OwnRestriction | None:
    """Return the readers in ``{"user": {"results": […]}, "group": {"results": […]}}``, or None if malformed.

    A restriction to users whom the API does not name admits nobody, rather than everybody.
    """
    found: set[str] = set()
    restricted, complete = False, True
    for kind, name in (("user", account), ("group", "name")):
        subjects = read_part(restrictions, kind)
        results = subjects.get("results")
        if not isinstance(results, list):
            return None
        restricted = restricted or bool(results) or _count(subjects.get("size")) > 0
        limit = _count(subjects.get("limit"))
        complete = complete and not (limit and len(results) >= limit) and not read_part(subjects, "_links").get("next")
        named = [read_text(subject.get(name)) for subject in results if isinstance(subject, dict)]
        found.update(f"{kind}:{each}" for each in named if each)
    return OwnRestriction(frozenset(found) if restricted else None, complete)


async def request_restriction(get: Get, node: Node, account: str) -> Node:
    """Return the node with its readers from a request of their own, or with a defect if that is refused."""
    found: set[str] = set()
    restricted, start = False, 0
    path = f"{CONTENT}/{node.node_id}/restriction/byOperation/read"
    try:
        while True:
            parameters: Parameters = {
                "expand": "restrictions.user,restrictions.group",
                "start": start,
                "limit": _AT_ONCE,
            }
            restrictions = read_part((await get(path, parameters)).body, "restrictions")
            own = parse_restriction(restrictions, account)
            if own is None:
                raise make_malformed_response_error("restrictions without users and groups")
            fresh = (own.readers or frozenset()) - found
            restricted = restricted or own.readers is not None
            found |= fresh
            if not fresh:
                break
            start += max(len(restrictions[kind]["results"]) for kind in ("user", "group"))
    except Refusal as refusal:
        return node.mark_unreadable(refusal)
    return replace(node, readers=frozenset(found) if restricted else None)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


# ---------------------------------------------------------------------------- all readers at one moment


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Version, location and readers of a page at one moment."""

    page_id: str
    version: int
    space: str
    above: tuple[str, ...]  # ids of its ancestors, from the top down
    # Own restrictions of the page and its ancestors by id, None for no restriction. Incomplete ones are left out.
    readers: Mapping[str, frozenset[str] | None]

    @property
    def missing(self) -> tuple[str, ...]:
        """The ids of the page and ancestors whose restrictions have to be requested singly."""
        return tuple(each for each in (self.page_id, *self.above) if each not in self.readers)

    @property
    def state(self) -> tuple[int, str, tuple[str, ...]]:
        """Version and location."""
        return self.version, self.space, self.above


def read_snapshot(item: Mapping[str, Any], account: str) -> Snapshot:
    """Return the snapshot in a response to :data:`SNAPSHOT`. ``account``: the field with a user's id."""
    ancestors = item.get("ancestors")
    if not isinstance(ancestors, list) or not all(isinstance(each, dict) and each.get("id") for each in ancestors):
        raise make_malformed_response_error("a page without its ancestors")
    owns = {str(each["id"]): read_own_restriction(each, account) for each in (item, *ancestors)}
    readers = {node_id: own.readers for node_id, own in owns.items() if own is not None and own.complete}
    above = tuple(str(each["id"]) for each in ancestors)
    return Snapshot(
        str(item["id"]), read_version_number(item), read_text(read_part(item, "space").get("key")), above, readers
    )


async def find_current_readers(
    found: Snapshot,
    take: Callable[[], Awaitable[Snapshot | None]],
    ask: Callable[[str], Coroutine[Any, Any, Node]],
) -> ReadRestrictions | None:
    """Return the restrictions of a page while it is as in ``found``, or None if it changed or moved meanwhile.

    If the snapshot lacks some restrictions, they are requested singly, and then a second snapshot is taken. Only
    accounts that satisfy both snapshots and the restrictions requested in between count as readers.
    """
    if not found.missing:
        return _make_restrictions(found.readers)
    asked = await run_concurrently(ask(each) for each in found.missing)
    again = await take()
    if again is None or again.state != found.state:
        return None
    defects = tuple(NOBODY for node in asked if node.defect)
    own = {node.node_id: node.readers for node in asked}
    return combine_restrictions(
        _make_restrictions(found.readers), _make_restrictions(own), _make_restrictions(again.readers), defects
    )


def _make_restrictions(readers: Mapping[str, frozenset[str] | None]) -> ReadRestrictions:
    return combine_restrictions(tuple(principals for principals in readers.values() if principals is not None))
