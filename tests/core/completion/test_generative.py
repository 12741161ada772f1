from __future__ import annotations

import pytest

from bot.wiring import Application
from core.completion.generative import GenerativeCompleter, completion_prompt, exchanges_of
from core.completion.heuristic import HeuristicCompleter
from core.errors import ModelRejected, ModelUnavailable
from core.model import Failure, Message, NoticeKind, Question, Scope, Trace, TraceNotice
from core.trace import Tracer
from tests.core.scripted import Reply, ScriptedModel

PAGE = "Travel and expenses policy 2026"
HISTORY = [
    Message("user", "What is the hotel limit per night in the Netherlands in 2026?"),
    Message("assistant", "140 euros. [1]", subject=PAGE),
]
FOLLOW_UP = "And in Germany?"
GOOD = f"What is the hotel limit per night in Germany ({PAGE})?"


async def complete(
    application: Application, *replies: Reply, question: str = FOLLOW_UP, history: list[Message] = HISTORY
) -> tuple[Question, Trace, ScriptedModel]:
    model, tracer = ScriptedModel(*replies), Tracer(lambda: 0.0)
    completer = GenerativeCompleter(model, HeuristicCompleter(application.retriever))
    return await completer.complete(question, history, Scope(), tracer), tracer.trace, model


async def test_a_good_proposal_is_taken_at_once(sample_wiki: Application) -> None:
    question, trace, model = await complete(sample_wiki, GOOD)
    assert question == Question(FOLLOW_UP, GOOD)
    assert [candidate.rejected for candidate in trace.candidates] == [None]
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
    assert [bool(candidate.rejected) for candidate in trace.candidates] == [True, True, False]
    assert [sampling.temperature > 0 for sampling in model.samplings] == [False, True, True]


@pytest.mark.parametrize("reply", ["What does breakfast cost?", FOLLOW_UP, "", HISTORY[0].text])
async def test_otherwise_the_heuristic_completes(sample_wiki: Application, reply: str) -> None:
    question, trace, _ = await complete(sample_wiki, reply)
    expected = await sample_wiki.completer.complete(FOLLOW_UP, HISTORY, Scope(), Tracer(lambda: 0.0))
    assert question == expected
    assert trace.candidates[-1].text == expected.intent_explicit
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
        Message("user", "Who is on call at night?", "Ada"),
        Message("assistant", "Platform on-call.", subject="On-call handbook"),
        Message("user", "I only need to know about the Berlin towers.", "Ben"),
    ]
    prompt = completion_prompt("And at the weekend?", exchanges_of(history)).messages[-1].text
    assert "Question (Ada): Who is on call at night?\nAnswer: Platform on-call.\nPage: On-call handbook" in prompt
    assert "Question (Ben): I only need to know about the Berlin towers.\n" in prompt


def test_without_names_nothing_stands_for_them() -> None:
    prompt = completion_prompt("And at the weekend?", exchanges_of([Message("user", "Who is on call?")]))
    assert "\nQuestion: Who is on call?\n" in prompt.messages[-1].text
