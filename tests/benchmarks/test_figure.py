"""A figure's verdict, and how people and programs see it."""

import io
import json

import pytest
from rich.console import Console

from benchmarks.corpus import corpus
from benchmarks.figure import Bound, Figure, at_least, at_most, format_number
from benchmarks.report import as_json, table


@pytest.mark.parametrize(
    ("measured", "bound", "verdict"),
    [
        (0.88, at_least(0.88), "ok"),
        (0.879, at_least(0.88), "short"),
        (40.0, at_most(40), "ok"),
        (40.1, at_most(40), "short"),
        (0.0, at_most(0), "ok"),
        (0.5, None, "no target"),
    ],
)
def test_the_required_value_itself_is_enough(measured: float, bound: Bound | None, verdict: str) -> None:
    assert Figure("a figure", "s", measured, bound).verdict == verdict


def test_what_was_left_out_is_neither_ok_nor_short() -> None:
    assert Figure("a figure", "s", None, at_least(1)).verdict == "left out"
    assert Figure("a figure", "s", None, at_least(1), "it broke", failed=True).verdict == "failed"


@pytest.mark.parametrize(
    ("value", "text"), [(0.8947, "0.895"), (33.94, "33.9"), (150, "150"), (634.9, "635"), (4012, "4,012"), (0, "0")]
)
def test_a_value_is_shown_with_the_digits_that_matter(value: float, text: str) -> None:
    assert format_number(value) == text


def test_the_table_shows_measured_beside_required() -> None:
    screen = io.StringIO()
    Console(file=screen, width=120).print(table([Figure("P@1", "", 0.8, at_least(0.88), "300 questions")]))

    line = screen.getvalue().splitlines()[-1]
    assert line.split() == ["P@1", "0.800", "at", "least", "0.880", "short", "300", "questions"]


def test_the_json_keeps_the_full_value() -> None:
    written = json.loads(json.dumps(as_json([Figure("P@1", "", 0.87654, at_least(0.88))], corpus())))

    assert written["figures"][0]["measured"] == 0.87654
    assert written["figures"][0]["required"] == "at least 0.880"
    assert written["corpus"] in {"ConfQuestions", "samples"}
