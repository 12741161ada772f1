"""How long it took from one row of a timeline to another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.evidence.pages import rows
from tests.core.reading.tables import compute, evidences

TITLE = "Post-mortem: the kiln of 4 May"
TIMELINE = rows(
    "th:Time | th:What happened | th:Who",
    "03:04 | The alarm pages the night watch | Jonas",
    "03:24 | Gas is shut off at both kilns | Maren",
    "03:32 | The last kiln, number seven, is cold | Oskar",
    "09:40 | Valve 4.2 reaches the workshop | Rafael",
)
CHRONIK = rows(
    "th:Datum | th:Ereignis",
    "3. März 2026 | Angebot der Firma Ofenbau eingegangen",
    "17. März 2026 | Vertrag unterschrieben",
    "4. Mai 2026 | Neuer Ofen geliefert",
)


def headline(question: str, table: str = TIMELINE, title: str = TITLE) -> str:
    computed = compute(question, evidences(f"<h2>Timeline</h2>{table}", title))
    return computed.answer.text.partition("\n")[0] if computed else ""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how long from the page at 03:04 until the last kiln was cold?", "28 minutes – from 03:04 to 03:32"),
        ("How long did it take from the alarm until the gas was shut off?", "20 minutes – from 03:04 to 03:24"),
        ("how many minutes passed between the alarm and the gas shut off", "20 minutes – from 03:04 to 03:24"),
        ("How much time was there between 03:24 and 09:40?", "6 h 16 min – from 03:24 to 09:40"),
    ],
)
def test_the_time_between_two_rows_is_computed(question: str, expected: str) -> None:
    assert headline(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Wie lange hat es vom Angebot bis zum unterschriebenen Vertrag gedauert?",
            "14 Tage – vom 3. März 2026 bis zum 17. März 2026",
        ),
        (
            "wie viele tage lagen zwischen dem vertrag und dem tag, an dem der ofen geliefert wurde",
            "48 Tage – vom 17. März 2026 bis zum 4. Mai 2026",
        ),
    ],
)
def test_days_lie_between_dates(question: str, expected: str) -> None:
    assert headline(question, CHRONIK, "Chronik des Ofens") == expected


def test_a_time_after_midnight_is_on_the_next_day() -> None:
    night = rows("th:Time | th:Event", "23:50 | The alarm rings", "00:15 | The kiln is cold")
    assert headline("how long from the alarm until the kiln was cold?", night) == "25 minutes – from 23:50 to 00:15"


def test_both_rows_are_shown_and_cited() -> None:
    computed = compute("how long from the alarm until the last kiln was cold?", evidences(TIMELINE, TITLE))
    assert computed
    assert "Time: 03:04 · What happened: The alarm pages" in computed.answer.text
    assert "Time: 03:32 · What happened: The last kiln" in computed.answer.text


@pytest.mark.parametrize(
    "question",
    [
        "how long from the alarm until the police came?",  # no row says so
        "how long from the alarm at 03:05 until the last kiln was cold?",
        "how long from the kiln until the valve?",  # two rows have a kiln
        "how long is the warranty of the valve from purchase to repair?",
        "how long does the night watch work from Monday to Friday?",
        "how long from the alarm until the alarm?",
    ],
)
def test_what_no_two_rows_say_is_not_computed(question: str) -> None:
    assert " – from " not in headline(question)


@given(st.integers(0, 1439), st.integers(0, 1439))
def test_the_time_is_what_a_clock_shows(start: int, end: int) -> None:
    if start == end:
        return
    one, other = (f"{minutes // 60:02}:{minutes % 60:02}" for minutes in (start, end))
    table = rows("th:Time | th:Event", f"{one} | Alarm", f"{other} | Silence")
    minutes = (end - start) % 1440
    shown = headline("how long from the alarm to the silence?", table)
    amount = shown.partition(" – ")[0]
    hours, _, rest = amount.partition(" h ") if " h " in amount else ("0", "", amount)
    assert 60 * int(hours) + int(rest.split()[0]) == minutes
