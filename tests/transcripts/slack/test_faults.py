"""Slack when it fails, and what comes to the bot that nobody should answer."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request

import pytest

from tests.contracts.conversation import HOTEL
from tests.contracts.conversation_faults import FaultTranscripts
from tests.contracts.transcript import Chat
from tests.servers.running_bot import RunningBot
from tests.servers.slack import Fault, SlackWorld


class TestSlackFaults(FaultTranscripts):
    """Every question is answered once, as on every platform."""


def send(bot: RunningBot, headers: dict[str, str], body: bytes) -> int:
    request = urllib.request.Request(f"{bot.url}/slack/events", body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize("wrong", ["missing", "forged", "old", "of another body", "no time", "from the future"])
def test_what_slack_did_not_sign_is_refused(chat: Chat, bot: RunningBot, slack: SlackWorld, wrong: str) -> None:
    event = {
        "type": "app_mention",
        "user": chat.user("Ada"),
        "text": f"<@{slack.bot}> {HOTEL}",
        "channel": chat.channel,
    }
    body = json.dumps({"type": "event_callback", "team_id": slack.team, "event": {**event, "ts": "1.1"}}).encode()
    deliverer, now = slack.sender, int(time.time())
    headers = {
        "missing": {},
        "forged": {**deliverer.signed(body), "X-Slack-Signature": "v0=" + "0" * 64},
        "old": deliverer.signed(body, now - 400),
        "of another body": deliverer.signed(b"{}"),
        "no time": {**deliverer.signed(body), "X-Slack-Request-Timestamp": "soon"},
        "from the future": deliverer.signed(body, now + 400),
    }[wrong]
    assert send(bot, headers, body) == 401
    chat.settles()
    assert not [call for call in slack.calls if call.method.startswith("chat.")]


def test_slack_can_make_sure_of_the_address(slack: SlackWorld) -> None:
    assert slack.verify_url("xyz").answer == {"challenge": "xyz"}


def test_another_workspace_is_left_alone(chat: Chat, slack: SlackWorld) -> None:
    event = {
        "type": "app_mention",
        "user": chat.user("Ada"),
        "text": f"<@{slack.bot}> {HOTEL}",
        "channel": chat.channel,
    }
    slack.event({**event, "ts": "1700000000.000100", "event_ts": "1700000000.000100"}, chat.channel, team="T0OTHER")
    chat.settles()
    assert [delivery.status for delivery in slack.deliveries] == [200]
    assert not [call for call in slack.calls if call.method.startswith("chat.")]


def test_events_that_nobody_listens_to_are_acknowledged(chat: Chat, slack: SlackWorld) -> None:
    slack.event({"type": "reaction_added", "user": chat.user("Ada"), "reaction": "eyes", "event_ts": "1.1"})
    slack.event({"type": "message", "channel": chat.channel, "event_ts": "1.1", "ts": "1.1", "subtype": "channel_join"})
    slack.event({"type": "member_joined_channel", "user": chat.user("Ada"), "channel": chat.channel, "event_ts": "1.2"})
    chat.settles()
    assert {delivery.status for delivery in slack.deliveries} == {200}


def test_our_own_messages_are_not_answered(chat: Chat, slack: SlackWorld) -> None:
    slack.echoes = True
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165")
    thread.bot_is_silent()
    assert len(slack.deliveries) > 2


@pytest.mark.parametrize("kinds", [("app_mention",), ("message",), ("message", "app_mention"), ("app_mention",) * 2])
def test_both_kinds_of_event_in_any_order_are_one_question(
    chat: Chat, slack: SlackWorld, kinds: tuple[str, ...]
) -> None:
    root = slack.say(chat.user("Ada"), chat.channel, f"<@{slack.bot}> {HOTEL}", as_kinds=kinds, deliveries=2)
    chat.awaited(lambda: slack.answers(chat.channel, root), lambda: "an answer was to come")
    chat.settles()
    assert len(slack.answers(chat.channel, root)) == 1


def test_events_are_acknowledged_once_and_not_sent_again(chat: Chat, slack: SlackWorld) -> None:
    chat.asks("Ada", HOTEL).bot_says("€165")
    chat.settles()
    assert [(delivery.status, delivery.retry) for delivery in slack.deliveries] == [(200, 0), (200, 0)]


def test_an_answer_that_slack_finds_too_long_is_shortened(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("chat.update", Fault(error="msg_blocks_too_long"))
    thread = chat.asks("Ada", HOTEL)
    assert "Explain" in thread.bot_says("€165").buttons


def test_a_click_under_an_old_answer_works_while_newer_ones_come(chat: Chat) -> None:
    thread = chat.asks("Ada", HOTEL)
    first = thread.bot_says("€165")
    thread.says("Ben", "And in Germany?")
    second = thread.bot_says("€150")
    chat.settles()
    thread.clicks("Ada", "Explain", second)
    thread.clicks("Ada", "Explain", first)
    verdicts = {thread.bot_says("What this answer rests on").text for _ in range(2)}
    assert len(verdicts) == 2
    thread.bot_is_silent()


def test_a_click_on_a_message_that_slack_deleted_meanwhile_fails_nothing(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    answer = thread.bot_says("€165")
    chat.settles()
    thread.clicks("Ada", "Explain", answer)
    slack.message(chat.channel, answer.message_id).deleted = True
    chat.settles()
    assert slack.deliveries[-1].status == 200


def test_a_modal_that_came_too_late_fails_nothing(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165")
    chat.settles()
    slack.faults.add("views.open", Fault(error="expired_trigger_id"))
    thread.clicks("Ada", "Sources")
    chat.settles()
    thread.clicks("Ada", "Sources")
    chat.sees_window("Ada", "Sources")


def test_what_an_app_posts_is_not_answered_though_it_looks_like_a_persons(chat: Chat, slack: SlackWorld) -> None:
    root = chat.begins("Ada", "Look at this.").root
    chat.settles()
    event = {"type": "message", "user": chat.user("Robot"), "bot_id": "B0ROBOT", "channel": chat.channel, "ts": root}
    slack.event({**event, "text": f"<@{slack.bot}> {HOTEL}", "event_ts": root}, chat.channel)
    chat.settles()
    assert not slack.answers(chat.channel, root)
