"""No other user of the machine can read what is kept, whatever the umask."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from adapters.private_files import find_public_files, is_private
from bot.health.checks import check_permissions
from bot.storage.data_directory import find_files_open_to_others, own_directory
from tests.bot.cli.running import command, document, environment, write_documents
from tests.servers.serving import serving


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def others_may_use(path: Path) -> set[Path]:
    return {each for each in [path, *path.rglob("*")] if not is_private(each)}


@pytest.mark.slow
def test_what_commands_write_is_for_their_user_alone(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents", document("1", "<p>Ann approves travel.</p>"))
    data, feedback, answers = (tmp_path / name for name in ("data", "feedback.jsonl", "answers.jsonl"))
    turn = {"q_en": "Who approves?", "q_de": "Wer?", "completed_q_en": "", "completed_q_de": "", "a_url": []}
    (tmp_path / "qa.json").write_text(json.dumps([{"conv_id": 1, "turns": [turn]}]))
    commands: list[tuple[str | Path, ...]] = [
        ("sync", "folder", documents),
        ("ask", "Who approves travel?"),
        ("feedback", "export", "--output", feedback),
        ("evaluate", "--qa", tmp_path / "qa.json", "--documents", documents, "--answers", answers),
    ]
    for arguments in commands:
        subprocess.run(command("--data-dir", data, *arguments), check=True, env=environment(), umask=0)
    assert {"wikiwhy.db", "lexical.db", "chroma", "evaluate"} <= {path.name for path in data.iterdir()}
    assert others_may_use(data) | others_may_use(feedback) | others_may_use(answers) == set()


@pytest.mark.slow
def test_what_the_server_writes_is_for_its_user_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, umask=0) as server:
        assert {"wikiwhy.db", "admin.json", "workflows.db"} <= {path.name for path in data.iterdir()}
        assert others_may_use(data) == set()
        assert server.end() == 0
    assert others_may_use(data) == set()


def test_what_an_earlier_version_left_open_is_closed_when_the_data_is_used(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "chroma" / "segment").mkdir(parents=True)
    for name in ("wikiwhy.db", "wikiwhy.db-wal", "lexical.db", "workflows.db", "chroma/segment/data_level0.bin"):
        (tmp_path / name).touch(0o644)
    (tmp_path / "notes of the admin").touch(0o644)
    assert check_permissions(tmp_path).state == "note"
    with own_directory(tmp_path) as directory:
        assert find_files_open_to_others(directory) == []
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
        with own_directory(tmp_path / "data"):
            assert list(find_public_files(tmp_path / "data")) == []
    finally:
        os.umask(previous)
