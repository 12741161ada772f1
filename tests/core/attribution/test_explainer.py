"""Turns explained whole: by a scripted answerer, and by the real ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from bot.explainers import make_ablation_answerers
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.attribution.attributors import CounterfactualAttributor, FrugalAttributor, LikelihoodAttributor
from core.attribution.explainer import Explainer, Explanation, Reference
from core.errors import ModelUnavailable, NotExplainable
from core.model import (
    NOT_FOUND,
    AblationResult,
    Answer,
    Cluster,
    Context,
    Prompt,
    Question,
    RankedEvidence,
    Scope,
    Turn,
)
from core.timing import Progress
from core.trace import Tracer
from core.wording.quotations import make_citation
from tests.core.answering.examples import evidence, ranked
from tests.core.attribution.examples import HashEmbedder, Says, ScriptedAnswerer, counterfactual, evidences, needing
from tests.core.attribution.test_likelihood import ScriptedScorer, needs, render_prompt
from tests.core.scripted import ScriptedModel


def turn_of(answer: str, found: list[RankedEvidence], cited: tuple[int, ...] = (), question: str = "Why?") -> Turn:
    citations = tuple(make_citation(number, found[at].evidence) for number, at in enumerate(cited, start=1))
    made = Answer(answer, answer != NOT_FOUND, citations)
    return Turn(
        "t1", "c1", "2026-01-01T00:00:00+00:00", Question(question, question), tuple(found), made, Scope(), {}, {}
    )


def explainer(answerer: ScriptedAnswerer, reference: Reference = "kept", epsilon: float = 0.01) -> Explainer:
    attributor = counterfactual(answerer)
    return Explainer(attributor, attributor, answerer, HashEmbedder(), lambda: 0.0, reference, epsilon)


async def explained(
    says: Says, count: int, cited: tuple[int, ...], pages: list[str] | None = None, epsilon: float = 0.01
) -> tuple[Explanation, ScriptedAnswerer]:
    answerer = ScriptedAnswerer(says)
    said = says(frozenset(range(count)))
    assert isinstance(said, str)
    turn = turn_of(said, evidences(count, pages), cited)
    return await explainer(answerer, epsilon=epsilon).explain(turn), answerer


async def test_the_source_that_the_answer_needs_comes_first_with_its_number_and_what_is_left_without_it() -> None:
    explanation, answerer = await explained(needing(2), 4, cited=(1, 2))
    assert explanation.top is explanation.clusters[0]
    assert explanation.top is not None
    assert [item.evidence.ordinal for item in explanation.top.evidences] == [2]
    assert explanation.top.citations == (2,)
    assert explanation.top.result.answers == (NOT_FOUND,)
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0, 0.0]
    assert (explanation.conclusions, explanation.has_effect) == (("single_page",), True)
    assert explanation.single_page == evidences(4)[2]
    assert explanation.calls == len(answerer.asked) == 4


async def test_a_page_of_several_clusters_leaves_as_a_whole_for_the_conclusion() -> None:
    def says(given: frozenset[int]) -> str:
        return "Yes. [1]" if given & {0, 1} else NOT_FOUND

    explanation, answerer = await explained(says, 3, cited=(0,), pages=["p", "p", "q"])
    assert frozenset({2}) in answerer.asked
    assert explanation.conclusions == ("single_page",)
    assert [cluster.share for cluster in explanation.clusters] == [0.0, 0.0, 0.0]
    assert explanation.has_effect is False  # no cluster by itself


async def test_two_pages_that_say_the_same_are_redundant_not_useless() -> None:
    def says(given: frozenset[int]) -> str:
        return "Yes. [1]" if given & {0, 1} else NOT_FOUND

    explanation, answerer = await explained(says, 4, cited=(0, 1))
    assert explanation.conclusions == ("redundant",)
    assert frozenset({2, 3}) in answerer.asked
    assert explanation.top is None


async def test_an_answer_that_nothing_moves_is_not_grounded() -> None:
    explanation, _ = await explained(lambda given: "Yes. [1]", 4, cited=(0, 1))
    assert (explanation.conclusions, explanation.has_effect, explanation.top) == (("not_grounded",), False, None)


async def test_one_evidence_only() -> None:
    explanation, answerer = await explained(needing(0), 1, cited=(0,))
    assert [cluster.share for cluster in explanation.clusters] == [1.0]
    assert explanation.conclusions == ("single_page",)
    assert answerer.asked == [frozenset()]


async def test_all_evidences_in_one_cluster() -> None:
    explanation, answerer = await explained(needing(0, 1), 3, cited=(0,), epsilon=1.99)
    assert [len(cluster.evidences) for cluster in explanation.clusters] == [3]
    assert explanation.clusters[0].share == 1.0
    assert answerer.asked == [frozenset(), frozenset({1, 2})]


async def test_an_answer_without_citations_is_explained_without_verdicts_on_pages() -> None:
    explanation, _ = await explained(needing(1), 3, cited=())
    assert explanation.clusters[0].citations == ()
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0]
    assert explanation.conclusions == ()


async def test_not_found_is_told_as_such_and_nothing_is_asked() -> None:
    explanation, answerer = await explained(lambda given: NOT_FOUND, 3, cited=())
    assert (explanation.clusters, explanation.conclusions, explanation.has_effect) == ((), ("not_found",), False)
    assert answerer.asked == []


async def test_failures_are_unknown_and_come_last() -> None:
    def says(given: frozenset[int]) -> str | ModelUnavailable:
        return needing(2)(given) if 0 in given else ModelUnavailable("Down.")

    explanation, _ = await explained(says, 4, cited=(2,))
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0, None]
    assert explanation.clusters[-1].result.error == "Down."


@pytest.mark.parametrize("frugal", [False, True])
async def test_an_interrupted_explanation_goes_on_without_asking_twice(frugal: bool) -> None:
    def says(given: frozenset[int]) -> str:
        return "Yes. [1]" if given & {0, 1} else NOT_FOUND

    async def run(known: dict[Cluster, AblationResult]) -> tuple[Explanation, ScriptedAnswerer, list[AblationResult]]:
        answerer, heard = ScriptedAnswerer(says), list[AblationResult]()
        whole = counterfactual(answerer)
        attributor = FrugalAttributor(whole) if frugal else whole
        explainer = Explainer(attributor, whole, answerer, HashEmbedder(), lambda: 0.0, epsilon=0.01)
        turn = turn_of("Yes. [1]", evidences(5, ["p", "q", "q", "r", "r"]), (0, 1))
        return await explainer.explain(turn, known, heard.append), answerer, heard

    whole, first, heard = await run({})
    assert len(set(first.asked)) == len(first.asked) == whole.calls
    assert {frozenset(range(5)) - set(result.cluster) for result in heard} >= set(first.asked)
    for kept in range(len(heard) + 1):
        known = {result.cluster: result for result in heard[:kept]}
        explanation, again, _ = await run(known)
        assert explanation == whole
        before = {frozenset(range(5)) - set(cluster) for cluster in known}
        assert not before.intersection(again.asked)


async def test_progress_rises_to_its_end() -> None:
    answerer, heard = ScriptedAnswerer(needing(0)), list[Progress]()
    turn = turn_of("The answer, from [0].", evidences(4, ["p", "p", "q", "q"]), (0,))
    await explainer(answerer).explain(turn, on_progress=heard.append)
    assert [(progress.done, progress.total) for progress in heard] == [(done, 5) for done in range(6)]


# ------------------------------------------------------------------------------- what it is compared with


async def test_another_model_is_compared_with_its_own_answer() -> None:
    answerer = ScriptedAnswerer(lambda given: "My own words." if 0 in given else "Other words.")
    explanation = await explainer(answerer, "own").explain(turn_of("Its words. [1]", evidences(3), (0,)))
    assert explanation.compared_with == "My own words."
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0]
    assert explanation.calls == len(answerer.asked) == 4


async def test_a_model_that_finds_no_answer_itself_cannot_explain_one() -> None:
    with pytest.raises(NotExplainable, match="WIKIWHY_EXPLAIN_MODEL"):
        await explainer(ScriptedAnswerer(lambda given: NOT_FOUND), "own").explain(turn_of("Yes.", evidences(3)))


async def test_an_answer_that_would_be_another_one_now_is_not_explained() -> None:
    answerer = ScriptedAnswerer(lambda given: "Something else.")
    with pytest.raises(NotExplainable, match="answered otherwise now"):
        await explainer(answerer, "repeated").explain(turn_of("Yes.", evidences(3)))


async def test_a_removed_page_is_said_and_nothing_explained() -> None:
    found = evidences(3)
    gone = replace(found[1], evidence=replace(found[1].evidence, text="", parts=(), context=Context()))
    answerer = ScriptedAnswerer(needing(0))
    with pytest.raises(NotExplainable, match="1 of the 3 sources"):
        await explainer(answerer).explain(turn_of("The answer, from [0].", [found[0], gone, found[2]], (0,)))
    assert answerer.asked == []


async def test_a_question_that_lost_its_completion_is_not_explained() -> None:
    turn = replace(turn_of("Yes.", evidences(3)), erased=True)
    with pytest.raises(NotExplainable, match="page of its conversation was removed"):
        await explainer(ScriptedAnswerer(needing(0))).explain(turn)


# --------------------------------------------------------------------------------------- the real answerers

RECEPTION = ranked(
    evidence("The reception closes at 18:30.", page_id="9", ordinal=0, title="Office handbook", heading="Hours"),
    evidence("Two people climb the tower together.", page_id="2", ordinal=1, title="Tower safety"),
    evidence("The kitchen is cleaned on Fridays.", page_id="3", ordinal=2, title="Kitchen"),
)
CLOSES = "When does the reception close?"


async def test_an_extractive_answer_is_explained_by_the_extractive_answerer(
    embedder: E5Embedder, matcher: E5WordMatcher
) -> None:
    answerer = ExtractiveAnswerer(matcher)
    answer = await answerer.answer(CLOSES, RECEPTION, Tracer(lambda: 0.0))
    turn = replace(turn_of("", RECEPTION, question=CLOSES), answer=answer)
    attributor = CounterfactualAttributor(lambda repetition: answerer, embedder, repetitions=1, concurrency=10)
    explanation = await Explainer(attributor, attributor, answerer, embedder, lambda: 0.0, "repeated").explain(turn)
    assert explanation.top is not None
    assert [item.evidence.page_id for item in explanation.top.evidences] == ["9"]
    assert explanation.conclusions == ("single_page",)
    assert sum(cluster.share or 0.0 for cluster in explanation.clusters) == pytest.approx(1.0)


async def test_a_generated_answer_is_explained_by_the_model_also_where_it_says_what_no_source_says(
    embedder: E5Embedder, matcher: E5WordMatcher
) -> None:
    def says(prompt: Prompt) -> str:
        asked = prompt.messages[-1].text
        return "The reception closes at 18:30. [1]" if "18:30" in asked else "Dragons guard it. [1]"

    answerer = make_ablation_answerers(ScriptedModel(says), embedder, ExtractiveAnswerer(matcher))(0)
    attributor = CounterfactualAttributor(lambda repetition: answerer, embedder, repetitions=1, concurrency=10)
    turn = turn_of("The reception closes at 18:30. [1]", RECEPTION, (0,), CLOSES)
    explanation = await Explainer(attributor, attributor, answerer, embedder, lambda: 0.0).explain(turn)
    assert explanation.top is not None
    assert explanation.top.result.answers == ("Dragons guard it. [?]",)
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0]


# ------------------------------------------------------------------------------------------ by likelihood


def by_likelihood(answerer: ScriptedAnswerer, scorer: ScriptedScorer) -> Explainer:
    answers = counterfactual(answerer)
    attributor = LikelihoodAttributor(render_prompt, scorer, counterfactual=answers)
    return Explainer(attributor, answers, answerer, HashEmbedder(), lambda: 0.0, epsilon=0.01)


async def test_likelihood_shares_and_only_the_top_source_and_cited_pages_are_answered_without() -> None:
    answerer, scorer = ScriptedAnswerer(needing(2)), ScriptedScorer(needs(2))
    turn = turn_of("The answer, from [2].", evidences(5), (1,))
    explanation = await by_likelihood(answerer, scorer).explain(turn)
    assert explanation.method == "likelihood"
    assert [cluster.share for cluster in explanation.clusters] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert explanation.top is not None
    assert explanation.top.evidences[0].evidence.ordinal == 2
    assert explanation.top.result.answers == (NOT_FOUND,)
    assert explanation.top.result.contribution == pytest.approx(0.393, abs=0.001)
    assert set(answerer.asked) == {frozenset({0, 2, 3, 4}), frozenset({0, 1, 3, 4})}
    assert explanation.calls == len(scorer.asked) + len(answerer.asked) == 8
    assert explanation.conclusions == ()  # the page that matters is not cited


async def test_by_likelihood_a_single_page_is_found_by_its_answers() -> None:
    answerer, scorer = ScriptedAnswerer(needing(2)), ScriptedScorer(needs(2))
    explanation = await by_likelihood(answerer, scorer).explain(turn_of("From [2].", evidences(5), (2,)))
    assert explanation.conclusions == ("single_page",)
    assert answerer.asked == [frozenset({0, 1, 3, 4})]


async def test_by_likelihood_redundant_and_ungrounded_answers_are_told_from_each_other() -> None:
    def says(given: frozenset[int]) -> str:
        return "Yes. [1]" if given & {0, 1} else NOT_FOUND

    turn = turn_of("Yes. [1]", evidences(4), (0, 1))
    redundant = await by_likelihood(ScriptedAnswerer(says), ScriptedScorer(lambda given: -3.0)).explain(turn)
    assert (redundant.conclusions, redundant.has_effect, redundant.top) == (("redundant",), False, None)
    always = ScriptedAnswerer(lambda given: "Yes. [1]")
    ungrounded = await by_likelihood(always, ScriptedScorer(lambda given: -3.0)).explain(turn)
    assert ungrounded.conclusions == ("not_grounded",)


async def test_by_likelihood_what_cannot_be_answered_keeps_its_share_and_says_why() -> None:
    def says(given: frozenset[int]) -> ModelUnavailable:
        return ModelUnavailable("Down.")

    explanation = await by_likelihood(ScriptedAnswerer(says), ScriptedScorer(needs(2))).explain(
        turn_of("From [2].", evidences(4), (2,))
    )
    assert explanation.top is not None
    assert (explanation.top.share, explanation.top.result.answers) == (1.0, ())
    assert explanation.top.result.error == "Down."
    assert explanation.conclusions == ()


async def test_an_interrupted_explanation_by_likelihood_goes_on_without_asking_twice() -> None:
    turn = turn_of("From [2].", evidences(4, ["p", "p", "q", "r"]), (0, 2))
    heard = list[AblationResult]()
    whole = await by_likelihood(ScriptedAnswerer(needing(2)), ScriptedScorer(needs(2))).explain(turn, {}, heard.append)
    for kept in range(len(heard) + 1):
        answerer, scorer = ScriptedAnswerer(needing(2)), ScriptedScorer(needs(2))
        known = {result.cluster: result for result in heard[:kept]}
        again = await by_likelihood(answerer, scorer).explain(turn, known)
        assert again.conclusions == whole.conclusions
        assert [cluster.share for cluster in again.clusters] == [cluster.share for cluster in whole.clusters]
        everything = frozenset(range(4))
        scored = {everything - set(cluster) for cluster in known}
        assert not scored.intersection(scorer.asked)
        assert not {everything - set(c) for c, result in known.items() if result.answers}.intersection(answerer.asked)


async def test_progress_by_likelihood_ends_when_the_pages_are_answered_too() -> None:
    answerer, heard = ScriptedAnswerer(needing(2)), list[Progress]()
    explainer = by_likelihood(answerer, ScriptedScorer(needs(2)))
    await explainer.explain(turn_of("From [2].", evidences(4), (2,)), on_progress=heard.append)
    assert [(progress.done, progress.total) for progress in heard] == [(done, 4) for done in range(5)]
    assert len(answerer.asked) == 1
