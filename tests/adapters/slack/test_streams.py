"""Answers that appear while they are written."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.calls import SlackCalls
from adapters.slack.streams import Streams, _harmless
from core.errors import ChatUnavailable
from core.ports.chat import Place
from tests.servers.slack import Fault, SlackWorld, pings_in


@pytest.fixture(scope="module")
def world() -> Iterator[SlackWorld]:
    with SlackWorld() as world:
        yield world


@pytest.fixture
def place(world: SlackWorld) -> Iterator[Place]:
    world.faults.clear()
    world.calls.clear()
    world.streams = True
    life = world.stream_life
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    yield Place("slack", world.team, channel, world.say(ada, channel, "Who is on call?"))
    world.stream_life = life


@pytest.fixture
async def streams(world: SlackWorld) -> AsyncIterator[Streams]:
    calls = SlackCalls(world.bot_token, world.api_url)
    await calls.open()
    yield Streams(calls)
    await calls.close()


def asker(world: SlackWorld, place: Place) -> str:
    return next(user for user in world.channel(place.channel).members if user != world.bot)


async def begun(world: SlackWorld, streams: Streams, place: Place) -> str:
    message_id = await streams.start(place, "_Reading_\n\n", asker(world, place))
    assert message_id
    return message_id


async def test_a_stream_grows_by_what_is_new_each_time(world: SlackWorld, streams: Streams, place: Place) -> None:
    message_id = await begun(world, streams, place)
    for text in ("Ann", "Ann is", "Ann is", "Ann is on call."):
        assert await streams.grow(place, message_id, text)
    assert world.message(place.channel, message_id).text == "_Reading_\n\nAnn is on call."
    assert [call.arguments["markdown_text"] for call in world.calls if call.method == "chat.appendStream"] == [
        "Ann", " is", " on call.",
    ]  # fmt: skip


async def test_a_stream_that_has_ended_can_be_updated_and_grows_no_more(
    world: SlackWorld, streams: Streams, place: Place
) -> None:
    message_id = await begun(world, streams, place)
    assert streams.has(place, message_id)
    await streams.end(place, message_id)
    assert not streams.has(place, message_id)
    await streams.end(place, message_id)
    await streams.calls.set("chat.update", channel=place.channel, ts=message_id, text="The answer.")


@pytest.mark.parametrize("text", ["Bob is", "", "Ann is" + "x" * 12_001])
async def test_what_begins_anew_or_is_too_long_ends_it(
    world: SlackWorld, streams: Streams, place: Place, text: str
) -> None:
    message_id = await begun(world, streams, place)
    await streams.grow(place, message_id, "Ann is")
    assert not await streams.grow(place, message_id, text)
    assert not streams.has(place, message_id)
    assert world.message(place.channel, message_id).text == "_Reading_\n\nAnn is"


async def test_a_stream_that_died_is_known_as_dead(world: SlackWorld, streams: Streams, place: Place) -> None:
    message_id = await begun(world, streams, place)
    world.stream_life = 0.0
    assert not await streams.grow(place, message_id, "Ann")
    assert not streams.has(place, message_id)


async def test_where_slack_has_no_streams_it_is_asked_once(world: SlackWorld, streams: Streams, place: Place) -> None:
    world.streams = False
    assert await streams.start(place, "…", "U1") is None
    assert await streams.start(place, "…", "U1") is None
    assert sum(call.method == "chat.startStream" for call in world.calls) == 1


@pytest.mark.parametrize("code", ["channel_not_found", "is_archived", "user_not_found"])
async def test_one_channel_that_refuses_does_not_end_streams_in_others(
    world: SlackWorld, streams: Streams, place: Place, code: str
) -> None:
    world.faults.add("chat.startStream", Fault(error=code))
    assert await streams.start(place, "…", asker(world, place)) is None
    await begun(world, streams, place)


async def test_who_is_asked_for_is_said_in_channels_only(world: SlackWorld, streams: Streams, place: Place) -> None:
    ada = asker(world, place)
    await begun(world, streams, place)
    assert world.calls[-1].arguments["recipient_user_id"] == ada
    ts = world.direct_message(ada, "Who is on call?")
    direct = Place("slack", world.team, world.direct_channel(ada), ts, direct=True)
    assert await streams.start(direct, "…", ada)
    assert "recipient_user_id" not in world.calls[-1].arguments


async def test_where_slack_does_not_answer_nobody_knows_whether_it_began(
    world: SlackWorld, streams: Streams, place: Place
) -> None:
    world.faults.add("chat.startStream", Fault(drop_after=True))
    with pytest.raises(ChatUnavailable):
        await streams.start(place, "…", asker(world, place))


async def test_nobody_is_called_by_what_is_written(world: SlackWorld, streams: Streams, place: Place) -> None:
    message_id = await begun(world, streams, place)
    text = "Ask <!channel> or <@U123> in <#C123>"
    for end in range(len(text) + 1):
        assert await streams.grow(place, message_id, text[:end])
    shown = world.message(place.channel, message_id)
    assert not pings_in(shown)
    assert shown.text.replace("\u200b", "").endswith(text)


@given(st.lists(st.sampled_from(["<", "!", "@", "#", "here>", "U123>", "x"])).map("".join))
def test_no_text_calls_anybody(text: str) -> None:
    harmless = _harmless(text)
    assert not any(each in harmless for each in ("<!", "<@", "<#"))
    assert harmless.replace("\u200b", "") == text
