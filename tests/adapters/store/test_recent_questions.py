"""The questions of the last minute on a real PostgreSQL, with two bots."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy import func, literal_column, select, update

from adapters.store.bots import SqlBots, SqlRecentQuestions
from adapters.store.database import Database
from adapters.store.schema import recent_questions
from core.chat.limits import WINDOW
from tests.contracts.chat_stores import RecentQuestionsContract


@pytest.fixture
def databases(postgres_url: str) -> Iterator[list[Database]]:
    opened = [Database.open_shared(postgres_url) for _ in range(2)]
    for number, database in enumerate(opened):
        SqlBots(database, f"bot {number}", f"home {number}").join()
    yield opened
    for database in opened:
        database.close()


@pytest.fixture
def recent(databases: list[Database]) -> SqlRecentQuestions:
    return SqlRecentQuestions(databases[0])


class TestSqlRecentQuestions(RecentQuestionsContract):
    pass


async def test_two_bots_count_together(databases: list[Database]) -> None:
    one, two = (SqlRecentQuestions(database) for database in databases)
    asked = [(bot, str(at)) for at in range(10) for bot in (one, two)]  # each question is delivered to both bots
    full = await asyncio.gather(*(bot.note_question(key, {"ada": 4}) for bot, key in asked))
    admitted = {key for (_, key), name in zip(asked, full, strict=True) if not name}
    assert len(admitted) == 4
    assert await two.note_question("another", {"ada": 4}) == "ada"


async def test_a_question_that_is_delivered_again_writes_nothing(
    databases: list[Database], recent: SqlRecentQuestions
) -> None:
    async def find_versions() -> list[object]:
        query = select(recent_questions.c.name, literal_column("xmin::text")).order_by(recent_questions.c.name)
        return [tuple(row.values()) for row in await databases[0].load_rows(query)]

    await recent.note_question("a", {"ada": 4, "room": 9})
    before = await find_versions()
    assert await recent.note_question("a", {"ada": 4, "room": 9}) == ""
    assert await find_versions() == before
    assert await recent.note_question("b", {"ada": 4, "room": 9}) == ""
    assert await find_versions() != before


async def test_what_is_older_than_a_minute_counts_no_more_and_goes(
    databases: list[Database], recent: SqlRecentQuestions
) -> None:
    assert await recent.note_question("a", {"ada": 1}) == ""
    passed = WINDOW + 1
    with databases[1].write() as connection:
        [asked] = connection.scalars(select(recent_questions.c.asked)).all()
        earlier = [{**each, "at": each["at"] - passed} for each in asked]
        connection.execute(update(recent_questions).values(asked=earlier, last_at=earlier[0]["at"]))
    assert await recent.note_question("b", {"ada": 1}) == ""
    assert await recent.note_question("c", {"ada": 1}) == "ada"
    with databases[1].write() as connection:
        connection.execute(update(recent_questions).values(last_at=recent_questions.c.last_at - passed))
    await recent.remove_old()
    with databases[1].read() as connection:
        assert connection.scalar(select(func.count()).select_from(recent_questions)) == 0
