"""Answers of a slow model, streamed: whole checked statements, then the rest with the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.slack import streams
from bot.chat import answer_stream
from tests.contracts.conversation import HOTEL
from tests.contracts.transcript import Chat, Thread
from tests.servers.scripted_model import Reply, Request, ScriptedModel
from tests.servers.slack import Fault, SlackWorld
from tests.servers.slack.state import Message

pytestmark = pytest.mark.slow

NETHERLANDS = "The hotel limit per night in the Netherlands is €165. [1]"
TAX = "Hotel limits include breakfast and tax. [1]"
FEMKE = "A hotel above the limit is approved by Femke Oosterlaak before it is booked. [1]"
INVENTED = "Every guest receives forty umbrellas made of blue glass by courier. [1]"
WHOLE = f"{NETHERLANDS} {TAX} {FEMKE}"


class Script:
    """What the model writes: ``text``, with pauses between words."""

    def __init__(self) -> None:
        self.text, self.pause, self.cut_after = WHOLE, 0.05, None

    def reply(self, request: Request) -> Reply:
        return Reply(self.text, pause=self.pause, cut_after=self.cut_after)


@pytest.fixture(scope="module")
def script() -> Script:
    return Script()


@pytest.fixture(scope="module")
def model(script: Script) -> Iterator[ScriptedModel]:
    with ScriptedModel([script.reply]) as model:
        yield model


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> Iterator[dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_STARTS", 1_000)  # of all tests
        given = {"llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}
        yield {"suggestions": "off", **given}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch, script: Script, slack: SlackWorld) -> None:
    monkeypatch.setattr(answer_stream, "DELAY", 0.2)
    monkeypatch.setattr(answer_stream, "PAUSE", 0.2)
    slack.rates.clear()
    script.__init__()  # type: ignore[misc]


def calls_in(slack: SlackWorld) -> list[str]:
    """The calls that write, in order."""
    writing = ("chat.postMessage", "chat.update", "chat.startStream", "chat.appendStream", "chat.stopStream")
    return [call.method.removeprefix("chat.") for call in slack.calls if call.method in (*writing, "chat.delete")]


def answer_in(slack: SlackWorld, thread: Thread) -> Message:
    (message,) = slack.answers(thread.channel, thread.root)
    return message


def test_a_slow_answer_is_streamed_and_ends_with_sources_and_buttons(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    shown = thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    chat.settles()
    made = calls_in(slack)
    assert made[0] == "startStream"
    assert made[-1] == "stopStream"
    assert set(made[1:-1]) <= {"appendStream"}
    assert {"Explain", "Sources", "Helpful"} <= set(shown.buttons)
    message = answer_in(slack, thread)
    assert message.text.startswith("The hotel limit per night in the Netherlands")
    assert not message.edited_at
    thread.clicks("Ada", "Sources")
    chat.sees_alone("Ada", "Travel and expenses")


def test_a_fast_answer_is_posted_as_a_whole(chat: Chat, slack: SlackWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_stream, "DELAY", 30.0)
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "Femke")
    chat.settles()
    assert calls_in(slack) == ["postMessage"]


def test_texts_that_slack_does_not_take_now_come_with_the_end(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("chat.appendStream", Fault(status=429, retry_after=60), times=None)
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    chat.settles()
    assert calls_in(slack)[-1] == "stopStream"
    assert not answer_in(slack, thread).edited_at


def test_a_stream_that_has_died_is_updated_once(chat: Chat, slack: SlackWorld, script: Script) -> None:
    slack.workspace.stream_life = 0.3
    thread = chat.asks("Ada", HOTEL)
    shown = thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    slack.workspace.stream_life = 300.0
    chat.settles()
    assert "Explain" in shown.buttons
    assert calls_in(slack)[-1] == "update"
    assert calls_in(slack).count("update") == 1


@pytest.mark.parametrize("method", ["chat.startStream", "chat.appendStream", "chat.stopStream"])
def test_a_lost_response_leaves_one_whole_message(chat: Chat, slack: SlackWorld, method: str) -> None:
    slack.faults.add(method, Fault(drop_after=True))
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    chat.settles()
    message = answer_in(slack, thread)
    assert not message.streaming
    assert "chat." + calls_in(slack)[-1] in {"chat.update", "chat.stopStream"}


def test_what_has_no_source_is_not_streamed(chat: Chat, slack: SlackWorld, script: Script) -> None:
    script.text = f"{NETHERLANDS} {INVENTED} {TAX} {FEMKE}"
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "umbrellas made of blue glass by courier. [?]", "Femke")
    chat.settles()
    streamed = [str(call.arguments["markdown_text"]) for call in slack.calls if call.method == "chat.startStream"]
    assert [text.count("umbrellas") for text in streamed] == [0]
    assert calls_in(slack) == ["startStream", "stopStream"]


def test_a_follow_up_begins_with_the_completed_question(chat: Chat, slack: SlackWorld, script: Script) -> None:
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165")
    chat.settles()
    slack.calls.clear()
    thread.says("Ada", "And with breakfast?")
    thread.bot_says("Understood as:", "€165", "Femke")
    chat.settles()
    assert "startStream" in calls_in(slack)
    assert calls_in(slack)[-1] == "stopStream"


def await_stream(chat: Chat, slack: SlackWorld, thread: Thread) -> None:
    def begun() -> bool:
        return any(message.streaming for message in slack.answers(thread.channel, thread.root))

    chat.awaited(begun, lambda: f"the answer was to begin: {thread.written()}")


def test_stop_takes_back_what_was_shown(chat: Chat, slack: SlackWorld, script: Script) -> None:
    script.pause = 0.15
    thread = chat.asks("Ada", HOTEL)
    await_stream(chat, slack, thread)
    slack.stop(chat.user("Ada"), thread.channel, thread.root)
    chat.awaited(lambda: not slack.answers(thread.channel, thread.root), thread.written)
    thread.bot_is_silent()
    assert not chat.turns(thread)
    assert "postMessage" not in calls_in(slack)
    thread.calls("Ada", HOTEL)
    thread.bot_says("€165")


def test_a_stream_that_somebody_else_stopped_becomes_the_whole_answer(
    chat: Chat, slack: SlackWorld, script: Script
) -> None:
    script.pause = 0.15
    thread = chat.asks("Ada", HOTEL)
    await_stream(chat, slack, thread)
    slack.stop(chat.user("Ben"), thread.channel, thread.root)
    chat.told("Ben", "Only the person who asked the question can stop its answer.")
    shown = thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    chat.settles()
    assert "Explain" in shown.buttons
    assert len(chat.turns(thread)) == 1
    assert len(slack.answers(thread.channel, thread.root)) == 1


def test_a_question_edited_while_its_answer_is_streamed(chat: Chat, slack: SlackWorld, script: Script) -> None:
    script.pause = 0.15
    thread = chat.asks("Ada", HOTEL)
    await_stream(chat, slack, thread)
    script.text, script.pause = "In Germany the hotel limit per night is €150. [1]", 0.0
    chat.world.edit(thread.channel, thread.root, f"<@{slack.bot}> {HOTEL.replace('Netherlands', 'Germany')}")
    thread.bot_says("€150")
    thread.bot_is_silent()
    message = answer_in(slack, thread)
    assert not message.streaming
    assert "€165" not in message.text


def test_a_question_deleted_while_its_answer_is_streamed(chat: Chat, slack: SlackWorld, script: Script) -> None:
    script.pause = 0.15
    thread = chat.asks("Ada", HOTEL)
    await_stream(chat, slack, thread)
    chat.world.delete(thread.channel, thread.root)
    chat.awaited(lambda: not slack.answers(thread.channel, thread.root), thread.written)
    chat.settles()
    assert not slack.answers(thread.channel, thread.root)


@pytest.mark.parametrize("status", [403, 404, 413])
def test_a_beginning_that_slack_does_not_let_end_is_replaced_by_the_whole_answer(
    chat: Chat, slack: SlackWorld, status: int
) -> None:
    slack.faults.add("chat.stopStream", Fault(status=status), times=None)
    thread = chat.asks("Ada", HOTEL)
    shown = thread.bot_says("€165", "breakfast", "Femke", "Travel and expenses policy")
    assert "Explain" in shown.buttons
    thread.bot_is_silent()
    assert len(slack.answers(thread.channel, thread.root)) == 1
    assert not chat.world.alone(chat.user("Ada"))
    thread.clicks("Ada", "Sources")
    chat.sees_alone("Ada", "Travel and expenses")


def test_the_whole_answer_follows_a_beginning_that_can_neither_end_nor_be_deleted(
    chat: Chat, slack: SlackWorld
) -> None:
    for method in ("chat.stopStream", "chat.delete"):
        slack.faults.add(method, Fault(error="restricted_action"), times=None)
    thread = chat.asks("Ada", HOTEL)
    chat.awaited(lambda: len(thread.bots) == 2, thread.written)
    chat.settles()
    beginning, answer = thread.bots
    assert not beginning.buttons
    assert answer.says("€165", "Femke", "Travel and expenses policy")
    assert "Explain" in answer.buttons
    assert not chat.world.alone(chat.user("Ada"))


def test_a_beginning_of_an_edited_question_that_slack_does_not_let_end_is_replaced(
    chat: Chat, slack: SlackWorld, script: Script
) -> None:
    script.pause = 0.15
    slack.faults.add("chat.stopStream", Fault(status=403), times=None)
    thread = chat.asks("Ada", HOTEL)
    await_stream(chat, slack, thread)
    script.text, script.pause = "In Germany the hotel limit per night is €150. [1]", 0.0
    chat.world.edit(thread.channel, thread.root, f"<@{slack.bot}> {HOTEL.replace('Netherlands', 'Germany')}")
    chat.awaited(lambda: thread.bots and thread.bots[0].says("€150"), thread.written)
    chat.settles()
    assert "€165" not in answer_in(slack, thread).text
    assert not chat.world.alone(chat.user("Ada"))


def test_an_answer_is_posted_as_a_whole_while_slack_starts_no_streams(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("chat.startStream", Fault(status=429, retry_after=60), times=None)
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "Femke", "Travel and expenses policy")
    chat.settles()
    assert calls_in(slack) == ["startStream", "postMessage"]
    assert len(slack.answers(thread.channel, thread.root)) == 1
