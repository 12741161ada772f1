"""Errors whose words name hosts, secrets and files: nothing that is posted or shown in a chat repeats them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.slack.platform import SlackPlatform
from bot.chat.running import Chat
from bot.settings import load_settings
from bot.wiring import Application, now, opened
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.chat.incoming import Click, Command, Incoming
from core.errors import (
    EmbedderUnavailable,
    IndexDamaged,
    ModelRejected,
    ModelUnavailable,
    SpaceUnavailable,
    WikiUnavailable,
)
from core.model import Author, Prompt, Question, Scope, Turn
from core.ports import Generation, Place, Post, Sampling, TextListener
from core.views.notices import Notice
from tests.bot.chat.chatting import Syncs, chatting, settled
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import SlackWorld

PAGE = indexed_page("1", ("Ann approves travel.", "Bob approves hotels."), space="ENG")
HOST, SECRET, FILE = "llm.internal.canary.example", "sk-canary0123456789", "/srv/canary-data/wikiwhy.db"
CANARIES = (HOST, SECRET, FILE, "canary")
SAID = f"http://{HOST}:8080/v1 refused the key {SECRET}: {FILE} cannot be read."

ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: ModelUnavailable(SAID),
    lambda: ModelRejected(SAID),
    lambda: WikiUnavailable(SAID),
    lambda: SpaceUnavailable(SAID),
    lambda: EmbedderUnavailable(SAID),
    lambda: IndexDamaged(SAID),
    lambda: OSError(13, SAID, FILE),
    lambda: RuntimeError(SAID),
)
FEW = (ERRORS[0], ERRORS[2], ERRORS[-1])


@dataclass
class FailingModel:
    """A language model whose server says too much."""

    error: Callable[[], Exception]
    name: str = "failing"
    context_tokens: int = 8_000

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        raise self.error()


@dataclass
class Room:
    """A channel with Ada in it, where one question was answered."""

    world: SlackWorld
    application: Application
    ada: str
    place: Place
    turn: Turn
    message_id: str

    def click(self) -> Click:
        return Click(self.place, self.message_id, self.ada, "1.5", self.turn.turn_id)

    async def ask(self, chat: Chat) -> None:
        message_id = self.world.say(self.ada, self.place.channel, "Who approves travel?")
        place = replace(self.place, thread=message_id)
        await chat.service.heard(Incoming(place, message_id, self.ada, "Who approves travel?", mentioned=True))
        await settled(chat)

    @property
    def sent(self) -> str:
        """All that was sent to Slack."""
        return str([call.arguments for call in self.world.calls])


@pytest.fixture
async def application(tmp_path: Path, embedder: E5Embedder) -> AsyncIterator[Application]:
    with opened(load_settings(data_dir=tmp_path / "data", default_spaces="ENG")) as application:
        application.__dict__["embedder"] = embedder
        await application.pages.replace([PAGE])
        await application.spaces.finish_sync("ENG", "folder x", now(), "")
        yield application


@pytest.fixture
async def room(world: SlackWorld, application: Application, platform: SlackPlatform) -> Room:
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    place = Place("slack", world.team, channel, world.say(ada, channel, "Who approves travel?"))
    made = turn(used=(PAGE,), cited=(PAGE,), answer="Ann approves travel. [1]", scope=Scope(frozenset({"ENG"})))
    question = Question("Who approves travel?", "Who approves travel?")
    configuration = {"answerer": ExtractiveAnswerer.name}
    made = replace(made, question=question, configuration=configuration, conversation_id=place.conversation_id)
    await application.turns.add(made)
    message_id = await platform.post(place, Notice("Ann approves travel."), "ask:x")
    await application.posts.keep(Post("ask:x", place, message_id, made.turn_id, finished=True))
    return Room(world, application, ada, place, made, message_id)


def raising(error: Callable[[], Exception]) -> Callable[..., Any]:
    async def fails(*_: object, **__: object) -> Any:
        await asyncio.sleep(0)
        raise error()

    return fails


def check(room: Room, *shown: object) -> None:
    said = f"{room.sent} {shown}".lower()
    assert [word for word in CANARIES if word in said] == []


@pytest.mark.parametrize("error", ERRORS, ids=lambda made: type(made()).__name__)
async def test_an_error_while_a_question_is_answered(
    room: Room, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch, error: Callable[[], Exception]
) -> None:
    failing = type("Failing", (), {"ask": staticmethod(raising(error))})
    monkeypatch.setattr(room.application, "assistant", failing, raising=False)
    async with chatting(room.application, platform) as chat:
        await room.ask(chat)
    check(room)


@pytest.mark.parametrize("error", ERRORS[:2])
async def test_an_error_of_the_model_that_the_wiki_answers_for(
    room: Room, platform: SlackPlatform, embedder: E5Embedder, error: Callable[[], Exception]
) -> None:
    answerer = GenerativeAnswerer(FailingModel(error), embedder, ExtractiveAnswerer(embedder))
    room.application.__dict__["answerer"] = answerer
    async with chatting(room.application, platform) as chat:
        await room.ask(chat)
    assert "Ann approves travel" in room.sent
    check(room)


@pytest.mark.parametrize("error", FEW, ids=lambda made: type(made()).__name__)
async def test_an_error_of_the_suggester(room: Room, platform: SlackPlatform, error: Callable[[], Exception]) -> None:
    room.application.__dict__["suggester"] = type("Failing", (), {"suggest": staticmethod(raising(error))})()
    async with chatting(room.application, platform) as chat:
        await room.ask(chat)
    check(room)


@pytest.mark.parametrize("error", FEW, ids=lambda made: type(made()).__name__)
@pytest.mark.parametrize("store", ["counterfactuals.known", "evidences.visible", "turns.get"])
async def test_an_error_of_the_store_at_a_click(
    room: Room, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch, store: str, error: Callable[[], Exception]
) -> None:
    part, _, method = store.partition(".")
    monkeypatch.setattr(getattr(room.application, part), method, raising(error))
    shown: list[object] = []
    async with chatting(room.application, platform) as chat:
        service = chat.service
        for clicked in (service.explain, service.sources, service.again, service.correctable):
            try:
                shown.append(await clicked(room.click()))
            except Exception:  # the platform's listener logs it and says that it failed
                shown.append("failed")
        await settled(chat)
    check(room, shown)


@pytest.mark.parametrize("error", FEW, ids=lambda made: type(made()).__name__)
async def test_an_error_of_the_model_while_an_answer_is_explained(
    room: Room, platform: SlackPlatform, embedder: E5Embedder, error: Callable[[], Exception]
) -> None:
    answerer = GenerativeAnswerer(FailingModel(error), embedder, None)
    application = room.application
    application.__dict__["answerer"] = answerer
    application.__dict__["language_model"] = FailingModel(error)
    made = replace(
        room.turn,
        turn_id="t2",
        answer=replace(room.turn.answer, author=Author.MODEL, model="failing"),
        configuration={"answerer": answerer.name},
    )
    await application.turns.add(made)
    await application.posts.keep(Post("ask:y", room.place, "1.000009", "t2", finished=True))
    async with chatting(application, platform) as chat:
        shown = await chat.service.explain(replace(room.click(), message_id="1.000009", turn_id="t2"))
        await settled(chat)
    check(room, shown)


@pytest.mark.parametrize("error", FEW, ids=lambda made: type(made()).__name__)
async def test_an_error_of_a_sync(room: Room, platform: SlackPlatform, error: Callable[[], Exception]) -> None:
    settings = room.application.settings
    room.application.settings = settings.model_copy(update={"admins": f"{room.world.team}:{room.ada}"})
    async with chatting(room.application, platform, syncs := Syncs(raises=[error() for _ in range(9)])) as chat:
        shown = await chat.commands.obeyed(Command(room.place, room.ada, ("sync", "ENG"), "c1"))
        await settled(chat)
    assert syncs.asked
    check(room, shown)
