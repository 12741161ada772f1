"""The file that says where a server takes work."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from bot.storage.data_directory import (
    DataDirectory,
    ServerAddress,
    find_running_server,
    own_directory,
    publish_address,
    read_home,
    withdraw_address,
)

HERE = ServerAddress(4711, "a-token", os.getpid(), "1")


def test_only_this_user_may_read_it(tmp_path: Path) -> None:
    with own_directory(tmp_path) as directory:
        publish_address(directory, HERE)
        assert stat.S_IMODE(directory.admin.stat().st_mode) == 0o600
        assert find_running_server(tmp_path) == HERE
        withdraw_address(directory)
        assert find_running_server(tmp_path) is None


def test_it_counts_only_while_the_one_who_wrote_it_owns_the_directory(tmp_path: Path) -> None:
    with own_directory(tmp_path) as directory:
        publish_address(directory, HERE)
        left = directory.admin.read_text()
    (tmp_path / "admin.json").write_text(left)
    assert find_running_server(tmp_path) is None
    with own_directory(tmp_path) as directory:
        assert not directory.admin.exists()
        (tmp_path / "admin.json").write_text(json.dumps({**json.loads(left), "pid": HERE.pid + 1}))
        assert find_running_server(tmp_path) is None


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"port": "x", "token": "", "pid": 1, "version": ""}', "\udcff"]
)
def test_one_that_is_broken_is_as_if_there_were_none(tmp_path: Path, content: str) -> None:
    with own_directory(tmp_path) as directory:
        directory.admin.write_bytes(content.encode("utf-8", "surrogateescape"))
        assert find_running_server(tmp_path) is None


def test_the_token_is_in_no_traceback() -> None:
    assert "a-token" not in repr(HERE)


def test_what_a_killed_server_leaves_behind_counts_for_nothing(tmp_path: Path) -> None:
    with own_directory(tmp_path) as directory:
        publish_address(directory, HERE)
        left = {name: (tmp_path / name).read_text() for name in ("admin.json", "owner.json")}
    for name, content in left.items():
        (tmp_path / name).write_text(content)
    assert find_running_server(tmp_path) is None


def test_a_copy_of_a_data_directory_is_another_home(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    home = read_home(DataDirectory(tmp_path / "first"))
    assert read_home(DataDirectory(tmp_path / "first" / ".." / "first")) == home
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    assert read_home(DataDirectory(tmp_path / "second")) != home
