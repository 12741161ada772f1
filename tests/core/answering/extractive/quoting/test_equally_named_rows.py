"""All rows of the thing that a question names."""

from __future__ import annotations

import pytest

from core.answering.extractive.quoting.compose import quote_units
from core.answering.extractive.quoting.equally_named_rows import add_equally_named_rows
from core.answering.extractive.units import ScoredUnit
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import ranked, row

BUILDS = [("6671", "Dell Optiplex 7040"), ("6662", "Dell OptiPlex 7040"), ("6662", "Dell OptiPlex 7050")]


def answer(question: str, platforms: list[tuple[str, str]]) -> list[str]:
    items = [
        row(("Build", build), ("Platform", name), ("BIOS", "1.14.0"), number=number, title="Measurement 9.0")
        for number, (build, name) in enumerate(platforms, start=1)
    ]
    units = [ScoredUnit(each, 0, each.evidence.parts[0], 1.0, 1.0, 0.0) for each in ranked(*items)]
    focus = find_focus(question)
    shown: list[Quotation] = add_equally_named_rows(focus, units, [quote_units(focus, units[:1])])
    return [quotation.text.split(" · ")[0].removeprefix("Build: ") for quotation in shown]


def test_a_name_in_another_case_is_the_same_thing() -> None:
    assert answer("Which builds were used for the Dell Optiplex 7040 in Measurement 9.0?", BUILDS) == ["6671", "6662"]


@pytest.mark.parametrize(
    "question",
    [
        "Which BIOS did the Dell Optiplex 7040 have with build 6671?",
        "Which builds have which BIOS in Measurement 9.0?",
        "Which builds were used for Dell?",
    ],
)
def test_other_rows_are_left_out_if_the_question_names_the_row_or_none(question: str) -> None:
    assert answer(question, BUILDS) == ["6671"]


def test_many_rows_of_one_thing_are_not_added() -> None:
    assert answer("Which builds were used for the Dell Optiplex 7040?", BUILDS[:1] + [
        (str(number), "Dell Optiplex 7040") for number in range(5)
    ]) == ["6671"]  # fmt: skip


ASKED = "What is the result of the tests of the Rook 4 Bergkerk?"


def count_shown(question: str, clock: str, score: float) -> int:
    """Return how many of two rows are shown, of which the second one is about ``clock`` and has a lower score."""
    rows = [
        row(("Build", build), ("Clock", name), ("Result", result), number=number, title="Tower tests")
        for number, (build, name, result) in enumerate([("6671", "Rook 4 Bergkerk", "pass"), ("6662", clock, "fail")])
    ]
    scores = zip(ranked(*rows), (1.0, score), strict=True)
    units = [ScoredUnit(each, 0, each.evidence.parts[0], own, 0.5, 0.0) for each, own in scores]
    return len(add_equally_named_rows(find_focus(question), units, [quote_units(find_focus(question), units[:1])]))


@pytest.mark.parametrize("clock", ["Rook 4 Bergkerk", "rook 4 bergkerk", "Rook 4 in Bergkerk, since May"])
def test_a_row_with_the_only_identifier_of_the_question_is_shown_too(clock: str) -> None:
    assert count_shown(ASKED, clock, 0.96) == 2


@pytest.mark.parametrize(
    ("question", "clock", "score"),
    [
        (ASKED, "Rook 4 Domkerk", 0.96),
        (ASKED, "Rook 4 Bergkerk", 0.9),
        ("What is the result of the tests of the Bergkerk?", "Rook 4 Bergkerk", 0.96),
    ],
    ids=["another thing", "worse", "no identifier"],
)
def test_a_row_is_no_second_test_of_a_thing_without_what_the_question_names(
    question: str, clock: str, score: float
) -> None:
    assert count_shown(question, clock, score) == 1
