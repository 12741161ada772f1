"""Slack when it fails, and what comes to the bot that nobody should answer."""

from __future__ import annotations

import pytest

from tests.contracts.conversation import HOTEL
from tests.contracts.conversation_faults import FaultTranscripts
from tests.contracts.transcript import Chat
from tests.servers.slack import Fault, SlackWorld


class TestSlackFaults(FaultTranscripts):
    """Every question is answered once, as on every platform."""


def test_slack_can_make_sure_of_the_address(slack: SlackWorld) -> None:
    assert slack.verify_url("xyz").answer == {"challenge": "xyz"}


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


def test_a_click_under_an_old_answer_works_while_newer_ones_come(chat: Chat) -> None:
    thread = chat.asks("Ada", HOTEL)
    first = thread.bot_says("€165")
    thread.says("Ben", "And in Germany?")
    second = thread.bot_says("€150")
    chat.settles()
    thread.clicks("Ada", "Explain", second)
    thread.clicks("Ben", "Explain", first)
    assert chat.sees_alone("Ada", "rests on").text != chat.sees_alone("Ben", "rests on").text
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
