"""Phrases without a question word that list rows."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

CONTRACTS = write_table(
    ("Supplier", "Ends", "Value (£)", "Owner", "Audited"),
    ("Stadler", "31 Dec 2028", "1,250", "Arjun Mehra", "yes"),
    ("Brightwash", "30 Jun 2027", "640", "Beatrix Amadi", "no"),
    ("Orrin", "31 Mar 2027", "85", "Arjun Mehra", "yes"),
)
TITLE = "Supplier contracts"


def headline(question: str) -> str:
    found = compute(question, evidences(CONTRACTS, TITLE))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("contracts ending in 2027", "2 of 3 entries in “Supplier contracts” match Ends: 2027:"),
        ("contracts of arjun mehra", "2 of 3 entries in “Supplier contracts” match Owner: arjun mehra:"),
        ("contracts under £100", "1 of 3 entries in “Supplier contracts” matches Value (£) < £100:"),
        ("suppliers that are not audited", "1 of 3 entries in “Supplier contracts” matches Audited: no:"),
    ],
)
def test_a_phrase_lists_the_rows_that_it_describes(question: str, line: str) -> None:
    assert headline(question) == line


@pytest.mark.parametrize(
    "question",
    [
        "contracts",
        "cancelled contracts of arjun mehra",  # a word that no row has
        "cleaning of arjun mehra",  # not what the rows are
        "owner of stadler and orrin",
        "why contracts of arjun mehra",
    ],
)
def test_other_phrases_list_nothing(question: str) -> None:
    assert " of 3 entries" not in headline(question)


def test_a_phrase_for_one_cell_is_answered_with_it() -> None:
    assert headline("owner of brightwash") in {"Beatrix Amadi", "Brightwash, Owner: Beatrix Amadi"}


ROTA = write_table(
    ("Week", "Controller", "Backup", "Depot"),
    ("45", "Callum Reyes", "Sunniva Holt", "Penbury"),
    ("46", "Sunniva Holt", "Peter Okonjo", "Penbury"),
    ("47", "Peter Okonjo", "Callum Reyes", "Dunmere"),
    ("50", "Sunniva Holt", "Callum Reyes", "Dunmere"),
)


def line_of_rota(question: str, title: str = "Rota of the depot in Penbury") -> str:
    found = compute(question, evidences(ROTA, title))
    return found.answer.text.partition("\n")[0] if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "when is sunniva the controller",
            "2 of 4 entries in “Rota of the depot in Penbury” match Controller: sunniva:",
        ),
        ("how often is callum backup", "2 of 4 entries in “Rota of the depot in Penbury” match Backup: callum:"),
        ("wann ist Sunniva Controller", "2 von 4 Einträgen in „Rota of the depot in Penbury“ (Controller: Sunniva):"),
        (
            "when is sunniva on duty as controller",
            "2 of 4 entries in “Rota of the depot in Penbury” match Controller: sunniva:",
        ),
        (
            "wann hat Sunniva Dienst als Controller",
            "2 von 4 Einträgen in „Rota of the depot in Penbury“ (Controller: Sunniva):",
        ),
        (
            "wie oft ist Callum im Backup eingeteilt",
            "2 von 4 Einträgen in „Rota of the depot in Penbury“ (Backup: Callum):",
        ),
        ("when is sunniva in the team", ""),  # no column is named
    ],
)
def test_the_rows_say_when_somebody_has_a_role(question: str, line: str) -> None:
    assert line_of_rota(question) == line


@pytest.mark.parametrize(
    "question",
    [
        "How often must the controller Sunniva be replaced?",
        "When does Sunniva become a controller?",
        "When can Sunniva be controller?",
        "When did the controller Sunniva go?",
        "When was the controller Sunniva added?",
        "When was the controller Sunniva trained?",
        "When is Sunniva with the controller?",
        "When is the controller Sunniva out?",
        "Wann muss Sunniva Controller sein?",
        "Wie oft wird der Controller Sunniva abgelöst?",
    ],
)
def test_another_verb_does_not_ask_when_somebody_has_a_role(question: str) -> None:
    assert "of 4 entries" not in line_of_rota(question)
    assert "von 4 Einträgen" not in line_of_rota(question)


def test_what_is_denied_is_not_what_the_title_names() -> None:
    line = line_of_rota("which weeks are not in penbury")
    assert line == "2 of 4 entries in “Rota of the depot in Penbury” match not Depot: penbury:"


def test_which_ones_asks_for_the_rows() -> None:
    line = line_of_rota("which ones? (Rota: Callum Reyes controller)", "Rota")
    assert "Controller: Callum Reyes" in line


def test_a_change_is_not_the_largest_value() -> None:
    lines = write_table(("Line", "Punctuality"), ("Coast", "93 %"), ("Valley", "96 %"))
    assert compute("which line lost the most punctuality", evidences(lines, "Lines")) is None
    assert compute("which line has the most punctuality", evidences(lines, "Lines"))


def test_may_is_a_month_before_another_one() -> None:
    releases = write_table(("Release", "Date"), ("5.1", "2026-03-02"), ("5.2", "2026-05-25"), ("5.3", "2026-08-31"))
    found = compute("releases between may and september 2026", evidences(releases, "Releases"))
    assert found
    assert found.answer.text.startswith("2 of 3 entries")


ATTENDEES = """<h2>Attendees</h2><p>Ann Lee - Acme<br/>Bo Hall - Orrin<br/>Cy Dorn - Acme<br/>Di Wu - Stadler</p>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("who from Acme was on the March call?", "2 of 4 entries in “Attendees” match “Acme”:"),
        ("Wer war beim March call von Acme dabei?", "2 von 4 Einträgen in „Attendees“ („Acme“):"),
        ("who from Orrin attended the March call?", "1 of 4 entries in “Attendees” matches “Orrin”:"),
        ("who from Acme painted the March call?", ""),
    ],
)
def test_who_took_part_selects_the_attendees(question: str, line: str) -> None:
    found = compute(question, evidences(ATTENDEES, "March call"))
    assert (found.answer.text.partition("\n")[0] if found else "") == line
