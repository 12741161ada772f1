from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from adapters.embedding.cache_folder import get_cached_file

CONTENT = bytes(range(256)) * 4_000


def build() -> bytes:
    return CONTENT


def refuse() -> bytes:
    raise AssertionError("built although it was there")


def _fetch(folder: Path) -> None:
    for _ in range(20):
        path = get_cached_file(folder, "key", ".bin", build)
        assert isinstance(path, Path)
        assert path.read_bytes() == CONTENT


def test_builds_once(tmp_path: Path) -> None:
    first = get_cached_file(tmp_path / "new" / "folder", "key", ".bin", build)
    assert first == get_cached_file(tmp_path / "new" / "folder", "key", ".bin", refuse)
    assert isinstance(first, Path)
    assert first.read_bytes() == CONTENT


def test_another_key_is_another_file(tmp_path: Path) -> None:
    assert get_cached_file(tmp_path, "one", ".bin", build) != get_cached_file(tmp_path, "two", ".bin", build)


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], b"x" + CONTENT[1:]])
def test_builds_again_what_is_damaged(tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = get_cached_file(tmp_path, "key", ".bin", build)
    assert isinstance(path, Path)
    path.write_bytes(damage)
    assert get_cached_file(tmp_path, "key", ".bin", build) == path
    assert path.read_bytes() == CONTENT
    assert "damaged" in caplog.text


def test_several_processes_may_build_at_once(tmp_path: Path) -> None:
    processes = [multiprocessing.get_context("spawn").Process(target=_fetch, args=(tmp_path,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(list(tmp_path.iterdir())) == 1


def test_gives_the_content_where_it_cannot_be_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    assert get_cached_file(in_the_way, "key", ".bin", build) == CONTENT
    assert "cannot be written" in caplog.text


def test_leaves_nothing_aside_when_building_fails(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        get_cached_file(tmp_path, "key", ".bin", refuse)
    assert list(tmp_path.iterdir()) == []


def test_removes_what_no_one_used_for_long_and_keeps_the_rest(tmp_path: Path) -> None:
    old, left_aside, recent = (get_cached_file(tmp_path, key, ".bin", build) for key in ("old", "aside", "recent"))
    assert isinstance(old, Path)
    assert isinstance(left_aside, Path)
    left_aside = left_aside.rename(tmp_path / ".building-killed")
    for path in (old, left_aside):
        os.utime(path, (time.time() - 40 * 24 * 3600,) * 2)
    new = get_cached_file(tmp_path, "new", ".bin", build)
    assert set(tmp_path.iterdir()) == {recent, new}
