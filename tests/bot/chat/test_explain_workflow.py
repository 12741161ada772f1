"""ExplainWorkflow a turn in its thread: what is kept, what is shown, and what happens after a failure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.wiring import Application, now
from core.model import Author
from core.views.building import notice_for
from core.views.model import Notice
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
    """The store, and the clusters that were kept in it."""

    store: Any
    kept: list[str] = field(default_factory=list)

    async def keep(self, turn_id: str, result: Any) -> None:
        self.kept.append(turn_id)
        await self.store.keep(turn_id, result)

    async def load_known(self, turn_id: str) -> Any:
        return await self.store.load_known(turn_id)


@pytest.fixture
async def answered(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    await application.pages.replace(list(PAGES))
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    return await answer_question(world, application, platform, PAGES)


async def clicked(chat: Chat, answered: Answered) -> Notice | None:
    notice = await chat.service.explain(answered.click())
    await wait_until_idle(chat)
    return notice


async def test_what_was_found_out_is_kept_and_not_found_out_again(answered: Answered, platform: SlackPlatform) -> None:
    application, counted = answered.application, Counted(answered.application.counterfactuals)
    application.counterfactuals = counted  # type: ignore[assignment]
    async with chatting(application, platform) as chat:
        answered.world.faults.add("chat.update", Fault(error="fatal_error"), times=6)  # it cannot be shown for a while
        await clicked(chat, answered)
    assert counted.kept
    assert len(await counted.load_known(answered.turn.turn_id)) == len(counted.kept)
    assert len(answered.explanations) == 1


async def test_after_a_failure_it_can_be_asked_for_again_and_comes_in_the_same_message(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    by_model = replace(answered.turn.answer, author=Author.MODEL, model="gone")
    made = replace(answered.turn, turn_id="t2", answer=by_model)
    failing = await answered.add_answer(made)
    async with chatting(application, platform) as chat:
        assert await chat.service.explain(failing) is None
        await wait_until_idle(chat)
        assert "can no longer be explained" in answered.explanations[0]
        assert await chat.service.explain(failing) is None
        await wait_until_idle(chat)
    assert len(answered.explanations) == 1
    kept = await application.posts.post("explain:t2")
    assert kept is not None
    assert not kept.finished


async def test_an_explanation_counts_like_a_question_and_one_that_is_there_is_free(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    application.settings = application.settings.model_copy(update={"limit_person": 1})
    second = replace(await answered.add_answer(replace(answered.turn, turn_id="t2")), action_id="2.5")
    async with chatting(application, platform) as chat:
        assert await clicked(chat, answered) is None
        assert await chat.service.explain(second) == notice_for("limit_person", "en")
        again = await clicked(chat, answered)
    assert again is not None
    assert "already" in again.text
    assert len(answered.explanations) == 1


async def test_clicks_on_an_explanation_under_way_do_not_count(
    answered: Answered, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = answered.application
    application.settings = application.settings.model_copy(update={"limit_person": 2})
    second = replace(await answered.add_answer(replace(answered.turn, turn_id="t2")), action_id="2.5")
    async with chatting(application, platform) as chat:
        assert await chat.service.explain(answered.click()) is None
        for at in range(5):
            said = await chat.service.explain(replace(answered.click(), action_id=f"3.{at}"))
            assert said is None or "explain" in said.text.lower()
        assert await chat.service.explain(second) is None
        await wait_until_idle(chat)
    assert len(answered.explanations) == 2


async def test_where_the_days_tokens_are_spent_nothing_is_explained(
    answered: Answered, platform: SlackPlatform
) -> None:
    application = answered.application
    application.settings = application.settings.model_copy(update={"daily_tokens": 100})
    await application.tokens.add(datetime.now(UTC).date().isoformat(), 100)
    async with chatting(application, platform) as chat:
        assert await clicked(chat, answered) == notice_for("limit_tokens", "en")
    assert answered.explanations == []
