"""Which completions by a model may be taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.completion.guard import rejection, tidy_question
from core.model import Rejection

EARLIER = ["What is the hotel limit per night in the Netherlands?"]
CONVERSATION = [*EARLIER, "140 euros per night. [1]", "Travel and expenses policy 2026"]


def reason(candidate: str, question: str = "And in Germany?") -> Rejection | None:
    return rejection(candidate, question, CONVERSATION, EARLIER)[0]


@pytest.mark.parametrize(
    "candidate",
    [
        "What is the hotel limit per night in Germany?",
        "And what is the limit for hotels in Germany (Travel and expenses policy 2026)?",
        "And in Germany?",
    ],
)
def test_words_of_the_conversation_and_their_forms_may_be_used(candidate: str) -> None:
    assert reason(candidate) is None


@pytest.mark.parametrize(
    ("candidate", "word"),
    [
        ("What is the breakfast allowance in Germany?", "breakfast"),
        ("What is the hotel limit in Germany in 2027?", "2027"),
        ("Who approves a hotel in Germany?", "approves"),
    ],
)
def test_a_word_that_nobody_said_is_invented(candidate: str, word: str) -> None:
    found, words = rejection(candidate, "And in Germany?", CONVERSATION, EARLIER)
    assert found is Rejection.INVENTS_WORDS
    assert word in words


def test_the_questions_own_words_must_stay() -> None:
    dropped = (Rejection.DROPS_WORDS, ("germany",))
    assert rejection("What is the hotel limit per night?", "And in Germany?", CONVERSATION, EARLIER) == dropped
    dropped = (Rejection.DROPS_WORDS, ("tpm",))
    assert rejection("Which BIOS was used?", "And what about TPM?", ["Which BIOS was used?"], []) == dropped


def test_an_earlier_question_is_no_completion() -> None:
    assert rejection(EARLIER[0], "And why?", CONVERSATION, EARLIER) == (Rejection.REPEATS, ())
    said = ["Is a hotel in Germany within the limit?"]
    found = rejection("Is a hotel in Germany within the limit?", "And in Germany?", said, said)
    assert found == (Rejection.REPEATS, ())


def test_a_completion_keeps_its_language() -> None:
    question = "Wer genehmigt das und wie hoch ist es im Hotel?"
    found = rejection("Who genehmigt the hotel and is it hoch?", question, CONVERSATION, [])
    assert found == (Rejection.OTHER_LANGUAGE, ())


@pytest.mark.parametrize("candidate", ["", "?", "Germany?\nThe answer is 140 euros.", "Germany " * 200])
def test_what_is_not_one_question_is_not_taken(candidate: str) -> None:
    assert reason(candidate)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_question_itself_may_always_be_taken_unless_it_says_nothing(question: str, said: str) -> None:
    first = question.split("\n")[0]
    assert rejection(first, first, [said], [])[0] in (None, Rejection.NOT_ONE_QUESTION)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Rewritten: What is it?", "What is it?"),
        ('"What is it?"', "What is it?"),
        ("**Question:** What is it?", "What is it?"),
        ("Question: What is it?\nAnswer: 5", "What is it?"),
        ("\n\nWhat is it?\n", "What is it?"),
        ("Umformuliert: Was ist das?", "Was ist das?"),
        ("Rewritten:\nWhat is it?", "What is it?"),
        ("", ""),
    ],
)
def test_a_models_line_becomes_a_question(text: str, question: str) -> None:
    assert tidy_question(text) == question
