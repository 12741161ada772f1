from __future__ import annotations

import pytest

from adapters.teams.platform import TeamsPlatform
from core.errors import ChatRefused, ChatUnavailable
from core.ports.chat import ChatPlatform, Place
from tests.contracts.chat_examples import ANSWER, WAITING
from tests.contracts.chat_platform import LATE, ChatPlatformContract
from tests.contracts.chat_world import ChatWorld
from tests.servers.faults import Fault
from tests.servers.teams.chat_world import KnowsAll, TeamsChatWorld, shown


class TestTeamsPlatform(ChatPlatformContract):
    """Teams lets no bot read what people write to each other, nor what it wrote itself: these tests say so."""

    async def test_what_was_posted_is_found_though_the_answer_to_posting_was_lost(
        self, world: ChatWorld, platform: ChatPlatform, place: Place
    ) -> None:
        world.trouble("post", "cut")
        with pytest.raises(ChatUnavailable):
            await platform.post(place, WAITING, "ask:1")
        assert await platform.find_message(place, "ask:1", ()) is None
        assert sum(shown.user == world.bot for shown in world.thread(place.channel, place.thread)) == 1

    async def test_a_thread_is_what_people_wrote_oldest_first(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        world.say(ada, place.channel, "And in Germany?", place.thread, calling=True)
        assert await platform.messages(place, LATE) == []

    test_messages_are_read_without_markup_and_without_our_mention = None  # type: ignore[assignment]
    test_of_a_thread_of_1000_messages_the_first_and_the_newest_are_read = None  # type: ignore[assignment]

    async def test_a_channel_that_is_gone_refuses(
        self, world: ChatWorld, platform: ChatPlatform, place: Place, ada: str
    ) -> None:
        message_id = await platform.post(place, WAITING, "ask:1")
        for operation in ("post", "update"):
            world.trouble(operation, "gone")
        with pytest.raises(ChatRefused, match="removed from it"):
            await platform.post(place, WAITING, "ask:2")
        with pytest.raises(ChatRefused):
            await platform.update(place, message_id, ANSWER)


@pytest.fixture
def ada(world: TeamsChatWorld) -> str:
    return world.person("ada", email="ada@example.com")


@pytest.fixture
def chat(world: TeamsChatWorld, ada: str) -> Place:
    """Ada's own chat with the bot."""
    return Place("teams", world.teams.tenant, world.teams.personal(world.accounts[ada]), "", direct=True)


async def test_in_a_personal_chat_an_answer_grows_and_becomes_a_card(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, ada: str
) -> None:
    message_id = await platform.post(chat, WAITING, "ask:1", ada)
    for text in ("The limit", "The limit is https:/", "The limit is https://x < 3", "The limit is https://x < 3 <b>"):
        await platform.draft(chat, message_id, text)
    await platform.update(chat, message_id, ANSWER)
    (message,) = world.teams.answers(chat.channel)
    assert message.stream
    assert len(message.stream.pieces) == 4
    assert message.stream.state == "final"
    assert shown(message).says("The limit is €165.")
    assert message.citations
    assert message.id == message_id


@pytest.mark.parametrize("end", ["stopped", "died", "another process"])
async def test_a_stream_that_is_no_more_leaves_one_message_with_the_answer(
    world: TeamsChatWorld, platform: TeamsPlatform, references: KnowsAll, chat: Place, ada: str, end: str
) -> None:
    message_id = await platform.post(chat, WAITING, "ask:1", ada)
    await platform.draft(chat, message_id, "The limit")
    if end == "stopped":
        world.teams.cancel_stream(chat.channel, message_id)
    elif end == "died":
        world.teams.stream_life = 0.0
    else:
        platform = TeamsPlatform(platform._connector, references, lambda: 0.0, streams=True)
    await platform.draft(chat, message_id, "The limit is")
    await platform.update(chat, message_id, ANSWER)
    await platform.update(chat, message_id, ANSWER)
    (message,) = world.teams.answers(chat.channel)
    assert shown(message).says("The limit is €165.")


async def test_what_cannot_be_updated_any_more_is_replaced_once(
    world: TeamsChatWorld, platform: TeamsPlatform, references: KnowsAll, chat: Place, ada: str
) -> None:
    message_id = await platform.post(chat, WAITING, "ask:1", ada)
    again = TeamsPlatform(platform._connector, references, lambda: 0.0, streams=True)
    world.teams.faults.add("update", Fault(status=404, error="ActivityNotFoundInConversation"), times=2)
    await again.update(chat, message_id, ANSWER)
    await again.update(chat, message_id, ANSWER)
    answers = [shown(message) for message in world.teams.answers(chat.channel)]
    assert [answer.says("The limit is €165.") for answer in answers].count(True) == 1


async def test_a_second_question_in_a_chat_that_streams_has_a_placeholder(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, ada: str
) -> None:
    await platform.post(chat, WAITING, "ask:1", ada)
    second = await platform.post(chat, WAITING, "ask:2", ada)
    assert world.teams.message(chat.channel, second).stream is None


async def test_where_streams_are_not_allowed_an_answer_is_shown_by_updates(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, ada: str
) -> None:
    world.teams.streams = False
    message_id = await platform.post(chat, WAITING, "ask:1", ada)
    await platform.draft(chat, message_id, "The limit")
    assert shown(world.teams.message(chat.channel, message_id)).says("The limit")


async def test_a_message_that_teams_finds_too_long_is_sent_again_in_short(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    world.teams.faults.add("post", Fault(status=413, error="MessageSizeTooBig"))
    message_id = await platform.post(chat, ANSWER, "ask:1")
    assert shown(world.teams.message(chat.channel, message_id)).says("The limit is €165.")
    assert "Explain" in shown(world.teams.message(chat.channel, message_id)).buttons


async def test_a_report_for_a_person_reaches_their_own_chat(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place, ada: str
) -> None:
    to_ada = Place("teams", world.teams.tenant, ada, "17000", direct=True)
    message_id = await platform.post(to_ada, WAITING, "sync:1")
    await platform.update(to_ada, message_id, ANSWER)
    assert shown(world.teams.message(chat.channel, message_id)).says("The limit")


async def test_our_tokens_and_tries_are_used_sparingly(
    world: TeamsChatWorld, platform: TeamsPlatform, chat: Place
) -> None:
    asked = world.teams.identity.asked
    for at in range(3):
        await platform.post(chat, WAITING, f"ask:{at}")
    assert world.teams.identity.asked <= asked + 1
