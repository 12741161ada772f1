"""Answers whose access rights or audience change while they are made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.slack.platform import SlackPlatform
from adapters.store.wiki.evidences import SqlEvidenceStore
from bot.chat.connect import Chat
from bot.settings import load_settings
from bot.wiring import Application, now, open_application
from core.answering.answerer import Listeners
from core.conversation import QuestionToAnswer
from core.errors import DatabaseUnavailable, DataDirectoryUnusable
from core.model import Answer, Question, Scope, Suggestion, Turn
from core.model.views import Notice
from core.ports.chat import Click, IncomingMessage, Place
from core.ports.chat_stores import Post
from core.views.notices import choose_notice
from tests.bot.chat.chatting import chatting, until, wait_until_idle
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import Fault, SlackWorld

OPEN = indexed_page("1", ("Ann approves travel.",), space="ENG")
PAY = indexed_page("2", ("Bob earns 4,711 crowns.",), space="ENG")
HIDDEN_PAY = indexed_page("2", ("Bob earns 4,711 crowns.",), "ENG", (frozenset({"user:bob"}),))
CHANGED, NO_SPACE = (choose_notice(why, "en").text for why in ("changed", "no_spaces"))


@dataclass
class Answering:
    """Answers with the visible ones of two pages. ``during``: actions while it answers, one per answer."""

    application: Application
    during: list[Callable[[], Awaitable[object]]] = field(default_factory=list)
    asked: list[QuestionToAnswer] = field(default_factory=list)

    async def answer_question(self, ask: QuestionToAnswer, listeners: Listeners) -> Turn:
        self.asked.append(ask)
        visible = await self.application.evidences.filter_visible({"1", "2"}, ask.scope)
        used = tuple(page for page in (OPEN, PAY) if page.page.page_id in visible)
        text = " ".join(page.evidences[0].evidence.text for page in used)
        made = turn(ask.turn_id, ask.conversation_id, ask.asked_at, used, used[:1], text, ask.scope)
        listeners.note_evidences(made.evidences)
        await asyncio.sleep(0.05)
        if self.during:
            await self.during.pop(0)()
        return replace(made, question=Question(ask.question, ask.question))


@pytest.fixture
async def application(tmp_path: Path) -> AsyncIterator[Application]:
    with open_application(
        load_settings(data_dir=tmp_path / "data", default_spaces="ENG", suggestions="off")
    ) as application:
        await application.pages.replace([OPEN, PAY])
        await application.spaces.finish_sync("ENG", "folder x", now(), "")
        yield application


@pytest.fixture
def answering(application: Application, monkeypatch: pytest.MonkeyPatch) -> Answering:
    made = Answering(application)
    monkeypatch.setattr(application, "make_assistant", lambda: made, raising=False)
    return made


@dataclass
class Room:
    """A channel with Ada in it."""

    world: SlackWorld
    ada: str
    channel: str

    def place(self, thread: str) -> Place:
        return Place("slack", self.world.team, self.channel, thread)

    async def asks(self, chat: Chat, text: str = "Who approves what?") -> str:
        """Ask a question, wait for the answer, and return the thread."""
        thread = self.world.say(self.ada, self.channel, text)
        await chat.service.handle_message(IncomingMessage(self.place(thread), thread, self.ada, text, mentioned=True))
        await wait_until_idle(chat)
        return thread

    def now(self, thread: str) -> str:
        return " ".join(message.text for message in self.world.answers(self.channel, thread))


@pytest.fixture
def room(world: SlackWorld) -> Room:
    ada = world.add_user("ada")
    return Room(world, ada, world.add_channel("eng", members=[ada]))


async def test_a_page_restricted_while_an_answer_is_made_is_not_in_it(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    answering.during = [lambda: application.pages.replace([HIDDEN_PAY])]
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert "Ann approves travel." in room.now(thread)
    assert "4,711" not in room.now(thread)
    assert len(answering.asked) == 2
    assert "4,711" not in repr(await application.turns.load_newest(room.place(thread).conversation_id, 1_000))


async def test_a_page_restricted_while_its_answer_is_streamed_is_shown_no_more(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, shown, parts = answering.answer_question, list[bool](), list[object]()

    async def ask_and_show(asked: QuestionToAnswer, listeners: Any) -> Turn:
        made = await ask(asked, listeners)
        parts.append(listeners.on_part)
        if listeners.on_part:
            listeners.on_question(made.question)
            shown.append(await listeners.on_part.show(Answer("The code is 4,711.", True)))
            await application.pages.replace([HIDDEN_PAY])
            shown.append(await listeners.on_part.show(Answer("The code is 4,711. It is secret.", True)))
        return made

    monkeypatch.setattr(answering, "answer_question", ask_and_show)
    a_model = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "scripted"}
    monkeypatch.setattr(application, "settings", application.settings.model_copy(update=a_model))
    room.world.rates.clear()
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert shown == [True, False]
    assert parts[1:] == [None]
    assert room.now(thread).startswith("Ann approves travel.")
    (message,) = room.world.answers(room.channel, thread)
    assert "4,711" not in repr(message.blocks)
    assert not message.streaming


@pytest.mark.parametrize("text", ["Who approves what?", "?"])
async def test_a_reply_belongs_to_the_bot_s_thread_as_soon_as_its_message_is_there(
    room: Room,
    application: Application,
    platform: SlackPlatform,
    answering: Answering,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
) -> None:
    post, known = SlackPlatform.post, list[bool]()
    async with chatting(application, platform) as chat:

        async def post_and_look(self: SlackPlatform, place: Place, *given: Any) -> str:
            message_id = await post(self, place, *given)
            known.append(await chat.service.takes_part(place))
            return message_id

        monkeypatch.setattr(SlackPlatform, "post", post_and_look)
        await room.asks(chat, text)
    assert known == [True]


@pytest.mark.parametrize("error", [DatabaseUnavailable("It is away."), DataDirectoryUnusable("The disk is full.")])
async def test_a_question_waits_for_the_end_of_an_outage(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, error: Exception
) -> None:
    async def fail() -> None:
        raise error

    answering.during = [fail] * 5
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert "Ann approves travel." in room.now(thread)


async def test_rights_that_change_on_each_attempt_lead_to_a_notice(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def restrict() -> None:
        await application.pages.replace([HIDDEN_PAY])

    ask = answering.answer_question

    async def ask_when_open(*arguments: Any) -> Turn:
        await application.pages.replace([PAY])
        return await ask(*arguments)

    monkeypatch.setattr(answering, "answer_question", ask_when_open)
    answering.during = [restrict] * 9
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert len(answering.asked) == 3
    assert CHANGED in room.now(thread)
    assert "4,711" not in room.now(thread)


async def test_a_channel_shared_while_an_answer_is_made_gets_no_answer(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    async def share() -> None:
        room.world.share(room.channel)
        platform.audiences.forget(room.channel)

    answering.during = [share]
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert NO_SPACE in room.now(thread)
    assert await application.turns.load_newest(room.place(thread).conversation_id, 1_000) == []


async def test_a_page_restricted_between_storing_and_posting_is_not_shown(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = application.turns.save

    async def keep_and_restrict(made: Turn) -> None:
        await keep(made)
        await application.pages.replace([HIDDEN_PAY])

    monkeypatch.setattr(application.turns, "save", keep_and_restrict)
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert CHANGED in room.now(thread)
    assert "4,711" not in room.now(thread)


async def test_text_erased_between_storing_and_posting_is_not_shown(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = application.turns.save

    async def keep_and_erase(made: Turn) -> None:
        await keep(made)
        await application.pages.remove(["1"])
        await application.pages.replace([indexed_page("1", ("Cy approves travel.",), space="ENG")])  # visible again

    monkeypatch.setattr(application.turns, "save", keep_and_erase)
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert room.now(thread)
    assert "Ann" not in str(room.world.answers(room.channel, thread))


async def add_suggestion(application: Application, place: Place) -> None:
    """Store a copy of the place's turn as turn t9 under message 1.000009, with a suggestion from page 2."""
    (made,) = await application.turns.load_newest(place.conversation_id, 1_000)
    evidence = next(each.evidence for each in made.evidences if each.evidence.page_id == "2")
    suggestion = Suggestion("What does Bob earn?", evidence.evidence_id)
    await application.turns.add(replace(made, turn_id="t9", conversation_id="elsewhere", suggestions=(suggestion,)))
    await application.posts.save(Post("ask:t9", place, "1.000009", "t9", finished=True))


async def test_a_suggestion_whose_page_was_restricted_is_not_asked(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
        await add_suggestion(application, room.place(thread))
        await application.pages.replace([replace(HIDDEN_PAY, page=replace(HIDDEN_PAY.page, title="Pay"))])
        told = await chat.answers.ask_suggestion(Click(room.place(thread), "1.000009", room.ada, "1.5", "t9"), 0)
        await wait_until_idle(chat)
    assert isinstance(told, Notice)
    assert len(answering.asked) == 1


async def test_a_suggestion_that_was_asked_already_leads_to_its_answer(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
        await add_suggestion(application, room.place(thread))
        told = []
        for number in range(2):
            click = Click(room.place(thread), "1.000009", room.ada, f"1.{number}", "t9")
            told.append(await chat.answers.ask_suggestion(click, 0))
            await wait_until_idle(chat)
    assert told[0] is None
    assert isinstance(told[1], Notice)
    assert "already been asked" in told[1].text
    assert told[1].links
    assert len(answering.asked) == 2


async def test_the_history_has_no_answer_whose_page_is_not_visible_now(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
        elsewhere = indexed_page("2", ("Bob earns 4,711 crowns.",), space="HR")
        await application.pages.replace([elsewhere])
        reply = room.world.say(room.ada, room.channel, "And who else?", thread=thread)
        message = IncomingMessage(room.place(thread), reply, room.ada, "And who else?", mentioned=True, reply=True)
        await chat.service.handle_message(message)
        await wait_until_idle(chat)
    assert len(answering.asked) == 2
    assert "4,711" not in repr(answering.asked[1].history)


async def test_the_prompt_for_suggestions_has_no_title_of_a_hidden_page(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Turn] = []

    class Suggests:
        name = "test"

        async def suggest(self, turn: Turn, *_: object) -> list[Suggestion]:
            shown.append(turn)
            return []

    ask = answering.answer_question

    async def ask_completed(asked: QuestionToAnswer, listeners: Listeners) -> Turn:
        made = await ask(asked, listeners)
        completed = Question(asked.question, f"{asked.question} (Title of 2)", provenance=asked.provenance)
        return replace(made, question=completed if asked.provenance.page_ids else made.question)

    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
        moved = indexed_page("2", ("Bob earns 4,711 crowns.",), space="HR")
        answering.during.append(lambda: application.pages.replace([moved]))
        monkeypatch.setattr(answering, "answer_question", ask_completed)
        monkeypatch.setattr(application, "suggester", Suggests(), raising=False)
        reply = room.world.say(room.ada, room.channel, "And who else?", thread=thread)
        message = IncomingMessage(room.place(thread), reply, room.ada, "And who else?", mentioned=True, reply=True)
        await chat.service.handle_message(message)
        await wait_until_idle(chat)
    assert [turn.question.intent_explicit for turn in shown] == ["And who else?"] * 2  # it was answered again


async def test_suggestions_are_part_of_the_answers_message(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Suggests:
        name = "test"

        async def suggest(self, turn: Turn, *_: object) -> tuple[Suggestion, ...]:
            return (Suggestion("Who approves a flight?", turn.evidences[0].evidence.evidence_id),)

    monkeypatch.setattr(application, "suggester", Suggests(), raising=False)
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    (message,) = room.world.answers(room.channel, thread)
    assert "Who approves a flight?" in str(message.blocks)
    assert message.updates == []


async def test_a_question_is_answered_and_suggested_from_without_reading_its_turn_again(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Turn | None] = []
    load = application.turns.load_turn

    async def load_and_note(turn_id: str) -> Turn | None:
        found.append(await load(turn_id))
        return found[-1]

    monkeypatch.setattr(application.turns, "load_turn", load_and_note)
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
    assert "Ann approves travel." in room.now(thread)
    assert found == [None], "only before the answer, in case the step runs again"


async def test_suggestions_that_take_too_long_or_fail_are_left_out(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Suggests:
        name = "test"
        asked = 0

        async def suggest(self, turn: Turn, *_: object) -> tuple[Suggestion, ...]:
            self.asked += 1
            if self.asked == 1:
                raise ZeroDivisionError
            await asyncio.sleep(60)
            return ()

    monkeypatch.setattr("bot.chat.ask_workflow._SUGGESTING", 0.05)
    monkeypatch.setattr(application, "suggester", Suggests(), raising=False)
    async with chatting(application, platform) as chat:
        for _ in range(2):
            thread = await room.asks(chat)
            assert "Ann approves travel." in room.now(thread)


async def test_a_follow_up_before_the_answer_needs_no_mention(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering
) -> None:
    writing, may_end = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        writing.set()
        await may_end.wait()

    answering.during = [hold]
    async with chatting(application, platform) as chat:
        asking = asyncio.create_task(room.asks(chat))
        await writing.wait()
        thread = next(iter(room.world.channel(room.channel).messages))
        reply = room.world.say(room.ada, room.channel, "And who approves hotels?", thread=thread)
        message = IncomingMessage(room.place(thread), reply, room.ada, "And who approves hotels?", reply=True)
        assert await chat.service.handle_message(message) == "ask"
        may_end.set()
        await asking
    assert len(room.world.answers(room.channel, thread)) == 2


async def test_a_question_that_waits_for_slack_does_not_hold_up_another(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.connect._AT_ONCE", 1)
    thread = room.world.say(room.ada, room.channel, "We plan a trip.")
    room.world.faults.add("conversations.replies", Fault(status=429, retry_after=5))
    async with chatting(application, platform) as chat:
        reply = room.world.say(room.ada, room.channel, "And who pays?", thread=thread)
        message = IncomingMessage(room.place(thread), reply, room.ada, "And who pays?", mentioned=True, reply=True)
        await chat.service.handle_message(message)
        await until(lambda: any(call.method == "conversations.replies" for call in room.world.calls))
        other = room.world.say(room.ada, room.channel, "Who approves what?")
        await chat.service.handle_message(
            IncomingMessage(room.place(other), other, room.ada, "Who approves what?", mentioned=True)
        )
        await until(lambda: room.world.answers(room.channel, other))
        assert not room.world.answers(room.channel, thread)
        await wait_until_idle(chat)
    assert [ask.question for ask in answering.asked] == ["Who approves what?", "And who pays?"]
    assert [message.text for message in answering.asked[1].history] == ["We plan a trip."]


async def test_a_page_restricted_while_a_question_waits_for_others_is_not_in_its_history(
    room: Room, application: Application, platform: SlackPlatform, answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.chat.connect._AT_ONCE", 1)
    may_end = asyncio.Event()
    async with chatting(application, platform) as chat:
        thread = await room.asks(chat)
        answering.during = [may_end.wait]
        asking = asyncio.create_task(room.asks(chat, "Who approves hotels?"))
        await until(lambda: not answering.during)
        reply = room.world.say(room.ada, room.channel, "And who else?", thread=thread)
        message = IncomingMessage(room.place(thread), reply, room.ada, "And who else?", mentioned=True, reply=True)
        loading, loaded = SqlEvidenceStore.filter_visible, asyncio.Event()

        async def load_and_note(self: SqlEvidenceStore, pages: Collection[str], scope: Scope) -> frozenset[str]:
            visible = await loading(self, pages, scope)
            loaded.set()
            return visible

        monkeypatch.setattr(SqlEvidenceStore, "filter_visible", load_and_note)
        await chat.service.handle_message(message)
        await asyncio.wait_for(loaded.wait(), 60)  # of the pages of the history
        await asyncio.sleep(0.2)
        await application.pages.replace([indexed_page("2", ("Bob earns 4,711 crowns.",), space="HR")])
        may_end.set()
        await asking
        await wait_until_idle(chat)
    asked = [ask for ask in answering.asked if ask.question == "And who else?"]
    assert asked
    assert "4,711" not in repr([ask.history for ask in asked])
    assert "Ann approves travel." in room.world.answers(room.channel, thread)[-1].text
