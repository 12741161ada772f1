"""Stopping the bot while it works."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contracts.conversation import HOTEL, ask_about_hotels
from tests.contracts.transcript import Chat, Thread
from tests.servers.scripted_model import Reply, Request, ScriptedModel
from tests.servers.slack import SlackWorld


def reply_slowly(request: Request) -> Reply:
    return Reply("The hotel limit per night in the Netherlands is €165. [1]", pause=0.15)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel([reply_slowly]) as model:
        yield model


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {"suggestions": "off", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}


def await_model(chat: Chat, model: ScriptedModel) -> None:
    model.requests.clear()
    chat.awaited(lambda: model.requests, lambda: "the model was to be asked")


def await_status(chat: Chat, slack: SlackWorld, thread: Thread, there: bool) -> None:
    statuses = slack.channel(thread.channel).statuses
    chat.awaited(lambda: (thread.root in statuses) == there, lambda: f"the status was to be there: {there}")


def test_a_stopped_question_has_no_answer_and_no_turn(chat: Chat, slack: SlackWorld, model: ScriptedModel) -> None:
    thread = chat.asks("Ada", HOTEL)
    await_model(chat, model)
    await_status(chat, slack, thread, there=True)
    slack.stop(chat.user("Ada"), chat.channel, thread.root)
    await_status(chat, slack, thread, there=False)
    thread.bot_is_silent()
    time.sleep(2.5)
    thread.bot_is_silent()
    assert not chat.turns(thread)
    assert not [call for call in slack.calls if call.method == "chat.postMessage"]


def test_the_next_question_after_a_stop_is_answered(chat: Chat, slack: SlackWorld, model: ScriptedModel) -> None:
    thread = chat.asks("Ada", HOTEL)
    await_model(chat, model)
    slack.stop(chat.user("Ada"), chat.channel, thread.root)
    chat.settles()
    thread.calls("Ada", HOTEL)
    thread.bot_says("€165")
    thread.bot_is_silent()


def test_a_repeated_delivery_does_not_restart_a_stopped_question(
    chat: Chat, slack: SlackWorld, model: ScriptedModel
) -> None:
    thread = chat.asks("Ada", HOTEL)
    await_model(chat, model)
    slack.stop(chat.user("Ada"), chat.channel, thread.root)
    chat.settles()
    again = next(each.body for each in slack.deliveries if each.body.get("event", {}).get("ts") == thread.root)
    slack.event(again["event"], chat.channel)
    thread.bot_is_silent()


def test_only_the_person_who_asked_can_stop_an_answer(chat: Chat, slack: SlackWorld, model: ScriptedModel) -> None:
    thread = chat.asks("Ada", HOTEL)
    await_model(chat, model)
    slack.stop(chat.user("Ben"), chat.channel, thread.root)
    chat.told("Ben", "Only the person who asked the question can stop its answer.")
    assert not chat.world.alone(chat.user("Ada"))
    thread.bot_says("€165")
    assert len(chat.turns(thread)) == 1


def test_the_refusal_is_in_the_language_of_the_person_who_presses_stop(
    chat: Chat, slack: SlackWorld, model: ScriptedModel
) -> None:
    thread = chat.asks("Ada", HOTEL)
    slack.join(chat.user("Max", locale="de-DE"), chat.channel)
    await_model(chat, model)
    slack.stop(chat.user("Max"), chat.channel, thread.root)
    chat.told("Max", "Nur wer die Frage gestellt hat")
    thread.bot_says("€165")


def test_stop_ends_the_own_question_of_a_thread_and_not_that_of_others(
    chat: Chat, slack: SlackWorld, model: ScriptedModel
) -> None:
    thread = chat.asks("Ada", HOTEL)
    await_model(chat, model)
    thread.calls("Ben", "How many vacation days does a full-time Dutch contract have?")
    await_model(chat, model)
    slack.stop(chat.user("Ben"), chat.channel, thread.root)
    thread.bot_says("€165")
    chat.settles()
    thread.bot_is_silent()
    assert [turn.question.as_asked for turn in chat.turns(thread)] == [HOTEL]
    assert not chat.world.alone(chat.user("Ben"))


def test_stop_without_running_work_changes_nothing(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    slack.stop(chat.user("Ada"), chat.channel, thread.root)
    thread.bot_is_silent()
    assert len(chat.turns(thread)) == 1
