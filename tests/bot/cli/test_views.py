from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from bot.cli import options
from bot.cli.views import answer_view, sources_view, trace_view
from core.model import Turn
from tests.contracts.examples import indexed_page, turn


def shown(view: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, emoji=False, highlight=False)
    console.print(view)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def tricky() -> Turn:
    page = indexed_page("1", ("See [red]this[/] \x1b[31m :smile: [/nothing].",))
    return turn(used=(page,), cited=(page,), answer="It is [bold]so[/bold] [/x] \x1b[2J :smile: [1].")


def test_an_answer_is_shown_as_it_is_with_its_sources(tricky: Turn) -> None:
    text = shown(answer_view(tricky))
    assert "It is [bold]so[/bold] [/x] [2J :smile: [1]." in text
    assert "[1] Title of 1 › Section" in text
    assert "https://wiki/1" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_sources_and_trace_fit_their_terminal(tricky: Turn, width: int) -> None:
    for view in (sources_view(tricky), trace_view(tricky)):
        lines = shown(view, width).splitlines()
        assert all(len(line) <= width for line in lines)
    assert "See [red]this[/] [31m :smile:" in " ".join(shown(sources_view(tricky), 120).split())


LONG = "https://wiki.example/" + "deep/" * 30 + "page#heading-with-a-long-name"


def long_turn() -> Turn:
    page = indexed_page("1", ("Text.",))
    made = turn(used=(page,), cited=(page,), answer="An answer of many words. " * 10 + "The end [1].")
    citation = replace(made.answer.citations[0], title="T " * 50, url=LONG)
    return replace(made, answer=replace(made.answer, citations=(citation,)))


@pytest.mark.parametrize("terminal", [True, False])
def test_an_address_is_never_broken_and_a_file_gets_whole_lines(
    monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    file = io.StringIO()
    monkeypatch.setattr(
        options,
        "output",
        Console(file=file, width=80, force_terminal=terminal, color_system=None, legacy_windows=False),
    )
    options.show(answer_view(long_turn()))
    lines = file.getvalue().splitlines()
    assert any(LONG in line for line in lines)
    assert any(line.startswith("An answer") and line.endswith("The end [1].") for line in lines) is not terminal
    assert any(len(line) > 80 for line in lines if LONG not in line) is not terminal
