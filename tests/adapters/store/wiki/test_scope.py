"""Scope and access filter agree with brute force for random pages, restrictions and principals."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.index.lexical import SqliteLexicalIndex
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.model import Scope
from core.ports.pages import IndexedPage
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page

PRINCIPALS = st.frozensets(st.sampled_from(["user:ann", "user:bob", "group:hr", "group:it"]), max_size=3)
SPACES = st.sampled_from(["A", "B", "~c"])
RESTRICTIONS = st.lists(PRINCIPALS, max_size=2).map(tuple)
SCOPES = st.builds(Scope, st.none() | st.frozensets(SPACES, max_size=3), PRINCIPALS)


@st.composite
def wikis(draw: st.DrawFn) -> list[IndexedPage]:
    return [
        indexed_page(str(number), ("backup plan",), draw(SPACES), draw(RESTRICTIONS))
        for number in range(draw(st.integers(0, 6)))
    ]


async def seen(folder: Path, wiki: list[IndexedPage], scope: Scope) -> list[set[str]]:
    """Return the keys of current() and pages_of(), and of both rankings of a search with the access filter."""
    database, index = Database.open(make_sqlite_url(folder / "w.db")), SqliteLexicalIndex.open(folder / "l.db")
    try:
        stores = stores_of(database)
        entries = [evidence.entry for page in wiki for evidence in page.evidences]
        await index.add(entries)
        await stores.pages.replace(wiki)
        keys = [entry.key for entry in entries]
        current, named = (
            await stores.evidences.load_evidences(keys, scope),
            await stores.evidences.load_summaries(keys, scope),
        )
        hits = await index.search("backup", await stores.evidences.find_access_filter(scope), 100)
        return [set(current), set(named), {hit.key for hit in hits.words}, {hit.key for hit in hits.grams}]
    finally:
        index.close()
        database.close()


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(wikis(), SCOPES)
def test_search_and_store_give_exactly_what_the_scope_admits(wiki: list[IndexedPage], scope: Scope) -> None:
    admitted = {
        evidence.entry.key
        for page in wiki
        for evidence in page.evidences
        if scope.admits(page.page.space, page.page.read_restrictions)
    }
    with tempfile.TemporaryDirectory() as folder:
        assert asyncio.run(seen(Path(folder), wiki, scope)) == [admitted] * 4
