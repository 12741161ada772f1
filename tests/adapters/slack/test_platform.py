"""SlackPlatform: the contract suite, and behaviour that only Slack has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from core.model.views import AnswerView
from core.ports.chat import Place
from tests.contracts.chat_examples import ANSWER, LONG_ANSWER, WAITING
from tests.contracts.chat_platform import ChatPlatformContract
from tests.servers.slack import Fault, SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld


class TestSlackPlatform(ChatPlatformContract):
    """The contract."""


@pytest.fixture
def ada(slack: SlackWorld) -> str:
    return slack.add_user("ada")


@pytest.fixture
def place(slack: SlackWorld, world: SlackChatWorld, ada: str) -> Place:
    channel = slack.add_channel("eng", members=[ada])
    return world.place(channel, slack.say(ada, channel, "What is the hotel limit?"))


async def test_the_thread_has_a_status_until_the_answer_is_posted(
    slack: SlackWorld, platform: SlackPlatform, place: Place
) -> None:
    await platform.show_work(place, WAITING, "ask:1")
    assert slack.channel(place.channel).statuses == {place.thread: "is reading the wiki …"}
    await platform.post(place, ANSWER, "ask:1")
    assert slack.channel(place.channel).statuses == {}
    assert [call.method for call in slack.calls] == ["assistant.threads.setStatus", "chat.postMessage"]


async def test_an_open_stream_of_an_earlier_version_is_stopped_and_updated(
    world: SlackChatWorld, platform: SlackPlatform, calls: SlackCalls, place: Place, ada: str
) -> None:
    where = {"channel": place.channel, "thread_ts": place.thread}
    reader = {"recipient_user_id": ada, "recipient_team_id": place.team}
    left = await calls.write("chat.startStream", **where, **reader, markdown_text="Reading the wiki")
    await platform.update(place, str(left["ts"]), ANSWER)
    assert world.thread(place.channel, place.thread)[-1].says("Travel policy")


async def test_a_notification_begins_with_the_answer_and_has_no_markup(
    slack: SlackWorld, platform: SlackPlatform, place: Place
) -> None:
    text = "## Limits\n\nThe **limit** is `€165` & more. [1]"
    view = replace(ANSWER, text=text, markup="markdown", understood_as="What is the limit?", asked="And here?")
    await platform.post(place, view, "ask:1")
    shown = slack.answers(place.channel, place.thread)[-1].text
    assert shown.startswith("Limits\nThe limit is €165 &amp; more. [1]")


@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="msg_blocks_too_long"), Fault(error="msg_too_long"), Fault(error="invalid_blocks"),
        Fault(status=413),
    ],
)  # fmt: skip
async def test_a_message_that_slack_finds_too_long_is_shortened(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place, fault: Fault
) -> None:
    message_id = await platform.post(place, WAITING, "ask:1")
    slack.faults.add("chat.update", fault)
    await platform.update(place, message_id, LONG_ANSWER)
    shown = world.thread(place.channel, place.thread)[-1]
    assert shown.says("Paragraph 0")
    assert len(shown.text) < 2_000
    assert {"Explain", "Sources", "Helpful"} <= {*shown.buttons}
    slack.faults.add("chat.postMessage", fault)
    assert await platform.post(place, LONG_ANSWER, "ask:2") == await platform.find_message(place, "ask:2")


async def test_links_of_an_answer_are_not_unfurled(slack: SlackWorld, platform: SlackPlatform, place: Place) -> None:
    await platform.post(place, ANSWER, "ask:1")
    assert (slack.calls[-1].arguments["unfurl_links"], slack.calls[-1].arguments["unfurl_media"]) == (False, False)


async def test_a_direct_message_can_be_updated(slack: SlackWorld, platform: SlackPlatform, ada: str) -> None:
    """chat.update takes the id of the direct messages, not the user's."""
    place = Place("slack", slack.team, ada, "", direct=True)
    message_id = await platform.post(place, WAITING, "sync:1")
    await platform.update(place, message_id, ANSWER)
    assert slack.calls[-1].arguments["channel"] == slack.direct_channel(ada)


async def test_a_message_outside_of_threads_is_found_by_its_key(
    slack: SlackWorld, platform: SlackPlatform, ada: str
) -> None:
    place = Place("slack", slack.team, slack.add_channel("ops", members=[ada]), "")
    assert await platform.find_message(place, "sync:1") is None
    await platform.post(place, WAITING, "sync:0")
    message_id = await platform.post(place, WAITING, "sync:1")
    await platform.post(place, WAITING, "sync:2")
    assert await platform.find_message(place, "sync:1") == message_id


async def test_without_table_blocks_the_answer_is_sent_as_text(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place
) -> None:
    answer = AnswerView("t1", "en", "| City | Limit |\n|---|---|\n| Bonn | 1 |\n| Delft | 2 |", True, "markdown")
    slack.faults.add("chat.postMessage", Fault(error="invalid_blocks"))
    await platform.post(place, answer, "ask:2")
    assert world.thread(place.channel, place.thread)[-1].says("City │ Limit", "Delft │ 2")
