"""Messages with several questions: how they are split, and how the answers are joined."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.answerer import make_refusal
from core.answering.question_parts import join_answers, join_questions, list_parts, split_questions
from core.model import Answer, Citation
from core.wording.quotations import make_citation
from tests.core.answering.examples import evidence


def cite(number: int, ordinal: int) -> Citation:
    """Return the citation of the evidence with the id ``1-1-{ordinal}``."""
    return make_citation(number, evidence("text", ordinal=ordinal))


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("Who approves travel, and what is the hotel limit?", ("Who approves travel?", "what is the hotel limit?")),
        ("Who approves travel? And in Germany?", ("Who approves travel?", "And in Germany?")),
        ("how many pumps have passed and how many failed", ("how many pumps have passed?", "how many failed?")),
        ("Does it have a lamp and since when is it sold?", ("Does it have a lamp?", "since when is it sold?")),
        ("Wer leitet das Lager, und wie erreiche ich ihn?", ("Wer leitet das Lager?", "wie erreiche ich ihn?")),
        ("What does a Heron cost and does it play?", ("What does a Heron cost?", "does a Heron play?")),
        ("Was kostet der Heron und kann er Melodien?", ("Was kostet der Heron?", "kann der Heron Melodien?")),
        ("When does the canteen open and where is it?", ("When does the canteen open?", "where is the canteen?")),
        ("Gibt es Urlaub? Wer genehmigt ihn?", ("Gibt es Urlaub?", "Wer genehmigt ihn?")),
    ],
)
def test_each_question_of_a_message_is_a_part(message: str, parts: tuple[str, ...]) -> None:
    assert split_questions(message) == parts


@pytest.mark.parametrize(
    "message",
    [
        "Who approves travel and expenses?",
        "when and where is the party",
        "Which build version and which BIOS were used for the test?",
        "Welches BIOS und welche Versionen wurden eingesetzt?",
        "Can the page reload itself? How?",
        "What is the difference between what Ann does and what Ben does?",
        "I lost my badge. Whom do I tell and how do I get in?",
        "Explain the queue and how it is drained",
        "Who writes and who approves the release notes?",
        "How do I book and how do I cancel a meeting room?",
        "Wie buche und wie storniere ich einen Besprechungsraum?",
        "Who decides what we build and when we ship it?",
        "Is there a tool which reads plans and which is free?",
        "Wo steht, wer Urlaub genehmigt und wie man ihn beantragt?",
        "When I travel to India, do I need a visa and can I use the company card?",
        "Was passiert, wenn der Zug steht und wie lange?",
        "a? b? c? d? e?",
        "",
    ],
)
def test_what_is_not_clearly_several_questions_is_one(message: str) -> None:
    assert split_questions(message) == (message,)


@given(st.lists(st.text("abc ?[]1", min_size=1).filter(lambda text: "\n" not in text), min_size=1, max_size=3))
def test_parts_are_listed_as_they_were_joined(parts: list[str]) -> None:
    assert list_parts(join_questions(parts)) == parts


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True), min_size=2, max_size=3))
def test_every_citation_of_joined_answers_is_of_the_evidence_that_it_was_of(cited: list[list[int]]) -> None:
    answers = [
        Answer(
            "\n".join(f"e{name} of {at} [{number}]" for number, name in enumerate(names, 1)),
            answered=True,
            citations=tuple(cite(number, name) for number, name in enumerate(names, 1)),
        )
        for at, names in enumerate(cited)
    ]
    joined = join_answers(["?"] * len(answers), answers)
    of_number = {citation.number: citation.evidence_id for citation in joined.citations}
    assert sorted(of_number) == list(range(1, len(of_number) + 1))
    written = re.findall(r"(e\d) of \d \[(\d)\]", joined.text)
    assert [name for name, _ in written] == [f"e{name}" for names in cited for name in names]
    assert all(of_number[int(number)] == name.replace("e", "1-1-") for name, number in written)


def test_a_part_without_an_answer_is_named_in_its_language() -> None:
    found = Answer("Ann [1]", answered=True, citations=(cite(1, 1),))
    joined = join_answers(["Wer ist das?", "Welche Farbe hat das Auto? (Autos)"], [found, make_refusal()])
    assert joined.text == "Ann [1]\n\nZu „Welche Farbe hat das Auto?“ habe ich im Wiki nichts gefunden."
    assert joined.answered


def test_without_any_answer_nothing_is_found() -> None:
    assert join_answers(["Who?", "When?"], [make_refusal(), make_refusal()]) == make_refusal()


def test_what_was_quoted_for_an_earlier_part_is_not_repeated() -> None:
    answers = [
        Answer(f"The lamp costs €5. [{number}]", answered=True, citations=(cite(number, 1),)) for number in (1, 2)
    ]
    assert join_answers(["a?", "b?"], answers).text == "The lamp costs €5. [1]"


def test_numbers_in_quoted_code_are_no_citations() -> None:
    code = Answer("```\nx[1]\n```\n[1]", answered=True, citations=(cite(1, 2),))
    other = Answer("y [1]", answered=True, citations=(cite(1, 1),))
    assert join_answers(["a?", "b?"], [other, code]).text == "y [1]\n\n```\nx[1]\n```\n[2]"
