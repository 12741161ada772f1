"""No other user of the machine can read what is kept, whatever the umask."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.private_files import files_of_others, is_private
from bot.data_directory import DataDirectory, open_to_others, own_directory
from bot.health.checks import check_permissions
from tests.servers.serving import serving

PAGE = {
    "id": "1", "title": "Travel", "url": "https://wiki/1", "space": "DOC", "date": "2026-01-01",
    "content": "<p>Ann approves travel.</p>",
}  # fmt: skip


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def run(*arguments: str) -> None:
    """As a user would whose umask takes nothing from others."""
    subprocess.run([sys.executable, "-m", "bot", *arguments], check=True, capture_output=True, umask=0)


def others_may_use(path: Path) -> set[Path]:
    return {each for each in [path, *path.rglob("*")] if not is_private(each)}


@pytest.mark.slow
def test_what_commands_write_is_for_their_user_alone(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "1.json").write_text(json.dumps(PAGE))
    data, feedback = tmp_path / "data", tmp_path / "feedback.jsonl"
    commands = (["sync", "folder", str(documents)], ["ask", "Who approves travel?"])
    for command in (*commands, ["feedback", "export", "--output", str(feedback)]):
        run("--data-dir", str(data), *command)
    assert {"wikiwhy.db", "lexical.db", "chroma"} <= {path.name for path in data.iterdir()}
    assert others_may_use(data) | others_may_use(feedback) == set()


@pytest.mark.slow
def test_what_the_server_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, umask=0) as server:
        assert {"wikiwhy.db", "admin.json", "workflows.db"} <= {path.name for path in data.iterdir()}
        assert others_may_use(data) == set()
        assert server.end() == 0
    assert others_may_use(data) == set()


@pytest.mark.slow
def test_what_an_evaluation_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    documents, data = tmp_path / "documents", tmp_path / "data"
    documents.mkdir()
    (documents / "1.json").write_text(json.dumps(PAGE))
    turn = {"q_en": "Who approves?", "q_de": "Wer?", "completed_q_en": "", "completed_q_de": "", "a_url": []}
    (tmp_path / "qa.json").write_text(json.dumps([{"conv_id": 1, "turns": [turn]}]))
    answers = tmp_path / "answers.jsonl"
    arguments = ["--data-dir", str(data), "evaluate", "--qa", str(tmp_path / "qa.json"), "--documents", str(documents)]
    run(*arguments, "--answers", str(answers))
    assert list((data / "evaluate").rglob("wikiwhy.db"))
    assert answers.exists()
    assert others_may_use(data) | others_may_use(answers) == set()


def test_what_an_earlier_version_left_open_is_closed_when_the_data_is_used(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "chroma" / "segment").mkdir(parents=True)
    for name in ("wikiwhy.db", "wikiwhy.db-wal", "lexical.db", "workflows.db", "chroma/segment/data_level0.bin"):
        (tmp_path / name).touch(0o644)
    (tmp_path / "notes of the admin").touch(0o644)
    assert check_permissions(tmp_path).state == "note"
    with own_directory(tmp_path) as directory:
        assert open_to_others(directory) == []
    assert check_permissions(tmp_path).state == "works"
    assert mode(tmp_path) == 0o750
    assert mode(tmp_path / "notes of the admin") == 0o644


@pytest.mark.parametrize(("before", "after"), [(0o750, 0o750), (0o700, 0o700), (0o777, 0o770), (0o1777, 0o1777)])
def test_a_directory_stays_open_to_its_group_but_to_nobody_else(tmp_path: Path, before: int, after: int) -> None:
    tmp_path.chmod(before)
    with own_directory(tmp_path):
        assert mode(tmp_path) == after


def test_a_new_directory_is_for_its_user_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        with own_directory(tmp_path / "data") as directory:
            assert isinstance(directory, DataDirectory)
            assert list(files_of_others(tmp_path / "data")) == []
    finally:
        os.umask(previous)
