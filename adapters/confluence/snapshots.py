"""Everybody who may read a page at one moment, from one answer.

A page's readers are its own restriction and those of all pages above it. Read one after the other, they may be a
combination that never was: somebody restricts the page and then opens its parent, and a reader that asked for the page
before and for the parent after finds both open. REST v1 of both flavours gives them in one answer, with the version.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from adapters.confluence.failures import make_malformed_response_error
from adapters.confluence.readers import EXPAND, read_restriction
from adapters.confluence.restrictions import NOBODY, Node
from adapters.confluence.site import concurrently, part, text
from core.retrieval.access import ReadRestrictions, narrow

ONLY_OWN = f"version,space,ancestors,{EXPAND}"
"""What to expand of a page, so that one answer has its version, its place and its own restriction."""
SNAPSHOT = ",".join([ONLY_OWN, *(f"ancestors.{each}" for each in EXPAND.split(","))])
"""What to expand of a page, so that one answer has all its readers."""
TRIES = 3
"""How often a page is read that is another one each time."""

Take = Callable[[], Awaitable["Snapshot | None"]]
Ask = Callable[[str], Coroutine[Any, Any, Node]]


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

    def is_as(self, other: Snapshot | None) -> bool:
        """Whether the page has the same version and hangs in the same place."""
        return other is not None and (self.version, self.space, self.above) == (
            other.version, other.space, other.above,
        )  # fmt: skip


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
    if again is None or not found.is_as(again):
        return None
    defects = tuple(NOBODY for node in asked if node.defect)
    own = {node.node_id: node.readers for node in asked}
    return narrow(_restrictions(found.readers), _restrictions(own), _restrictions(again.readers), defects)


def _restrictions(readers: Mapping[str, frozenset[str] | None]) -> ReadRestrictions:
    return narrow(tuple(principals for principals in readers.values() if principals is not None))
