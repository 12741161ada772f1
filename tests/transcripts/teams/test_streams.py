"""Conversations with a language model: answers end a stream in personal chats and are posted elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.chat import answer_stream
from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat
from tests.servers.faults import Fault
from tests.servers.scripted_model import Reply, ScriptedModel
from tests.servers.teams import Message, TeamsWorld

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {"suggestions": "off", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}


NETHERLANDS = "The hotel limit per night in the Netherlands is €165. [1]"
TAX = "Hotel limits include breakfast and tax. [1]"
FEMKE = "A hotel above the limit is approved by Femke Oosterlaak before it is booked. [1]"


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


@pytest.fixture
def _slow(monkeypatch: pytest.MonkeyPatch, model: ScriptedModel) -> Iterator[None]:
    """The model writes three statements slowly."""
    monkeypatch.setattr(answer_stream, "DELAY", 0.2)
    monkeypatch.setattr(answer_stream, "PAUSE", 0.2)
    usual, model.script = model.script, [Reply(f"{NETHERLANDS} {TAX} {FEMKE}", pause=0.08)]
    yield
    model.script = usual


@pytest.mark.usefixtures("_slow")
def test_in_a_personal_chat_checked_statements_are_shown_while_a_slow_model_writes(
    chat: Chat, teams: TeamsWorld
) -> None:
    thread = chat.writes("Ada", HOTEL)
    thread.bot_says("€165", "breakfast", "Femke")
    chat.settles()
    message = get_only(teams.answers(thread.channel))
    assert message.stream
    assert message.stream.state == "final"
    assert message.stream.texts[0] == NETHERLANDS
    assert message.text.startswith(message.stream.texts[-1])
    assert message.ai_generated
    assert message.citations
    assert message.cards


@pytest.mark.usefixtures("_slow")
def test_no_more_is_shown_after_stop(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)

    def begun() -> Message | None:
        return next((one for one in teams.answers(thread.channel) if one.stream and one.stream.texts), None)

    message = chat.awaited(begun, lambda: "the answer was to begin")
    teams.cancel_stream(thread.channel, message.id)
    chat.settles()
    assert message.stream
    assert message.stream.state == "cancelled"
    assert not get_only(teams.answers(thread.channel)).cards


@pytest.mark.usefixtures("_slow")
def test_a_response_that_is_lost_does_not_stop_the_stream(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.writes("Ada", HOTEL)
    chat.awaited(lambda: teams.answers(thread.channel), lambda: "a stream was to begin")
    teams.faults.add("typing", Fault(drop_after=True))
    thread.bot_says("€165", "breakfast", "Femke")
    chat.settles()
    message = get_only(teams.answers(thread.channel))
    assert message.stream
    assert message.stream.state == "final"


@pytest.mark.usefixtures("_slow")
def test_in_a_channel_an_answer_is_not_streamed(chat: Chat, teams: TeamsWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "breakfast", "Femke")
    chat.settles()
    assert get_only(teams.answers(chat.channel, thread.root)).stream is None
