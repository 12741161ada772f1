"""Conversations with a language model: answers grow in personal chats, and are updated elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat
from tests.servers.scripted_model import ScriptedModel
from tests.servers.teams import Message, TeamsWorld


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {"suggestions": "off", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}


def only(messages: list[Message]) -> Message:
    (message,) = messages
    return message


def test_in_a_personal_chat_an_answer_grows_into_one_message(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    chat.settles()
    message = only(teams.answers(thread.channel))
    assert message.stream
    assert message.stream.state == "final"
    assert message.stream.informed
    assert message.stream.pieces == sorted(message.stream.pieces, key=len)
    assert message.ai_generated
    assert message.citations


@pytest.mark.parametrize("how", ["it dies", "a person stops it", "there are none"])
def test_an_answer_whose_stream_ends_early_comes_all_the_same(chat: Chat, teams: TeamsWorld, how: str) -> None:
    teams.streams, teams.stream_life = how != "there are none", 0.2 if how == "it dies" else 120.0
    thread = chat.writes("Ada", HOTEL)
    if how == "a person stops it":
        message = chat.awaited(lambda: teams.answers(thread.channel), lambda: "a stream was to begin")[0]
        teams.cancel_stream(thread.channel, message.id)
    chat.settles()
    teams.streams, teams.stream_life = True, 120.0
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    thread.bot_is_silent()


def test_in_a_channel_an_answer_is_seen_to_be_written(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    message = only(teams.answers(chat.channel, thread.root))
    assert message.stream is None
    assert any("The hotel limit" in update.text for update in message.updates)
    assert teams.typing(message.conversation) == 1
