from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from adapters.store import schema
from adapters.store.copying import copy_store, count_rows
from adapters.store.database import Database
from core.errors import CopyRefused
from core.ports.chat_stores import Feedback, Post
from tests.adapters.store.opened import stores_of
from tests.contracts.chat_stores import PLACE, said
from tests.contracts.examples import add_provenance, indexed_page, trace, turn, unit_vectors


@pytest.fixture
def target(postgres_url: str) -> Iterator[Database]:
    opened = Database.open(postgres_url)
    yield opened
    opened.close()


async def fill(database: Database) -> None:
    stores, page = stores_of(database), indexed_page("1", ("one", "two\0three"))
    await stores.pages.replace([page, indexed_page("2", ("four",), "HR", (frozenset({"user:ann"}),))])
    await stores.vectors.save("hash", {page.evidences[0].text_hash: unit_vectors(1)[0]})
    for number in range(3):
        made = replace(turn(f"t{number}", used=(page,)), trace=trace())
        await stores.turns.add(add_provenance(made, history=("1", "2"), suggestion=("2",)))
    await stores.posts.save(Post("ask:1", PLACE, "m1", "t1", True))
    await stores.threads.add(PLACE.conversation_id, [said(1)])
    await stores.feedback.save(Feedback("t1", "slack:T:U", "good", "", "2026-11-22"))


def rows(database: Database) -> dict[str, set[str]]:
    with database.read() as connection:
        return {
            table.name: {repr(tuple(row)).replace("\\x00", "") for row in connection.execute(select(table))}
            for table in schema.metadata.sorted_tables
        }


async def test_every_row_is_copied_and_numbers_go_on(database: Database, target: Database) -> None:
    await fill(database)
    reported: list[int] = []
    assert copy_store(database, target, reported.append) == count_rows(database) == reported[-1]
    assert rows(target) == rows(database)
    stores = stores_of(target)
    await stores.turns.add(turn("t9"))
    assert [each.turn_id for each in await stores.turns.load_newest("c1", 1_000)] == ["t0", "t1", "t2", "t9"]
    await stores.posts.save(Post("ask:2", PLACE, "m2", "t2", True))


async def test_a_database_that_has_something_is_left_alone(database: Database, target: Database) -> None:
    await fill(database)
    await stores_of(target).tokens.add("2026-11-22", 1)
    with pytest.raises(CopyRefused, match="not empty: tokens_used"):
        copy_store(database, target, lambda copied: None)
    assert rows(target)["pages"] == set()
