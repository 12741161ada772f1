"""Workflows that an earlier version began are finished, from what it stored."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import pytest

from adapters.slack.platform import SlackPlatform
from bot.durable import Durable
from bot.storage.workflow_database import make_workflow_database_url
from bot.wiring import Application, now
from bot.workflow import RunStep
from core.chat.requests import make_ask_key, make_turn_id
from core.conversation import QuestionToAnswer
from core.model import Scope, Turn
from core.model.views import Notice, Waiting
from core.ports.chat import Place
from core.ports.chat_stores import Post
from tests.bot.chat.chatting import chatting, until, wait_until_idle
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import SlackWorld

PAGE = indexed_page("1", ("Ann approves travel.",), space="ENG")
TEXT = "Who approves travel?"


@dataclass(frozen=True)
class Stored:
    """A request as it was stored."""

    workflow: ClassVar[str] = "ask"
    payload: dict[str, Any]

    @property
    def key(self) -> str:
        return str(self.payload["key"])

    def to_json(self) -> dict[str, Any]:
        return self.payload

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(dict(stored))


@dataclass
class CutOff:
    """The earlier version's workflow, interrupted after steps with these outcomes."""

    steps: Sequence[tuple[str, dict[str, Any]]]
    next_step: str
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, request: Stored, step: RunStep) -> None:
        for name, outcome in self.steps:
            await step(name, lambda outcome=outcome: asyncio.sleep(0, outcome))  # type: ignore[misc]
        await step(self.next_step, self._wait)

    async def _wait(self) -> None:
        self.reached.set()
        await self.released.wait()

    async def report_failure(self, request: Stored) -> None:
        raise AssertionError


class Answering:
    """Answers with the page."""

    async def answer_question(self, ask: QuestionToAnswer, *_: Any, **__: Any) -> Turn:
        return turn(ask.turn_id, ask.conversation_id, ask.asked_at, (PAGE,), (PAGE,), scope=ask.scope)


async def begin(application: Application, payload: dict[str, Any], workflow: CutOff) -> None:
    durable = Durable(make_workflow_database_url(application.settings, application.directory))
    durable.add(Stored, workflow)
    await durable.launch()
    await durable.start(Stored(payload))
    await until(workflow.reached.is_set)
    await durable.close(patience=0)
    workflow.released.set()  # its task ends without a database
    await asyncio.sleep(0.1)


@pytest.mark.parametrize("next_step", ["answer", "show", "suggest"])
async def test_a_question_of_an_earlier_version_is_answered_in_its_placeholder(
    world: SlackWorld, application: Application, platform: SlackPlatform, next_step: str
) -> None:
    application.__dict__["suggester"] = None
    application.make_assistant = Answering  # type: ignore[assignment,method-assign]
    await application.pages.replace([PAGE])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    message_id = world.say(ada, channel, TEXT)
    place = Place("slack", world.team, channel, message_id)
    key = make_ask_key(place, message_id)
    payload = {
        "place": {"platform": "slack", "team": world.team, "channel": channel, "thread": message_id, "direct": False,
                  "shared": False},
        "message_id": message_id, "user": ada, "text": TEXT, "spoken": "en", "kind": "message",
        "characters": len(TEXT), "notice": "", "key": key,
    }  # fmt: skip
    post = await platform.post(place, Waiting("en", "answer"), key)
    await application.posts.save(Post(key, place, post, make_turn_id(key)))
    steps = [("placeholder", {"message_id": post})]
    if next_step == "suggest":
        await platform.update(place, post, Notice("Ann approves travel."))
        await application.posts.save(Post(key, place, post, make_turn_id(key), finished=True))
    if next_step != "answer":
        made = turn(make_turn_id(key), place.conversation_id, now(), (PAGE,), (PAGE,), scope=Scope(frozenset({"ENG"})))
        await application.turns.add(made)
        steps.append(("answer", {"turn": made.turn_id, "reason": None, "pages": ["1"]}))  # type: ignore[dict-item]
    if next_step == "suggest":
        steps.append(("show", None))  # type: ignore[arg-type]
    await begin(application, payload, CutOff(steps, next_step))

    async with chatting(application, platform) as chat:
        await wait_until_idle(chat)
    (message,) = world.answers(channel, message_id)
    assert message.ts == post
    assert "Reading the wiki" not in message.text
    stored = await application.posts.load_post(key)
    assert stored is not None
    assert stored.finished
    assert await application.turns.load_turn(make_turn_id(key))
