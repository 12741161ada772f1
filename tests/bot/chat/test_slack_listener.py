"""What the Slack listener shows for clicks and links, with a real workspace and a real database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat, DurableWork
from bot.slack import SlackListener
from bot.wiring import Application, now
from core.chat.requests import ExplanationRequest, PrivateClick
from core.model import Answer, Author
from core.ports.chat import Place
from tests.bot.chat.answered import Answered, answer_question
from tests.bot.chat.chatting import chatting
from tests.contracts.examples import indexed_page
from tests.servers.slack import Fault, SlackWorld


@pytest.fixture
async def answered(world: SlackWorld, application: Application, platform: SlackPlatform) -> Answered:
    page = indexed_page("1", space="ENG")
    await application.pages.replace([page])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    return await answer_question(world, application, platform, [page])


@pytest.fixture
async def chat(answered: Answered, platform: SlackPlatform) -> AsyncIterator[Chat]:
    async with chatting(answered.application, platform) as chat:
        yield chat


async def test_all_of_a_long_answer_is_shown_in_a_window_while_its_pages_may_be_read(
    answered: Answered, chat: Chat, platform: SlackPlatform
) -> None:
    text = "\n".join(f"Paragraph {at} of many. " * 20 for at in range(60))
    answer = Answer(text, True, answered.turn.answer.citations, Author.WIKI)
    click = await answered.add_answer(replace(answered.turn, turn_id="long", answer=answer))
    listener = SlackListener(chat.service, chat.answers, chat.commands, platform, chat.home, chat.links)
    await listener.handle_click("whole:0", "long", click, answered.world.workspace.new_trigger(answered.ada))
    await listener.close()
    assert "Paragraph 59" in str(answered.world.views[answered.ada].view)

    answered.world.views[answered.ada].open = False
    restricted = indexed_page("1", space="ENG", read_restrictions=(frozenset({"user:ann"}),))
    await answered.application.pages.replace([restricted])
    await listener.handle_click("whole:0", "long", click, answered.world.workspace.new_trigger(answered.ada))
    await listener.close()
    assert "Paragraph" not in str([view.view for view in answered.world.views.values()])
    assert "Paragraph" not in str([message.blocks for message in answered.world.ephemerals(answered.ada)])


@pytest.mark.parametrize("where", ["with the bot", "of another with the bot", "of two people", "not told of"])
async def test_a_link_in_direct_messages_shows_the_page_only_in_those_with_the_bot(
    answered: Answered, chat: Chat, platform: SlackPlatform, where: str
) -> None:
    world, ada, ben = answered.world, answered.ada, answered.world.add_user("ben")
    channel = world.direct_channel(ben if where == "of another with the bot" else ada)
    if where == "of two people":
        channel = world.add_direct(ada, ben)
    elif where == "not told of":
        world.faults.add("conversations.info", Fault(error="missing_scope"))
    url = "https://wiki/pages/1"
    ts = world.say(ada, channel, url)
    listener = SlackListener(chat.service, chat.answers, chat.commands, platform, chat.home, chat.links)
    await listener.handle_links(Place("slack", world.team, channel, ts, direct=True), ts, ada, [url])
    await listener.close()
    assert bool(world.message(channel, ts).previews) == (where == "with the bot")


@pytest.fixture
def slow(answered: Answered, platform: SlackPlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack takes longer to tell who can read the channel than a click waits."""
    monkeypatch.setattr("bot.slack._ACKNOWLEDGE_SECONDS", 0.05)
    platform.audiences.forget_all()
    platform.forget_all()
    answered.world.faults.add("conversations.*", Fault(delay=0.5), times=None)


async def click_explain(answered: Answered, chat: Chat, platform: SlackPlatform) -> tuple[SlackListener, str]:
    """Click Explain; return the listener, and the key of the workflow that the click starts."""
    ada, click = answered.ada, answered.click()
    listener = SlackListener(chat.service, chat.answers, chat.commands, platform, chat.home, chat.links)
    await listener.handle_click("explain", answered.turn.turn_id, click, answered.world.workspace.new_trigger(ada))
    private = PrivateClick(click.action_id, click.message_id)
    return listener, ExplanationRequest(click.place, click.turn_id, ada, private).key


@pytest.mark.usefixtures("slow")
async def test_a_slow_click_is_finished_before_the_durable_work_stops(
    answered: Answered, chat: Chat, platform: SlackPlatform
) -> None:
    listener, key = await click_explain(answered, chat, platform)
    recent = answered.application.recent_questions
    work = DurableWork(chat.durable, answered.application.bots, recent, [listener.close])
    assert not await chat.durable.is_started_here(key)
    async with asyncio.timeout(60):
        await work.stop()
        await listener.close()
    assert await chat.durable.is_started_here(key)


@pytest.mark.usefixtures("slow")
async def test_a_click_that_is_too_late_for_the_server_is_answered_with_a_notice(
    answered: Answered, chat: Chat, platform: SlackPlatform
) -> None:
    listener, _ = await click_explain(answered, chat, platform)
    await chat.durable.close(patience=0)
    async with asyncio.timeout(60):
        await listener.close()
    assert "your click had no effect" in str([message.text for message in answered.world.ephemerals(answered.ada)])
