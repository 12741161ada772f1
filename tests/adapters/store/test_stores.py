from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.contracts.examples import indexed_page, turn
from tests.contracts.stores import StoreContracts, Stores


class TestSqlStores(StoreContracts):
    pass


@pytest.mark.parametrize("how", ["remove", "forget"])
def test_erased_words_are_in_no_file(stores: Stores, tmp_path: Path, how: str) -> None:
    page = indexed_page(texts=("xylophone " * 300,), read_restrictions=(frozenset({"user:zebediah"}),))

    async def come_and_go() -> None:
        await stores.pages.replace([page, indexed_page("2")])
        await stores.turns.add(turn(used=(page,), cited=(page,), answer="It is the xylophone."))
        if how == "remove":
            await stores.pages.remove(["1"])
        else:
            await stores.spaces.forget("DOC")

    asyncio.run(come_and_go())
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"xylophone" not in content
    assert b"zebediah" not in content


async def test_many_readers_and_writers_at_once_lose_nothing(stores: Stores) -> None:
    pages = [indexed_page(str(number)) for number in range(40)]
    await asyncio.gather(
        *(stores.pages.replace([page]) for page in pages), *(stores.pages.digests("DOC") for _ in pages)
    )
    assert len(await stores.pages.digests("DOC")) == 40
