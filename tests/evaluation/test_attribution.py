"""Attribution measured against gold pages, on answerers whose reasons are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import ModelUnavailable
from core.model import NOT_FOUND
from evaluation.attribution import (
    AttributedAnswer,
    AttributionParts,
    attribute_answer,
    attribute_answers,
    summarise_attribution,
)
from evaluation.journal import MemoryJournal
from evaluation.measures import JudgedQuestion, judge
from tests.core.attribution.examples import HashEmbedder, Says, ScriptedAnswerer, counterfactual, needing
from tests.evaluation.test_measures import gold, turn

PAGES = (1, 2, 3, 4)


def judged(says: Says, gold_page: int = 2, turn_id: str = "t") -> JudgedQuestion:
    """A question that four pages were found for, each with one evidence; the first citation is of the gold page."""
    answer = says(frozenset(range(len(PAGES))))
    assert isinstance(answer, str)
    found = turn(*PAGES, answer=answer)
    numbered = tuple(
        replace(ranked, evidence=replace(ranked.evidence, ordinal=at, evidence_id=f"e{at}", text=f"text {at}"))
        for at, ranked in enumerate(found.evidences)
    )
    return judge(gold(gold_page), replace(found, turn_id=turn_id, evidences=numbered))


async def answer_of(says: Says, gold_page: int = 2) -> AttributedAnswer:
    parts = AttributionParts(counterfactual(ScriptedAnswerer(says)), HashEmbedder())
    return await attribute_answer(judged(says, gold_page), parts)


async def test_an_answer_that_needs_the_gold_page_is_attributed_right() -> None:
    found = await answer_of(needing(1), gold_page=2)
    assert found.tops["clustered"] == (1,)
    assert all(found.right[way] for way in ("counterfactual", "clustered", "frugal"))
    assert found.fall > found.other_falls == 0.0


async def test_an_answer_that_needs_another_page_is_attributed_wrong() -> None:
    found = await answer_of(needing(3), gold_page=2)
    assert found.tops["clustered"] == (3,)
    assert not found.right["clustered"]


async def test_an_answer_that_no_evidence_changes_is_not_attributed_to_any() -> None:
    found = await answer_of(lambda given: "Always the same.")
    assert found.tops["clustered"] == found.tops["counterfactual"] == ()
    assert not found.right["clustered"]
    assert found.fall == 0.0


async def test_what_several_ways_ask_is_asked_once_and_counted_for_each() -> None:
    answerer = ScriptedAnswerer(needing(1))
    found = await attribute_answer(judged(needing(1)), AttributionParts(counterfactual(answerer), HashEmbedder()))
    assert found.calls["counterfactual"] == found.calls["clustered"] == found.clusters == 4
    assert len(answerer.asked) == len(set(answerer.asked))
    assert found.calls["naive"] == 0
    assert found.calls["frugal"] < found.calls["clustered"] + 2


async def test_an_ablation_that_fails_is_counted_and_never_the_top() -> None:
    def says(given: frozenset[int]) -> str | ModelUnavailable:
        return ModelUnavailable("busy") if 1 not in given else needing(1, 2)(given)

    found = await answer_of(says)
    assert found.failed == 1
    assert found.tops["clustered"] == (2,)


async def test_only_answers_that_could_be_attributed_right_count() -> None:
    answers = [
        judged(needing(1), turn_id="found"),
        judged(lambda given: NOT_FOUND, turn_id="refused"),
        judged(needing(1), gold_page=9, turn_id="not among its evidences"),
    ]
    done: list[int] = []
    found = await attribute_answers(
        answers,
        lambda turn: AttributionParts(counterfactual(ScriptedAnswerer(needing(1))), HashEmbedder()),
        MemoryJournal(),
        lambda: done.append(1),
    )
    assert len(found) == 1
    assert len(done) == 3


async def test_what_the_journal_has_is_not_asked_again() -> None:
    journal = MemoryJournal[AttributedAnswer]()
    answerer = ScriptedAnswerer(needing(1))

    async def run() -> list[AttributedAnswer]:
        parts = AttributionParts(counterfactual(answerer), HashEmbedder())
        return await attribute_answers([judged(needing(1))], lambda turn: parts, journal, lambda: None)

    first, asked = await run(), len(answerer.asked)
    assert await run() == first
    assert len(answerer.asked) == asked > 0


def answer(language: str, naive: bool, clustered: bool, **changes: float) -> AttributedAnswer:
    right = {"naive": naive, "counterfactual": False, "clustered": clustered, "frugal": clustered}
    calls = {"naive": 0, "counterfactual": 10, "clustered": 8, "frugal": 2}
    tops = dict.fromkeys(right, (0,))
    made = AttributedAnswer("1", 1, language, "Who?", tops, right, calls, fall=0.3, other_falls=0.1, clusters=8)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_accuracy_is_the_share_of_right_answers_by_way_and_language() -> None:
    found = summarise_attribution([answer("en", True, True), answer("en", True, False), answer("de", False, True)])
    assert found["questions"] == 3
    assert found["naive"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["by"]["language"]["en"] == {
        "questions": 2,
        "naive": 1.0,
        "counterfactual": 0.0,
        "clustered": 0.5,
        "frugal": 0.5,
    }
    assert [(item["language"], item["right"]) for item in found["differences"]] == [
        ("en", "naive"),
        ("de", "clustered"),
    ]
    assert found["calls"] == found["calls_by_way"]["clustered"] == 24


def test_the_deletion_test_leaves_out_answers_with_one_cluster_only_for_the_other_cluster() -> None:
    single = answer("en", True, True, clusters=1, fall=0.5, other_falls=0.0)
    found = summarise_attribution([answer("en", True, True), single])["deletion"]
    assert found == {"top_cluster": 0.4, "other_cluster": 0.1}


def test_fewer_calls_are_measured_on_answers_with_many_clusters() -> None:
    found = summarise_attribution([answer("en", True, True), answer("en", True, True, clusters=3)])["fewer_calls"]
    assert found == {"questions": 1, "calls": 0.25, "same_top": 1.0}


def test_nothing_attributed_gives_no_figures_that_look_like_some() -> None:
    found = summarise_attribution([])
    assert found["questions"] == found["calls"] == 0
    assert found["fewer_calls"]["calls"] is None
