"""Errors whose texts name hosts, secrets and files: no chat repeats them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.slack.platform import SlackPlatform
from bot.wiring import Application, now
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.errors import (
    EmbedderUnavailable,
    IndexDamaged,
    ModelRejected,
    ModelUnavailable,
    SpaceUnavailable,
    WikiUnavailable,
)
from core.model import Author, Prompt
from core.ports.chat import Command, IncomingMessage
from core.ports.models import Generation, Sampling, TextListener
from tests.bot.chat.answered import QUESTION, Answered, answer_question
from tests.bot.chat.chatting import Syncs, chatting, wait_until_idle
from tests.contracts.examples import indexed_page
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


@dataclass
class FailingModel:
    """A language model whose server reveals internals in its errors."""

    error: Callable[[], Exception]
    name: str = "failing"
    context_tokens: int = 8_000

    def count_tokens(self, text: str) -> int:
        return len(text) // 4

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        raise self.error()


@pytest.fixture
async def room(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    await application.pages.replace([PAGE])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    return await answer_question(world, application, platform, [PAGE])


def raising(error: Callable[[], Exception]) -> Callable[..., Any]:
    async def fails(*_: object, **__: object) -> Any:
        await asyncio.sleep(0)
        raise error()

    return fails


async def use(room: Answered, platform: SlackPlatform, syncs: Syncs) -> object:
    """Ask, click every button and sync; return what is shown to the person."""
    shown: list[object] = []
    by_model = replace(room.turn.answer, author=Author.MODEL, model="failing")
    clicks = [room.click(), await room.add_answer(replace(room.turn, turn_id="t2", answer=by_model))]
    settings = room.application.settings
    room.application.settings = settings.model_copy(update={"admins": f"{room.world.team}:{room.ada}"})
    async with chatting(room.application, platform, syncs) as chat:
        message_id = room.world.say(room.ada, room.place.channel, QUESTION)
        place = replace(room.place, thread=message_id)
        await chat.service.handle_message(IncomingMessage(place, message_id, room.ada, QUESTION, mentioned=True))
        await wait_until_idle(chat)
        answers, load_question = chat.answers, chat.answers.load_completed_question
        for clicked in (answers.explain, answers.share, answers.load_sources, answers.load_answer, load_question):
            for click in clicks:
                with suppress(Exception):  # the platform's listener logs it and says that it failed
                    shown.append(await clicked(click))
        shown.append(await chat.commands.execute(Command(room.place, room.ada, ("sync", "ENG"), "c1")))
        await wait_until_idle(chat)
    return shown


def check(room: Answered, shown: object) -> None:
    said = f"{room.sent} {shown}".lower()
    assert [word for word in CANARIES if word in said] == []


@pytest.mark.parametrize(
    ("part", "error"),
    [("assistant", error) for error in ERRORS]
    + [(part, error) for part in ("suggester", "explainer") for error in (ERRORS[0], ERRORS[-1])]
    + [(part, error) for part in ("store", "sync") for error in (ERRORS[2], ERRORS[-1])],
    ids=lambda given: type(given()).__name__ if callable(given) else given,
)
async def test_no_error_message_is_shown_in_the_chat(
    room: Answered, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch, part: str, error: Callable[[], Exception]
) -> None:
    application, syncs = room.application, Syncs()
    fails = raising(error)
    match part:
        case "assistant":
            monkeypatch.setattr(application, "make_assistant", lambda: SimpleNamespace(ask=fails), raising=False)
        case "suggester":
            application.__dict__["suggester"] = SimpleNamespace(suggest=fails)
        case "store":
            for store, method in (
                ("counterfactuals", "load_known"),
                ("evidences", "filter_visible"),
                ("turns", "load_turn"),
            ):
                monkeypatch.setattr(getattr(application, store), method, fails)
        case "explainer":
            monkeypatch.setattr("bot.chat.explain_workflow.make_explainer", fails)
        case "sync":
            syncs.raises = [error() for _ in range(9)]
    check(room, await use(room, platform, syncs))
    assert room.sent
    assert syncs.asked


@pytest.mark.parametrize("error", ERRORS[:2])
async def test_no_error_message_of_a_model_is_shown_in_the_chat(
    room: Answered,
    platform: SlackPlatform,
    embedder: E5Embedder,
    matcher: E5WordMatcher,
    error: Callable[[], Exception],
) -> None:
    answerer = GenerativeAnswerer(FailingModel(error), embedder, ExtractiveAnswerer(matcher))
    room.application.__dict__["answerer"] = answerer
    check(room, await use(room, platform, Syncs()))
    assert "Ann approves travel" in room.sent
