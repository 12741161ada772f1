"""What the workspace tells the bot."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack import SlackWorld
from tests.servers.slack.receiver import Reaction, Receiver


def test_a_mention_comes_as_two_kinds_of_event_with_ids_of_their_own(
    slack_world: SlackWorld, receiver: Receiver
) -> None:
    ada = slack_world.add_user("ada")
    eng = slack_world.add_channel("eng", members=[ada])
    ts = slack_world.say(ada, eng, f"<@{slack_world.bot}> Who is on call?")
    slack_world.wait_until(lambda: len(receiver.received) == 2)
    bodies = {received.body["event"]["type"]: received.body for received in receiver.received}
    assert set(bodies) == {"app_mention", "message"}
    assert bodies["app_mention"]["event_id"] != bodies["message"]["event_id"]
    event = bodies["message"]["event"]
    assert (event["ts"], event["channel"], event["user"], event["channel_type"]) == (ts, eng, ada, "channel")
    assert event["blocks"][0]["elements"][0]["elements"][0] == {"type": "user", "user_id": slack_world.bot}
    assert bodies["message"]["authorizations"][0]["user_id"] == slack_world.bot
    assert {"token", "team_id", "api_app_id", "event_time", "is_ext_shared_channel"} <= set(bodies["message"])


def test_replies_name_their_thread_and_whose_it_is(slack_world: SlackWorld, receiver: Receiver) -> None:
    ada, ben = slack_world.add_user("ada"), slack_world.add_user("ben", bot=True)
    eng = slack_world.add_channel("eng", members=[ada, ben], private=True)
    root = slack_world.say(ada, eng, "Hello")
    slack_world.say(ben, eng, "Beep", thread=root)
    slack_world.wait_until(lambda: len(receiver.events) == 2)
    beep = next(event for event in receiver.events if event["text"] == "Beep")
    assert (beep["thread_ts"], beep["parent_user_id"], beep["channel_type"]) == (root, ada, "group")
    assert beep["subtype"] == "bot_message"
    assert beep["bot_id"]


def test_a_stranger_in_a_shared_channel_is_told_apart(slack_world: SlackWorld, receiver: Receiver) -> None:
    eve = slack_world.add_user("eve", stranger=True)
    shared = slack_world.add_channel("with-partner", members=[eve], ext_shared=True)
    slack_world.say(eve, shared, "Hello")
    slack_world.wait_until(lambda: receiver.received)
    body = receiver.received[0].body
    assert body["is_ext_shared_channel"] is True
    assert body["event"]["user_team"] == body["event"]["source_team"] != body["team_id"]


def test_direct_messages_edits_and_deletions(slack_world: SlackWorld, receiver: Receiver) -> None:
    ada = slack_world.add_user("ada")
    im = slack_world.direct_channel(ada)
    ts = slack_world.direct_message(ada, "Hello")
    slack_world.edit(im, ts, "Hello there")
    slack_world.delete(im, ts)
    slack_world.wait_until(lambda: len(receiver.events) == 3)
    by_kind = {event.get("subtype"): event for event in receiver.events}
    assert by_kind[None]["channel_type"] == "im"
    assert by_kind["message_changed"]["message"]["text"] == "Hello there"
    assert by_kind["message_changed"]["previous_message"]["text"] == "Hello"
    assert by_kind["message_deleted"]["deleted_ts"] == ts


def test_a_deleted_root_with_replies_is_a_tombstone(slack_world: SlackWorld, receiver: Receiver) -> None:
    ada = slack_world.add_user("ada")
    eng = slack_world.add_channel("eng", members=[ada])
    root = slack_world.say(ada, eng, "Hello")
    slack_world.say(ada, eng, "More", thread=root)
    slack_world.delete(eng, root)
    slack_world.wait_until(lambda: len(receiver.events) == 3)
    stone = next(event for event in receiver.events if event.get("subtype"))
    assert (stone["subtype"], stone["message"]["subtype"]) == ("message_changed", "tombstone")


def test_what_is_not_acknowledged_comes_again_saying_why(slack_world: SlackWorld, receiver: Receiver) -> None:
    slack_world.retry_delays = (0.01, 0.01, 0.01)
    receiver.react = lambda received: Reaction(500 if len(receiver.received) < 3 else 200)
    ada = slack_world.add_user("ada")
    slack_world.direct_message(ada, "Hello")
    slack_world.wait_until(lambda: len(receiver.received) == 3)
    slack_world.wait_until(lambda: not slack_world.pending)
    numbers = [received.headers.get("X-Slack-Retry-Num") for received in receiver.received]
    assert numbers == [None, "1", "2"]
    assert receiver.received[1].headers["X-Slack-Retry-Reason"] == "http_error"
    assert len({received.body["event_id"] for received in receiver.received}) == 1
    assert [delivery.status for delivery in slack_world.deliveries] == [500, 500, 200]


def test_a_late_acknowledgement_is_none(slack_world: SlackWorld, receiver: Receiver) -> None:
    slack_world.patience, slack_world.retry_delays = 0.2, (0.01,)
    receiver.react = lambda received: Reaction(delay=0.6 if len(receiver.received) == 1 else 0)
    slack_world.direct_message(slack_world.add_user("ada"), "Hello")
    slack_world.wait_until(lambda: len(receiver.received) == 2)
    assert receiver.received[1].headers["X-Slack-Retry-Reason"] == "http_timeout"


def test_no_retry_is_wanted(slack_world: SlackWorld, receiver: Receiver) -> None:
    slack_world.retry_delays = (0.01,)
    receiver.react = lambda received: Reaction(500, headers={"X-Slack-No-Retry": "1"})
    slack_world.direct_message(slack_world.add_user("ada"), "Hello")
    slack_world.wait_until(lambda: slack_world.deliveries and not slack_world.pending)
    assert len(receiver.received) == 1


def test_an_event_may_come_more_than_once_though_acknowledged(slack_world: SlackWorld, receiver: Receiver) -> None:
    ada = slack_world.add_user("ada")
    slack_world.direct_message(ada, "Hello", deliveries=3)
    slack_world.wait_until(lambda: len(receiver.received) == 3)
    assert [received.headers.get("X-Slack-Retry-Num") for received in receiver.received] == [None, "1", "2"]


def test_requests_are_signed_with_the_secret(slack_world: SlackWorld, receiver: Receiver) -> None:
    assert slack_world.verify_url("abc").answer == "abc"
    slack_world.context.deliverer.secret = "another"
    assert slack_world.verify_url("abc").status == 401
    request = urllib.request.Request(receiver.url, b"{}", slack_world.context.deliverer.signed(b"{}", at=1))
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(request)


def test_the_opened_home_tab(slack_world: SlackWorld, receiver: Receiver) -> None:
    ada = slack_world.add_user("ada")
    slack_world.open_home(ada, "messages")
    slack_world.wait_until(lambda: receiver.events)
    assert receiver.events[0]["tab"] == "messages"
    assert receiver.events[0]["channel"] == slack_world.direct_channel(ada)


async def test_the_bot_hears_itself_where_it_listens_to_channels(
    slack_world: SlackWorld, receiver: Receiver, slack: AsyncWebClient
) -> None:
    slack_world.echoes = True
    eng = slack_world.add_channel("eng")
    posted = await slack.chat_postMessage(channel=eng, text="I am here")
    await slack.chat_update(channel=eng, ts=posted["ts"], text="I was here")
    await slack_world.until(lambda: len(receiver.events) == 2)
    first = next(event for event in receiver.events if "subtype" not in event)
    assert (first["user"], first["bot_id"]) == (slack_world.bot, slack_world.bot_id)
