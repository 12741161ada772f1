"""Turns from before revision 0030 get the provenance of their questions from the turns before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from alembic import command
from sqlalchemy import Connection, text

from adapters.store import migrate
from adapters.store.database import Database
from core.model import Evidence, PagePart, Provenance, Question, Turn
from core.ports.chat import Place
from core.ports.chat_stores import Post
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, turn


@pytest.fixture(params=["SQLite", pytest.param("PostgreSQL", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, tmp_path: object) -> str:
    return f"sqlite:///{tmp_path}/w.db" if request.param == "SQLite" else request.getfixturevalue("postgres_url")


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database.open(url)
    yield opened
    opened.close()


def migrate_again(connection: Connection) -> None:
    """Upgrade a database whose turns were stored by this version as if they were stored before revision 0030."""
    connection.execute(text("DROP TABLE turn_question_sources"))
    connection.execute(text("UPDATE alembic_version SET version_num = '0029'"))
    config = migrate.make_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


async def add(database: Database, *turns: Turn) -> None:
    for number, each in enumerate(turns):
        await stores_of(database).turns.add(replace(each, asked_at=f"2026-01-01T00:00:{number % 60:02}+00:00"))


async def load_provenance(database: Database, turn_id: str) -> Provenance:
    with database.write() as connection:
        migrate_again(connection)
    found = await stores_of(database).turns.load_turn(turn_id)
    assert found
    return found.question.provenance


def of(*parts: str) -> frozenset[PagePart]:
    return frozenset(PagePart(*part.split("/")) for part in parts)


def on(turn_id: str, page_id: str, conversation_id: str = "c1", suggested_in: str = "", **changes: str) -> Turn:
    """A turn with one evidence."""
    made = turn(turn_id, conversation_id, used=(indexed_page(page_id, ("text",)),))
    evidence: Evidence = replace(made.evidences[0].evidence, **changes)  # type: ignore[arg-type]
    question = Question("And then?", "And then?", suggested_in)
    return replace(made, evidences=(replace(made.evidences[0], evidence=evidence),), question=question)


async def test_the_history_is_of_the_turns_before(database: Database) -> None:
    included = on("t2", "2", origin="3")
    included = replace(
        included,
        evidences=(replace(included.evidences[0], evidence=replace(included.evidences[0].evidence, via=("4", "5"))),),
    )
    await add(database, on("t1", "1", thread="a comment"), included, on("t3", "6"), on("t4", "7"), on("u1", "8", "c2"))
    assert await load_provenance(database, "t3") == Provenance(history=of("1/a comment", "2", "3", "4", "5"))
    assert await load_provenance(database, "t1") == await load_provenance(database, "u1") == Provenance()


async def test_erased_evidences_are_no_provenance(database: Database) -> None:
    await add(database, on("t1", "1"), on("t2", "2"), on("t3", "3"))
    await stores_of(database).pages.remove(["1"])
    assert await load_provenance(database, "t3") == Provenance(history=of("2"))


async def test_a_suggestion_has_the_provenance_of_the_turn_that_made_it(database: Database) -> None:
    await add(database, on("t1", "1"), on("t2", "2"), on("t3", "3"), on("t4", "4", suggested_in="t2"), on("t5", "5"))
    assert await load_provenance(database, "t4") == Provenance(of("1", "2"), of("1", "2", "3"))
    assert await load_provenance(database, "t5") == Provenance(history=of("1", "2", "3", "4"))
    await stores_of(database).turns.remove("t2")
    assert await load_provenance(database, "t4") == Provenance(history=of("1", "3"))


async def test_of_a_long_conversation_the_first_and_the_latest_turns_count(database: Database) -> None:
    await add(database, *(on(f"t{number:03}", str(number)) for number in range(60)))
    latest = (str(number) for number in range(9, 59))
    assert await load_provenance(database, "t059") == Provenance(history=of("0", *latest))


async def test_a_direct_message_has_the_history_of_the_thread_that_it_follows(database: Database) -> None:
    before, after = (Place("slack", "T1", "D1", f"{number}.0", direct=True) for number in (1, 2))
    await add(database, on("t1", "1", before.conversation_id), on("t2", "2", after.conversation_id))
    post = Post("ask:slack:T1:D1:2.0", after, "2.5", "t2", finished=True, follows=before.thread)
    await stores_of(database).posts.save(post)
    assert await load_provenance(database, "t2") == Provenance(history=of("1"))
    assert await load_provenance(database, "t1") == Provenance()
