"""Measures against values worked out by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.completion.generative import GenerativeCompleter
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelUnavailable
from core.model import (
    NOT_FOUND,
    Answer,
    Citation,
    HistoryMessage,
    NoticeKind,
    Question,
    RankedEvidence,
    Scope,
    Trace,
    TraceNotice,
    Turn,
)
from core.trace import Tracer
from evaluation.measures import (
    JudgedQuestion,
    citation_precision,
    f1,
    fell_back,
    judge,
    measure_unsupported_statements,
    summarise_judgements,
    token_f1,
)
from evaluation.questions import GoldQuestion
from evaluation.relevance import Relevance
from evaluation.run import Evaluation
from tests.core.answering.examples import evidence
from tests.core.scripted import ScriptedModel

URL = "https://w/pages/{}/Title"


def gold(*pages: int, language: str = "en", turn: int = 1, answer: str = "", source: str = "table") -> GoldQuestion:
    return GoldQuestion(
        conversation="1",
        turn=turn,
        language=language,  # type: ignore[arg-type]
        as_asked="And the price?",
        human_completed="What is the price of the bell?",
        gold_urls=tuple(URL.format(page) for page in pages),
        gold_answer=answer,
        labels=(("source", source),),
    )


def turn(*pages: int, answer: str = "It is 40 euros.", cited: int = 0, url: str = URL) -> Turn:
    """A turn that found evidences of these pages, and cites the first or ``cited``."""
    found = [evidence("text", page_id=str(page)) for page in pages]
    ranked = tuple(
        RankedEvidence(replace(item, url=f"{url.format(item.page_id)}#heading"), rank, 1 / rank)
        for rank, item in enumerate(found, start=1)
    )
    answered = answer != NOT_FOUND
    number = cited or (pages[0] if pages else 0)
    citation = Citation(1, "e", str(number), "", "", url.format(number) + "#heading", "passage", "text")
    made = Answer(answer, answered, (citation,) if answered else ())
    return Turn("t", "c", "", Question("q", "q"), ranked, made, Scope(), {}, {})


def evaluation(*pairs: tuple[GoldQuestion, Turn]) -> dict[str, object]:
    return Evaluation(tuple(judge(question, asked) for question, asked in pairs)).summary()


def judged(question: GoldQuestion, asked: Turn) -> JudgedQuestion:
    return judge(question, asked)


def test_the_rank_is_that_of_the_first_evidence_of_any_gold_page() -> None:
    assert judged(gold(3, 4), turn(1, 2, 4, 3)).rank == 3
    assert judged(gold(3), turn(1, 2)).rank is None
    assert judged(gold(3), turn()).rank is None


def test_pages_are_the_same_by_number_though_their_urls_differ_in_punctuation() -> None:
    item = judged(gold(3), turn(3, url="https://w/pages/{}/Title,+the+second"))
    assert item.rank == 1
    assert not item.literal_first
    assert judged(gold(3), turn(3)).literal_first


def test_measures_of_four_questions() -> None:
    """Ranks 1, 2, none, 11: P@1 1/4, hit@10 2/4, MRR@10 (1 + 1/2) / 4."""
    summary = evaluation(
        (gold(1), turn(1)),
        (gold(1), turn(2, 1)),
        (gold(1), turn(2, 3)),
        (gold(1), turn(*range(2, 12), 1)),
    )
    assert summary["questions"] == 4
    assert summary["p_at_1"] == summary["p_at_1_literal"] == 0.25
    assert summary["hit_at_10"] == 0.5
    assert summary["mrr_at_10"] == 0.375


def test_questions_that_the_wiki_does_not_answer_count_for_refusal_only() -> None:
    summary = evaluation(
        (gold(1), turn(1)),
        (gold(), turn(2, answer=NOT_FOUND)),
        (gold(), turn(2, answer=NOT_FOUND)),
        (gold(language="de"), turn(2)),
    )
    assert summary["questions"] == 4
    assert summary["p_at_1"] == 1.0
    answers = summary["answer"]
    assert isinstance(answers, dict)
    assert answers["refused"] == 0.0
    assert answers["unanswerable"]["questions"] == 3
    assert answers["unanswerable"]["refused"] == 0.6667
    assert answers["unanswerable"]["by"]["language"] == {"de": 0.0, "en": 1.0}


def test_breakdowns_by_language_source_and_turn_in_natural_order() -> None:
    by = evaluation(
        (gold(1, turn=10), turn(1)),
        (gold(1, turn=2, language="de"), turn(2)),
        (gold(1, turn=2, source="list"), turn(2, 1, answer=NOT_FOUND)),
    )["by"]
    assert isinstance(by, dict)
    assert by["language"]["en"] == {"questions": 2, "p_at_1": 0.5, "hit_at_10": 1.0, "refused": 0.5}
    assert by["language"]["de"]["p_at_1"] == 0.0
    assert set(by["source"]) == {"table", "list"}
    assert list(by["turn"]) == ["2", "10"]


def test_answers_are_measured_by_their_first_citation_and_the_gold_answers_words() -> None:
    """Of "40 euros net": "40" and "euros" are in the answer, "net" is not; a refusal has none of its two words."""
    answers = evaluation(
        (gold(1, answer="40 euros net"), turn(1)),
        (gold(1, answer="40 euros"), turn(1, answer=NOT_FOUND)),
        (gold(1), turn(1, 2, cited=2)),
    )["answer"]
    assert isinstance(answers, dict)
    assert answers["refused"] == 0.3333
    assert answers["answered"] == 0.6667
    assert answers["cited_gold"] == 0.5
    assert answers["contains_gold_words"] == 0.3333


def test_words_of_the_question_are_no_answer() -> None:
    answers = evaluation((gold(1, answer="price of the bell: 40"), turn(1, answer="The price of the bell.")))["answer"]
    assert isinstance(answers, dict)
    assert answers["contains_gold_words"] == 0.0


def test_an_empty_set_has_all_figures() -> None:
    summary = evaluation()
    assert summary["questions"] == summary["p_at_1"] == summary["hit_at_10"] == summary["mrr_at_10"] == 0
    assert summary["by"] == {}


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
    extractive = ExtractiveAnswerer(sample_wiki.matcher)
    await GenerativeAnswerer(down, sample_wiki.embedder, extractive).answer("The price?", ranked, by_answer)
    completer = GenerativeCompleter(down, HeuristicCompleter(sample_wiki.retriever))
    await completer.complete("And at night?", [HistoryMessage("user", "Who is on call?")], Scope(), by_completion)
    without.record_notice(TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=1, total=10))

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
    summary = summarise_judgements(pairs)
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
    assert summarise_judgements([pair])["mean"] is None
