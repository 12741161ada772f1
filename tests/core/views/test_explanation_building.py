from __future__ import annotations

from dataclasses import replace

from core.attribution.attributor import Counterfactual
from core.attribution.explainer import ExplainedCluster, Explanation
from core.model import NOT_FOUND, Failure, Question
from core.views.explanation import PlaceView
from core.views.explanation_building import explanation_view
from tests.core.answering.examples import evidence, ranked
from tests.core.attribution.test_explainer import turn_of

FOUND = ranked(
    evidence("a", page_id="1", ordinal=0, title="Travel", heading="Limits"),
    evidence("b", page_id="1", ordinal=0, title="Travel", heading="Limits", kind="table"),
    evidence("c", page_id="2", ordinal=1, title="Kitchen"),
    evidence("d", page_id="3", ordinal=2, title="Tower"),
)
TURN = turn_of("The limit is 140. [1]", FOUND, (0,), "What is the limit?")
TRAVEL = PlaceView("Travel", ("Limits",), "https://w/1", (1,), "passage, table")
KITCHEN = PlaceView("Kitchen", (), "https://w/2", (), "passage")


def cluster(
    share: float | None, *at: int, number: int | None = None, error: str = "", answer: str = "So. [2]"
) -> ExplainedCluster:
    failure = Failure.UNAVAILABLE if error else None
    answers, answered = ((answer,), (answer != NOT_FOUND,)) if answer else ((), ())
    result = Counterfactual(at, share, share, answers, 1, error, failure, answered)
    return ExplainedCluster(share, result, tuple(FOUND[index] for index in at), (number, *[None] * (len(at) - 1)))


def explanation(*clusters: ExplainedCluster) -> Explanation:
    return Explanation("t1", "counterfactual", "The limit is 140. [1]", clusters, (), True, 3, 1.25)


def test_each_place_of_a_bar_stands_once_with_numbers_and_kinds() -> None:
    view = explanation_view(TURN, explanation(cluster(0.996, 0, 1, number=1), cluster(0.004, 2), cluster(0.0, 3)))
    assert [(bar.percent, bar.places) for bar in view.bars] == [("100%", (TRAVEL,)), ("<1%", (KITCHEN,))]
    assert view.unmoved[0] == "The answer stays the same without:"
    assert [place.title for place in view.unmoved[1]] == ["Tower"]
    assert view.unknown == ("", ())
    assert (view.question, view.made) == ("What is the limit?", "3 answers compared in 1.2 s")


def test_without_the_top_the_answer_has_no_numbers() -> None:
    view = explanation_view(TURN, explanation(cluster(1.0, 0, number=1), cluster(0.0, 3)))
    assert view.without_top == ("Without the first source the answer would be:", "So.")
    assert view.compared_with == ("", "")
    gone = explanation_view(TURN, explanation(cluster(1.0, 0, number=1, answer=NOT_FOUND), cluster(0.0, 3)))
    assert gone.without_top[1] == "I could not find that in the wiki."
    assert gone.verdict == "This answer rests on the first source: without it, the wiki does not answer."


def test_what_failed_is_apart_with_each_cause_once() -> None:
    view = explanation_view(TURN, explanation(cluster(None, 2, error="Down."), cluster(None, 3, error="Down.")))
    assert (view.bars, view.causes, view.without_top, view.problem) == (
        (),
        ("The language model is not answering right now.",),
        ("", ""),
        "",
    )
    assert len(view.unknown[1]) == 2


def test_an_answer_that_could_not_be_asked_for_has_its_cause() -> None:
    view = explanation_view(TURN, explanation(cluster(1.0, 0, error="Down.", answer=""), cluster(0.0, 3)))
    assert (view.problem, view.without_top) == ("The language model is not answering right now.", ("", ""))


def test_without_clusters_there_is_only_a_verdict() -> None:
    view = explanation_view(TURN, Explanation("t1", "counterfactual"))
    assert (view.heading, view.bars, view.made) == ("", (), "")
    assert view.verdict == "The wiki did not answer this question, so there is nothing to explain."


def test_a_german_question_gets_a_german_explanation() -> None:
    turn = replace(TURN, question=Question("Wie hoch ist die Grenze?", "Wie hoch ist die Grenze?"))
    view = explanation_view(turn, explanation(cluster(1.0, 0, 1, number=1), cluster(0.0, 3)))
    assert (view.heading, view.bars[0].places[0].kinds) == ("Worauf diese Antwort beruht", "Absatz, Tabelle")
