"""A judge's score is read as it is written, and what it did not write is no score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelRejected, ModelUnavailable
from core.model import NOT_FOUND, Answer
from evaluation.relevance import SCORES, judge_answer, parse_score
from tests.core.scripted import Reply, ScriptedModel

ANSWER = Answer("It costs 40 euros. [1][2]\nTax is due. [?]", True)


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("1", 1.0),
        ("0.5", 0.5),
        ("0", 0.0),
        (" 1.0\n", 1.0),
        ("0,5", 0.5),
        ("½", 0.5),
        (".5", 0.5),
        ("**0.5**", 0.5),
        ("Score: 1", 1.0),
        ("score = 0.5.", 0.5),
        ("The score is 0.", 0.0),
        ("Bewertung: 0,5", 0.5),
        ('{"score": 0.5}', 0.5),
        ("1/1", 1.0),
        ("0.5 out of 1", 0.5),
        ("Score: 0/1", 0.0),
        ("1 (fully correct)", 1.0),
        ("0.5\n\nThe price is right, but 2 of 3 dates are missing.", 0.5),
        ("The answer has 2 of 3 dates. Score: 0.5", 0.5),
        ("Both say 40 euros.\nRating: 1", 1.0),
        ("I would give 0.5 here", 0.5),
        ("Correct.", 1.0),
        ("partially correct", 0.5),
        ("Incorrect!", 0.0),
        ("falsch", 0.0),
    ],
)
def test_a_score_is_read_in_the_forms_that_models_write(written: str, score: float) -> None:
    assert parse_score(written) == score


@pytest.mark.parametrize(
    "written",
    [
        "",
        "I cannot judge this.",
        "1, 0.5 or 0",
        "between 0.5 and 1",
        "0.7",
        "2",
        "10",
        "100 %",
        "1%",
        "Score: 8",
        "Score: 0.5, or rather score: 1",
        "version 1.14.0",
        "v1",
        "1.5",
    ],
)
def test_what_is_no_score_on_the_scale_is_none(written: str) -> None:
    assert parse_score(written) is None


@given(st.text(max_size=60))
def test_any_text_has_a_score_of_the_scale_or_none(written: str) -> None:
    assert parse_score(written) in {None, *SCORES}


@given(st.sampled_from(SCORES), st.text("abc \n", max_size=20))
def test_a_number_on_the_first_line_is_the_score_whatever_follows(score: float, more: str) -> None:
    assert parse_score(f"{score:g}\n{more}") == score


async def test_the_judge_is_asked_with_both_answers_and_without_the_numbers_of_sources() -> None:
    model = ScriptedModel("0.5")
    assert (await judge_answer("What is the price?", "40 euros net", ANSWER, model)).score == 0.5
    asked = model.prompts[0].messages[-1].text
    assert "Question: What is the price?" in asked
    assert "Right answer: 40 euros net" in asked
    assert "Given answer: It costs 40 euros.\nTax is due.\n" in asked


async def test_a_refusal_of_an_answerable_question_is_0_without_asking() -> None:
    model = ScriptedModel("1")
    assert (await judge_answer("q", "40", Answer(NOT_FOUND, answered=False), model)).score == 0.0
    assert not model.prompts


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Well, it depends.", "wrote no score: 'Well, it depends.'"),
        (ModelUnavailable("The server is down."), "The server is down."),
        (ModelRejected("The key is wrong."), "The key is wrong."),
    ],
)
async def test_what_could_not_be_judged_has_no_score_but_a_reason(reply: Reply, reason: str) -> None:
    found = await judge_answer("q", "40", ANSWER, ScriptedModel(reply))
    assert found.score is None
    assert reason in found.reason


async def test_without_a_gold_answer_nobody_is_asked() -> None:
    model = ScriptedModel("1")
    assert (await judge_answer("q", " ", ANSWER, model)).score is None
    assert not model.prompts
