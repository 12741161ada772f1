"""What asks no language model can be done in another process, which gets it as data."""

import pickle
from dataclasses import replace
from typing import TypeVar

import pytest

from bot.wiring import Application
from core.answering.answerer import Listeners
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.completion.generative import GenerativeCompleter
from core.conversation import Assistant, QuestionToAnswer
from core.model import Author, HistoryMessage
from core.work import Work, WorkForModel
from tests.core.scripted import ScriptedModel

T = TypeVar("T")

LIMIT = "What is the hotel limit per night in Germany in 2026?"


class _Elsewhere:
    """Does the work as another process would, and keeps the names of the works."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self.done: list[str] = []

    async def run(self, work: Work[T], assistant: Assistant | None = None) -> T:
        result = await pickle.loads(pickle.dumps(work)).run(assistant or self._assistant)
        self.done.append(type(work).__name__)
        returned: T = pickle.loads(pickle.dumps(result))
        return returned


@pytest.mark.parametrize("asks_model", [False, True])
async def test_a_first_question_is_one_work(sample_wiki: Application, asks_model: bool) -> None:
    elsewhere = _Elsewhere(sample_wiki.make_assistant())
    assistant = replace(sample_wiki.make_assistant(), run_work=elsewhere.run, model_completes=asks_model)
    evidences: list[int] = []
    turn = await assistant.answer_question(
        QuestionToAnswer("t", "c", "", "What is a strike train?"),
        Listeners(on_evidences=lambda found: evidences.append(len(found))),
    )
    assert turn.answer.answered
    assert elsewhere.done == ["EvidenceWork" if asks_model else "AnswerWork"]
    assert evidences == [len(turn.evidences)]
    assert turn.timings_ms["embed"] > 0


async def test_a_language_model_is_all_that_the_server_waits_for_itself(sample_wiki: Application) -> None:
    local = sample_wiki.make_assistant()
    elsewhere = _Elsewhere(local)
    helper = WorkForModel(elsewhere.run)
    model = ScriptedModel("And in Austria?", "The limit is €120. [1]")
    extractive = ExtractiveAnswerer(sample_wiki.matcher)
    assistant = replace(
        local,
        completer=GenerativeCompleter(model, helper),
        answerer=GenerativeAnswerer(model, sample_wiki.embedder, extractive, finder=helper),
        run_work=elsewhere.run,
        model_completes=True,
        model_answers=True,
    )
    history = [HistoryMessage("user", LIMIT), HistoryMessage("assistant", "€140.", "Travel and expenses policy 2026")]
    turn = await assistant.answer_question(QuestionToAnswer("t", "c", "", "And in Austria?", history))
    assert sorted(elsewhere.done) == ["EvidenceWork", "ExtractiveWork", "FollowUpWork"]
    assert "hotel limit per night in Austria" in turn.question.intent_explicit
    assert turn.answer.author is Author.MODEL
