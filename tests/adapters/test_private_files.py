from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.index.lexical import SqliteLexicalIndex
from adapters.private_files import find_public_files, make_private, make_private_folder, write_private
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url


@pytest.fixture(autouse=True)
def _no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_databases_and_their_journals_are_for_their_owner_alone(tmp_path: Path) -> None:
    database = Database.open(make_sqlite_url(tmp_path / "new" / "wikiwhy.db"))
    index = SqliteLexicalIndex.open(tmp_path / "new" / "lexical.db")
    names = {path.name: mode(path) for path in (tmp_path / "new").iterdir()}
    assert {"wikiwhy.db-wal", "lexical.db-wal"} <= names.keys()
    assert set(names.values()) == {0o600}
    assert mode(tmp_path / "new") == 0o700
    index.close()
    database.close()


def test_only_missing_folders_are_made_private(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    make_private_folder(tmp_path / "there" / "a" / "b")
    assert [mode(tmp_path / name) for name in ("there", "there/a", "there/a/b")] == [0o755, 0o700, 0o700]


def test_a_file_that_was_open_to_others_is_closed_when_it_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("old")
    assert mode(tmp_path / "f") == 0o666
    write_private(tmp_path / "f", "new")
    assert (mode(tmp_path / "f"), (tmp_path / "f").read_text()) == (0o600, "new")


def test_folders_are_taken_from_others_with_all_in_them_but_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("")
    folder = tmp_path / "chroma"
    (folder / "segment").mkdir(parents=True)
    (folder / "segment" / "data").write_text("")
    (folder / "link").symlink_to(tmp_path / "outside")
    assert {path.name for path in find_public_files(folder)} == {"chroma", "segment", "data"}
    make_private(folder)
    assert list(find_public_files(folder)) == []
    assert mode(tmp_path / "outside") == 0o666
