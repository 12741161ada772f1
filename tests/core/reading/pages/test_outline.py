"""Which sections a page has."""

from __future__ import annotations

import pytest

from core.model import RankedEvidence
from core.reading.pages.outline import answer_from_headings, read_outline_question
from tests.core.reading.tables import evidences

CHARTER = """<h1>Draft</h1><h2>Purpose</h2><p>We keep the bells ringing.</p><h2>Members of the board</h2><p>Seven.</p>
<h3>Votes</h3><p>Each member has one vote.</p><h2>Changes</h2><p>By two thirds of the votes.</p>"""
PAGES = [*evidences(CHARTER, "Charter of the bell guild"), *evidences("<p>Bells.</p>", "Bell guild", "8", rank=20)]


def answer(question: str, found: list[RankedEvidence] = PAGES) -> str:
    said = answer_from_headings(question, found)
    return said.text if said else ""


@pytest.mark.parametrize(
    "question",
    [
        "What are the main headings in the charter of the bell guild?",
        "Which sections does the page Charter of the bell guild have?",
        "How many sections are there on the page Charter of the bell guild?",
        "What is on the page Charter of the bell guild?",
        "Which sections does it have? (Charter of the bell guild)",
    ],
)
def test_the_sections_of_a_page_are_the_highest_headings_of_which_there_are_several(question: str) -> None:
    assert answer(question).splitlines() == [
        "“Charter of the bell guild” has 3 sections:",
        "- Purpose [1]",
        "- Members of the board [2]",
        "- Changes [3]",
    ]


def test_a_german_question_names_the_page_by_its_names() -> None:
    found = evidences(CHARTER, "Charter of GUILD 7")
    said = answer("Wie viele Abschnitte hat die Satzung von GUILD 7?", found)
    assert said.startswith("„Charter of GUILD 7“ hat 3 Abschnitte:\n- Purpose [1]")


@pytest.mark.parametrize(
    "question",
    [
        "Which section describes the votes of the bell guild?",
        "Which sections mention votes in the charter of the bell guild?",
        "What are the main headings in the manual of the crane?",
        "What are the sections of the bell guild?",
        "What is on the page?",
        "Which votes are in the charter of the bell guild?",
    ],
)
def test_other_questions_and_pages_have_no_outline(question: str) -> None:
    assert not answer(question)


def test_only_questions_for_sections_are_read() -> None:
    assert read_outline_question("In which section of the charter are the votes?") is None
    assert read_outline_question("What are the bells of the guild?") is None


MARKED = "".join(
    f"<h2>{name}</h2><p>See the log.</p>"
    for name in ("Power - PASS", "Wireless - CANNOT TEST", "Sound - PASS", "Burner - CANNOT TEST")
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Which sections of Release testing are marked CANNOT TEST?",
            [
                "2 of 4 sections of “Release testing” match “CANNOT TEST”:",
                "- Wireless - CANNOT TEST [1]",
                "- Burner - CANNOT TEST [2]",
            ],
        ),
        (
            "Welche Abschnitte von Release testing sind mit PASS markiert?",
            [
                "2 von 4 Abschnitten von „Release testing“ mit „PASS“:",
                "- Power - PASS [1]",
                "- Sound - PASS [2]",
            ],
        ),
    ],
)
def test_a_word_of_some_headings_selects_them(question: str, expected: list[str]) -> None:
    assert answer(question, evidences(MARKED, "Release testing")).splitlines() == expected
