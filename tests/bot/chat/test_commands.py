"""Commands in chat, and the syncs that they begin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.platform import SlackPlatform
from bot.chat.connect import Chat
from bot.wiring import Application, now
from core.ports.chat import Command, Place
from core.views.model import HelpView, Notice
from tests.bot.chat.chatting import Refused, Syncs, chatting, wait_until_idle
from tests.contracts.examples import indexed_page, turn
from tests.servers.slack import Fault, SlackWorld


@pytest.fixture
def ada(world: SlackWorld, application: Application) -> str:
    """An admin."""
    user = world.add_user("ada")
    application.settings = application.settings.model_copy(update={"admins": f"{world.team}:{user}"})
    return user


@pytest.fixture
async def searched(application: Application) -> str:
    """A space that is searched in channels."""
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    return "ENG"


@pytest.fixture
def channel(world: SlackWorld, ada: str) -> str:
    return world.add_channel("eng", members=[ada])


def given(world: SlackWorld, user: str, channel: str, text: str, run_id: str = "13.4") -> Command:
    return Command(
        Place("slack", world.team, channel, "", channel.startswith("D")), user, tuple(text.split()), run_id, True
    )


async def reply(chat: Chat, command: Command) -> str:
    notice = await chat.commands.execute(command)
    assert isinstance(notice, Notice)
    return notice.text


async def test_everybody_gets_help_and_only_admins_the_rest(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    ben = world.add_user("ben")
    async with chatting(application, platform) as chat:
        for text in ("", "help"):
            view = await chat.commands.execute(given(world, ben, channel, text))
            assert isinstance(view, HelpView)
            assert not view.admin
        assert (await chat.commands.execute(given(world, ada, channel, "help"))).admin  # type: ignore[union-attr]
        for text in ("spaces", "sync ENG", "forget ENG"):
            assert await chat.commands.execute(given(world, ben, channel, text)) == Notice(
                "Only admins can do that. Ask one of them."
            )
        assert await chat.commands.execute(given(world, ada, channel, "dance")) == Notice(
            "There is no such command. /wiki help lists them."
        )
        for text in ("sync", "forget", "sync A B"):
            assert await chat.commands.execute(given(world, ada, channel, text)) == Notice(
                "Name one space, for example: /wiki sync DOC"
            )
        assert await chat.commands.execute(given(world, ada, channel, "spaces")) == Notice(
            "There are no spaces yet. /wiki sync KEY reads one."
        )
        assert await chat.durable.count_unfinished() == 0


async def test_spaces_are_listed_with_what_is_searched_here(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    page = indexed_page("1", space="ENG", read_restrictions=(frozenset({"user:ann"}),))
    await application.pages.replace([page, indexed_page("2", space="ENG"), indexed_page("3", space="HR")])
    await application.spaces.finish_sync("ENG", "folder x", now(), "")
    await application.spaces.finish_sync("HR", "folder x", "", "Could not be listed.")
    async with chatting(application, platform) as chat:
        notice = await chat.commands.execute(given(world, ada, channel, "spaces"))
        german = await chat.commands.execute(given(world, ada, channel, "spaces"), "de")
    assert isinstance(notice, Notice)
    assert isinstance(german, Notice)
    assert german.text == "2 Bereiche"
    assert "ENG: 2 Seiten, davon 1 beschränkt, zuletzt synchronisiert gerade eben" in german.lines
    text = "\n".join(notice.lines)
    assert notice.text == "2 spaces"
    assert "ENG: 2 pages, 1 of them restricted, synced" in text
    assert "HR: 1 page," in text
    assert "Its last sync had problems" in text
    assert "Could not be listed." not in text
    assert notice.lines[-1] == f"Searched here ({world.team}:{channel}): ENG"


@pytest.mark.usefixtures("searched")
async def test_a_sync_is_told_in_one_message_that_ends_as_its_report(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    syncs = Syncs()
    async with chatting(application, platform, syncs) as chat:
        for _ in range(3):
            notice = await chat.commands.execute(given(world, ada, channel, "sync ENG"))
        assert isinstance(notice, Notice)
        assert "ENG" in notice.text
        await wait_until_idle(chat)
        await chat.commands.execute(given(world, ada, channel, "sync ENG", run_id="13.5"))
        await wait_until_idle(chat)
    assert syncs.asked == [(["ENG"], "chat")] * 2
    shown = [message.text for message in world.channel(channel).messages.values()]
    assert len(shown) == 2
    assert all("Synced ENG" in text and "7 pages" in text for text in shown)


async def test_where_the_bot_may_not_write_the_report_comes_to_the_admin(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str
) -> None:
    elsewhere = world.add_channel("private", members=[ada], private=True, bot=False)
    async with chatting(application, platform, syncs := Syncs()) as chat:
        await chat.commands.execute(given(world, ada, elsewhere, "sync ENG"))
        await wait_until_idle(chat)
    assert len(syncs.asked) == 1
    (reported,) = [call for call in world.calls if call.method == "chat.postMessage" and not call.error]
    assert reported.arguments["channel"] == world.direct_channel(ada)


@pytest.mark.usefixtures("searched")
async def test_a_sync_that_cannot_be_done_says_why_and_ends(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    async with chatting(application, platform, syncs := Syncs(raises=[Refused("The token has expired.")])) as chat:
        await chat.commands.execute(given(world, ada, channel, "sync ENG"))
        await wait_until_idle(chat)
    assert len(syncs.asked) == 1
    (message,) = world.channel(channel).messages.values()
    assert "Could not sync ENG" in message.text
    assert "wikiwhy doctor" in message.text
    assert "The token has expired." not in message.text


@pytest.mark.usefixtures("searched")
async def test_a_sync_that_goes_wrong_for_an_unforeseen_reason_is_tried_again(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    async with chatting(application, platform, syncs := Syncs(raises=[OSError("odd")])) as chat:
        await chat.commands.execute(given(world, ada, channel, "sync ENG"))
        await wait_until_idle(chat)
    assert len(syncs.asked) == 2
    (message,) = world.channel(channel).messages.values()
    assert "Synced ENG" in message.text


@pytest.mark.usefixtures("searched")
async def test_a_sync_that_never_works_does_not_leave_its_message_waiting(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    async with chatting(application, platform, Syncs(raises=[OSError("odd") for _ in range(9)])) as chat:
        await chat.commands.execute(given(world, ada, channel, "sync ENG"))
        await wait_until_idle(chat)
    (message,) = world.channel(channel).messages.values()
    assert "Could not sync ENG" in message.text
    assert "odd" not in message.text


@pytest.mark.usefixtures("searched")
async def test_an_error_of_slack_while_a_sync_is_announced_does_not_end_it(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    world.faults.add("chat.postMessage", Fault(drop_after=True))
    async with chatting(application, platform, syncs := Syncs()) as chat:
        await chat.commands.execute(given(world, ada, channel, "sync ENG"))
        await wait_until_idle(chat)
    assert len(syncs.asked) == 1
    (message,) = world.channel(channel).messages.values()
    assert "Synced ENG" in message.text


async def test_a_forgotten_space_is_gone_also_from_past_answers(
    world: SlackWorld, application: Application, platform: SlackPlatform, ada: str, channel: str
) -> None:
    page = indexed_page("1", ("Bob earns 4,711 crowns.",), space="HR")
    await application.pages.replace([page])
    await application.spaces.finish_sync("HR", "folder x", now(), "")
    await application.turns.add(replace(turn(used=(page,), cited=(page,)), conversation_id="c1"))
    async with chatting(application, platform) as chat:
        assert (await chat.commands.execute(given(world, ada, channel, "forget NONE"))).kind == "info"  # type: ignore[union-attr]
        notice = await chat.commands.execute(given(world, ada, channel, "forget HR"))
    assert isinstance(notice, Notice)
    assert (notice.kind, "HR" in notice.text) == ("done", True)
    assert await application.spaces.summaries() == []
    kept = await application.turns.get("t1")
    assert kept is None or "4,711" not in repr(kept)
