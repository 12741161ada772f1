from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.model import Question, Suggestion
from tests.contracts.examples import indexed_page, trace, turn
from tests.contracts.stores import StoreContracts, Stores


class TestSqlStores(StoreContracts):
    pass


@pytest.mark.parametrize("how", ["remove", "forget"])
def test_erased_words_are_in_no_file(stores: Stores, tmp_path: Path, how: str) -> None:
    page = indexed_page(texts=("xylophone " * 300,), read_restrictions=(frozenset({"user:zebediah"}),))

    def held() -> bytes:
        return b"".join(file.read_bytes() for file in tmp_path.iterdir())

    async def come_and_go() -> None:
        await stores.pages.replace([page, indexed_page("2")])
        question = Question("What now?", "What now, xylophone?")
        given = turn(used=(page,), cited=(page,), answer="It is the xylophone.")
        await stores.turns.add(replace(given, question=question, trace=trace("xylophone " * 300)))
        await stores.turns.keep_suggestions("t1", [Suggestion("Why a xylophone?", "1-0")])
        taken = replace(turn("t2"), question=Question("Why a xylophone?", "Why a xylophone?"))
        await stores.turns.add(replace(taken, trace=trace("xylophone " * 300)))
        assert b"xylophone" in held()
        if how == "remove":
            await stores.pages.remove(["1"])
        else:
            await stores.spaces.forget("DOC")

    asyncio.run(come_and_go())
    assert b"xylophone" not in held()
    assert b"zebediah" not in held()


async def test_many_readers_and_writers_at_once_lose_nothing(stores: Stores) -> None:
    pages = [indexed_page(str(number)) for number in range(40)]
    await asyncio.gather(
        *(stores.pages.replace([page]) for page in pages), *(stores.pages.digests("DOC") for _ in pages)
    )
    assert len(await stores.pages.digests("DOC")) == 40
