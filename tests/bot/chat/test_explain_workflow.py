"""Explanations: what is stored, who sees them, and what happens after a failure."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.wiring import Application, now
from core.model import Author
from core.model.views import Notice
from core.views.notices import choose_notice
from tests.bot.chat.answered import Answered, answer_question
from tests.bot.chat.chatting import chatting, wait_until_idle
from tests.contracts.examples import indexed_page
from tests.servers.slack import Fault, SlackWorld

PAGES = (
    indexed_page("1", ("Ann approves travel.", "Bob approves hotels."), space="ENG"),
    indexed_page("2", ("The kitchen is cleaned on Fridays.",), space="ENG"),
)


@dataclass
class Counted:
    """The store, with a list of what was stored."""

    store: Any
    kept: list[str] = field(default_factory=list)

    async def save(self, turn_id: str, result: Any) -> None:
        self.kept.append(turn_id)
        await self.store.save(turn_id, result)

    async def load_known(self, turn_id: str) -> Any:
        return await self.store.load_known(turn_id)


@pytest.fixture
async def answered(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    await application.pages.replace(list(PAGES))
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    return await answer_question(world, application, platform, PAGES)


async def explained(chat: Chat, answered: Answered, trigger: str = "", action_id: str = "1.5") -> Notice | None:
    notice = await chat.answers.explain(replace(answered.click(), action_id=action_id), trigger)
    await wait_until_idle(chat)
    return notice


async def shared(chat: Chat, answered: Answered) -> Notice | None:
    notice = await chat.answers.share(answered.click())
    await wait_until_idle(chat)
    return notice


def trigger_of(answered: Answered) -> str:
    """Return the trigger of a new click."""
    return answered.world.workspace.new_trigger(answered.ada)


def window_of(answered: Answered) -> str:
    view = answered.world.views.get(answered.ada)
    return str(view.view) if view else ""


def alone(answered: Answered) -> list[str]:
    return [message.text for message in answered.world.ephemerals(answered.ada)]


async def test_an_explanation_comes_in_a_window_and_nobody_else_sees_it(
    answered: Answered, platform: SlackPlatform
) -> None:
    async with chatting(answered.application, platform) as chat:
        assert await explained(chat, answered, trigger_of(answered)) is None
    assert "What this answer rests on" in window_of(answered)
    assert (alone(answered), answered.explanations) == ([], [])
    methods = [call.method for call in answered.world.calls if call.method.startswith(("views.", "assistant."))]
    assert methods == ["views.open", "views.update"]


@pytest.mark.parametrize("trigger", ["", "expired"])
async def test_without_a_window_an_explanation_is_a_private_message(
    answered: Answered, platform: SlackPlatform, trigger: str
) -> None:
    async with chatting(answered.application, platform) as chat:
        assert await explained(chat, answered, trigger) is None
        (message,) = answered.world.ephemerals(answered.ada)
        kept = await answered.application.posts.find_by_message(answered.place, message.ts)
        assert kept is not None
        assert kept.turn_id == answered.turn.turn_id
        sharing = replace(answered.click(), message_id=message.ts)
        assert await chat.answers.share(sharing) is None
        await wait_until_idle(chat)
    assert "What this answer rests on" in message.text
    assert len(answered.explanations) == 1


async def test_after_the_window_is_closed_nothing_is_shown(answered: Answered, platform: SlackPlatform) -> None:
    application = answered.application
    async with chatting(application, platform) as chat:
        answered.world.faults.add("views.update", Fault(error="not_found"), times=1)
        await explained(chat, answered, trigger_of(answered))
    assert "What this answer rests on" not in window_of(answered)
    assert alone(answered) == []


async def test_a_window_whose_opening_slack_did_not_confirm_is_found_and_filled(
    answered: Answered, platform: SlackPlatform
) -> None:
    async with chatting(answered.application, platform) as chat:
        answered.world.faults.add("views.open", Fault(drop_after=True), times=1)
        await explained(chat, answered, trigger_of(answered))
    assert "What this answer rests on" in window_of(answered)
    assert len(answered.world.workspace.views) == 1
    assert alone(answered) == []


async def test_a_click_that_is_delivered_again_opens_no_second_window(
    answered: Answered, platform: SlackPlatform
) -> None:
    async with chatting(answered.application, platform) as chat:
        trigger = trigger_of(answered)
        await asyncio.gather(*(chat.answers.explain(answered.click(), trigger) for _ in range(3)))
        await wait_until_idle(chat)
    assert len(answered.world.workspace.views) == 1
    assert alone(answered) == []


async def test_stored_counterfactuals_are_not_computed_again(answered: Answered, platform: SlackPlatform) -> None:
    application, counted = answered.application, Counted(answered.application.counterfactuals)
    application.counterfactuals = counted  # type: ignore[assignment]
    async with chatting(application, platform) as chat:
        answered.world.faults.add("views.update", Fault(error="fatal_error"), times=6)  # it cannot be shown for a while
        await explained(chat, answered, trigger_of(answered))
        await shared(chat, answered)
    assert counted.kept
    assert len(await counted.load_known(answered.turn.turn_id)) == len(counted.kept)
    assert "What this answer rests on" in window_of(answered)
    assert len(answered.explanations) == 1


async def test_a_failed_explanation_can_be_requested_again_and_only_the_requester_is_told(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    by_model = replace(answered.turn.answer, author=Author.MODEL, model="gone")
    made = replace(answered.turn, turn_id="t2", answer=by_model)
    failing = await answered.add_answer(made)
    async with chatting(application, platform) as chat:
        for _ in range(2):
            assert await chat.answers.share(failing) is None
            await wait_until_idle(chat)
    assert [text for text in alone(answered) if "can no longer be explained" in text] == alone(answered)
    assert len(alone(answered)) == 2
    assert answered.explanations == []
    kept = await application.posts.load_post("explain:t2")
    assert kept is not None
    assert not kept.finished


async def test_an_explanation_that_may_not_be_shown_any_more_is_not_shared(
    answered: Answered, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = answered.application

    async def restrict(turn_id: str) -> Any:  # while the explanation is made
        await application.pages.remove(["1"], "ENG")
        return {}

    monkeypatch.setattr(application.counterfactuals, "load_known", restrict)
    async with chatting(application, platform) as chat:
        await shared(chat, answered)
    assert answered.explanations == []
    assert len(alone(answered)) == 1


async def test_an_explanation_counts_once_per_answer_towards_the_limits(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    application.settings = application.settings.model_copy(update={"limit_person": 1})
    second = replace(await answered.add_answer(replace(answered.turn, turn_id="t2")), action_id="2.5")
    async with chatting(application, platform) as chat:
        assert await explained(chat, answered) is None
        assert await chat.answers.explain(second) == choose_notice("limit_person", "en")
        assert await explained(chat, answered, action_id="1.6") is None
    assert len(alone(answered)) == 2


async def test_nothing_is_explained_after_the_daily_token_budget_is_spent(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    application.settings = application.settings.model_copy(update={"daily_tokens": 100})
    await application.tokens.add(datetime.now(UTC).date().isoformat(), 100)
    async with chatting(application, platform) as chat:
        assert await explained(chat, answered) == choose_notice("limit_tokens", "en")
    assert alone(answered) == []
