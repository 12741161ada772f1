"""Keeping a turn beside a sync that takes away what it was made from."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.keeping import keep_turn
from bot.settings import load_settings
from bot.wiring import opened
from core.model import Scope
from tests.contracts.examples import indexed_page, turn

STAYS, GOES = indexed_page("1", ("Ann approves travel.",)), indexed_page("2", ("Bob earns 4,711 crowns.",))


async def test_of_a_page_that_was_removed_meanwhile_a_turn_keeps_no_words(tmp_path: Path) -> None:
    asked = turn(used=(STAYS, GOES), cited=(STAYS, GOES), answer="Bob earns 4,711 crowns.")
    with opened(load_settings(data_dir=tmp_path)) as application:
        await application.pages.replace([STAYS, GOES])
        await application.pages.remove(["2"])
        await keep_turn(application, asked)
        kept = await application.turns.get(asked.turn_id)
    assert kept is not None
    assert "4,711" not in repr(kept)
    assert "Ann approves travel." in repr(kept)


async def test_of_a_page_that_was_restricted_meanwhile_a_turn_keeps_no_words(tmp_path: Path) -> None:
    asked = turn(used=(STAYS, GOES), cited=(GOES,), scope=Scope(frozenset({"DOC"})), answer="Bob earns 4,711 crowns.")
    restricted = indexed_page("2", ("Bob earns 4,711 crowns.",), read_restrictions=(frozenset({"user:bob"}),))
    with opened(load_settings(data_dir=tmp_path)) as application:
        await application.pages.replace([STAYS, restricted])
        await keep_turn(application, asked)
        kept = await application.turns.get(asked.turn_id)
    assert kept is not None
    assert "4,711" not in repr(kept)
    assert "Ann approves travel." in repr(kept)


async def test_a_turn_of_pages_that_its_asker_may_read_is_kept_whole(tmp_path: Path) -> None:
    asked = turn(used=(STAYS, GOES), cited=(GOES,), scope=Scope(frozenset({"DOC"}), frozenset({"user:bob"})))
    restricted = indexed_page("2", read_restrictions=(frozenset({"user:bob"}),))
    with opened(load_settings(data_dir=tmp_path)) as application:
        await application.pages.replace([STAYS, restricted])
        await keep_turn(application, asked)
        assert await application.turns.get(asked.turn_id) == asked


@pytest.mark.parametrize("change", ["restrict", "remove"])
async def test_whichever_comes_first_a_turn_or_a_sync_no_words_stay(tmp_path: Path, change: str) -> None:
    restricted = indexed_page("2", ("Bob earns 4,711 crowns.",), read_restrictions=(frozenset({"user:bob"}),))
    with opened(load_settings(data_dir=tmp_path)) as application:
        for number in range(20):
            await application.pages.replace([STAYS, GOES])
            asked = turn(
                f"t{number}", f"c{number}", used=(STAYS, GOES), cited=(GOES,), scope=Scope(frozenset({"DOC"})),
                answer="Bob earns 4,711 crowns.",
            )  # fmt: skip
            taken = application.pages.replace([restricted]) if change == "restrict" else application.pages.remove(["2"])
            works = [keep_turn(application, asked), taken]
            await asyncio.gather(*(works if number % 2 else reversed(works)))
            assert "4,711" not in repr(await application.turns.get(asked.turn_id))
