"""Which completions by a model may be taken."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.completion.guard import rejection, tidied

EARLIER = ["What is the hotel limit per night in the Netherlands?"]
CONVERSATION = [*EARLIER, "140 euros per night. [1]", "Travel and expenses policy 2026"]


def reason(candidate: str, question: str = "And in Germany?") -> str:
    return rejection(candidate, question, CONVERSATION, EARLIER)


@pytest.mark.parametrize(
    "candidate",
    [
        "What is the hotel limit per night in Germany?",
        "And what is the limit for hotels in Germany (Travel and expenses policy 2026)?",
        "And in Germany?",
    ],
)
def test_words_of_the_conversation_and_their_forms_may_be_used(candidate: str) -> None:
    assert reason(candidate) == ""


@pytest.mark.parametrize(
    ("candidate", "word"),
    [
        ("What is the breakfast allowance in Germany?", "breakfast"),
        ("What is the hotel limit in Germany in 2027?", "2027"),
        ("Who approves a hotel in Germany?", "approves"),
    ],
)
def test_a_word_that_nobody_said_is_invented(candidate: str, word: str) -> None:
    assert "nobody said" in reason(candidate)
    assert word in reason(candidate)


def test_the_questions_own_words_must_stay() -> None:
    assert "drops the question's own words: germany" in reason("What is the hotel limit per night?")
    assert "tpm" in rejection("Which BIOS was used?", "And what about TPM?", ["Which BIOS was used?"], [])


def test_an_earlier_question_is_no_completion() -> None:
    assert "repeats" in rejection(EARLIER[0], "And why?", CONVERSATION, EARLIER)
    said = ["Is a hotel in Germany within the limit?"]
    assert "repeats" in rejection("Is a hotel in Germany within the limit?", "And in Germany?", said, said)


def test_a_completion_keeps_its_language() -> None:
    question = "Wer genehmigt das und wie hoch ist es im Hotel?"
    assert "language" in rejection("Who genehmigt the hotel and is it hoch?", question, CONVERSATION, [])


@pytest.mark.parametrize("candidate", ["", "?", "Germany?\nThe answer is 140 euros.", "Germany " * 200])
def test_what_is_not_one_question_is_not_taken(candidate: str) -> None:
    assert reason(candidate)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_question_itself_may_always_be_taken_unless_it_says_nothing(question: str, said: str) -> None:
    first = question.split("\n")[0]
    assert rejection(first, first, [said], []) in ("", "it is not one question")


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
    assert tidied(text) == question
