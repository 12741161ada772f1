"""Measures of answers against values worked out by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.completion.generative import GenerativeCompleter
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelUnavailable
from core.model import NOT_FOUND, Message, NoticeKind, RankedEvidence, Scope, Trace, TraceNotice
from core.trace import Tracer
from evaluation.answers import (
    citation_precision,
    f1,
    fell_back,
    judge_summary,
    measure_unsupported_statements,
    token_f1,
)
from evaluation.measures import judge
from evaluation.relevance import Relevance
from tests.core.answering.examples import evidence
from tests.core.scripted import ScriptedModel
from tests.evaluation.test_measures import gold, judged, turn


def test_token_f1_of_two_texts() -> None:
    """Shared: 40, euros. Said 4 words (without "the"), wanted 3: 2 · 2 / 7."""
    assert f1("The price is 40 Euros", "40 euros, net") == pytest.approx(4 / 7)
    assert f1("ja ja", "ja") == pytest.approx(2 / 3)
    assert f1("the", "an") == 1.0
    assert f1("", "40") == 0.0


@given(st.text(), st.text())
def test_token_f1_is_symmetric_within_0_and_1_and_1_of_itself(one: str, other: str) -> None:
    assert 0 <= f1(one, other) == f1(other, one) <= 1
    assert f1(one, one) == 1.0


def test_token_f1_is_the_mean_over_questions_with_a_gold_answer_and_0_where_refused() -> None:
    """ "It is 40 euros" against "40 euros": 4/6; a refusal: 0; no gold answer: not counted."""
    pairs = [
        judged(gold(1, answer="40 euros"), turn(1, answer="It is 40 euros. [1]")),
        judged(gold(1, answer="the desired information"), turn(1, answer=NOT_FOUND)),
        judged(gold(1), turn(1)),
    ]
    assert token_f1(pairs) == pytest.approx(1 / 3, abs=1e-4)


def test_citation_precision_counts_each_citation_alike() -> None:
    """Three citations, of pages 1, 2, 3, where 1 and 3 are gold; one of page 4, which is: 3 of 4."""
    three = turn(1)
    (first,) = three.answer.citations
    others = [replace(first, number=number, url=f"https://w/pages/{number}/Other#a") for number in (2, 3)]
    three = replace(three, answer=replace(three.answer, citations=(first, *others)))
    pairs = [judged(gold(1, 3), three), judged(gold(4), turn(4)), judged(gold(1), turn(1, answer=NOT_FOUND))]
    assert citation_precision(pairs) == 0.75
    assert citation_precision([]) == 0.0


def test_the_share_of_statements_that_no_source_supports() -> None:
    pairs = [
        judged(gold(1), turn(1, answer="A. [1][2] B. [?]\nC. [2]")),
        judged(gold(1), turn(1, answer="D. [?]")),
        judged(gold(1), turn(1, answer=NOT_FOUND)),
    ]
    assert measure_unsupported_statements(pairs) == 0.5


async def test_a_turn_that_the_model_failed_is_counted_as_fallen_back(sample_wiki) -> None:  # type: ignore[no-untyped-def]
    """By the notices of the real answerer and completer."""
    down = ScriptedModel(ModelUnavailable("The model is down."))
    ranked = (RankedEvidence(evidence("The bell costs 40 euros."), 1, 1.0),)
    by_answer, by_completion, without = Tracer(lambda: 0.0), Tracer(lambda: 0.0), Tracer(lambda: 0.0)
    extractive = ExtractiveAnswerer(sample_wiki.embedder)
    await GenerativeAnswerer(down, sample_wiki.embedder, extractive).answer("The price?", ranked, by_answer)
    completer = GenerativeCompleter(down, HeuristicCompleter(sample_wiki.retriever))
    await completer.complete("And at night?", [Message("user", "Who is on call?")], Scope(), by_completion)
    without.notice(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=1, total=10))

    traces = [by_answer.trace, by_completion.trace, without.trace, Trace()]
    assert [fell_back([replace(turn(1), trace=trace)]) for trace in traces] == [1, 1, 0, 0]
    assert fell_back(replace(turn(1), trace=trace) for trace in traces) == 2


def test_the_judges_mean_is_of_what_it_judged_and_the_rest_is_counted() -> None:
    scores = [Relevance(1.0), Relevance(0.5), Relevance(None, "down"), Relevance(0.0), None]
    languages = ["en", "en", "de", "de", "de"]
    pairs = [
        replace(judge(gold(1, language=language), turn(1)), relevance=score)
        for score, language in zip(scores, languages, strict=True)
    ]
    summary = judge_summary(pairs)
    assert {name: summary[name] for name in ("mean", "judged", "unjudged", "reasons")} == {
        "mean": 0.5,
        "judged": 3,
        "unjudged": 1,
        "reasons": {"down": 1},
    }
    assert summary["by"]["language"] == {
        "de": {"mean": 0.0, "judged": 1, "unjudged": 1},
        "en": {"mean": 0.75, "judged": 2, "unjudged": 0},
    }


def test_where_nothing_was_judged_there_is_no_mean() -> None:
    pair = replace(judge(gold(1), turn(1)), relevance=Relevance(None, "down"))
    assert judge_summary([pair])["mean"] is None
