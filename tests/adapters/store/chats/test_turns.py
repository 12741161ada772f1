"""Storing a turn, also while a sync removes or restricts its pages."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select

from adapters.store.database import Database
from adapters.store.schema import turn_evidences
from core.model import Ranking, Scope
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, turn

STAYS, GOES = indexed_page("1", ("Ann approves travel.",)), indexed_page("2", ("Bob earns 4,711 crowns.",))


RESTRICTED = indexed_page("2", ("Bob earns 4,711 crowns.",), read_restrictions=(frozenset({"user:bob"}),))
DOC = Scope(frozenset({"DOC"}))


@pytest.mark.parametrize("change", ["restrict", "remove"])
async def test_of_a_page_that_is_not_visible_any_more_a_turn_keeps_no_words(database: Database, change: str) -> None:
    asked = turn(used=(STAYS, GOES), cited=(STAYS, GOES), scope=DOC, answer="Bob earns 4,711 crowns.")
    stores = stores_of(database)
    await stores.pages.replace([STAYS, RESTRICTED if change == "restrict" else GOES])
    if change == "remove":
        await stores.pages.remove(["2"])
    await stores.turns.save(asked)
    kept = await stores.turns.load_turn(asked.turn_id)
    assert kept is not None
    assert "4,711" not in repr(kept)
    assert "Ann approves travel." in repr(kept)


async def test_a_turn_of_pages_that_its_asker_may_read_is_kept_whole(database: Database) -> None:
    asked = turn(used=(STAYS, GOES), cited=(GOES,), scope=Scope(frozenset({"DOC"}), frozenset({"user:bob"})))
    restricted = indexed_page("2", read_restrictions=(frozenset({"user:bob"}),))
    stores = stores_of(database)
    await stores.pages.replace([STAYS, restricted])
    await stores.turns.save(asked)
    assert await stores.turns.load_turn(asked.turn_id) == asked


@pytest.mark.parametrize("change", ["restrict", "remove"])
async def test_whichever_comes_first_a_turn_or_a_sync_no_words_stay(database: Database, change: str) -> None:
    stores = stores_of(database)
    for number in range(10):
        await stores.pages.replace([STAYS, GOES])
        asked = turn(
            f"t{number}", f"c{number}", used=(STAYS, GOES), cited=(GOES,), scope=DOC, answer="Bob earns 4,711 crowns."
        )
        taken = stores.pages.replace([RESTRICTED]) if change == "restrict" else stores.pages.remove(["2"])
        works = [stores.turns.save(asked), taken]
        await asyncio.gather(*(works if number % 2 else reversed(works)))
        assert "4,711" not in repr(await stores.turns.load_turn(asked.turn_id))


async def test_the_rank_for_reading_is_stored_under_its_first_name(database: Database) -> None:
    asked = turn(used=(STAYS,), cited=(STAYS,), scope=DOC)
    asked = replace(asked, evidences=tuple(replace(each, for_reading=Ranking(7, 0.0)) for each in asked.evidences))
    stores = stores_of(database)
    await stores.pages.replace([STAYS])
    await stores.turns.save(asked)
    with database.read() as connection:
        rows = connection.execute(select(turn_evidences.c.rankings)).scalars().all()
    assert [row["read"] for row in rows] == [[7, 0.0]] * len(asked.evidences)
    assert await stores.turns.load_turn(asked.turn_id) == asked
