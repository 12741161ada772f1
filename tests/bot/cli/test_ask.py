"""The draft of an answer on terminals of many sizes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from unittest import mock

import pytest
from rich.console import Console
from rich.text import Text

from bot.cli import ask
from bot.cli.ask import show_draft
from core.model import Question
from tests.bot.cli.terminal import screen

LONG = " ".join(f"word{number}" for number in range(400))
ASKED = Question("And there?", "And there? (Travel [bold]policy[/])")


@pytest.fixture(params=[(80, 24), (20, 6), (12, 3), (200, 60)], ids=str)
def console(request: pytest.FixtureRequest) -> Iterator[Console]:
    columns, rows = request.param
    console = Console(
        file=io.StringIO(), force_terminal=True, width=columns, height=rows, highlight=False, _environ={"TERM": "xterm"}
    )
    with mock.patch.object(ask, "output", console):
        yield console


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_draft_is_taken_back_without_a_trace(console: Console) -> None:
    console.print("before")
    with show_draft(live=True) as shown:
        shown.on_event(ASKED)
        for end in (10, 400, len(LONG)):
            shown.on_event(LONG[:end])
        shown.on_event("Starting over.")
        shown.on_event(LONG)
    console.print(Text("after"))
    assert [line for line in screen(written(console), console.width) if line] == ["before", "after"]


def test_a_draft_never_has_more_lines_than_the_terminal(console: Console) -> None:
    with show_draft(live=True) as shown:
        shown.on_event(ASKED)
        shown.on_event(LONG)
        lines = screen(written(console), console.width)
    assert len(lines) < console.height


def test_the_first_text_is_shown_at_once_and_as_it_is(console: Console) -> None:
    with show_draft(live=True) as shown:
        shown.on_event("[red]x\x1b[2J")
        assert "[red]x" in written(console)
        assert "\x1b[2J" not in written(console)


def test_how_a_question_was_understood_is_shown_before_the_answer() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80, height=24, _environ={"TERM": "xterm"})
    with mock.patch.object(ask, "output", console), show_draft(live=True) as shown:
        shown.on_event(ASKED)
        assert "Understood as: And there? (Travel [bold]policy[/])" in written(console)


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_is_drafted_where_nobody_watches(terminal: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=terminal, _environ={"TERM": "dumb"})
    with mock.patch.object(ask, "output", console), show_draft(live=True) as shown:
        shown.on_event(LONG)
    assert written(console) == ""
