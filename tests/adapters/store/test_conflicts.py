"""Two transactions of PostgreSQL at one moment: neither opens a restricted page, nor keeps text the other erases."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from threading import Thread
from time import sleep
from typing import Any

import pytest
from sqlalchemy import Connection, delete

from adapters.store import schema
from adapters.store.chats.turns import SqlTurnStore, _save
from adapters.store.database import Database
from adapters.store.wiki.erasure import erase_pages
from adapters.store.wiki.page_rows import make_evidence_row
from adapters.store.wiki.pages import SqlPageStore, _replace
from adapters.store.wiki.spaces import SqlSpaceStore
from core.model import Question
from tests.contracts.examples import add_provenance, indexed_page, turn

READERS = (frozenset({"group:board"}),)
OPEN = indexed_page("1", ("secret words",))
RESTRICTED = indexed_page("1", ("secret words",), read_restrictions=READERS)


@pytest.fixture
def databases(postgres_url: str) -> Iterator[tuple[Database, Database]]:
    """Two bots' databases, which are one."""
    opened = Database.open(postgres_url), Database.open(postgres_url)
    yield opened
    for database in opened:
        database.close()


def at_one_moment(database: Database, work: Callable[[Connection], object], other: Coroutine[Any, Any, object]) -> None:
    """Does the work, and commits it while the other transaction, which has begun meanwhile, waits or is done."""
    with database.write() as connection:
        work(connection)
        thread = Thread(target=asyncio.run, args=(other,))
        thread.start()
        sleep(0.5)
    thread.join()


async def test_the_last_page_with_some_readers_is_removed_while_another_gets_them(
    databases: tuple[Database, Database],
) -> None:
    first, second = databases
    await SqlPageStore(first).replace([RESTRICTED])
    other = indexed_page("2", ("salaries",), "OTHER", READERS)
    rows = [make_evidence_row(other, evidence) for evidence in other.evidences]
    at_one_moment(first, lambda connection: _replace(connection, [other], rows), SqlPageStore(second).remove(["1"]))
    stored = await SqlPageStore(first).load_page("2")
    assert stored
    assert stored.read_restrictions == READERS


async def test_nobody_may_read_a_page_whose_readers_are_missing(databases: tuple[Database, Database]) -> None:
    first, _ = databases
    await SqlPageStore(first).replace([RESTRICTED])
    await first.execute(delete(schema.accesses))
    stored = await SqlPageStore(first).load_page("1")
    assert stored
    assert stored.read_restrictions == (frozenset(),)
    outlines = await SqlPageStore(first).find_outlines(["1"])
    assert outlines["1"].page.read_restrictions == (frozenset(),)


@pytest.mark.parametrize(
    "erase",
    [
        lambda database: SqlPageStore(database).remove(["1"]),
        lambda database: SqlPageStore(database).replace([RESTRICTED]),
        lambda database: SqlSpaceStore(database).forget(OPEN.page.space),
    ],
    ids=["removed", "restricted", "forgotten"],
)
async def test_a_turn_that_is_being_stored_loses_text_that_is_erased(
    databases: tuple[Database, Database], erase: Callable[[Database], Coroutine[Any, Any, object]]
) -> None:
    first, second = databases
    await SqlPageStore(first).replace([OPEN])
    answer = turn("t1", used=(OPEN,), cited=(OPEN,), answer="It says secret words.")
    at_one_moment(first, lambda connection: _save(connection, answer), erase(second))
    turns = SqlTurnStore(first)
    stored = await turns.load_turn("t1")
    assert "secret words" not in repr(stored)
    assert not await turns.has_whole("t1")


@pytest.mark.parametrize(
    "erase",
    [
        lambda database: SqlPageStore(database).remove(["1"]),
        lambda database: SqlPageStore(database).replace([RESTRICTED]),
        lambda database: SqlSpaceStore(database).forget(OPEN.page.space),
    ],
    ids=["removed", "restricted", "forgotten"],
)
@pytest.mark.parametrize("is_first", [True, False], ids=["turn first", "erasure first"])
async def test_a_question_that_is_being_stored_loses_text_that_is_erased(
    databases: tuple[Database, Database], erase: Callable[[Database], Coroutine[Any, Any, object]], is_first: bool
) -> None:
    first, second = databases
    await SqlPageStore(first).replace([OPEN])
    question = Question("And then?", "And then? (secret words)")
    asked = add_provenance(replace(turn("t1"), question=question), ("1",))
    if is_first:
        at_one_moment(first, lambda connection: _save(connection, asked), erase(second))
    else:
        at_one_moment(first, lambda connection: erase_pages(connection, ["1"]), SqlTurnStore(second).save(asked))
    stored = await SqlTurnStore(first).load_turn("t1")
    assert "secret words" not in repr(stored)
