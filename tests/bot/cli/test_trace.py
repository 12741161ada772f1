from __future__ import annotations

from dataclasses import replace

import pytest

from bot.cli.trace import draw_prompts, draw_trace
from core.model import (
    ModelCall,
    NoticeKind,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Question,
    Ranking,
    Rejection,
    Scope,
    Trace,
    TracedPlan,
    TraceNotice,
    Turn,
    Usage,
)
from tests.bot.cli.test_document import shown
from tests.contracts.examples import indexed_page, turn

PROMPT = Prompt(
    "answer", (PromptMessage("system", "Answer \x1b[2J [b]briefly[/x]."), PromptMessage("user", "Line 1\nLine 2"))
)
CALLS = (
    ModelCall(PROMPT, "It \x1b[2J [red]is[/nothing] :smile: " + "so " * 100 + "done.", Usage(1, 1234, 56), 2345.6),
    ModelCall(Prompt("complete", PROMPT.messages), "Half a", Usage(1, 10, 2), 5.0, finished=False),
    ModelCall(PROMPT, "", Usage(1), 60_000.0, finished=False, error="The \x1b[2J server is [red]down[/]."),
)
PLAN = TracedPlan("count", "Bells", ("\"Motor\" = 'yes'",), ("Motor",), 2, 'SELECT [red]COUNT(*) FROM "Bells"')


@pytest.fixture
def whole() -> Turn:
    """A turn with everything that a trace can have."""
    made = turn(used=(indexed_page(), indexed_page("2")), scope=Scope(frozenset({"OPS", "DOC"}), frozenset({"user:a"})))
    first = replace(made.evidences[0], dense=Ranking(12, 0.8125), reranked=Ranking(7, -11.5))
    context = replace(first.evidence.context, title="Title \x1b[2J [red]of[/] 1")
    first = replace(first, evidence=replace(first.evidence, context=context))
    candidates = (
        ProposedCompletion("Who approves travel?"),
        ProposedCompletion("Who pays?", Rejection.DROPS_WORDS, ("\x1b[2J “travel”",)),
        ProposedCompletion("Who \x1b[2J [red]approves[/] it?"),
    )
    return replace(
        made,
        question=Question("And who?", "Who approves travel?"),
        evidences=(first, *made.evidences[1:]),
        trace=Trace(candidates, CALLS, (TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=2, total=9),), (PLAN,)),
        usage=Usage(3, 1244, 58),
        timings_ms={"complete": 5.4, "answer": 2345.6},
    )


def said(turn: Turn, width: int) -> str:
    return " ".join(shown(draw_trace(turn), width).split())


@pytest.mark.parametrize("width", [80, 120])
def test_a_trace_tells_everything(whole: Turn, width: int) -> None:
    text = said(whole, width)
    for part in (
        "as asked: And who? intent-explicit: Who approves travel?",
        "Who approves travel? accepted",
        "rejected: it drops words of the question: [2J “travel”",
        "Who [2J [red]approves[/] it? possible, not taken",
        "rank score lexical dense fused rerank place",
        "1 1.000 1 0.500 12 0.812 1 0.250 7 -11.500 Title [2J [red]of[/] 1 ›",
        "2 0.500 2 0.500 – 2 0.250 – Title of 1",
        "1 answer 1,234 → 56 tokens 2.35 s finished It [2J [red]is[/nothing] :smile: so so",
        "2 complete 10 → 2 tokens 0.01 s cut off Half a",
        "3 answer 0 → 0 tokens 60.00 s failed The [2J server is [red]down[/].",
        "operation: count from: Bells conditions: \"Motor\" = 'yes' columns: Motor rows: 2 as SQL: SELECT [red]COUNT",
        "notices 2 of 9 sources were left out",
        "times: complete 5 ms answer 2.3 s",
        "tokens: 1,244 in prompts, 58 written, 3 calls",
        "scope: spaces DOC, OPS; 1 principal",
        "configuration: fusion=minmax limit=10 weight=0.5 rerank=False",
    ):
        assert part in text
    assert "done." not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("width", [80, 120])
def test_its_numbers_stand_whole_in_lines_that_fit(whole: Turn, width: int) -> None:
    lines = shown(draw_trace(whole), width).splitlines()
    assert all(len(line) <= width for line in lines)
    assert "".join(lines).count("…") == 1  # of the text that is shortened
    assert sum("-11.500" in line and "0.812" in line for line in lines) == 1


def test_a_trace_without_models_and_reranker_has_no_room_for_them() -> None:
    text = said(replace(turn(used=(indexed_page(),)), usage=Usage(), scope=Scope(frozenset())), 80)
    assert "rank score lexical fused place" in text
    assert "tokens: none: no model was called" in text
    assert "scope: no space; 0 principals" in text
    for absent in ("candidates", "model calls", "notices", "as SQL"):
        assert absent not in text
    assert "none found" in said(turn(), 80)


def test_the_prompts_and_texts_of_calls_are_shown_in_full(whole: Turn) -> None:
    text = shown(draw_prompts(whole))
    assert "1. answer, 2.3 s" in " ".join(text.split())
    assert "system\nAnswer [2J [b]briefly[/x].\n\nuser\nLine 1\nLine 2\n" in text
    assert text.count("Line 2") == 3
    assert "done." in text
    assert "failed, 0 → 0 tokens in and out\nThe [2J server is [red]down[/]." in text
    assert "\x1b" not in text


def test_one_call_can_be_chosen(whole: Turn) -> None:
    text = shown(draw_prompts(whole, 2))
    assert "2. complete, 5" in text
    assert "cut off, 10 → 2 tokens in and out\nHalf a\n" in text
    assert "answer" not in text.split("system")[0]
    for number in (0, 4):
        assert shown(draw_prompts(whole, number)) == f"There is no call {number}. This answer took 3 calls.\n"


def test_calls_whose_words_were_erased_say_so() -> None:
    erased = replace(turn(), trace=Trace(calls=(ModelCall(Prompt("answer", ()), "", Usage(1, 20, 3), 10.0),)))
    assert "The prompt was removed, because it may have quoted a page that was removed." in shown(draw_prompts(erased))
    assert shown(draw_prompts(turn())) == "No model was called.\n"
