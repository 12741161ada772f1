"""Slack keeps the contract of chat platforms, and has streams besides."""

from __future__ import annotations

import time

import pytest

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from core.errors import ChatRefused
from core.ports.chat import Place
from tests.contracts.chat_examples import ANSWER, LONG_ANSWER, WAITING
from tests.contracts.chat_platform import ChatPlatformContract
from tests.servers.slack import Fault, SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld


class TestSlackPlatform(ChatPlatformContract):
    """The contract, with streams."""


class TestSlackPlatformWithoutStreams(ChatPlatformContract):
    """The contract, as without a language model: answers come at once."""

    @pytest.fixture
    def platform(self, calls: SlackCalls) -> SlackPlatform:
        return SlackPlatform(calls, time.monotonic, streams=False)


@pytest.fixture
def ada(slack: SlackWorld) -> str:
    return slack.add_user("ada")


@pytest.fixture
def place(slack: SlackWorld, world: SlackChatWorld, ada: str) -> Place:
    channel = slack.add_channel("eng", members=[ada])
    return world.place(channel, slack.say(ada, channel, "What is the hotel limit?"))


def methods(slack: SlackWorld) -> list[str]:
    return [call.method for call in slack.calls]


async def test_an_answer_is_streamed_where_slack_allows_it(
    slack: SlackWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1", ada)
    await platform.draft(place, message_id, "The limit")
    await platform.draft(place, message_id, "The limit is €165.")
    await platform.update(place, message_id, ANSWER)
    assert methods(slack)[-5:] == [
        "chat.startStream", "chat.appendStream", "chat.appendStream", "chat.stopStream", "chat.update",
    ]  # fmt: skip
    assert [call.arguments["markdown_text"] for call in slack.calls[1:3]] == ["The limit", " is €165."]
    assert not [call for call in slack.calls if call.error]


async def test_a_stream_in_a_direct_message_names_nobody(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, ada: str
) -> None:
    channel = slack.direct_channel(ada)
    place = world.place(channel, slack.direct_message(ada, "What is the hotel limit?"))
    await platform.post(place, WAITING, "ask:1", ada)
    assert "recipient_user_id" not in slack.calls[0].arguments
    assert slack.calls[0].error is None


async def test_a_stream_that_dies_is_updated_from_then_on(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1", ada)
    await platform.draft(place, message_id, "The limit")
    slack.stream_life = 0.0
    await platform.draft(place, message_id, "The limit is")
    assert world.thread(place.channel, place.thread)[-1].says("The limit is")
    await platform.draft(place, message_id, "The limit is €165")
    assert world.thread(place.channel, place.thread)[-1].says("The limit is €165")
    await platform.update(place, message_id, ANSWER)
    assert world.thread(place.channel, place.thread)[-1].says("The limit is €165.", "Travel policy")
    assert len(slack.answers(place.channel, place.thread)) == 1


async def test_a_stream_that_dies_unseen_is_updated_at_the_end(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1", ada)
    slack.stream_life = 0.0
    await platform.update(place, message_id, ANSWER)
    assert world.thread(place.channel, place.thread)[-1].says("Travel policy")


@pytest.mark.parametrize(
    "faults",
    [
        {"chat.appendStream": Fault(error="stopped_by_user")},
        {"chat.appendStream": Fault(status=500), "chat.stopStream": Fault(status=500)},
    ],
    ids=["somebody stops it", "it cannot grow for a moment"],
)
async def test_a_stream_that_grows_no_more_is_updated_at_the_end(
    slack: SlackWorld,
    world: SlackChatWorld,
    platform: SlackPlatform,
    place: Place,
    ada: str,
    faults: dict[str, Fault],
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1", ada)
    for method, fault in faults.items():
        slack.faults.add(method, fault, times=9)
    await platform.draft(place, message_id, "The limit")
    slack.faults.clear()
    await platform.update(place, message_id, ANSWER)
    assert world.thread(place.channel, place.thread)[-1].says("Travel policy")
    assert len(slack.answers(place.channel, place.thread)) == 1


async def test_where_the_workspace_has_no_streams_it_is_asked_for_one_once(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    slack.streams = False
    for key in ("ask:1", "ask:2"):
        message_id = await platform.post(place, WAITING, key, ada)
        await platform.draft(place, message_id, "The limit")
        await platform.update(place, message_id, ANSWER)
    assert methods(slack).count("chat.startStream") == 1
    assert [shown.says("€165") for shown in world.thread(place.channel, place.thread)[1:]] == [True, True]


async def test_a_channel_that_is_gone_ends_the_streams_of_no_other(
    slack: SlackWorld, platform: SlackPlatform, place: Place, ada: str
) -> None:
    for code in ("channel_not_found", "thread_not_found", "is_archived", "not_in_channel", "user_not_found"):
        for method in ("chat.startStream", "chat.postMessage"):
            slack.faults.add(method, Fault(error=code))
        with pytest.raises(ChatRefused):
            await platform.post(place, WAITING, f"ask:{code}", ada)
    await platform.post(place, WAITING, "ask:1", ada)
    assert methods(slack)[-1] == "chat.startStream"
    assert slack.calls[-1].error is None


async def test_a_stream_whose_start_was_not_heard_of_is_found_again(
    slack: SlackWorld, calls: SlackCalls, platform: SlackPlatform, place: Place, ada: str
) -> None:
    before = await platform.post(place, WAITING, "ask:0", ada)
    cut_off = await platform.post(place, WAITING, "ask:1", ada)
    restarted = SlackPlatform(calls, time.monotonic, streams=True)
    assert await restarted.find_message(place, "ask:1", [before]) == cut_off
    await restarted.update(place, cut_off, ANSWER)
    assert len(slack.answers(place.channel, place.thread)) == 2
    assert slack.message(place.channel, cut_off).stream is not None


async def test_a_stream_is_never_taken_for_an_explanation(platform: SlackPlatform, place: Place, ada: str) -> None:
    await platform.post(place, WAITING, "ask:1", ada)
    assert await platform.find_message(place, "explain:1", ()) is None


@pytest.mark.parametrize("code", ["msg_blocks_too_long", "msg_too_long", "invalid_blocks"])
async def test_what_slack_finds_too_long_against_all_expectation_is_shortened(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place, code: str
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1")
    slack.faults.add("chat.update", Fault(error=code))
    await platform.update(place, message_id, LONG_ANSWER)
    shown = world.thread(place.channel, place.thread)[-1]
    assert shown.says("Paragraph 0")
    assert len(shown.text) < 2_000
    assert {"Explain", "Sources", "Helpful"} <= {*shown.buttons}
    slack.faults.add("chat.postMessage", Fault(error=code))
    assert await platform.post(place, LONG_ANSWER, "ask:2") == await platform.find_message(place, "ask:2", [message_id])


async def test_nothing_unfolds_below_an_answer(slack: SlackWorld, platform: SlackPlatform, place: Place) -> None:
    await platform.post(place, ANSWER, "ask:1")
    assert (slack.calls[-1].arguments["unfurl_links"], slack.calls[-1].arguments["unfurl_media"]) == (False, False)


async def test_a_message_to_a_person_can_be_changed(slack: SlackWorld, platform: SlackPlatform, ada: str) -> None:
    """https://docs.slack.dev/reference/methods/chat.update: the id of the direct messages, not the user's."""
    place = Place("slack", slack.team, ada, "", direct=True)
    message_id = await platform.post(place, WAITING, "sync:1")
    await platform.update(place, message_id, ANSWER)
    assert slack.calls[-1].arguments["channel"] == slack.direct_channel(ada)


async def test_what_was_posted_outside_of_threads_is_found_by_its_key(
    slack: SlackWorld, platform: SlackPlatform, ada: str
) -> None:
    place = Place("slack", slack.team, slack.add_channel("ops", members=[ada]), "")
    assert await platform.find_message(place, "sync:1", ()) is None
    await platform.post(place, WAITING, "sync:0")
    message_id = await platform.post(place, WAITING, "sync:1")
    await platform.post(place, WAITING, "sync:2")
    assert await platform.find_message(place, "sync:1", ()) == message_id
