"""Verdicts from several rows: any, all, and others besides those named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.questions.quantifier import Quantifier, take_quantity
from tests.core.reading.tables import compute, evidences

HEAD = "<h2>Brake tests</h2><table><tr><th>Maker</th><th>Tram</th><th>Depot</th><th>Result</th><th>Notes</th></tr>"
TRAMS = [
    ("Tatra", "T3", "North", "PASS", ""),
    ("Tatra", "T4", "North", "Pass", "twice"),
    ("Duewag", "N8", "South", "Partly", "wet rails"),
    ("TATRA", "T6", "South", "PASS", ""),
    ("Duewag", "M6", "East", "Fail; too long", ""),
]
LEGEND = "<p>DEP - tram depot: where the tram was tested</p>"


def table(rows: list[tuple[str, ...]], head: str = HEAD) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"{head}{body}</table>"


def answer(question: str, content: str = table(TRAMS), title: str = "Tram safety 2.0") -> str:
    computed = compute(question, evidences(content, title))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("Did any brake tests fail?", "Yes – 5 rows in “Brake tests”: 3 PASS, 1 Partly, 1 Fail"),
        ("Did all brake tests pass?", "No – 5 rows in “Brake tests”: 3 PASS, 1 Partly, 1 Fail"),
        ("Did any brake test fail in the depot North?", "No – 2 rows in “Brake tests” for Depot: North: 2 PASS"),
        ("Did all of the brake tests in the depot North pass?", "Yes – 2 rows in “Brake tests” for Depot: North: 2"),
        ("Did all brake tests in the depot South pass?", "2 rows in “Brake tests” for Depot: South: 1 Partly, 1"),
        ("Did any brake test not pass in the depot East?", "Yes – 1 row in “Brake tests” for Depot: East: 1 Fail"),
        (
            "Were any other makers tested besides Tatra and Duewag in the brake tests?",
            "No – in 5 rows of “Brake tests”, “Maker” has only: Tatra, Duewag",
        ),
        (
            "Were any other makers tested in the brake tests apart from Tatra?",
            "Yes – 1 other value of “Maker” in “Brake tests”: Duewag",
        ),
        (
            "Were all three depots tested with Duewag in the brake tests?",
            "No – 2 of 3 values of “Depot” in “Brake tests” for Maker: Duewag: South, East",
        ),
        (
            "Were all depots tested with the maker Tatra in the brake tests?",
            "No – 2 of 3 values of “Depot” in “Brake tests” for Maker: Tatra: North, South",
        ),
    ],
)
def test_a_verdict_counts_the_rows_that_it_comes_from(question: str, headline: str) -> None:
    assert answer(question).startswith(headline)


@pytest.mark.parametrize(
    "question",
    [
        "Did any brake test in Utrecht fail?",
        "Did any door test fail?",
        "Did all brake tests with new pads pass?",
        "Were any other makers tested besides Tatra and Siemens in the brake tests?",
        "Were any other makers tested in the brake tests?",
        "Were any other makers certified besides Tatra and Duewag in the brake tests?",
        "Were all four depots tested with Duewag in the brake tests?",
        "Were all three depots painted with Duewag in the brake tests?",
        "Did any brake test with notes fail?",
        "Are all depots supported with the maker Tatra in the brake tests?",
        "Did any brake test pass or fail?",
        "Did all brake tests not pass?",
        "Did any or all brake tests fail?",
    ],
)
def test_there_is_no_verdict_if_a_word_is_unbound(question: str) -> None:
    assert not answer(question).startswith(("Yes", "No"))


def test_a_maker_with_a_longer_name_is_not_another() -> None:
    rows = [*TRAMS, ("Tatra Inc.", "T7", "South", "PASS", "")]
    assert not answer("Were any other makers tested besides Tatra and Duewag in the brake tests?", table(rows))


def test_a_result_that_is_hidden_in_another_gives_no_verdict() -> None:
    rows = [("Tatra", "T3", "North", "PASS", ""), ("Tatra", "T4", "North", "Pass", ""), ("A", "B", "C", "did fail", "")]
    assert not answer("Did any brake tests fail?", table(rows))


def test_rows_without_a_result_limit_the_verdict() -> None:
    untested = ("Tatra", "T9", "North", "", "")
    headline, first, *_ = answer("Did all brake tests in the depot North pass?", table([untested, *TRAMS])).splitlines()
    verdict, reason = headline.split(" – ")
    assert verdict == "Yes, not counting rows without a value"
    assert reason == "3 rows in “Brake tests” for Depot: North: 2 PASS, 1 without a value"
    assert "T3" in first
    assert answer("Did all brake tests pass?", table([untested, *TRAMS])).startswith("No – 6 rows")


def test_rows_that_are_missing_give_no_verdict() -> None:
    found = evidences(table(TRAMS * 8), "Tram safety 2.0", max_chars=300)
    assert compute("Did any brake tests fail?", found)
    without = [each for each in found if each.evidence.kind == "table"][:-1]
    assert not compute("Did any brake tests fail?", without)


def test_a_column_is_found_by_what_the_page_says_about_it() -> None:
    content = LEGEND + table(TRAMS, HEAD.replace("Depot", "DEP"))
    text = answer("Were all three tram depots tested with Duewag in the brake tests?", content)
    assert text.startswith("No – 2 of 3 values of “DEP”")


@given(st.lists(st.sampled_from(["Pass", "PASS", "Fail", "FAIL", "PWE", "N/A"]), min_size=2, max_size=12))
def test_verdicts_agree_with_the_results(results: list[str]) -> None:
    rows = [("Tatra", f"T{at}", "North", result, "") for at, result in enumerate(results)]
    found = {
        (quantifier, verdict): answer(f"Did {quantifier} brake tests {verdict}?", table(rows))[:3]
        for quantifier in ("any", "all")
        for verdict in ("pass", "fail")
    }
    said = [result.lower() for result in results if result != "N/A"]  # a row without a result has neither
    for (quantifier, verdict), begins in found.items():
        expected = {"any": any, "all": all}[quantifier](each == verdict for each in said)
        assert begins != ("No " if expected else "Yes"), (quantifier, verdict)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    quantity, rest = take_quantity(text)
    assert quantity is not None or rest == text


def test_the_names_that_other_leaves_out_are_read() -> None:
    quantity, rest = take_quantity("Were any other vendors besides Dell, Hewlett Packard and HP in release 6.0?")
    assert quantity is not None
    assert quantity.quantifier is Quantifier.OTHER
    assert quantity.besides == (("dell",), ("hewlett", "packard"), ("hp",))
    assert " ".join(rest.split()) == "Were vendors in release 6.0?"
