from __future__ import annotations

import io

import pytest
from rich.console import Console, RenderableType

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
