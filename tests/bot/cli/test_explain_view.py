from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from bot.cli.explain import explanation_view
from core.attribution.attributor import Counterfactual
from core.attribution.explainer import ExplainedCluster, Explanation
from core.model import NOT_FOUND, Failure, Question, RankedEvidence, Turn
from tests.core.answering.examples import evidence, ranked
from tests.core.attribution.test_explainer import turn_of

FOUND = ranked(
    evidence("a", page_id="1", ordinal=0, title="Travel \x1b[31mpolicy", heading="Limits"),
    evidence("b", page_id="1", ordinal=0, title="Travel \x1b[31mpolicy", heading="Limits", kind="table"),
    evidence("c", page_id="2", ordinal=1, title="Kitchen"),
    evidence("d", page_id="3", ordinal=2, title="Tower"),
)
TURN = turn_of("The limit is 140. [1]", FOUND, (0,), "What is the limit?")


def cluster(
    share: float | None, *at: int, number: int | None = None, error: str = "", answer: str = "Another. [2]"
) -> ExplainedCluster:
    evidences: tuple[RankedEvidence, ...] = tuple(FOUND[index] for index in at)
    failure = Failure.UNAVAILABLE if error else None
    result = Counterfactual(at, share, share, (answer,), 1, error, failure, (answer != NOT_FOUND,))
    return ExplainedCluster(share, result, evidences, (number, *[None] * (len(at) - 1)))


EXPLANATION = Explanation(
    "t1",
    "counterfactual",
    "The limit is 140. [1]",
    (
        cluster(0.996, 0, 1, number=1, answer="So \x1b[2Jmuch [2] " + "longer " * 100),
        cluster(0.004, 2),
        cluster(0.0, 3),
    ),
    (),
    True,
    3,
    1.25,
)


def seen(explanation: Explanation, turn: Turn = TURN, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, highlight=False, emoji=False)
    console.print(explanation_view(turn, explanation))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_each_place_stands_once_with_what_was_found_there(width: int) -> None:
    text = seen(EXPLANATION, width=width)
    assert text.count("Limits") == 1
    assert " ".join(text.split()).count("[1] Travel [31mpolicy › Limits (passage, table)") == 1
    assert "\x1b" not in text
    assert all(len(line.rstrip()) <= width for line in text.splitlines() if "https" not in line)


def test_shares_are_bars_and_small_ones_are_not_nothing() -> None:
    lines = seen(EXPLANATION).splitlines()
    assert f"{'█' * 29}▉  100%" in lines
    assert f"{'▏':30}   <1%" in lines
    assert "    Tower (passage)" in lines


def test_a_long_counterfactual_answer_is_shortened_and_has_no_numbers() -> None:
    text = " ".join(seen(EXPLANATION).split())
    assert "Without the first sources the answer would be: So [2Jmuch longer" in text
    assert text.count("longer") < 60
    assert "3 answers compared in 1.2 s" in text


def test_what_failed_says_why_once() -> None:
    failed = (cluster(None, 2, error="The server [b]is down."), cluster(None, 3, error="The server [b]is down."))
    text = seen(replace(EXPLANATION, clusters=failed, verdicts=("unknown",), grounded=False))
    assert text.count("The server [b]is down.") == 1
    assert "Too much failed" in text
    assert "would be" not in text


def test_in_german_for_a_german_question() -> None:
    turn = replace(TURN, question=Question("Wie hoch ist die Grenze?", "Wie hoch ist die Grenze?"))
    clusters = (cluster(1.0, 0, number=1, answer=NOT_FOUND), cluster(0.0, 3))
    text = seen(replace(EXPLANATION, clusters=clusters, verdicts=("single_page",), single_page=FOUND[0]), turn)
    assert "Diese Antwort beruht allein auf der Seite „Travel [31mpolicy“: Ohne sie" in " ".join(text.split())
    assert "Das konnte ich im Wiki nicht finden." in text
    assert "without" not in text


def test_the_other_model_s_own_answer_is_shown() -> None:
    text = seen(replace(EXPLANATION, compared_with="My words. [3]"))
    assert "its own answer is:\n    My words.\n" in text


def test_cited_sources_come_first_in_their_cluster_and_together_they_may_be_all_there_is() -> None:
    both = replace(cluster(1.0, 2, 0, answer=NOT_FOUND), numbers=(None, 1))
    text = " ".join(seen(replace(EXPLANATION, clusters=(both,))).split())
    assert text.index("[1] Travel") < text.index("Kitchen")
    assert "rests on the first sources together: without them, the wiki does not answer." in text


# ------------------------------------------------------------------------------------------ by likelihood


def by_likelihood(answers: tuple[str, ...], error: str = "") -> str:
    top = cluster(1.0, 0, 1, number=1)
    top = replace(
        top, result=replace(top.result, answers=answers, error=error, failure=Failure.UNAVAILABLE if error else None)
    )
    return seen(replace(EXPLANATION, method="likelihood", clusters=(top, cluster(0.0, 3))), width=120)


def test_by_likelihood_nobody_is_told_that_the_answer_would_be_another_one() -> None:
    text = by_likelihood(("Something else. [1]",))
    assert "Shares by likelihood" in text
    assert "Without these sources the model finds this answer less likely." in text
    assert "The answer is as likely without:" in text
    assert "Something else." in text
    assert "answers compared" not in text


def test_by_likelihood_the_same_answer_without_the_top_source_is_said_to_be_the_same() -> None:
    assert "still says the same" in by_likelihood(("The limit is 140. [2]",))


def test_an_answer_that_could_not_be_asked_for_has_its_cause_instead() -> None:
    text = by_likelihood((), "The model is \x1b[31mdown.")
    assert "The model is [31mdown." in text
    assert "would be" not in text
    assert "the wiki does not answer" not in text
