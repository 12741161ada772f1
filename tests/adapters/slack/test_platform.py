"""Slack keeps the contract of chat platforms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from core.ports.chat import Place
from core.views.model import AnswerView
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


async def test_while_the_bot_works_the_thread_has_a_status_which_the_answer_ends(
    slack: SlackWorld, platform: SlackPlatform, place: Place
) -> None:
    await platform.show_work(place, WAITING, "ask:1")
    assert slack.channel(place.channel).statuses == {place.thread: "is reading the wiki …"}
    await platform.post(place, ANSWER, "ask:1")
    assert slack.channel(place.channel).statuses == {}
    assert [call.method for call in slack.calls] == ["assistant.threads.setStatus", "chat.postMessage"]


async def test_a_stream_that_an_earlier_version_left_open_is_ended_and_updated(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, calls: SlackCalls, place: Place, ada: str
) -> None:
    where = {"channel": place.channel, "thread_ts": place.thread}
    people = {"recipient_user_id": ada, "recipient_team_id": slack.team}
    left = await calls.write("chat.startStream", **where, **people, markdown_text="Reading the wiki")
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
async def test_what_slack_finds_too_long_against_all_expectation_is_shortened(
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
    assert await platform.find_message(place, "sync:1") is None
    await platform.post(place, WAITING, "sync:0")
    message_id = await platform.post(place, WAITING, "sync:1")
    await platform.post(place, WAITING, "sync:2")
    assert await platform.find_message(place, "sync:1") == message_id


async def test_where_slack_has_no_tables_the_answer_is_sent_without_them(
    slack: SlackWorld, world: SlackChatWorld, platform: SlackPlatform, place: Place
) -> None:
    answer = AnswerView("t1", "en", "| City | Limit |\n|---|---|\n| Bonn | 1 |\n| Delft | 2 |", True, "markdown")
    slack.faults.add("chat.postMessage", Fault(error="invalid_blocks"))
    await platform.post(place, answer, "ask:2")
    assert world.thread(place.channel, place.thread)[-1].says("City │ Limit", "Delft │ 2")
