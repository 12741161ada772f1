from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from bot.cli.document import draw_explanation
from core.attribution.explainer import ExplainedCluster, Explanation
from core.model import NOT_FOUND, Failure
from tests.core.answering.examples import evidence, ranked
from tests.core.views.test_building import TURN, cluster, explanation

HOSTILE = ranked(*(evidence("a", page_id="1", title="Travel \x1b[31mpolicy", heading="Limits") for _ in range(2)))
TOP = cluster(0.996, 0, 1, number=1, answer="So \x1b[2Jmuch [2] " + "longer " * 100)
WHOLE = explanation(TOP, cluster(0.004, 2), cluster(0.0, 3))


def seen(explanation: Explanation, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, highlight=False, emoji=False)
    console.print(draw_explanation(TURN, explanation))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120])
def test_each_place_stands_once_with_what_was_found_there(width: int) -> None:
    text = seen(explanation(replace(TOP, evidences=HOSTILE), *WHOLE.clusters[1:]), width)
    assert text.count("Limits") == 1
    assert "[1] Travel [31mpolicy › Limits (2 × passage)" in " ".join(text.split())
    assert "\x1b" not in text
    assert all(len(line.rstrip()) <= width for line in text.splitlines() if "https" not in line)


def test_shares_are_bars_and_small_ones_are_not_nothing() -> None:
    lines = seen(WHOLE).splitlines()
    assert f"{'█' * 29}▉  100%" in lines
    assert f"{'▏':30}   <1%" in lines
    assert "Tower (passage)" in lines


def test_a_long_counterfactual_answer_is_shortened_and_has_no_numbers() -> None:
    text = " ".join(seen(WHOLE).split())
    assert "Without the first sources the answer would be: So [2Jmuch longer" in text
    assert text.count("longer") < 60
    assert "3 answers compared in 1.2 s" in text


def test_what_failed_says_why_once_and_in_full() -> None:
    failed = [cluster(None, at, error="The server [b]is down.", answer="") for at in (2, 3)]
    text = seen(replace(explanation(*failed), verdicts=("unknown",), grounded=False))
    assert text.count("The server [b]is down.") == 1
    assert "Too much failed to say what this answer rests on. Explain it again when the model answers." in " ".join(
        text.split()
    )
    assert "would be" not in text
    assert "%" not in text


def test_the_other_model_s_own_answer_is_shown() -> None:
    text = seen(replace(WHOLE, compared_with="My words. [3]"))
    assert "its own answer is:\n    My words.\n" in text


def test_cited_sources_come_first_in_their_cluster_and_together_they_may_be_all_there_is() -> None:
    both = replace(cluster(1.0, 2, 0, answer=NOT_FOUND), numbers=(None, 1))
    text = " ".join(seen(explanation(both, cluster(0.0, 3))).split())
    assert text.index("[1] Travel") < text.index("Kitchen")
    assert "rests on the first sources together: without them, the wiki does not answer." in text


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ((0,), "There was no other source: without it nothing is left to answer from."),
        ((0, 2), "These sources are so similar that they are left out together"),
    ],
)
def test_where_no_source_is_left_no_other_answer_is_shown(at: Sequence[int], sentence: str) -> None:
    text = " ".join(seen(explanation(cluster(1.0, *at, number=1, answer=NOT_FOUND))).split())
    assert sentence in text
    assert "would be" not in text


# ------------------------------------------------------------------------------------------ by likelihood


def by_likelihood(*answers: str, error: str = "") -> str:
    failure = Failure.UNAVAILABLE if error else None
    result = replace(TOP.result, answers=answers, error=error, failure=failure)
    clusters: tuple[ExplainedCluster, ...] = (replace(TOP, share=1.0, result=result), cluster(0.0, 3))
    return seen(replace(WHOLE, method="likelihood", clusters=clusters), width=120)


def test_by_likelihood_nobody_is_told_that_the_answer_would_be_another_one() -> None:
    text = by_likelihood("Something else. [1]")
    for part in (
        "Shares by likelihood", "Without these sources the model finds this answer less likely.",
        "The answer is as likely without:", "Something else.",
    ):  # fmt: skip
        assert part in text
    assert "answers compared" not in text


def test_by_likelihood_the_same_answer_without_the_top_source_is_said_to_be_the_same() -> None:
    assert "still says the same" in by_likelihood("The limit is 140. [2]")


def test_an_answer_that_could_not_be_asked_for_has_its_cause_instead() -> None:
    text = by_likelihood(error="The model is \x1b[31mdown.")
    assert "The model is [31mdown." in text
    assert "would be" not in text
    assert "the wiki does not answer" not in text
