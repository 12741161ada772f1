"""What a person sees when Slack refuses a call of the bot, or does not answer it in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.contracts.conversation import HOTEL, ask_about_hotels
from tests.contracts.conversation_access import sync_page
from tests.contracts.conversation_buttons import HEADING
from tests.contracts.conversation_faults import count_told, meet_directly, wait_for_direct_message
from tests.contracts.transcript import Chat
from tests.servers.slack import Fault, SlackWorld
from tests.transcripts.slack.test_links import PAGE

REFUSED = Fault(error="restricted_action")
BUSY = Fault(status=429, retry_after=60)  # longer than a test waits
ACKNOWLEDGED = 3.0  # seconds: after that, Slack shows an error at the button


def count_calls(slack: SlackWorld, method: str) -> int:
    return sum(call.method == method for call in slack.calls)


def forget_audience(chat: Chat, slack: SlackWorld) -> None:
    """Let the bot ask again who can read the channel."""
    slack.event({"type": "channel_unshared", "channel": chat.channel, "event_ts": "1.1"}, chat.channel)
    chat.settles()


# windows


def test_an_explanation_that_its_window_cannot_show_comes_as_a_message(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.update", Fault(error="invalid_arguments"))
    thread.clicks("Ada", "Explain")
    assert "Share" in chat.told("Ada", HEADING).buttons
    chat.settles()
    window = chat.world.window(chat.user("Ada"))
    assert window
    assert window.says("is below the answer")
    assert not window.says("Checking")
    thread.bot_is_silent()


def test_an_explanation_comes_as_a_message_if_no_update_of_its_window_is_accepted(
    chat: Chat, slack: SlackWorld
) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.update", Fault(status=403), times=None)
    thread.clicks("Ada", "Explain")
    chat.told("Ada", HEADING)
    thread.bot_is_silent()
    assert count_told(chat, "Ada", HEADING) == 1


def test_a_window_says_that_the_explanation_can_be_shown_nowhere(chat: Chat, slack: SlackWorld) -> None:
    direct = meet_directly(chat)
    thread = ask_about_hotels(chat)
    slack.faults.add("views.update", REFUSED)
    slack.faults.add("chat.postEphemeral", REFUSED)
    thread.clicks("Ada", "Explain")
    wait_for_direct_message(chat, direct, "could not be shown to you")
    chat.sees_window("Ada", "could not be shown to you")
    thread.bot_is_silent()


def test_a_vote_whose_form_cannot_open_is_said_to_count(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.open", Fault(error="expired_trigger_id"))
    thread.clicks("Ada", "Not helpful")
    chat.told("Ada", "Your vote was saved", "click again")
    assert not count_told(chat, "Ada", "The window could not be opened")
    thread.bot_is_silent()


@pytest.mark.parametrize(
    ("label", "told"), [("Sources", "click again"), ("Not helpful", "Your vote was saved"), ("Explain", HEADING)]
)
def test_a_window_that_slack_refuses_for_now_is_not_tried_after_its_time(
    chat: Chat, slack: SlackWorld, label: str, told: str
) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.open", BUSY)
    thread.clicks("Ada", label)
    chat.told("Ada", told)
    assert count_calls(slack, "views.open") == 1
    thread.bot_is_silent()


# while Slack does not tell who can read the channel


def test_an_explanation_begins_before_it_is_known_who_can_read_the_channel(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    forget_audience(chat, slack)
    slack.faults.add("conversations.info", Fault(status=429, retry_after=4))
    began = time.monotonic()
    thread.clicks("Ada", "Explain")
    chat.sees_window("Ada", "Checking which sources matter")
    assert time.monotonic() - began < ACKNOWLEDGED
    assert slack.deliveries[-1].status == 200
    chat.sees_window("Ada", HEADING)
    thread.bot_is_silent()


def test_a_vote_is_acknowledged_in_time_and_counted_later(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    forget_audience(chat, slack)
    slack.faults.add("conversations.info", Fault(status=429, retry_after=4))
    thread.clicks("Ada", "Helpful")
    chat.awaited(lambda: slack.deliveries[-1].status == 200, lambda: "the click was to be acknowledged", ACKNOWLEDGED)
    assert not count_told(chat, "Ada", "Thank you")
    chat.told("Ada", "Thank you")
    thread.bot_is_silent()


def test_an_explanation_is_shared_in_time(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    thread.clicks("Ada", "Explain")
    chat.sees_window("Ada", HEADING)
    forget_audience(chat, slack)
    slack.faults.add("conversations.info", Fault(status=429, retry_after=4))
    chat.shares("Ada")
    chat.awaited(lambda: slack.deliveries[-1].status == 200, lambda: "the click was to be acknowledged", ACKNOWLEDGED)
    thread.bot_says(HEADING)


def test_a_form_stays_open_with_its_text_while_slack_does_not_answer(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    thread.says("Ben", "And in Germany?")
    thread.bot_says("€150")
    thread.clicks("Ada", "Not what I meant")
    chat.sees_window("Ada", "What did you mean?")
    chat.settles()
    forget_audience(chat, slack)
    slack.faults.add("conversations.info", Fault(error="fatal_error"), times=None)
    chat.world.submit(chat.user("Ada"), "What is the hotel limit in Spain?")
    chat.awaited(lambda: slack.deliveries[-1].status == 500, lambda: "Slack was to get an error", ACKNOWLEDGED)
    chat.sees_window("Ada", "What did you mean?")
    thread.bot_is_silent()


def test_a_person_is_told_one_thing_about_a_window_even_if_slack_does_not_confirm_it(
    chat: Chat, slack: SlackWorld
) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("views.open", REFUSED)
    slack.faults.add("chat.postEphemeral", Fault(drop_after=True))
    thread.clicks("Ada", "Sources")
    chat.told("Ada", "click again")
    chat.settles()
    assert not count_told(chat, "Ada", "no effect")
    thread.bot_is_silent()


@pytest.mark.parametrize("label", ["Sources", "Helpful"])
def test_a_click_that_cannot_be_handled_is_said_to_have_no_effect(chat: Chat, slack: SlackWorld, label: str) -> None:
    thread = ask_about_hotels(chat)
    forget_audience(chat, slack)
    slack.faults.add("conversations.info", Fault(error="fatal_error"), times=None)
    thread.clicks("Ada", label)
    chat.told("Ada", "no effect", "click again")
    chat.settles()
    assert slack.deliveries[-1].status == 200
    thread.bot_is_silent()


def test_a_command_is_answered_in_time(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("conversations.info", BUSY)
    chat.commands("Ada", HOTEL, "I can't tell right now")
    assert slack.deliveries[-1].status == 200


# where nobody may be told in the thread


@pytest.mark.parametrize("label", ["Helpful", "Not helpful", "Sources"])
def test_what_may_not_be_told_in_the_thread_is_told_directly(chat: Chat, slack: SlackWorld, label: str) -> None:
    direct = meet_directly(chat)
    thread = ask_about_hotels(chat)
    slack.faults.add("views.open", REFUSED)
    slack.faults.add("chat.postEphemeral", REFUSED, times=None)
    thread.clicks("Ada", label)
    wait_for_direct_message(
        chat, direct, {"Helpful": "Thank you", "Not helpful": "Your vote"}.get(label, "click again")
    )
    thread.bot_is_silent()


def test_a_person_who_shares_an_explanation_after_the_question_was_deleted_is_told(
    chat: Chat, slack: SlackWorld
) -> None:
    direct = meet_directly(chat)
    thread = ask_about_hotels(chat)
    thread.clicks("Ada", "Explain")
    chat.sees_window("Ada", HEADING)
    chat.world.delete(chat.channel, thread.root)
    chat.awaited(lambda: not thread.bots, lambda: "the answer was to be deleted with its question")
    chat.settles()
    chat.shares("Ada")
    wait_for_direct_message(chat, direct, "no longer available")
    thread.bot_is_silent()


def test_a_person_whose_answer_may_not_be_deleted_with_the_question_is_told(chat: Chat, slack: SlackWorld) -> None:
    thread = ask_about_hotels(chat)
    slack.faults.add("chat.delete", Fault(error="cant_delete_message"), times=None)
    chat.world.delete(chat.channel, thread.root)
    chat.told("Ada", "Your question was deleted", "may not delete my answer")


def test_a_person_who_asked_in_german_reads_in_german_that_the_answer_stays(chat: Chat, slack: SlackWorld) -> None:
    thread = chat.asks("Ada", "Wie hoch ist die Hotelgrenze pro Nacht in Deutschland 2026?")
    thread.bot_says("150")
    slack.faults.add("chat.delete", Fault(error="cant_delete_message"), times=None)
    chat.world.delete(chat.channel, thread.root)
    chat.told("Ada", "Ihre Frage")


# threads and reports


@pytest.mark.parametrize("fault", [Fault(error="missing_scope"), Fault(status=404)])
def test_an_answer_says_that_earlier_messages_could_not_be_read(chat: Chat, slack: SlackWorld, fault: Fault) -> None:
    thread = chat.begins("Ada", "In the Netherlands?")
    slack.faults.add("conversations.replies", fault, times=None)
    thread.calls("Ben", "What is the hotel limit per night in Germany in 2026?")
    answer = thread.bot_says("€150", "I could not read the earlier messages of this thread")
    assert "Explain" in answer.buttons
    chat.settles()
    thread.calls("Ben", "And in the Netherlands?")
    thread.bot_says("Understood as:", "€165", without=("could not read",))  # with what was said since


def test_an_admin_whose_sync_report_is_refused_reads_it_alone(
    chat: Chat, slack: SlackWorld, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sync_page(chat, tmp_path, "EMU", "<p>The emu is called Edna.</p>")
    chat.admits("Admin")
    before = len(chat.world.alone(chat.user("Admin")))
    slack.join(chat.user("Admin"), chat.channel)
    for method, skip in (("chat.postMessage", 1), ("chat.update", 0), ("chat.delete", 0)):  # after the first message
        slack.faults.add(method, REFUSED, times=None, skip=skip)
    chat.world.command(chat.user("Admin"), chat.channel, "sync EMU")
    chat.told("Admin", "EMU", "1 page", after=before)
    chat.settles()
    assert [shown.says("1 page") for shown in chat.world.alone(chat.user("Admin"))[before:]].count(True) == 1
    assert "Traceback" not in caplog.text


def test_a_failed_home_page_and_preview_harm_nothing(chat: Chat, slack: SlackWorld) -> None:
    slack.faults.add("views.publish", REFUSED)
    slack.faults.add("chat.unfurl", REFUSED)
    slack.open_home(chat.user("Ada"))
    slack.share_links(chat.user("Ada"), chat.channel, f"See {PAGE}", PAGE)
    chat.settles()
    assert not chat.world.alone(chat.user("Ada"))
    slack.open_home(chat.user("Ada"))
    chat.awaited(lambda: slack.home(chat.user("Ada")), lambda: "the next page was to be published")
