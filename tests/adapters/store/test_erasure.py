"""Erasing pages removes their text from the database's files, and does not scan large tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, text

from adapters import write_ahead_log
from adapters.store import sqlite as module
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.ports.pages import NarrowedPage
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, trace, turn

WORD = b"first passage"


def read_all(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("wikiwhy.db*"))


async def test_what_a_reader_kept_in_the_log_leaves_it_with_the_next_look(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_ahead_log, "BUSY_MS", 1)
    pages = stores_of(database).pages
    await pages.replace([indexed_page("1")])
    assert WORD in read_all(tmp_path)
    with closing(sqlite3.connect(tmp_path / "wikiwhy.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM pages").fetchall()
        await pages.remove(["1"])
        assert not await database.empty_log()
        assert WORD in read_all(tmp_path)
    assert await database.empty_log()
    assert WORD not in read_all(tmp_path)


@pytest.mark.parametrize("act", ["remove", "replace", "narrow", "forget"])
async def test_a_process_that_ends_before_the_file_is_rewritten_leaves_a_note(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    stores = stores_of(database)
    await stores.pages.replace([indexed_page("1")])
    await database.scrub()
    assert not database.needs_compaction()
    monkeypatch.setattr(Database, "scrub", _end)
    page = indexed_page("1")
    if act == "replace":
        await stores.pages.replace([page])
    elif act == "narrow":
        await stores.pages.narrow([NarrowedPage("1", "narrowed", (frozenset({"user:ann"}),), page.digest)])
    else:
        with pytest.raises(KeyboardInterrupt):
            await (stores.pages.remove(["1"]) if act == "remove" else stores.spaces.forget("DOC"))
    database.close()
    again = Database.open(make_sqlite_url(tmp_path / "wikiwhy.db"))
    assert again.needs_compaction()
    assert await again.compact()
    assert not again.needs_compaction()
    assert not await again.compact()
    again.close()


async def _end(database: Database) -> None:
    raise KeyboardInterrupt


async def test_a_large_file_is_rewritten_only_when_it_is_compacted(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SMALL_BYTES", 0)
    pages = stores_of(database).pages
    await pages.replace([indexed_page("1")])
    await pages.remove(["1"])
    assert database.needs_compaction()
    assert await database.compact()
    assert WORD not in read_all(tmp_path)


async def test_erasing_a_page_reads_no_turns_of_other_conversations(database: Database) -> None:
    stores, page = stores_of(database), indexed_page("1")
    await stores.pages.replace([page])
    await stores.turns.add(replace(turn("t1", "c1", used=(page,), cited=(page,)), trace=trace()))
    statements: list[tuple[str, object]] = []
    event.listen(
        database._engine, "before_cursor_execute", lambda c, cursor, sql, values, *_: statements.append((sql, values))
    )
    await stores.pages.remove(["1"])
    asked = [each for each in statements if "turns" in each[0] and each[0].startswith(("SELECT", "UPDATE", "DELETE"))]
    assert any("counterfactuals" in sql for sql, _ in asked) or len(asked) > 3
    with database.read() as connection:
        for sql, values in asked:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).all()  # type: ignore[arg-type]
            assert not [row.detail for row in plan if row.detail.startswith("SCAN turns")], sql
        assert connection.execute(text("SELECT count(*) FROM turns WHERE erased")).scalar() == 1


@pytest.mark.parametrize("act", ["remove", "replace", "forget"])
async def test_token_vectors_leave_the_file_with_the_text(database: Database, tmp_path: Path, act: str) -> None:
    stores = stores_of(database)
    page = indexed_page("1")
    await stores.pages.replace([page])
    await stores.token_vectors.save("one", {each.text_hash: b"token vectors" * 2_000 for each in page.evidences})
    units = {each.text_hash: {"a unit": b"unit vectors" * 2_000} for each in page.evidences}
    await stores.token_vectors.save_units("one", units)
    assert b"token vectors" in read_all(tmp_path)
    assert b"unit vectors" in read_all(tmp_path)
    if act == "replace":
        await stores.pages.replace([indexed_page("1", ("another text",))])
    else:
        await (stores.pages.remove(["1"]) if act == "remove" else stores.spaces.forget("DOC"))
    await stores.vectors.prune()
    await database.scrub()
    assert b"token vectors" not in read_all(tmp_path)
    assert b"unit vectors" not in read_all(tmp_path)
