from __future__ import annotations

import pytest

from core.languages import Language
from core.model import Context, Evidence
from core.suggesting.phrasing import phrase_questions


def questions(heading: str, title: str = "Travel policy 2026", text: str = "", wanted: Language = "en") -> list[str]:
    path = (heading,) if heading else ()
    evidence = Evidence("e", "p", "S", "passage", 0, text, Context(title, path), "")
    return list(phrase_questions(evidence, wanted, text))


def of_row(*row: tuple[str, str], title: str = "Controllers compared", wanted: Language = "en") -> list[str]:
    evidence = Evidence("e", "p", "S", "table_row", 0, "", Context(title), "", rows=(row,))
    return list(phrase_questions(evidence, wanted, ""))


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [
        ("Hotels", "", "What does “Travel policy 2026” say about hotels?"),
        ("Belfry", "We run Belfry.", "What does “Travel policy 2026” say about Belfry?"),
        ("What we do not pay", "", "What does “Travel policy 2026” say about what we do not pay?"),
        ("Your first day", "", "What does “Travel policy 2026” say about my first day?"),
        ("2. Freeze the scheduler", "", "How do I freeze the scheduler (“Travel policy 2026”)?"),
        ("How to book your room", "", "How do I book my room?"),
        ("Before the release", "", "What has to be done before the release (“Travel policy 2026”)?"),
        ("Who pays for a taxi at night?", "", "Who pays for a taxi at night?"),
        ("Limits by country in 2026:", "", "What does “Travel policy 2026” say about limits by country in 2026?"),
    ],
)
def test_a_heading_is_put_as_a_question(heading: str, text: str, question: str) -> None:
    assert questions(heading, text=text) == [question]


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("Parkplätze", "Was steht in „Bürohandbuch“ über „Parkplätze“?"),
        ("Die neuen Räume", "Was steht in „Bürohandbuch“ über die neuen Räume?"),
        ("Der neue Kollege", "Was steht in „Bürohandbuch“ über „Der neue Kollege“?"),
        ("Wie beantrage ich Urlaub", "Was steht in „Bürohandbuch“ über „Wie beantrage ich Urlaub“?"),
        ("Wann wird geputzt", "Was steht in „Bürohandbuch“ über „Wann wird geputzt“?"),
        ("Wo Kundendaten bleiben", "Was steht in „Bürohandbuch“ dazu, wo Kundendaten bleiben?"),
        ("Sicherheitsvorfall melden", "Was steht in „Bürohandbuch“ über „Sicherheitsvorfall melden“?"),
        ("Wer hat einen Schlüssel?", "Wer hat einen Schlüssel?"),
        ("Vor der Reise", "Was ist vor der Reise zu tun („Bürohandbuch“)?"),
    ],
)
def test_a_german_heading_is_put_in_german(heading: str, question: str) -> None:
    assert questions(heading, "Bürohandbuch", "Das ist für alle und wird geprüft.", "de") == [question]


def test_a_heading_in_the_other_language_is_quoted_and_a_question_is_left_out() -> None:
    german = "Was steht in „Travel policy 2026“ über „Hotels for the team“?"
    assert questions("Hotels for the team", wanted="de") == [german]
    assert questions("Who pays for the taxi at night?", wanted="de") == []


@pytest.mark.parametrize(
    "heading",
    [
        "", "Overview", "Notes", "2026-05-12", "Travel policy", "At home", "1. Announce", "Commands have limits",
        "xc-aperture-map", "0x00004 - XMOU_REV", "see https://evil.example", "DBus.read(string path)",
        "A heading that goes on and on, which nobody would ever ask like this", "5. Roll back, if you must", "→",
        "Topic: that",
    ],
)  # fmt: skip
def test_a_heading_that_makes_no_good_question_makes_none(heading: str) -> None:
    assert questions(heading) == []


def test_a_row_is_asked_for_by_what_its_columns_name() -> None:
    assert of_row(("Model", "Wren 2"), ("Bells", "3"), ("Price", "€900")) == [
        "What is the price for Wren 2 (Controllers compared)?"
    ]
    assert of_row(("Task", "Order parts"), ("Owner", "Ann")) == [
        "Who is responsible for “Order parts” (Controllers compared)?"
    ]
    assert of_row(("Model", "Wren 2"), ("Battery lasts", "3 h")) == [
        "What does “Controllers compared” say about Wren 2?"
    ]
    assert of_row(("Aufgabe", "Prüfung der Löscher"), ("Bis wann", "Mai"), title="Protokoll", wanted="de") == [
        "Bis wann ist „Prüfung der Löscher“ zu erledigen (Protokoll)?"
    ]


@pytest.mark.parametrize("cell", ["", "12", "x", "pass", "2026-01-01", "Ann said that it rang all night", "a_b", "Hm."])
def test_a_row_without_a_name_is_not_asked_for(cell: str) -> None:
    assert of_row(("Item", cell), ("Price", "€900")) == []
