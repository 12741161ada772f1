"""Explaining a turn in its thread: what is kept, what is shown, and what happens after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.slack.platform import SlackPlatform
from bot.chat.running import Chat
from bot.settings import load_settings
from bot.wiring import Application, now, opened
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.chat.incoming import Click
from core.model import Author, Question, Scope, Turn
from core.ports import Place, Post
from core.views.notices import Notice
from tests.bot.chat.chatting import chatting, settled
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import Fault, SlackWorld

PAGES = (
    indexed_page("1", ("Ann approves travel.", "Bob approves hotels."), space="ENG"),
    indexed_page("2", ("The kitchen is cleaned on Fridays.",), space="ENG"),
)


@pytest.fixture
def application(tmp_path: Path, embedder: E5Embedder) -> Iterator[Application]:
    with opened(load_settings(data_dir=tmp_path / "data", default_spaces="ENG")) as application:
        application.__dict__["embedder"] = embedder
        yield application


@dataclass
class Counted:
    """The store, and the clusters that were kept in it."""

    store: Any
    kept: list[str] = field(default_factory=list)

    async def keep(self, turn_id: str, result: Any) -> None:
        self.kept.append(turn_id)
        await self.store.keep(turn_id, result)

    async def known(self, turn_id: str) -> Any:
        return await self.store.known(turn_id)


@dataclass
class Answered:
    """Ada was answered in a thread."""

    world: SlackWorld
    application: Application
    ada: str
    place: Place
    turn: Turn
    message_id: str

    def click(self) -> Click:
        return Click(self.place, self.message_id, self.ada, "1.5", self.turn.turn_id)

    @property
    def explanations(self) -> list[str]:
        seen = self.world.answers(self.place.channel, self.place.thread)
        return [message.text for message in seen if message.ts != self.message_id]


@pytest.fixture
async def answered(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    place = Place("slack", world.team, channel, world.say(ada, channel, "Who approves travel?"))
    await application.pages.replace(list(PAGES))
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    made = turn(used=PAGES, cited=PAGES[:1], answer="Ann approves travel. [1]", scope=Scope(frozenset({"ENG"})))
    question = Question("Who approves travel?", "Who approves travel?")
    configuration = {"answerer": ExtractiveAnswerer.name}
    made = replace(made, question=question, configuration=configuration, conversation_id=place.conversation_id)
    await application.turns.add(made)
    message_id = await platform.post(place, Notice("Ann approves travel."), "ask:x")
    await application.posts.keep(Post("ask:x", place, message_id, made.turn_id, finished=True))
    return Answered(world, application, ada, place, made, message_id)


async def clicked(chat: Chat, answered: Answered) -> Notice | None:
    notice = await chat.service.explain(answered.click())
    await settled(chat)
    return notice


async def test_an_explanation_comes_once_and_clicking_again_leads_to_it(
    answered: Answered, platform: SlackPlatform
) -> None:
    async with chatting(answered.application, platform) as chat:
        assert await clicked(chat, answered) is None
        again = await clicked(chat, answered)
    assert len(answered.explanations) == 1
    assert again is not None
    assert again.links[0].url.startswith("https://")
    assert "already" in again.text


async def test_what_was_found_out_is_kept_and_not_found_out_again(answered: Answered, platform: SlackPlatform) -> None:
    application, counted = answered.application, Counted(answered.application.counterfactuals)
    application.counterfactuals = counted  # type: ignore[assignment]
    async with chatting(application, platform) as chat:
        answered.world.faults.add("chat.update", Fault(error="fatal_error"), times=6)  # it cannot be shown for a while
        await clicked(chat, answered)
    assert counted.kept
    assert len(await counted.known(answered.turn.turn_id)) == len(counted.kept)
    assert len(answered.explanations) == 1


async def test_after_a_failure_it_can_be_asked_for_again_and_comes_in_the_same_message(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    by_model = replace(answered.turn.answer, author=Author.MODEL, model="gone")
    made = replace(answered.turn, turn_id="t2", answer=by_model, configuration={"answerer": "generative: gone"})
    await application.turns.add(made)
    await application.posts.keep(Post("ask:y", answered.place, "1.000009", "t2", finished=True))
    failing = replace(answered.click(), message_id="1.000009", turn_id="t2")
    async with chatting(application, platform) as chat:
        assert await chat.service.explain(failing) is None
        await settled(chat)
        assert "cannot be explained any more" in answered.explanations[0]
        assert await chat.service.explain(failing) is None
        await settled(chat)
    assert len(answered.explanations) == 1
    kept = await application.posts.post("explain:t2")
    assert kept is not None
    assert not kept.finished


async def test_what_may_not_be_shown_any_more_is_not_explained(answered: Answered, platform: SlackPlatform) -> None:
    application = answered.application
    restricted = indexed_page("1", ("Ann approves travel.",), "ENG", (frozenset({"user:ann"}),))
    await application.pages.replace([restricted])
    async with chatting(application, platform) as chat:
        await clicked(chat, answered)
    assert "approves" not in str(answered.explanations)
