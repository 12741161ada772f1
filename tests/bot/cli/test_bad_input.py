"""Questions, histories, settings and usage that cannot work: a message each, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bot.cli.running import wikiwhy


@pytest.mark.parametrize(
    ("question", "message"),
    [("", "no question"), ("  ?! ", "no question"), ("\x00", "no question"), ("a" * 100_000, "has 100,000 characters")],
)
def test_a_question_that_cannot_be_asked_is_rejected(tmp_path: Path, question: str, message: str) -> None:
    ran = wikiwhy("ask", question, "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says(message, "Ask")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("history", [["Who approves travel?"], ["Who approves travel? " * 50_000]])
def test_a_history_completes_a_question_however_long_it_is(
    synced_once: Path, tmp_path: Path, history: list[str]
) -> None:
    (tmp_path / "history.json").write_text(json.dumps(history), "utf-8")
    ran = wikiwhy(
        "ask", "And hotels?", "--history", tmp_path / "history.json", "--data-dir", synced_once / "data", "--json"
    )
    assert ran.code == 0, ran.err
    assert "policy" in ran.json["completed_question"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "history.json cannot be read"),
        (b"{", "not valid JSON"),
        (b"[1]", "Message 1"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "not valid JSON"),
    ],
)
def test_a_broken_history_is_named_with_what_is_expected(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "history.json").write_bytes(content)
    ran = wikiwhy("ask", "And hotels?", "--history", tmp_path / "history.json")
    assert ran.code == 1
    assert ran.says("history", message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"turns": [{"question": 7}]}', "a question is not text"),
        (b'{"turns": [{"question": "Why?"}, {"question": null}]}', "a question is not text"),
        (b'{"turns": [{}]}', "'question' is missing"),
        (b"[]", "Name a JSON file like"),
        (b"[" * 100_000, "Name a JSON file like"),
        (b"\xff\xfe", "Name a JSON file like"),
    ],
)
def test_a_file_that_cannot_be_played_is_named_with_what_is_expected(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "play.json").write_bytes(content)
    ran = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says("play.json cannot be played", message)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "arguments", [["nosuch"], ["ask"], ["sync", "folder"], ["ask", "hotel", "--nonsense"], ["forget"], ["db", "nosuch"]]
)
def test_wrong_usage_has_exit_code_2(arguments: list[str]) -> None:
    ran = wikiwhy(*arguments)
    assert ran.code == 2
    assert ran.says("Usage: wikiwhy")


def test_an_unknown_space_is_answered_with_those_there_are(synced_once: Path) -> None:
    for arguments in (["ask", "hotel", "--space", "NOPE"], ["forget", "NOPE"]):
        ran = wikiwhy(*arguments, "--data-dir", synced_once / "data")
        assert ran.code == 1
        assert ran.says("no space NOPE", "DOC, OPS")


def test_a_key_may_be_typed_in_any_case(synced_once: Path) -> None:
    ran = wikiwhy("ask", "hotel limit", "--space", "doc", "--json", "--data-dir", synced_once / "data")
    assert ran.code == 0, ran.err
    assert ran.json["evidences"]
    assert wikiwhy("forget", "nope", "--data-dir", synced_once / "data").says("no space nope")


def test_a_question_may_be_typed_without_quotes(synced_once: Path) -> None:
    ran = wikiwhy("ask", "hotel", "limit", "in", "Berlin", "--json", "--data-dir", synced_once / "data")
    assert ran.json["question"] == "hotel limit in Berlin"


def test_a_conversation_that_cannot_be_read_is_named_with_the_cause(tmp_path: Path) -> None:
    ran = wikiwhy("chat", "--play", tmp_path / "nofile.json", "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says("nofile.json cannot be played: No such file or directory. Name a JSON file like")


@pytest.mark.parametrize("arguments", [["ask", "hotel"], ["chat"]])
def test_before_the_first_sync_the_way_to_it_is_shown(tmp_path: Path, arguments: list[str]) -> None:
    ran = wikiwhy(*arguments, "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says("No space has been synced", "wikiwhy sync folder")


@pytest.mark.parametrize(
    ("given", "toml", "said"),
    [
        ({"MAX_CHARS": "5", "EMBEDDER": "gpt"}, "", ("max_chars = '5'", "embedder = 'gpt'", "should be 'e5'")),
        ({}, "context = [", ("wikiwhy.toml", "cannot be read")),
        ({"DATABASE_URL": "nonsense"}, "", ("WIKIWHY_DATABASE_URL",)),
    ],
)
def test_all_settings_that_cannot_be_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, str], toml: str, said: tuple[str, ...]
) -> None:
    (tmp_path / "wikiwhy.toml").write_text(toml)
    for name, value in given.items():
        monkeypatch.setenv(f"WIKIWHY_{name}", value)
    ran = wikiwhy("spaces", "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says(*said)


def test_a_defect_is_one_message_without_a_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the moon is full")

    monkeypatch.setattr("bot.cli.spaces.load_command_settings", fail)
    ran = wikiwhy("spaces", "--data-dir", tmp_path / "data")
    assert ran.code == 1
    assert ran.says("the moon is full", "wikiwhy doctor")
