from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from adapters.store import schema
from adapters.store.database import Database
from core.model import AblationResult, Question, Suggestion
from core.ports.chat import Place, ThreadMessage
from core.ports.chat_stores import Feedback, Post
from tests.contracts.all_stores import StoreContracts
from tests.contracts.examples import add_provenance, indexed_page, trace, turn
from tests.contracts.stores import Stores


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
        await stores.turns.save_suggestions("t1", [Suggestion("Why a xylophone?", "1-0")])
        taken = replace(turn("t2"), question=Question("Why a xylophone?", "Why a xylophone?", suggested_in="t1"))
        await stores.turns.add(add_provenance(replace(taken, trace=trace("xylophone " * 300)), suggestion=("1",)))
        for turn_id, cluster, size in (("t1", (0,), 1), ("t1", (0, 1), 4000), ("t2", (1,), 40)):
            result = AblationResult(cluster, 0.5, 0.5, ("A xylophone. " * size, "None."), 2, "no xylophone")
            await stores.counterfactuals.save(turn_id, result)
        assert b"xylophone" in held()
        if how == "remove":
            await stores.pages.remove(["1"])
        else:
            await stores.spaces.forget("DOC")

    asyncio.run(come_and_go())
    assert b"xylophone" not in held()
    assert b"zebediah" not in held()


async def test_an_erasure_takes_along_what_slipped_in_beside_an_earlier_one(stores: Stores, database: Database) -> None:
    early, late = indexed_page("1"), indexed_page("2")
    await stores.turns.add(turn("t1", used=(early,)))
    await stores.turns.add(turn("t2", "c2", used=(late,)))
    await stores.counterfactuals.save("t1", AblationResult((0,), 0.5))
    with database.read() as connection:
        [slipped] = connection.execute(select(schema.counterfactuals)).mappings().all()
    await stores.pages.remove(["1"])
    with database.write() as connection:
        connection.execute(insert(schema.counterfactuals).values(**slipped))
    assert await stores.counterfactuals.load_known("t1")
    await stores.pages.remove(["2"])
    assert await stores.counterfactuals.load_known("t1") == {}


async def test_people_s_words_and_our_posts_outlive_the_page(stores: Stores) -> None:
    page = indexed_page()
    place = Place("slack", "T1", "C1", "1")
    post = Post("ask:1", place, "2", "t1", True)
    message = ThreadMessage("1", "U1", "Ann", "What is a glockenspiel?")
    feedback = Feedback("t1", "slack:T1:U1", "bad", "It is no glockenspiel.", "2026-11-22T10:00:00+00:00")
    await stores.pages.replace([page])
    await stores.turns.add(turn(conversation_id=place.conversation_id, used=(page,)))
    await stores.posts.save(post)
    await stores.threads.add(place.conversation_id, [message])
    await stores.feedback.save(feedback)
    await stores.spaces.forget("DOC")
    assert await stores.posts.find_in_conversation(place.conversation_id) == [post]
    assert await stores.threads.load_messages(place.conversation_id) == [message]
    assert await stores.feedback.load_all() == [feedback]


async def test_many_readers_and_writers_at_once_lose_nothing(stores: Stores) -> None:
    pages = [indexed_page(str(number)) for number in range(40)]
    await asyncio.gather(
        *(stores.pages.replace([page]) for page in pages), *(stores.pages.load_digests("DOC") for _ in pages)
    )
    assert len(await stores.pages.load_digests("DOC")) == 40
