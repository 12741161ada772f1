"""A real process that is killed by SIGKILL while it replaces pages."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.ports.pages import StaleEntry
from tests.adapters.store.opened import stores_of
from tests.contracts.examples import indexed_page, keys_of

OLD = [indexed_page(str(number), ("old one", "old two")) for number in range(20)]
NEW = [indexed_page(str(number), ("new one", "new two", "new three")) for number in range(20)]
STATEMENTS = ["DELETE FROM evidences", "INSERT INTO pages", "INSERT INTO evidences", "DELETE FROM stale_entries",
              "INSERT INTO stale_entries"]  # fmt: skip


async def replace_until_killed(url: str, statement: str) -> None:
    """In the child process: kill this process right after ``statement`` ran in the transaction."""
    import os

    from sqlalchemy import Connection, event
    from sqlalchemy.engine import Engine

    def after(connection: Connection, cursor: object, sql: str, *rest: object) -> None:
        if sql.startswith(statement):
            os.kill(os.getpid(), signal.SIGKILL)

    stores = stores_of(Database.open(url))
    await stores.stale.announce([evidence.entry for page in NEW for evidence in page.evidences])
    event.listen(Engine, "after_cursor_execute", after)
    await stores.pages.replace(NEW)


@pytest.mark.slow
@pytest.mark.parametrize("statement", STATEMENTS)
async def test_a_killed_replacement_leaves_the_old_version_whole(tmp_path: Path, statement: str) -> None:
    url = make_sqlite_url(tmp_path / "w.db")
    database = Database.open(url)
    stores = stores_of(database)
    await stores.pages.replace(OLD)
    command = [sys.executable, "-m", "tests.adapters.store.test_crash", url, statement]
    assert (await asyncio.to_thread(subprocess.run, command)).returncode == -signal.SIGKILL

    assert await stores.pages.load_digests("DOC") == {page.page.page_id: page.digest for page in OLD}
    entries = await stores.pages.load_evidences("DOC")
    assert {indexed.entry.key for indexed in entries} == set().union(*map(keys_of, OLD))
    announced = set().union(*map(keys_of, NEW))
    assert set(await stores.stale.list_entries()) == {StaleEntry(key, "DOC") for key in announced}

    await stores.pages.replace(NEW)
    assert {indexed.entry.key for indexed in await stores.pages.load_evidences("DOC")} == announced
    database.close()


if __name__ == "__main__":
    asyncio.run(replace_until_killed(*sys.argv[1:]))
