"""Who may read a page: its own read restriction and that of every page above it.

Confluence lets an account read a page if it may read the space, and passes the page's own restriction and each of
its ancestors'. No restriction means inherited, never nobody:
https://confluence.atlassian.com/doc/page-restrictions-139414.html

Read one after the other, restrictions may be a combination that never was: somebody restricts the page and then opens
its parent, and a reader that asked for the page before and for the parent after finds both open. The REST API v1 of
both flavours gives all of them in one answer, with the page's version: a snapshot.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Json, Parameters
from adapters.confluence.paging import Get
from adapters.confluence.site import concurrently, part, text, title_of, version_number
from core.ports.wiki import ListedPage
from core.retrieval.entries import ReadRestrictions, combine_restrictions

CONTENT = "rest/api/content"
EXPAND = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
ONLY_OWN = f"version,space,ancestors,{EXPAND}"
"""What to expand of a page, so that one answer has its version, its place and its own restriction."""
SNAPSHOT = ",".join([ONLY_OWN, *(f"ancestors.{each}" for each in EXPAND.split(","))])
"""What to expand of a page, so that one answer has all its readers."""
TRIES = 3
"""How often a page is read that is another one each time."""
NOBODY: frozenset[str] = frozenset()
_AT_ONCE = 100


LISTED = f"{EXPAND},metadata.labels"
"""What to expand of the pages of a space beside their place and version: labels change none of these either."""


@dataclass(frozen=True, slots=True)
class Node:
    """A page, or what pages hang below, such as a folder. ``parent``: its id, "" at the top of the space.

    ``readers``: principals of its own restriction, None if it has none. ``defect``: why it is not known who may read
    it, "" if it is. ``labels``: None where they are not known.
    """

    node_id: str
    parent: str = ""
    readers: frozenset[str] | None = None
    defect: str = ""
    labels: frozenset[str] | None = None

    def mark_unreadable(self, refusal: Refusal) -> Node:
        """The node with a refusal as its defect. Raises the refusal if other requests would fail as well."""
        if refusal.of_site:
            raise refusal
        return replace(self, defect=f"cannot be read: Confluence {refusal.cause}")


@dataclass(frozen=True, slots=True)
class Effective:
    """One set of principals per restriction on the way up; ``defect``: why nobody may read it, "" if all is known."""

    read_restrictions: ReadRestrictions
    defect: str = ""


def effective(node_id: str, nodes: Mapping[str, Node]) -> Effective:
    """The restrictions of a page, its own first. Unknown means no: then nobody may read it, and ``defect`` says why."""
    restrictions: list[frozenset[str]] = []
    passed: set[str] = set()
    at = node_id
    while at:
        if at in passed:
            return _nobody(f"its ancestors form a circle through page {at}")
        passed.add(at)
        node = nodes.get(at)
        if node is None:
            return _nobody(f"its ancestor {at} cannot be seen")
        if node.defect:
            return _nobody(f"the restrictions of {'it' if at == node_id else f'its ancestor {at}'} {node.defect}")
        if node.readers is not None and node.readers not in restrictions:
            restrictions.append(node.readers)
        at = node.parent
    return Effective(tuple(restrictions))


def _nobody(reason: str) -> Effective:
    return Effective((NOBODY,), f"{reason}, so it is kept from everybody")


def find_above(node_id: str, nodes: Mapping[str, Node]) -> tuple[str, ...]:
    """The ids of what a page hangs below, from the nearest to the top, as far as that is known."""
    above: dict[str, None] = {}
    node = nodes.get(node_id)
    while node is not None and node.parent and node.parent not in above and node.parent != node_id:
        above[node.parent] = None
        node = nodes.get(node.parent)
    return tuple(above)


def find_unknown_parents(nodes: Mapping[str, Node]) -> set[str]:
    """The ids that are named as parents and not among the nodes."""
    return {node.parent for node in nodes.values() if node.parent} - nodes.keys()


async def add_ancestors(nodes: dict[str, Node], load: Callable[[str], Coroutine[Any, Any, Node]]) -> None:
    """Loads what is named as a parent and not among the nodes, and what that hangs below."""
    while missing := sorted(find_unknown_parents(nodes)):
        for node in await concurrently(load(each) for each in missing):
            nodes[node.node_id] = node


def list_page(
    item: Json, space: str, version: str, nodes: Mapping[str, Node], readers: ReadRestrictions = ()
) -> ListedPage:
    """A page or blog post as it is listed, with its restrictions by ``nodes``, which were read one by one.

    ``readers``: its restrictions at one moment, where they are known.
    """
    page_id = str(item["id"])
    found = effective(page_id, nodes)
    restrictions = combine_restrictions(found.read_restrictions, readers)
    place = (item.get("type") == "blogpost", find_above(page_id, nodes))
    labels = nodes[page_id].labels
    return ListedPage(page_id, space, title_of(item), version, restrictions, found.defect, *place, labels)


# ------------------------------------------------------------------------------ a page's own restriction


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


async def ask_restriction(get: Get, node: Node, account: str) -> Node:
    """The node with its readers, asked for by itself, all pages of them; with a defect where that is refused."""
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
        return node.mark_unreadable(refusal)
    return replace(node, readers=frozenset(found) if restricted else None)


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


# ---------------------------------------------------------------------------- all readers at one moment


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
    ancestors = item.get("ancestors")
    if not isinstance(ancestors, list) or not all(isinstance(each, dict) and each.get("id") for each in ancestors):
        raise make_malformed_response_error("a page without its ancestors")
    owns = {str(each["id"]): read_restriction(each, account) for each in (item, *ancestors)}
    readers = {node_id: own.readers for node_id, own in owns.items() if own is not None and own.complete}
    above = tuple(str(each["id"]) for each in ancestors)
    return Snapshot(str(item["id"]), version_number(item), text(part(item, "space").get("key")), above, readers)


async def readers_now(
    found: Snapshot,
    take: Callable[[], Awaitable[Snapshot | None]],
    ask: Callable[[str], Coroutine[Any, Any, Node]],
) -> ReadRestrictions | None:
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
    return combine_restrictions(_restrictions(found.readers), _restrictions(own), _restrictions(again.readers), defects)


def _restrictions(readers: Mapping[str, frozenset[str] | None]) -> ReadRestrictions:
    return combine_restrictions(tuple(principals for principals in readers.values() if principals is not None))
