from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.wiring import Application
from core.completion.generative import (
    GenerativeCompleter,
    extract_question,
    find_rejection,
    list_exchanges,
    render_completion_prompt,
)
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelRejected, ModelUnavailable
from core.model import Failure, HistoryMessage, NoticeKind, Question, Rejection, Scope, Trace, TraceNotice
from core.trace import Tracer
from tests.core.scripted import Reply, ScriptedModel

PAGE = "Travel and expenses policy 2026"
HISTORY = [
    HistoryMessage("user", "What is the hotel limit per night in the Netherlands in 2026?"),
    HistoryMessage("assistant", "140 euros. [1]", subject=PAGE),
]
FOLLOW_UP = "And in Germany?"
GOOD = f"What is the hotel limit per night in Germany ({PAGE})?"


async def complete(
    application: Application, *replies: Reply, question: str = FOLLOW_UP, history: list[HistoryMessage] = HISTORY
) -> tuple[Question, Trace, ScriptedModel]:
    model, tracer = ScriptedModel(*replies), Tracer(lambda: 0.0)
    completer = GenerativeCompleter(model, HeuristicCompleter(application.retriever))
    return await completer.complete(question, history, Scope(), tracer), tracer.trace, model


async def test_a_good_proposal_is_taken_at_once(sample_wiki: Application) -> None:
    question, trace, model = await complete(sample_wiki, GOOD)
    assert question == Question(FOLLOW_UP, GOOD)
    assert [candidate.rejected for candidate in trace.proposed_completions] == [None]
    assert len(model.prompts) == 1


async def test_the_model_sees_the_conversation_and_its_page(sample_wiki: Application) -> None:
    _, _, model = await complete(sample_wiki, GOOD)
    asked = model.prompts[0].messages[1].text
    assert all(text in asked for text in (HISTORY[0].text, HISTORY[1].text, PAGE, FOLLOW_UP, "English"))


async def test_the_page_is_named_where_the_model_did_not(sample_wiki: Application) -> None:
    question, _, _ = await complete(sample_wiki, "What is the hotel limit per night in Germany?")
    assert question.intent_explicit == f"What is the hotel limit per night in Germany? ({PAGE})"


async def test_the_first_proposal_without_invented_words_is_taken(sample_wiki: Application) -> None:
    question, trace, model = await complete(sample_wiki, "What does breakfast cost in Germany?", "In Belgium?", GOOD)
    assert question.intent_explicit == GOOD
    assert [bool(candidate.rejected) for candidate in trace.proposed_completions] == [True, True, False]
    assert [sampling.temperature > 0 for sampling in model.samplings] == [False, True, True]


@pytest.mark.parametrize("reply", ["What does breakfast cost?", FOLLOW_UP, "", HISTORY[0].text])
async def test_otherwise_the_heuristic_completes(sample_wiki: Application, reply: str) -> None:
    question, trace, _ = await complete(sample_wiki, reply)
    expected = await sample_wiki.completer.complete(FOLLOW_UP, HISTORY, Scope(), Tracer(lambda: 0.0))
    assert question == expected
    assert trace.proposed_completions[-1].text == expected.intent_explicit
    assert PAGE in question.intent_explicit


async def test_without_the_model_the_heuristic_completes_and_that_is_said(sample_wiki: Application) -> None:
    question, trace, _ = await complete(sample_wiki, ModelUnavailable("The model is down."))
    assert PAGE in question.intent_explicit
    assert trace.notices == (TraceNotice(NoticeKind.COMPLETED_WITHOUT_MODEL, Failure.UNAVAILABLE),)


async def test_a_setting_that_has_to_be_corrected_is_an_error(sample_wiki: Application) -> None:
    with pytest.raises(ModelRejected):
        await complete(sample_wiki, ModelRejected("The key is wrong."))


async def test_a_first_question_is_not_sent_to_the_model(sample_wiki: Application) -> None:
    question, _, model = await complete(sample_wiki, GOOD, history=[])
    assert question == Question(FOLLOW_UP, FOLLOW_UP)
    assert model.prompts == []


def test_what_people_said_to_each_other_is_shown_with_their_names() -> None:
    history = [
        HistoryMessage("user", "Who is on call at night?", "Ada"),
        HistoryMessage("assistant", "Platform on-call.", subject="On-call handbook"),
        HistoryMessage("user", "I only need to know about the Berlin towers.", "Ben"),
    ]
    prompt = render_completion_prompt("And at the weekend?", list_exchanges(history)).messages[-1].text
    assert "Question (Ada): Who is on call at night?\nAnswer: Platform on-call.\nPage: On-call handbook" in prompt
    assert "Question (Ben): I only need to know about the Berlin towers.\n" in prompt


def test_without_names_nothing_stands_for_them() -> None:
    prompt = render_completion_prompt(
        "And at the weekend?", list_exchanges([HistoryMessage("user", "Who is on call?")])
    )
    assert "\nQuestion: Who is on call?\n" in prompt.messages[-1].text


EARLIER = ["What is the hotel limit per night in the Netherlands?"]
CONVERSATION = [*EARLIER, "140 euros per night. [1]", "Travel and expenses policy 2026"]


def reason(candidate: str, question: str = "And in Germany?") -> Rejection | None:
    return find_rejection(candidate, question, CONVERSATION, EARLIER)[0]


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
    found, words = find_rejection(candidate, "And in Germany?", CONVERSATION, EARLIER)
    assert found is Rejection.INVENTS_WORDS
    assert word in words


def test_the_questions_own_words_must_stay() -> None:
    dropped = (Rejection.DROPS_WORDS, ("germany",))
    assert find_rejection("What is the hotel limit per night?", "And in Germany?", CONVERSATION, EARLIER) == dropped
    dropped = (Rejection.DROPS_WORDS, ("tpm",))
    assert find_rejection("Which BIOS was used?", "And what about TPM?", ["Which BIOS was used?"], []) == dropped


def test_an_earlier_question_is_no_completion() -> None:
    assert find_rejection(EARLIER[0], "And why?", CONVERSATION, EARLIER) == (Rejection.REPEATS, ())
    said = ["Is a hotel in Germany within the limit?"]
    found = find_rejection("Is a hotel in Germany within the limit?", "And in Germany?", said, said)
    assert found == (Rejection.REPEATS, ())


def test_a_completion_keeps_its_language() -> None:
    question = "Wer genehmigt das und wie hoch ist es im Hotel?"
    found = find_rejection("Who genehmigt the hotel and is it hoch?", question, CONVERSATION, [])
    assert found == (Rejection.OTHER_LANGUAGE, ())


@pytest.mark.parametrize("candidate", ["", "?", "Germany?\nThe answer is 140 euros.", "Germany " * 200])
def test_what_is_not_one_question_is_not_taken(candidate: str) -> None:
    assert reason(candidate)


@given(st.text(max_size=80), st.text(max_size=80))
def test_the_question_itself_may_always_be_taken_unless_it_says_nothing(question: str, said: str) -> None:
    first = question.split("\n")[0]
    assert find_rejection(first, first, [said], [])[0] in (None, Rejection.NOT_ONE_QUESTION)


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
    assert extract_question(text) == question
