"""Whom one can ask about a subject."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answering.extractive.order.contacts import find_contact
from core.answering.extractive.order.persons import put_persons_first
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked

TOP = evidence("For all halls.", "Contact: Mara Lind, second floor.", title="Parking and lockers")
CARS = evidence("Cars stay below the hall.", title="Parking and lockers", heading="Parking", ordinal=1)
TELL = evidence("Tell the porter about your locker.", title="Parking and lockers", heading="Lockers", ordinal=2)
GERMAN = [
    evidence("Rückfragen an Jana Kern.", title="Schließfächer"),
    evidence("Die Fächer stehen im Keller.", title="Schließfächer", heading="Ort", ordinal=1),
]


def find(question: str, *texts: object) -> str:
    found = ranked(*texts)  # type: ignore[arg-type]
    units = [unit for item in found for unit in chosen(item, *range(len(item.evidence.parts)))]
    contact = find_contact(find_focus(question), units)
    return contact.text if contact else ""


@pytest.mark.parametrize(
    "question",
    [
        "who do I ask about parking",
        "Whom should we contact about parking?",
        "who can help with parking",
        "who is in charge of parking?",
        "Who is responsible for parking",
        "contact for parking",
    ],
)
def test_a_question_for_a_contact_is_answered_by_that_of_the_page(question: str) -> None:
    assert find(question, CARS, TOP) == "Contact: Mara Lind, second floor."


@pytest.mark.parametrize(
    "question",
    [
        "an wen wende ich mich wegen der Schließfächer",
        "Wen frage ich zu Schließfächern?",
        "wer hilft bei Schließfächern",
    ],
)
def test_german_questions_are_answered_by_it_too(question: str) -> None:
    assert find(question, GERMAN[1], GERMAN[0]) == "Rückfragen an Jana Kern."


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("who parks below the hall", CARS),
        ("who do I ask about bicycles", CARS),  # not what the page is about
        ("who do I ask about my locker", TELL),  # it says it itself
        ("when can I ask about parking", CARS),
        ("who can use the parking", CARS),
        ("an wen geht das Parking", CARS),
        ("who can help if the parking is full", CARS),
        ("who can help with parking cars below the hall", CARS),  # the best text may say who does
    ],
)
def test_other_questions_are_not(question: str, best: object) -> None:
    assert not find(question, best, TOP)


def test_the_contact_of_another_section_or_page_is_none() -> None:
    other = evidence("Contact: Bo Hall", title="Parking and lockers", heading="Lockers", ordinal=3)
    assert not find("who do I ask about parking", CARS, other)
    assert not find("who do I ask about parking", CARS, replace(TOP, page_id="2"))


@pytest.mark.parametrize(
    ("best", "contact"),
    [
        ("Parking permits are issued by Tom Weaver.", "Contact: Mara Lind"),  # it names somebody itself
        ("Cars stay below the hall.", "Contact: to be decided."),
        ("Cars stay below the hall.", "Questions to the porter take one day."),
    ],
)
def test_a_line_without_a_name_and_one_beside_a_named_person_are_not_put_first(best: str, contact: str) -> None:
    texts = [
        evidence(best, title="Parking", heading="Cars", ordinal=1),
        evidence(contact, title="Parking"),
    ]
    found = ranked(*texts)
    units = [unit for item in found for unit in chosen(item, 0)]
    assert put_persons_first(find_focus("Who do I ask about parking?"), units, found)[0].text == best
