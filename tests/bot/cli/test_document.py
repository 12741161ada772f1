from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from bot.cli import options
from bot.cli.document import draw_answer, draw_explanation, draw_sources
from bot.cli.trace import draw_trace
from core.attribution.explainer import Explanation
from core.model import Author, NoticeKind, Question, Suggestion, Trace, TraceNotice, Turn
from tests.contracts.examples import indexed_page, turn
from tests.core.answering.examples import evidence, ranked
from tests.core.views.test_messages import TURN, cluster, explanation


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
    text = shown(draw_answer(tricky))
    assert "It is [bold]so[/bold] [/x] [2J :smile: [1]." in text
    assert "[1] Title of 1 › Section" in text
    assert "https://wiki/1" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_sources_and_trace_fit_their_terminal(tricky: Turn, width: int) -> None:
    for view in (draw_sources(tricky), draw_trace(tricky)):
        lines = shown(view, width).splitlines()
        assert all(len(line) <= width for line in lines)
    assert "See [red]this[/] [31m :smile:" in " ".join(shown(draw_sources(tricky), 120).split())


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
    options.show(draw_answer(long_turn()))
    lines = file.getvalue().splitlines()
    assert any(LONG in line for line in lines)
    assert any(line.startswith("An answer") and line.endswith("The end [1].") for line in lines) is not terminal
    assert any(len(line) > 80 for line in lines if LONG not in line) is not terminal


def suggesting(question: str = "What then?", answered: bool = True) -> Turn:
    made = turn(used=(indexed_page(),), cited=(indexed_page(),), answer="Ann does [1]. So does Bob [?].")
    suggestions = (Suggestion("Who \x1b[2J approves [red]travel[/]?", "1-0"), Suggestion("And when?", "1-1"))
    return replace(
        made,
        question=Question(question, question),
        answer=replace(made.answer, answered=answered, author=Author.MODEL),
        suggestions=suggestions,
        trace=Trace(notices=(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=9),)),
    )


def test_an_answer_ends_with_what_to_know_and_what_to_ask() -> None:
    lines = shown(draw_answer(suggesting())).splitlines()
    assert lines[lines.index("    https://wiki/1") + 1 :] == [
        "",
        "[?] No source supports this statement.",
        "2 of 9 sources were left out: no more fit into the language model's context ",
        "window.",
        "",
        "You could also ask:",
        "1. Who [2J approves [red]travel[/]?",
        "2. And when?",
    ]
    plain_answer = shown(draw_answer(turn()))
    assert "[?]" not in plain_answer
    assert "also ask" not in plain_answer


def test_a_german_question_gets_german_notes() -> None:
    text = shown(draw_answer(suggesting("Wer genehmigt die Reise und wann?")))
    assert "[?] Keine Quelle stützt diese Aussage." in text
    assert "Das könnten Sie auch fragen:" in text


def test_what_was_not_found_has_the_closest_pages_and_its_notices() -> None:
    text = shown(draw_answer(suggesting(answered=False)))
    closest = "These pages come closest:\n• Title of 1 › Section: The first passage.\n    https://wiki/1#section"
    assert f"I could not find that in the wiki.\n\n{closest}" in text
    assert "2 of 9 sources were left out" in text
    assert "You could also ask:" in text
    assert "[?]" not in text


def test_cited_sources_come_first_with_kind_headings_and_link() -> None:
    pages = [indexed_page(str(number), (f"Text {number}.",), kind="table_row") for number in (1, 2, 3)]
    text = shown(draw_sources(turn(used=tuple(pages), cited=(pages[2], pages[1]))))
    titles = [line for line in text.splitlines() if "Title of" in line]
    path = "Chapter › Section"
    assert titles == [f"[1] Title of 3 › {path}", f"[2] Title of 2 › {path}", f"Title of 1 › {path}"]
    assert "table row, rank 3, cited as [1]" in text
    assert text.count("https://wiki/3#section") == 1


def test_sources_of_nothing_say_so() -> None:
    assert shown(draw_sources(turn())) == "And then?\n\nNothing was found for this question.\n"


MARKDOWN = """**Bold** and `code`:

1. A first step [1] that goes on in a further line
   - a detail

> said so

```
$ make
```

| City | Limit |
|---|---|
| Berlin | 140 |
"""


@pytest.mark.parametrize(
    ("width", "table"),
    [(40, "    City   │ Limit\n    ───────┼──────\n    Berlin │ 140\n"), (17, "• City: Berlin; \n  Limit: 140\n")],
)
def test_a_model_s_markdown_is_drawn_in_the_columns_there_are(width: int, table: str) -> None:
    made = turn(used=(indexed_page(),), cited=(indexed_page(),), answer=MARKDOWN)
    text = shown(draw_answer(replace(made, answer=replace(made.answer, author=Author.MODEL))), width)
    assert "Bold and code:\n\n1. A first step" in text
    assert "\n    ◦ a detail\n\n    said so\n\n    $ make\n\n" + table in text


# ------------------------------------------------------------------------------------------- explanations

HOSTILE = ranked(*(evidence("a", page_id="1", title="Travel \x1b[31mpolicy", heading="Limits") for _ in range(2)))
TOP = cluster(0.996, 0, 1, number=1, answer="So \x1b[2Jmuch [2]")
WHOLE = explanation(TOP, cluster(0.004, 2), cluster(0.0, 3))


def explained(explanation: Explanation, width: int = 80) -> str:
    return shown(draw_explanation(TURN, explanation), width)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_each_place_stands_once_with_what_was_found_there(width: int) -> None:
    text = explained(explanation(replace(TOP, evidences=HOSTILE), *WHOLE.clusters[1:]), width)
    assert text.count("Limits") == 1
    assert "[1] Travel [31mpolicy › Limits (2 × passage)" in " ".join(text.split())
    assert "\x1b" not in text
    assert all(len(line.rstrip()) <= width for line in text.splitlines() if "https" not in line)


def test_shares_are_bars_and_small_ones_are_not_nothing() -> None:
    lines = explained(WHOLE).splitlines()
    assert f"{'█' * 29}▉  100%" in lines
    assert f"{'▏':30}   <1%" in lines
    assert "Tower (passage)" in lines


def test_what_failed_says_why_once_and_in_full() -> None:
    failed = [cluster(None, at, error="The server [b]is down.", answer="") for at in (2, 3)]
    text = explained(replace(explanation(*failed), conclusions=("unknown",)))
    assert text.count("The server [b]is down.") == 1
    assert (
        "Too many model calls failed, so I can't tell what this answer rests on. Please try again later."
        in " ".join(text.split())
    )
    assert "would be" not in text
    assert "%" not in text


def test_the_other_model_s_own_answer_is_shown() -> None:
    text = explained(replace(WHOLE, compared_with="My words. [3]"))
    assert "Its own answer from the same sources:\n    My words.\n" in text


def test_why_there_is_no_answer_without_the_top_is_told_in_full() -> None:
    text = explained(explanation(cluster(1.0, 0, error="The model is \x1b[31mdown.", answer=""), cluster(0.0, 3)))
    assert "The model is [31mdown." in text
    assert "would be" not in text
