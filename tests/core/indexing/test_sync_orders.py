"""After any syncs in any order, the store has what one sync of the whole wiki would have put there.

A page that is added, renamed, moved or removed is refreshed at once, as by a webhook, which does nothing before the
first sync of its space. A stored page moves only to spaces that are synced too. Otherwise, names that a page had before
are unknown.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.store.sqlite import make_sqlite_url
from core.indexing.indexer import Indexer
from core.indexing.page_reader import SyncSettings
from core.indexing.page_refresh import Hint, PageRefresher
from core.indexing.synchroniser import Synchroniser
from tests.adapters.store.opened import stores_of
from tests.contracts.stores import Stores
from tests.core.indexing.rewriting_wiki import SPACES, Macro, Part, RewritingWiki
from tests.core.indexing.store_only import ImmediateDatabase, StoreOnly

PAGES = 5
NOW = "2026-01-01T00:00:00+00:00"
READERS = ("", "", "user:ann", "user:bob")
MACROS: tuple[Macro, ...] = ("include", "include", "excerpt-include", "pagetree", "children", "report")
Shown = set[tuple[object, ...]]

pages = st.integers(0, PAGES - 1)  # the n-th page of those that exist, or the n-th title
spaces = st.sampled_from(SPACES)
wanted_parts = st.lists(st.tuples(st.sampled_from(MACROS), pages), max_size=2)
orders = st.lists(spaces, min_size=1, max_size=3, unique=True)


@dataclass(frozen=True)
class Step:
    kind: str
    page: int
    other: int
    space: str
    parts: list[tuple[Macro, int]]
    readers: str
    order: list[str]


KINDS = (*("sync",) * 5, *("rename",) * 3, *("edit", "move") * 2, "add", "remove", "restrict", "put below", "hint")
steps = st.builds(Step, st.sampled_from(KINDS), pages, pages, spaces, wanted_parts, st.sampled_from(READERS), orders)
first_pages = st.lists(
    st.builds(Step, st.just("add"), pages, pages, spaces, wanted_parts, st.sampled_from(READERS), orders),
    min_size=2,
    max_size=PAGES,
)


class Wiki:
    """A wiki and a store that follows it."""

    def __init__(self, stores: Stores, wiki: RewritingWiki) -> None:
        self.stores = stores
        self.wiki = wiki
        parts = (cast(Indexer, StoreOnly(stores.pages)), stores.pages, stores.spaces, stores.people)
        self.synchroniser = Synchroniser(*parts, time.perf_counter, SyncSettings())
        self.refresher = PageRefresher(*parts, SyncSettings())

    async def sync(self, *order: str) -> None:
        for report in await self.synchroniser.sync_all(self.wiki, order, NOW, lambda _: None):
            assert (report.errors, report.warnings, report.refusal) == ([], [], "")

    async def read_all(self) -> Shown:
        """Return all evidences with their readers."""
        return {
            (each.entry.space, each.entry.access, each.evidence)
            for space in SPACES
            for each in await self.stores.pages.load_evidences(space)
        }

    async def take(self, step: Step) -> None:
        if step.kind == "sync":
            return await self.sync(*step.order)
        if step.kind == "add":
            self.wiki.add(step.space, title_of(step.page), self._make_parts(step), step.readers, step.other > 1)
            return await self._refresh(max(self.wiki.pages), step.space)
        if not self.wiki.pages:
            return None
        page_id, other = self._find(step.page), self._find(step.other)
        acts: dict[str, Callable[[], None]] = {
            "rename": lambda: self.wiki.rename(page_id, title_of(step.other)),
            "edit": lambda: self.wiki.edit(page_id, self._make_parts(step)),
            "move": lambda: self.wiki.move(page_id, step.space),
            "remove": lambda: self.wiki.remove(page_id),
            "restrict": lambda: self.wiki.restrict(page_id, step.readers),
            "put below": lambda: self.wiki.put_below(page_id, other),
        }
        space = self.wiki.pages[page_id].space
        if step.kind in acts and not (step.kind == "move" and await self._would_be_forgotten(page_id, step.space)):
            acts[step.kind]()
        if step.kind in {"rename", "move", "remove", "hint"}:
            await self._refresh(page_id, self.wiki.pages[page_id].space if page_id in self.wiki.pages else space)
        return None

    async def _refresh(self, page_id: str, space: str) -> None:
        await self.refresher.refresh(self.wiki, Hint(space, page_id))

    async def _would_be_forgotten(self, page_id: str, space: str) -> bool:
        """Whether a stored page is removed when it moves to this space, because the space is not synced yet."""
        return (
            await self.stores.pages.load_page(page_id) is not None and space not in await self.stores.spaces.load_keys()
        )

    def _find(self, number: int) -> str:
        return sorted(self.wiki.pages)[number % len(self.wiki.pages)]

    def _make_parts(self, step: Step) -> tuple[Part, ...]:
        if not self.wiki.pages:
            return ()
        return tuple(
            Part(macro, spaces=tuple(SPACES[: number % 3 + 1]))
            if macro == "report"
            else Part(macro, None if macro == "children" else self.wiki.name_of(self._find(number)))
            for macro, number in step.parts
        )


def title_of(number: int) -> str:
    return f"Title {number}"


def act(kind: str, page: int = 0, other: int = 0, *parts: tuple[Macro, int]) -> Step:
    """Return a step in the first space, or a sync of all spaces."""
    return Step(kind, page, other, SPACES[0], list(parts), "", list(SPACES))


ADDED = act("add")  # the page with the first title
RENAMED = [act("sync"), act("rename", 0, 1), ADDED]  # then another page gets this title
INCLUDING = act("add", 3, 0, ("include", 0))
INCLUDING_OTHER = act("add", 3, 0, ("include", 1))
MANY = 600 if settings.default and settings.default.max_examples > 100 else 20


@pytest.mark.slow
@settings(derandomize=True, max_examples=MANY)
@example([ADDED, INCLUDING], [*RENAMED, act("rename", 2, 2)], list(SPACES), True)
@example([ADDED, INCLUDING], [*RENAMED, act("rename", 2, 2), act("remove", 2)], list(SPACES), True)
@example([ADDED], [*RENAMED, INCLUDING_OTHER, act("remove", 1)], list(SPACES), True)
@example([ADDED, INCLUDING], [act("sync"), act("rename", 0, 1), act("remove", 0), ADDED], list(SPACES), True)
@given(first_pages, st.lists(steps, max_size=14), st.permutations(SPACES), st.booleans())
def test_syncs_in_any_order_lead_to_what_one_sync_of_everything_does(
    at_first: list[Step], then: list[Step], last: list[str], is_at_once: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(follow(Path(folder), [*at_first, *then], [last] if is_at_once else [[each] for each in last]))


async def follow(folder: Path, steps: list[Step], last: list[list[str]]) -> None:
    databases = [ImmediateDatabase.open(make_sqlite_url(folder / f"{name}.db")) for name in ("followed", "fresh")]
    try:
        wiki = RewritingWiki()
        followed, fresh = (Wiki(stores_of(database), wiki) for database in databases)
        for step in steps:
            await followed.take(step)
        for order in last:
            await followed.sync(*order)
        await fresh.sync(*SPACES)
        assert await followed.read_all() == await fresh.read_all()
        for space in SPACES:
            assert await followed.stores.pages.find_outdated_inclusions(wiki.name, space) == []
    finally:
        for database in databases:
            database.close()
