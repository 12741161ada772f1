"""Failures of Slack, and events that must not be answered."""

from __future__ import annotations

import pytest

from tests.contracts.conversation import HOTEL, ask_about_hotels
from tests.contracts.conversation_buttons import HEADING
from tests.contracts.conversation_faults import EACH_STATUS, FaultTranscripts, has_heard
from tests.contracts.transcript import Chat
from tests.servers.slack import Fault, SlackWorld
from tests.transcripts.slack.test_links import PAGE

pytestmark = pytest.mark.slow


class TestSlackFaults(FaultTranscripts):
    """The suite that all platforms share: every question is answered once."""


def test_the_url_verification_is_answered(slack: SlackWorld) -> None:
    assert slack.verify_url("xyz").answer == {"challenge": "xyz"}


def test_the_bots_own_messages_are_not_answered(chat: Chat, slack: SlackWorld) -> None:
    slack.echoes = True
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165")
    thread.bot_is_silent()
    assert len(slack.deliveries) > 2


@pytest.mark.parametrize("kinds", [("app_mention",), ("message",), ("message", "app_mention"), ("app_mention",) * 2])
def test_both_kinds_of_event_are_one_question(chat: Chat, slack: SlackWorld, kinds: tuple[str, ...]) -> None:
    root = slack.say(chat.user("Ada"), chat.channel, f"<@{slack.bot}> {HOTEL}", as_kinds=kinds, deliveries=2)
    chat.awaited(lambda: slack.answers(chat.channel, root), lambda: "an answer was to come")
    chat.settles()
    assert len(slack.answers(chat.channel, root)) == 1


def test_events_are_acknowledged_at_the_first_attempt(chat: Chat, slack: SlackWorld) -> None:
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


def test_a_click_on_a_deleted_message_is_acknowledged(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", HOTEL)
    answer = thread.bot_says("€165")
    chat.settles()
    thread.clicks("Ada", "Explain", answer)
    slack.message(chat.channel, answer.message_id).deleted = True
    chat.settles()
    assert slack.deliveries[-1].status == 200


@pytest.mark.parametrize(
    ("label", "fault", "told"),
    [
        ("Sources", Fault(error="expired_trigger_id"), "The window could not be opened"),
        ("Not what I meant", Fault(status=403), "The window could not be opened"),
        ("Not helpful", Fault(status=500), "Your vote was saved"),
    ],
)
def test_without_a_modal_the_person_is_told_to_click_again(
    chat: Chat, slack: SlackWorld, label: str, fault: Fault, told: str
) -> None:
    chat.asks("Ada", HOTEL).bot_says("€165")
    thread = chat.asks("Ben", HOTEL)
    thread.bot_says("€165")
    thread.says("Ben", "And in Germany?")
    answer = thread.bot_says("Understood as:", "€150")
    chat.settles()
    slack.faults.add("views.open", fault)
    thread.clicks("Ada", label, answer)
    chat.told("Ada", told, "click again")
    assert chat.world.window(chat.user("Ada")) is None
    thread.clicks("Ada", label, answer)
    chat.sees_window("Ada", "")
    thread.bot_is_silent()


def test_without_a_modal_the_explanation_is_a_message(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.open", Fault(error="expired_trigger_id"))
    thread.clicks("Ada", "Explain")
    chat.told("Ada", HEADING)
    assert chat.world.window(chat.user("Ada")) is None
    thread.bot_is_silent()


_METHODS = (
    "chat.postMessage", "chat.update", "chat.delete", "chat.postEphemeral", "chat.getPermalink", "chat.unfurl",
    "views.open", "views.update", "views.publish", "assistant.threads.setStatus", "users.info", "conversations.info",
    "conversations.replies",
)  # fmt: skip


@pytest.mark.parametrize("status", EACH_STATUS)
@pytest.mark.parametrize("method", _METHODS)
def test_a_failing_call_does_not_affect_other_questions(
    chat: Chat, slack: SlackWorld, caplog: pytest.LogCaptureFixture, method: str, status: int
) -> None:
    """Ask, click, share a link, edit and delete while one call fails."""
    slack.faults.add(method, Fault(status=status, retry_after=0), times=3)
    thread = chat.asks("Ada", HOTEL)
    chat.settles()
    assert has_heard(chat, "Ada", thread, caplog.text)
    for answer in thread.bots[:1]:
        for label in {"Explain", "Sources", "Not helpful"} & {*answer.buttons}:
            thread.clicks("Ada", label, answer)
        slack.open_home(chat.user("Ada"))
        slack.share_links(chat.user("Ada"), chat.channel, f"See {PAGE}", PAGE)
        chat.settles()
        chat.world.edit(chat.channel, thread.root, HOTEL.replace("Netherlands", "Germany"))
        chat.settles()
        chat.world.delete(chat.channel, thread.root)
        chat.settles()
    slack.faults.clear()
    assert {delivery.status for delivery in slack.deliveries} == {200}
    assert not [each for each in caplog.records if each.getMessage().startswith(("Exception", "What somebody did."))]
    chat.asks("Ben", HOTEL).bot_says("€165")


def test_a_question_in_a_thread_of_1200_messages_is_answered_once(chat: Chat) -> None:
    thread = chat.begins("Ada", "We plan a trip.")
    chat.world.fill(chat.user("Ben"), chat.channel, thread.root, [f"message {at}" for at in range(1_200)])
    chat.world.trouble("post", "cut")
    thread.calls("Ada", HOTEL)
    thread.bot_says("€165")
    thread.bot_is_silent()


def test_a_message_of_an_app_with_a_persons_id_is_not_answered(chat: Chat, slack: SlackWorld) -> None:
    root = chat.begins("Ada", "Look at this.").root
    chat.settles()
    event = {"type": "message", "user": chat.user("Robot"), "bot_id": "B0ROBOT", "channel": chat.channel, "ts": root}
    slack.event({**event, "text": f"<@{slack.bot}> {HOTEL}", "event_ts": root}, chat.channel)
    chat.settles()
    assert not slack.answers(chat.channel, root)
