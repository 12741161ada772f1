"""Which of two named things has more rows with a result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.tables import compute, evidences

HEAD = "<h2>Kiln tests</h2><table><tr><th>Glaze</th><th>Kiln</th><th>Result</th></tr>"
ROWS = (
    ("Celadon", "Gas 3", "Pass"),
    ("Shino", "Gas 3", "FAIL"),
    ("Ash", "Wood", "Fail; cracks"),
    ("Tenmoku", "Gas 4", "Fail"),
)


def answer(question: str, rows: tuple[tuple[str, ...], ...] = ROWS) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    computed = compute(question, evidences(f"{HEAD}{body}</table>", "Kiln tests of spring"))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    "question",
    [
        "Which kiln led to the most failures in the kiln tests - gas or wood?",
        "Which kiln failed most in the kiln tests, gas or electric?",  # more than half are gas in any case
        "Which kiln failed most in the kiln tests, Gas or Wood?",
    ],
)
def test_rows_with_the_result_are_counted_for_each(question: str) -> None:
    text = answer(question)
    assert text.casefold().startswith("gas – 2 of 3 rows in “kiln tests” with result: fail")


@pytest.mark.parametrize(
    "question",
    [
        "Which kiln failed most in the kiln tests, wood or electric?",  # the others may all be electric
        "Which kiln failed most in the kiln tests in Utrecht 7, gas or wood?",
        "Which kiln was warm most often in the kiln tests, gas or wood?",
    ],
)
def test_nothing_is_counted_if_something_is_unbound(question: str) -> None:
    assert " rows in “" not in answer(question)


@given(st.lists(st.tuples(st.sampled_from(["Gas", "Wood"]), st.sampled_from(["Pass", "Fail"])), min_size=2, max_size=9))
def test_the_named_one_has_most(results: list[tuple[str, str]]) -> None:
    rows = tuple((f"Glaze {at}", kiln, result) for at, (kiln, result) in enumerate(results))
    failed = [kiln for kiln, result in results if result == "Fail"]
    text = answer("Which kiln failed most in the kiln tests, Gas or Wood?", rows)
    if " of " in text.partition("\n")[0]:
        assert failed.count(text.split(" ")[0]) * 2 > len(failed)
