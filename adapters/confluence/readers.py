"""Who may read a page, from the REST API v1 of both flavours: its own restriction, and all readers at one moment.

A page's readers are those of its own restriction and of all pages above it. Read one after the other, they may be a
combination that never was: somebody restricts the page and then opens its parent, and a reader that asked for the page
before and for the parent after finds both open. REST v1 gives them in one answer, with the version.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Parameters
from adapters.confluence.paging import Get
from adapters.confluence.restrictions import NOBODY, Node
from adapters.confluence.site import concurrently, part, text
from core.retrieval.access import ReadRestrictions, narrow

EXPAND = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
_AT_ONCE = 100
ONLY_OWN = f"version,space,ancestors,{EXPAND}"
"""What to expand of a page, so that one answer has its version, its place and its own restriction."""
SNAPSHOT = ",".join([ONLY_OWN, *(f"ancestors.{each}" for each in EXPAND.split(","))])
"""What to expand of a page, so that one answer has all its readers."""
TRIES = 3
"""How often a page is read that is another one each time."""

Take = Callable[[], Awaitable["Snapshot | None"]]
Ask = Callable[[str], Coroutine[Any, Any, Node]]


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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A page's version, place and readers at one moment. ``above``: the ids of its ancestors, from the top down.

    ``readers``: by id, the page's own restriction and those of its ancestors, None for no restriction; what the answer
    does not have in full is missing.
    """

    page_id: str
    version: int
    space: str
    above: tuple[str, ...]
    readers: Mapping[str, frozenset[str] | None]

    @property
    def missing(self) -> tuple[str, ...]:
        """The ids of those whose restrictions have to be asked for one by one."""
        return tuple(each for each in (self.page_id, *self.above) if each not in self.readers)

    @property
    def state(self) -> tuple[int, str, tuple[str, ...]]:
        """Version and place."""
        return self.version, self.space, self.above


def snapshot_of(item: Mapping[str, Any], account: str) -> Snapshot:
    """The snapshot in an answer that was asked for with :data:`SNAPSHOT`. ``account``: the field that names a user."""
    ancestors, version = item.get("ancestors"), part(item, "version").get("number")
    if not isinstance(ancestors, list) or not all(isinstance(each, dict) and each.get("id") for each in ancestors):
        raise make_malformed_response_error("a page without its ancestors")
    if not isinstance(version, int):
        raise make_malformed_response_error("a page without its version")
    owns = {str(each["id"]): read_restriction(each, account) for each in (item, *ancestors)}
    readers = {node_id: own.readers for node_id, own in owns.items() if own is not None and own.complete}
    above = tuple(str(each["id"]) for each in ancestors)
    return Snapshot(str(item["id"]), version, text(part(item, "space").get("key")), above, readers)


async def readers_now(found: Snapshot, take: Take, ask: Ask) -> ReadRestrictions | None:
    """The restrictions of a page while it is as in ``found``; None if it changed or moved meanwhile.

    Where the snapshot lacks some, they are asked for by themselves, and then a second snapshot is taken: only who
    passes both of them and what was asked for in between counts as a reader.
    """
    if not found.missing:
        return _restrictions(found.readers)
    asked = await concurrently(ask(each) for each in found.missing)
    again = await take()
    if again is None or again.state != found.state:
        return None
    defects = tuple(NOBODY for node in asked if node.defect)
    own = {node.node_id: node.readers for node in asked}
    return narrow(_restrictions(found.readers), _restrictions(own), _restrictions(again.readers), defects)


def _restrictions(readers: Mapping[str, frozenset[str] | None]) -> ReadRestrictions:
    return narrow(tuple(principals for principals in readers.values() if principals is not None))
