from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.wiki.counting import count_evidences, count_pages
from core.model import EvidenceKind, ReadRestrictions
from core.ports.pages import IndexedPage
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, unit_vectors
from tests.contracts.stores import Stores

SPACES = ("DOC", "HR")
READERS: tuple[ReadRestrictions, ...] = ((), (frozenset({"user:ann"}),), (frozenset({"user:bob"}),))
KINDS: tuple[EvidenceKind, ...] = ("passage", "table_row")


def made(page_id: str, space: str, readers: int, kind: int, texts: int) -> IndexedPage:
    return indexed_page(page_id, tuple(f"{page_id} {at}" for at in range(texts)), space, READERS[readers], KINDS[kind])


PAGE_IDS = st.sampled_from("12345")
PAGES = st.builds(made, PAGE_IDS, st.sampled_from(SPACES), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3))
CHANGES = st.one_of(
    st.tuples(st.just("replace"), st.lists(PAGES, max_size=3, unique_by=lambda page: page.page.page_id)),
    st.tuples(st.just("remove"), st.lists(PAGE_IDS, max_size=3, unique=True)),
    st.tuples(st.just("forget"), st.sampled_from(SPACES)),
)


def check_counts(database: Database) -> None:
    """Assert that the counts match the tables, and that no unused restriction is stored."""
    by_access, by_kind = schema.page_counts, schema.evidence_counts
    with database.read() as connection:
        page_ids = list(connection.scalars(select(schema.pages.c.page_id)))
        assert {(row.space, row.access): row.pages for row in connection.execute(select(by_access))} == dict(
            count_pages(connection, page_ids)
        )
        assert {(row.space, row.kind): row.evidences for row in connection.execute(select(by_kind))} == dict(
            count_evidences(connection, page_ids)
        )
        used = set(connection.scalars(select(schema.pages.c.access))) - {""}
        assert set(connection.scalars(select(schema.accesses.c.access))) == used


async def apply(stores: Stores, change: tuple[str, object]) -> None:
    kind, what = change
    if kind == "replace":
        assert isinstance(what, list)
        await stores.pages.replace(what)
    elif kind == "remove":
        assert isinstance(what, list)
        await stores.pages.remove(what)
    else:
        await stores.spaces.forget(str(what))


@given(changes=st.lists(st.tuples(CHANGES, st.booleans()), max_size=12))
@settings(max_examples=12, deadline=None)
def test_counts_are_right_after_any_changes_also_those_that_broke_off(
    changes: list[tuple[tuple[str, object], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        database = Database.open(make_sqlite_url(Path(folder) / "w.db"))
        patch.setattr(Database, "scrub", _nothing)
        stores = stores_of(database)
        for change, breaks in changes:
            with patch.context() as broken:
                if breaks:
                    broken.setattr("adapters.store.wiki.pages.add_stale_entries", _fail)
                    broken.setattr("adapters.store.wiki.erasure.add_stale_entries", _fail)
                try:
                    asyncio.run(apply(stores, change))
                except RuntimeError:
                    assert breaks
            check_counts(database)
        database.close()


async def _nothing(database: Database) -> None:
    """Replaces rewriting the file, which does not matter here."""


def _fail(*_: object) -> None:
    raise RuntimeError("the process died before it committed")


async def test_counts_are_right_after_changes_of_two_spaces_at_once(database: Database, stores: Stores) -> None:
    async def change(space: str) -> None:
        for at in range(6):
            page = indexed_page(f"{space}{at % 3}", ("a", "b", "c")[: at % 4], space, READERS[at % 3])
            await stores.pages.replace([page])
            await stores.pages.remove([f"{space}{(at + 1) % 3}"])

    await asyncio.gather(*(change(space) for space in SPACES))
    check_counts(database)


async def test_a_page_that_moves_is_counted_in_its_new_space_only(stores: Stores) -> None:
    await stores.pages.replace([indexed_page("1", space="DOC")])
    await stores.pages.replace([indexed_page("1", space="HR", read_restrictions=READERS[1])])
    summaries = await stores.spaces.load_summaries()
    found = {each.key: (each.pages, each.restricted, sum(each.evidences.values())) for each in summaries}
    assert found == {"DOC": (0, 0, 0), "HR": (1, 1, 2)}


async def test_counting_reads_no_page_and_no_evidence(database: Database, stores: Stores) -> None:
    await stores.pages.replace([indexed_page("1")])
    with database.write() as connection:
        connection.execute(schema.evidence_counts.update().values(evidences=1_500_000))
    [summary] = await stores.spaces.load_summaries()
    assert sum(summary.evidences.values()) == 1_500_000


async def test_pruning_looks_only_at_texts_that_may_have_lost_their_evidence(
    database: Database, stores: Stores
) -> None:
    page = indexed_page("1", ("old words", "kept words"))
    hashes = [evidence.text_hash for evidence in page.evidences]
    await stores.vectors.save("hash", dict(zip(hashes, unit_vectors(2), strict=True)))
    await stores.pages.replace([page])
    with database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(schema.unchecked_texts)) == 0
    await stores.pages.replace([replace(page, evidences=page.evidences[1:])])
    assert await stores.vectors.prune() == 1
    assert set(await stores.vectors.load_vectors("hash", hashes)) == {hashes[1]}
    assert await stores.vectors.prune() == 0
