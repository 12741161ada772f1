"""A small wiki of ``python -m benchmarks.security scale``: what it measures runs, and no query reads a whole table."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from benchmarks.security import scale

pytestmark = pytest.mark.slow

LARGE = ("pages", "evidences", "page_titles", "vectors", "turns", "entries")
"""Tables that grow with the wiki: none may be read as a whole by what runs often."""


def test_it_measures_everything_and_no_large_table_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scale, "BUILD", tmp_path)
    assert scale.main(["--pages", "300"]) == 0  # builds it
    statements: dict[str, object] = {}

    def note(connection: Connection, cursor: object, statement: str, values: object, *_: object) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
            statements[statement] = values

    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert scale.main(["--pages", "300"]) == 0
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    told = capsys.readouterr().out
    for name in ("building it", "readiness", "spaces", "one page edited", "one page removed"):
        assert name in told
    assert len(statements) > 20
    database = Database.open(make_sqlite_url(tmp_path / "300" / "wikiwhy.db"))
    with database.read() as connection:
        for statement, values in statements.items():
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()  # type: ignore[arg-type]
            read = [row.detail for row in plan if row.detail.startswith(tuple(f"SCAN {name}" for name in LARGE))]
            assert not read, f"{statement}\n{read}"
    database.close()
