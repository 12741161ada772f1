"""What people see: nothing of a page is taken for markup, nothing is cut at 80 columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bot.cli.running import document, wikiwhy, write_documents


def test_titles_with_brackets_and_escapes_are_shown_as_they_are(tmp_path: Path) -> None:
    folder = write_documents(
        tmp_path / "documents",
        document("1", "<p>Ann [/red] approves [link=x]travel[/link] :smile:.</p>", title="[bold]Travel[/] \x1b[31mred"),
        document("2", "<p>unclosed <b>markup", title="[red]Two[/red]", space="[SP]"),
    )
    (folder / "[blue]broken[nothing].json").write_text("{")
    ran = wikiwhy("sync", "folder", folder, "--data-dir", tmp_path / "data")
    assert ran.says("not read: [blue]broken[nothing].json", "note: [red]Two[/red] (2)", "[SP]")
    assert wikiwhy("spaces", "--data-dir", tmp_path / "data").says("[SP]", "[blue]broken[nothing].json")
    (tmp_path / "play.json").write_text(json.dumps({"turns": [{"question": "Who approves [b]travel[/x]?\ud800"}]}))
    typed = "Who approves [b]travel[/x]?\n/sources\n/trace\n/spaces\n/new\n/help\n/no[/pe]\n"
    chat = wikiwhy("chat", "--data-dir", tmp_path / "data", stdin=typed)
    assert chat.code == 0, chat.err
    assert chat.says("› Who approves [b]travel[/x]?", "[bold]Travel[/] [31mred", "Ann [/red] approves", ":smile:")
    assert chat.says("as asked:", "[SP]", "A new conversation.", "/quit", "There is no command /no[/pe]")
    assert "\x1b" not in chat.out
    played = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", tmp_path / "data")
    assert played.code == 0
    assert played.says("› Who approves [b]travel[/x]?")


def test_tables_are_whole_at_80_columns(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (data.parent / "documents" / "broken.json").write_text("{")
    ran = wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data)
    heading = ran.out.splitlines()[0].split()
    assert heading[:4] == ["space", "pages", "added", "updated"]
    assert heading[-2:] == ["evidences", "embedded"]
    spaces = wikiwhy("spaces", "--data-dir", data)
    assert "…" not in ran.out + spaces.out
    assert all(len(line) <= 80 for line in spaces.out.splitlines()[:3])


def test_chat_ends_with_its_input_and_says_what_cannot_be_asked(synced_once: Path) -> None:
    ran = wikiwhy(
        "chat", "--data-dir", synced_once / "data", stdin="/sources\n??\n\nhotel limit in Berlin?\n/quit\nnever\n"
    )
    assert ran.code == 1
    assert ran.says("Ask something first.", "no question to answer", "› hotel limit in Berlin?")
    assert "never" not in ran.out


def test_a_played_question_that_failed_is_told_by_the_exit_code(synced_once: Path, tmp_path: Path) -> None:
    (tmp_path / "play.json").write_text(
        json.dumps({"turns": [{"question": "??"}, {"question": "hotel limit in Berlin?"}]}), "utf-8-sig"
    )
    ran = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", synced_once / "data")
    assert ran.code == 1
    assert ran.says("no question to answer", "140")


def test_version_and_help_are_there() -> None:
    assert wikiwhy("--version").out.startswith("wikiwhy ")
    for arguments in (["--help"], ["sync", "--help"], ["doctor", "-h"]):
        assert wikiwhy(*arguments).says("Usage: wikiwhy")
