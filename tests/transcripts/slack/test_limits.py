"""Conversations with a language model: messages per answer, history, limits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat
from tests.servers.scripted_model import ScriptedModel
from tests.servers.slack import SlackWorld


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {
        "suggestions": "off", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted",
        "limit_person": 2, "limit_channel": 3, "daily_tokens": 100_000,
    }  # fmt: skip


def test_a_question_takes_one_status_and_one_message_and_no_update(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "[1]")
    thread.bot_is_silent()
    called = [call.method for call in slack.calls if call.method.startswith(("chat.", "assistant."))]
    assert called == ["assistant.threads.setStatus", "chat.postMessage"]
    assert not [call for call in slack.calls if call.error]


def test_the_model_knows_the_first_question_of_a_thread_and_who_said_what_last(
    chat: Chat, model: ScriptedModel
) -> None:
    thread = chat.begins("Ada", HOTEL)
    for at in range(8):
        thread.says("Ben", f"We should ask tower {at}.")
    model.requests.clear()
    thread.calls("Ben", "And in Germany?")
    thread.bot_says("€150")  # of the wiki: the model's answer is about another country
    asked = next(request.question for request in model.requests if "Rewritten:" in request.question)
    assert all(part in asked for part in (HOTEL, "tower 7", "ben"))


def test_too_many_questions_are_refused(chat: Chat) -> None:
    for _ in range(2):
        chat.asks("Ada", HOTEL, times=2).bot_says("€165")
    chat.asks("Ada", HOTEL).bot_says("You have asked many questions in a short time", "60 seconds")
    chat.asks("Ben", HOTEL).bot_says("€165")
    chat.asks("Ben", HOTEL).bot_says("Many questions were asked in this channel")


def test_the_daily_token_budget_is_enforced(chat: Chat) -> None:
    spent = chat.bot.application.tokens
    chat.asks("Ada", HOTEL).bot_says("€165")
    chat.settles()
    day = datetime.now(UTC).date().isoformat()
    assert chat.bot.run(spent.load(day)) > 0
    chat.bot.run(spent.add(day, 100_000))
    chat.asks("Ben", HOTEL).bot_says("Today's budget for the language model is used up")
    chat.bot.run(spent.add(day, -100_000))
