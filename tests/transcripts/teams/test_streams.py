"""Conversations with a language model: answers end a stream in personal chats and are posted elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat
from tests.servers.faults import Fault
from tests.servers.scripted_model import ScriptedModel
from tests.servers.teams import Message, TeamsWorld


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {"suggestions": "off", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}


def get_only(messages: list[Message]) -> Message:
    (message,) = messages
    return message


def test_in_a_personal_chat_an_answer_ends_the_stream(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    chat.settles()
    message = get_only(teams.answers(thread.channel))
    assert message.stream
    assert message.stream.state == "final"
    assert message.stream.informed
    assert message.ai_generated
    assert message.citations


def test_without_streams_an_answer_is_posted(chat: Chat, teams: TeamsWorld) -> None:
    teams.streams = False
    thread = chat.writes("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    thread.bot_is_silent()
    teams.streams = True


def test_a_stopped_answer_is_not_posted(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    message = chat.awaited(lambda: teams.answers(thread.channel), lambda: "a stream was to begin")[0]
    teams.cancel_stream(thread.channel, message.id)
    chat.settles()
    assert not get_only(teams.answers(thread.channel)).cards


def test_a_question_edited_during_its_stream_has_one_answer(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    chat.awaited(lambda: teams.answers(thread.channel), lambda: "a stream was to begin")
    edited = HOTEL.replace("2026", "the year 2026")
    chat.world.edit(thread.channel, thread.root, edited)
    chat.settles()
    message = get_only(teams.answers(thread.channel))
    assert message.stream is None or message.stream.state == "final"
    assert message.citations
    assert [turn.question.as_asked for turn in chat.turns(thread)] == [edited]


def test_a_question_deleted_during_its_stream_has_no_answer(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    chat.awaited(lambda: teams.answers(thread.channel), lambda: "a stream was to begin")
    chat.world.delete(thread.channel, thread.root)
    chat.settles()
    assert not teams.answers(thread.channel)
    assert not chat.turns(thread)


@pytest.mark.parametrize("status", [403, 404])
def test_a_stream_that_ended_early_leaves_nothing(chat: Chat, teams: TeamsWorld, status: int) -> None:
    teams.faults.add("post", Fault(status=status))  # the stream's beginning is no post yet
    thread = chat.writes("Ada", HOTEL)
    thread.bot_says("€165")
    chat.settles()
    assert get_only(teams.answers(thread.channel)).stream is None


def test_in_a_channel_an_answer_is_one_message_after_typing(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165", "[1]", "Travel and expenses policy").buttons
    chat.settles()
    message = get_only(teams.answers(chat.channel, thread.root))
    assert message.stream is None
    assert message.updates == []
    assert message.ai_generated
    assert teams.typing(message.conversation)
