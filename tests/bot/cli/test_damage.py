"""Data directories that are in use, damaged, of a newer version or not directories at all."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bot.storage.data_directory import own_directory
from tests.bot.cli.running import begin, environment, wikiwhy

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("place", ["file", "file/below"])
@pytest.mark.parametrize("arguments", [["spaces"], ["doctor"]])
def test_a_file_in_the_place_of_the_data_directory_is_left_alone(
    tmp_path: Path, place: str, arguments: list[str]
) -> None:
    (tmp_path / "file").write_text("precious")
    ran = wikiwhy(*arguments, "--data-dir", tmp_path / place)
    assert ran.code == 1
    assert ran.says("a file with this name exists", "--data-dir")
    assert (tmp_path / "file").read_text() == "precious"


@pytest.mark.slow
def test_a_second_process_is_told_who_owns_the_data_directory(data: Path) -> None:
    first = begin("chat", "--data-dir", data)
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write("/help\n")
    first.stdin.flush()
    first.stdout.readline()  # its echo: the conversation has begun
    second = wikiwhy("spaces", "--data-dir", data)
    assert second.code == 1
    assert second.says(f"in use by another process (wikiwhy chat --data-dir {data}, pid {first.pid})", "Wait")
    checked = wikiwhy("doctor", "--data-dir", data)
    assert checked.code == 0
    assert checked.says(f"pid {first.pid}", "2 with 3 pages")
    out, _ = first.communicate("Who approves travel?\n", timeout=30)
    assert first.returncode == 0
    assert "Who approves travel?" in out
    assert wikiwhy("spaces", "--data-dir", data).code == 0


def test_a_short_command_waits_for_another_short_command(data: Path) -> None:
    holder = "import sys, time; from pathlib import Path; from bot.storage.data_directory import own_directory\nwith own_directory(Path(sys.argv[1])): print('mine', flush=True); time.sleep(1)"  # noqa: E501
    first = subprocess.Popen([sys.executable, "-c", holder, data], env=environment(), stdout=subprocess.PIPE)
    assert first.stdout is not None
    first.stdout.readline()
    assert wikiwhy("spaces", "--data-dir", data).code == 0
    assert first.wait(10) == 0


def test_an_owner_that_was_killed_owns_no_longer(data: Path) -> None:
    (data / "owner.json").write_text(json.dumps({"pid": 1, "command": "wikiwhy chat"}))
    with own_directory(data, wait_seconds=0):
        pass
    assert wikiwhy("spaces", "--data-dir", data).code == 0


@pytest.mark.parametrize("arguments", [["ask", "hotel"], ["spaces"], ["db", "upgrade"], ["doctor"]])
def test_a_database_of_a_newer_version_is_left_alone(data: Path, arguments: list[str]) -> None:
    with sqlite3.connect(data / "wikiwhy.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    ran = wikiwhy(*arguments, "--data-dir", data)
    assert ran.code == 1
    assert ran.says("9999", "newer version", "Upgrade WikiWhy")
    assert sqlite3.connect(data / "wikiwhy.db").execute("SELECT count(*) FROM pages").fetchone() == (3,)


@pytest.mark.parametrize("arguments", [["ask", "hotel"], ["sync", "folder", "../documents"], ["doctor"]])
def test_a_damaged_database_is_explained(data: Path, arguments: list[str]) -> None:
    for name in ("wikiwhy.db-wal", "wikiwhy.db-shm"):
        (data / name).unlink(missing_ok=True)
    (data / "wikiwhy.db").write_bytes(b"this is no database at all" * 500)
    ran = wikiwhy(*arguments, "--data-dir", data)
    assert ran.code == 1
    assert ran.says("wikiwhy.db", "not a database", "restore a backup")


def delete_index(data: Path, name: str) -> None:
    for path in data.glob(f"{name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def damage_index(data: Path, name: str) -> None:
    for path in [*data.glob(f"{name}*"), *data.glob(f"{name}/**/*")]:
        if path.is_file():
            path.write_bytes(b"\x00garbage\xff" * 300)


HARM = {"deleted": delete_index, "damaged": damage_index}


@pytest.mark.parametrize("index", ["lexical.db", "chroma"])
@pytest.mark.parametrize("harm", HARM)
def test_a_harmed_index_is_noticed_and_can_be_rebuilt(data: Path, index: str, harm: str) -> None:
    HARM[harm](data, index)
    checked = wikiwhy("doctor", "--data-dir", data)
    assert checked.code == 1
    assert checked.says("✗", "wikiwhy db rebuild-index")
    asked = wikiwhy("ask", "Who approves travel?", "--data-dir", data)
    assert asked.code == 1
    assert asked.says("wikiwhy db rebuild-index")
    rebuilt = wikiwhy("db", "rebuild-index", "--data-dir", data)
    assert rebuilt.code == 0, rebuilt.err
    assert wikiwhy("doctor", "--data-dir", data).code == 0


@pytest.mark.parametrize("index", ["lexical.db", "chroma"])
def test_a_sync_restores_a_deleted_index_without_embedding(data: Path, index: str) -> None:
    delete_index(data, index)
    ran = wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data, "--json")
    assert ran.code == 0, ran.err
    assert sum(report["repaired"] for report in ran.json["spaces"]) > 0
    assert sum(report["embedded"] for report in ran.json["spaces"]) == 0
    assert wikiwhy("doctor", "--data-dir", data).code == 0
