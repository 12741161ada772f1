"""A backup that is made while the database is in use, and what is restored from it."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from tests.bot.cli.running import wikiwhy
from tests.bot.cli.test_erasure import MARKER, files_with
from tests.servers import postgres
from tests.servers.postgres import PostgresServer
from tests.servers.serving import serving

QUESTION = "Who cleans the kitchen on Fridays?"


def restore(backup: Path, data: Path, erasures: Path | None = None) -> None:
    """Into an empty data directory, as docs/operations.md says."""
    data.mkdir(mode=0o700)
    shutil.copy(backup, data / "wikiwhy.db")
    if erasures:
        shutil.copy(erasures, data)
    assert wikiwhy("db", "rebuild-index", "--data-dir", data).says("Both indexes were rebuilt with")


def test_a_backup_has_the_state_of_a_moment_while_another_process_writes(data: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    database = Database.open(make_sqlite_url(data / "wikiwhy.db"))
    with database.write() as connection:
        connection.exec_driver_sql("DELETE FROM pages WHERE page_id = '1'")  # not committed yet
        assert wikiwhy("db", "backup", backup, "--data-dir", data).says("was copied")
    database.close()
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with sqlite3.connect(backup) as copied:
        assert copied.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copied.execute("SELECT count(*) FROM pages").fetchone() == (3,)


def test_a_backup_removes_what_a_killed_one_into_the_same_file_left(data: Path, tmp_path: Path) -> None:
    backup, folder = tmp_path / "backups" / "x.db", tmp_path / "backups"
    folder.mkdir()
    killed = (
        "import os, pathlib, sys; from adapters.store.sqlite import back_up;"
        "os.fsync = lambda _: os.kill(os.getpid(), 9);"
        "back_up(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))"
    )
    subprocess.run([sys.executable, "-c", killed, data / "wikiwhy.db", backup], check=False)
    assert len(list(folder.glob("x.db.????????.partial"))) == 1
    others = {folder / name for name in ("x.db.other.db.12345678.partial", "x.partial", "yx.db.12345678.partial")}
    for other in others:
        other.touch()
    assert wikiwhy("db", "backup", backup, "--data-dir", data).says("was copied")
    assert {*folder.iterdir()} == {backup, *others}


def test_what_was_erased_after_a_backup_is_gone_again_when_it_is_erased_again(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup, restored = tmp_path / "backup.db", tmp_path / "restored"
    assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", data).out
    assert wikiwhy("db", "backup", backup, "--data-dir", data).code == 0
    assert wikiwhy("forget", "OPS", "--data-dir", data).code == 0
    with monkeypatch.context() as patch:
        patch.setattr(E5Embedder, "embed_passages", None)  # nothing is embedded again
        restore(backup, restored)
    assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", restored).out
    (page,) = (path for path in (data.parent / "documents").iterdir() if MARKER in path.read_text("utf-8"))
    page.unlink()
    synced = wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", restored)
    assert synced.code == 0, synced.err
    assert wikiwhy("forget", "OPS", "--data-dir", restored).code == 0
    assert MARKER not in wikiwhy("ask", QUESTION, "--data-dir", restored).out
    assert files_with(restored, MARKER) == []


def test_what_was_erased_after_a_backup_does_not_come_back_with_the_erasure_log(data: Path, tmp_path: Path) -> None:
    documents, restored = data.parent / "documents", tmp_path / "restored"
    assert wikiwhy("ask", QUESTION, "--data-dir", data).code == 0  # the answer has the words, too
    assert wikiwhy("db", "backup", tmp_path / "backup.db", "--data-dir", data).code == 0
    assert wikiwhy("forget", "OPS", "--data-dir", data).code == 0
    (hotels,) = (path for path in documents.iterdir() if "zinnoberword" in path.read_text("utf-8"))
    hotels.unlink()
    assert wikiwhy("sync", "folder", documents, "--data-dir", data).code == 0  # OPS is there again, since the forget
    assert wikiwhy("db", "backup", tmp_path / "later.db", "--data-dir", data).code == 0

    restore(tmp_path / "backup.db", restored, data / "erasures.log")
    for word in (MARKER, "zinnoberword"):
        assert files_with(restored, word) == []
    assert MARKER not in wikiwhy("ask", QUESTION, "--data-dir", restored).out
    audit = wikiwhy("audit", "--data-dir", restored, "--json").out
    assert "1 pages, 1 spaces" in audit
    assert wikiwhy("sync", "folder", documents, "--data-dir", restored).code == 0
    assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", restored).out

    restore(tmp_path / "later.db", tmp_path / "third", restored / "erasures.log")  # what it has was not erased since
    assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", tmp_path / "third").out


def test_a_backup_after_an_erasure_has_no_word_of_it(data: Path, tmp_path: Path) -> None:
    assert wikiwhy("forget", "OPS", "--data-dir", data).code == 0
    assert wikiwhy("db", "backup", tmp_path / "backup.db", "--data-dir", data).code == 0
    assert MARKER.encode() not in (tmp_path / "backup.db").read_bytes()


def test_what_cannot_be_backed_up_is_said(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "there.db"
    there.write_text("mine")
    assert wikiwhy("db", "backup", there, "--data-dir", data).says("exists already")
    assert there.read_text() == "mine"
    assert wikiwhy("db", "backup", tmp_path / "no" / "x.db", "--data-dir", data).says("cannot be written")
    assert wikiwhy("db", "backup", tmp_path / "x.db", "--data-dir", tmp_path / "none").says("no database to back up")
    monkeypatch.setenv("WIKIWHY_DATABASE_URL", "postgresql+psycopg://me@db/wiki")
    assert wikiwhy("db", "backup", tmp_path / "x.db", "--data-dir", data).says("pg_dump")


@pytest.mark.slow
def test_a_database_in_files_is_backed_up_while_a_server_runs(data: Path, tmp_path: Path) -> None:
    with serving(data) as server:
        assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", data).out
        assert wikiwhy("db", "backup", tmp_path / "backup.db", "--data-dir", data).code == 0
        assert server.end() == 0
    restore(tmp_path / "backup.db", tmp_path / "restored")
    assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", tmp_path / "restored").out


@pytest.mark.slow
def test_postgresql_is_dumped_while_a_server_runs_and_restored(
    data: Path, tmp_path: Path, postgres_server: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, dump = postgres.find_programs(), tmp_path / "dump"
    assert programs
    with serving(tmp_path / "one", database_url=postgres_url) as server:
        assert wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", tmp_path / "one").code == 0
        schemas = ["--exclude-schema=wikiwhy_indexes", "--exclude-schema=dbos"]
        subprocess.run([programs / "pg_dump", "-Fc", *schemas, "-f", dump, plain(postgres_url)], check=True)
        assert wikiwhy("forget", "OPS", "--data-dir", tmp_path / "one").code == 0
        assert server.end() == 0
    written = tmp_path / "written"  # where no disk of a bot is left
    written.mkdir()
    listed = subprocess.run(
        [programs / "psql", "-At", "-c", "SELECT row_to_json(erasures) FROM erasures", plain(postgres_url)],
        check=True, capture_output=True,
    )  # fmt: skip
    (written / "erasures.log").write_bytes(listed.stdout)
    for data_dir in (tmp_path / "one", written):
        with restored_dump(postgres_server, programs, dump) as url, monkeypatch.context() as patch:
            patch.setenv("WIKIWHY_DATABASE_URL", url)
            assert wikiwhy("db", "rebuild-index", "--data-dir", data_dir).code == 0
            assert MARKER not in wikiwhy("ask", QUESTION, "--data-dir", data_dir).out
    with restored_dump(postgres_server, programs, dump) as url:
        monkeypatch.setenv("WIKIWHY_DATABASE_URL", url)
        there = tmp_path / "two"
        with monkeypatch.context() as patch:
            patch.setattr(E5Embedder, "embed_passages", None)
            assert wikiwhy("db", "rebuild-index", "--data-dir", there).says("Both indexes were rebuilt with")
        assert MARKER in wikiwhy("ask", QUESTION, "--data-dir", there).out
        assert wikiwhy("forget", "OPS", "--data-dir", there).code == 0
        assert MARKER not in wikiwhy("ask", QUESTION, "--data-dir", there).out
        with serving(there, database_url=url) as server:  # the bots that were listed in the dump are no more
            assert MARKER not in wikiwhy("ask", QUESTION, "--data-dir", there).out
            assert server.end() == 0


@contextmanager
def restored_dump(server: PostgresServer, programs: Path, dump: Path) -> Iterator[str]:
    with server.new_database() as url:
        subprocess.run([programs / "pg_restore", "--no-owner", "-d", plain(url), dump], check=True)
        yield url


def plain(url: str) -> str:
    """As PostgreSQL's own programs take it."""
    return url.replace("postgresql+psycopg", "postgresql")
