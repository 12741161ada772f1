"""Stopping a question while it is being answered removes it from the conversation."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.chat.service import Stopped
from bot.threads import Threads
from bot.wiring import Application, now
from core.answering.answerer import Listeners
from core.conversation import QuestionToAnswer
from core.model import Turn
from core.ports.chat import Command, IncomingMessage, Place
from tests.bot.chat.chatting import chatting, until
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import SlackWorld

QUESTION = "Who approves travel?"


@dataclass
class Answering:
    """Records what is asked, and answers when ``may_answer`` is set."""

    asked: list[QuestionToAnswer] = field(default_factory=list)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer_question(self, ask: QuestionToAnswer, listeners: Listeners) -> Turn:
        self.asked.append(ask)
        await self.may_answer.wait()
        return turn(ask.turn_id, ask.conversation_id, ask.asked_at, scope=ask.scope)


@dataclass
class Room:
    """A channel with Ada in it, and the bot."""

    world: SlackWorld
    application: Application
    answering: Answering
    chat: Chat
    ada: str
    channel: str

    def place(self, thread: str) -> Place:
        return Place("slack", self.world.team, self.channel, thread)

    async def asks(self, text: str, thread: str = "") -> str:
        """Ask a question, and return the message's id when answering has begun."""
        message_id = self.world.say(self.ada, self.channel, f"<@{self.world.bot}> {text}", thread=thread or None)
        place = self.place(thread or message_id)
        before = len(self.answering.asked)
        await self.chat.service.handle_message(
            IncomingMessage(place, message_id, self.ada, text, True, reply=bool(thread))
        )
        await until(lambda: len(self.answering.asked) > before)
        return message_id

    async def kept(self, thread: str) -> list[str]:
        """Return the stored texts of the thread."""
        return [each.text for each in await self.application.threads.load_messages(self.place(thread).conversation_id)]


@pytest.fixture
async def room(
    world: SlackWorld, application: Application, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Room]:
    answering = Answering()
    monkeypatch.setattr(application, "make_assistant", lambda: answering, raising=False)
    await application.pages.replace([indexed_page("1", space="ENG")])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    ada = world.add_user("ada")
    async with chatting(application, platform) as chat:
        yield Room(world, application, answering, chat, ada, world.add_channel("eng", members=[ada]))


async def test_a_stopped_question_is_not_part_of_the_history(room: Room) -> None:
    thread = await room.asks(QUESTION)
    assert await room.kept(thread) == [QUESTION]
    assert (await room.chat.service.stop(room.place(thread), room.ada)).own
    assert await room.kept(thread) == []
    await room.asks("And who pays?", thread)  # reads the thread, in which the stopped question still stands
    assert room.answering.asked[-1].history == ()
    assert await room.kept(thread) == ["And who pays?"]


async def test_only_the_stopped_question_of_a_thread_is_removed(room: Room) -> None:
    root = room.world.say(room.ada, room.channel, "We plan a trip.")
    await room.asks(QUESTION, root)
    await room.chat.service.stop(room.place(root), room.ada)
    assert await room.kept(root) == ["We plan a trip."]


async def test_nobody_stops_the_answer_of_another_person(room: Room) -> None:
    thread = await room.asks(QUESTION)
    for other in (room.world.add_user("ben"), "", f" {room.ada}"):
        assert await room.chat.service.stop(room.place(thread), other) == Stopped(own=False, others=True)
    assert await room.kept(thread) == [QUESTION]
    room.answering.may_answer.set()
    await until(lambda: room.world.answers(room.channel, thread))


async def test_a_repeated_delivery_does_not_stop_a_question_that_was_asked_later(room: Room) -> None:
    thread = await room.asks(QUESTION)
    pressed_at = f"{float(thread) + 0.5:.6f}"
    assert (await room.chat.service.stop(room.place(thread), room.ada, pressed_at=pressed_at)).own
    later = await room.asks("And who pays?", thread)
    repeated = f"{float(later) - 0.000001:.6f}"
    stopped = await room.chat.service.stop(room.place(thread), room.ada, pressed_at=repeated)
    assert stopped == Stopped(own=False, others=False)
    assert (await room.chat.service.stop(room.place(thread), room.ada, pressed_at=f"{float(later) + 1:.6f}")).own


async def test_an_answer_that_was_finished_after_its_stream_was_stopped_is_taken_back(room: Room) -> None:
    thread = await room.asks(QUESTION)
    room.answering.may_answer.set()
    await until(lambda: room.world.answers(room.channel, thread))
    ended = [message.ts for message in room.world.answers(room.channel, thread)]
    ben = room.world.add_user("ben")
    assert await room.chat.service.stop(room.place(thread), ben, ended) == Stopped(own=False, others=True)
    assert room.world.answers(room.channel, thread)
    assert await room.chat.service.stop(room.place(thread), room.ada, ended) == Stopped(own=True, others=False)
    assert not room.world.answers(room.channel, thread)
    assert await room.kept(thread) == []


async def test_a_question_by_command_is_removed_too(room: Room) -> None:
    command = Command(room.place(""), room.ada, tuple(QUESTION.split()), "13.4")
    assert await room.chat.service.ask_by_command(command, command.place, "en") is None
    await until(lambda: room.answering.asked)
    (thread,) = room.world.channel(room.channel).messages
    assert await room.kept(thread) == [QUESTION]
    await room.chat.service.stop(room.place(thread), room.ada)
    assert await room.kept(thread) == []


async def test_a_turn_that_is_being_stored_is_removed_too(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, storing, keep = Threads(), asyncio.Event(), room.application.turns.save
    loop = asyncio.get_running_loop()
    loop.set_default_executor(threads)
    room.application.wait_for_threads = threads.wait_until_idle

    def keep_slowly(made: Turn) -> None:
        loop.call_soon_threadsafe(storing.set)
        time.sleep(0.5)
        asyncio.run(keep(made))

    monkeypatch.setattr(room.application.turns, "save", lambda made: asyncio.to_thread(keep_slowly, made))
    thread = await room.asks(QUESTION)
    room.answering.may_answer.set()
    await storing.wait()
    await room.chat.service.stop(room.place(thread), room.ada)
    await threads.wait_until_idle()
    assert await room.application.turns.load_newest(room.place(thread).conversation_id, 1_000) == []


@dataclass
class Responses:
    """Slack's responses to posts, which take some seconds. ``posted``: set when Slack has a message."""

    seconds: float = 0.0
    posted: asyncio.Event = field(default_factory=asyncio.Event)


@pytest.fixture
def responses(monkeypatch: pytest.MonkeyPatch) -> Responses:
    made, post = Responses(), SlackPlatform.post

    async def post_and_wait(self: SlackPlatform, *given: Any) -> str:
        message_id = await post(self, *given)
        made.posted.set()
        await asyncio.sleep(made.seconds)
        return message_id

    monkeypatch.setattr(SlackPlatform, "post", post_and_wait)
    return made


@pytest.mark.parametrize("seconds", [0.5, 60.0])
async def test_an_answer_whose_response_is_outstanding_is_taken_back(
    room: Room, responses: Responses, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    responses.seconds = seconds
    monkeypatch.setattr("bot.chat.message_poster._GRACE", 1.0)
    thread = await room.asks(QUESTION)
    room.answering.may_answer.set()
    await asyncio.wait_for(responses.posted.wait(), 60)
    assert len(room.world.answers(room.channel, thread)) == 1
    assert (await room.chat.service.stop(room.place(thread), room.ada)).own
    assert room.world.answers(room.channel, thread) == []
    (post,) = await room.application.posts.find_in_conversation(room.place(thread).conversation_id)
    assert (post.message_id, post.finished) == ("", True)
    looked = [call for call in room.world.calls if call.method == "conversations.replies"]
    assert bool(looked) == (seconds > 1), "the message is looked up only if its id is not known"


async def test_a_message_that_cannot_be_found_is_deleted_when_its_late_response_comes(
    room: Room, responses: Responses, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_nothing(self: SlackPlatform, place: Place, key: str) -> None:
        """As in Teams, which cannot look for messages."""

    monkeypatch.setattr(SlackPlatform, "find_message", find_nothing)
    monkeypatch.setattr("bot.chat.message_poster._GRACE", 0.1)
    responses.seconds = 2.0
    thread = await room.asks(QUESTION)
    room.answering.may_answer.set()
    await asyncio.wait_for(responses.posted.wait(), 60)
    assert (await room.chat.service.stop(room.place(thread), room.ada)).own
    assert room.world.answers(room.channel, thread)
    await until(lambda: not room.world.answers(room.channel, thread))
    (post,) = await room.application.posts.find_in_conversation(room.place(thread).conversation_id)
    assert (post.message_id, post.finished) == ("", True)


async def test_no_message_is_looked_up_where_none_was_posted(room: Room) -> None:
    thread = await room.asks(QUESTION)
    await room.chat.service.stop(room.place(thread), room.ada)
    assert not [call for call in room.world.calls if call.method == "conversations.replies"]
