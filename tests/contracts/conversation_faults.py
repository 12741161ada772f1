"""Contract suite of conversations on a faulty platform: inherit :class:`FaultTranscripts`. Fixture: ``chat``."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.contracts.chat_world import Trouble
from tests.contracts.conversation import HOTEL, ask_about_hotels
from tests.contracts.conversation_access import sync_page
from tests.contracts.conversation_buttons import HEADING
from tests.contracts.transcript import Chat, Thread

EACH_STATUS = [403, *(pytest.param(status, marks=pytest.mark.slow) for status in (404, 413, 429))]
"""HTTP statuses with which a platform refuses a call."""


class FaultTranscripts:
    """Every question is answered exactly once. ``while_sharing``: the fault while an explanation is shared."""

    while_sharing: Trouble = "cut"

    @pytest.mark.parametrize("trouble", ["slow down", "broken", "cut"])
    @pytest.mark.parametrize("operation", ["post", "show"])
    def test_a_question_is_answered_once_whatever_goes_wrong_for_a_moment(
        self, chat: Chat, operation: str, trouble: Trouble
    ) -> None:
        chat.world.trouble(operation, trouble)  # type: ignore[arg-type]
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.bot_is_silent()

    def test_a_question_is_answered_if_the_asker_cannot_be_looked_up(self, chat: Chat) -> None:
        chat.world.trouble("people", "broken", times=9)
        chat.asks("Ada", HOTEL).bot_says("€165")

    def test_a_direct_message_waits_until_its_asker_is_known(self, chat: Chat) -> None:
        chat.world.trouble("people", "broken", times=4)
        chat.writes("Ada", HOTEL).bot_says("€165")

    def test_a_question_is_answered_if_the_thread_cannot_be_read(self, chat: Chat) -> None:
        thread = chat.begins("Ada", HOTEL)
        chat.world.trouble("thread", "broken", times=9)
        thread.calls("Ben", "What is the hotel limit per night in Germany in 2026?")
        thread.bot_says("€150")

    def test_an_explanation_is_posted_once_whatever_goes_wrong(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for name in ("Ada", "Ben"):
            thread.clicks(name, "Explain", thread.bots[0])
            chat.sees_alone(name, HEADING)
        chat.settles()
        chat.world.trouble("post", self.while_sharing)
        chat.shares("Ada")
        chat.shares("Ben")
        thread.bot_says(HEADING)
        thread.bot_is_silent()

    def test_a_platform_that_is_down_at_the_end_of_an_answer_gets_it_later(self, chat: Chat) -> None:
        # Who can read the channel is known from then on, so that an answer can be made while the platform is down.
        chat.asks("Ada", HOTEL).bot_says("€165")
        chat.world.down()
        thread = chat.asks("Ada", HOTEL)
        chat.awaited(lambda: chat.turns(thread), lambda: "a turn was to be stored")
        assert not thread.bots
        time.sleep(4)  # longer than one call is tried, and than a step that fails for another reason
        chat.world.up()
        thread.bot_says("€165")
        thread.bot_is_silent()

    def test_a_channel_that_is_gone_harms_no_other(self, chat: Chat) -> None:
        chat.world.trouble("post", "gone")
        chat.asks("Ada", HOTEL).bot_says("Something went wrong")  # it was gone for one message only
        chat.asks("Ben", HOTEL).bot_says("€165")

    def test_a_sync_whose_first_message_fails_is_reported_once(self, chat: Chat, tmp_path: Path) -> None:
        sync_page(chat, tmp_path, "EMU", "<p>The emu is called Edna.</p>")
        chat.admits("Admin")
        chat.world.trouble("post", "cut")
        chat.commands("Admin", "sync EMU", "EMU")
        chat.settles()
        assert len(chat.world.reports(chat.channel)) == 1

    # where the bot may not post

    def test_a_refused_answer_is_reported_once_to_the_asker_alone(self, chat: Chat) -> None:
        chat.world.refuse_posts(chat.channel)
        thread = chat.asks("Ada", HOTEL)
        chat.told("Ada", REFUSED, "ask an admin")
        thread.bot_is_silent()
        assert count_told(chat, "Ada", REFUSED) == 1
        assert not count_told(chat, "Ben", REFUSED)

    def test_without_private_messages_in_the_channel_it_is_reported_in_direct_messages(self, chat: Chat) -> None:
        direct = meet_directly(chat)
        chat.world.refuse_posts(chat.channel, alone=True)
        thread = chat.asks("Ada", HOTEL)
        wait_for_direct_message(chat, direct, REFUSED)
        thread.bot_is_silent()

    def test_a_refusal_that_nobody_can_be_told_of_is_logged_once(
        self, chat: Chat, caplog: pytest.LogCaptureFixture
    ) -> None:
        chat.world.refuse_posts(chat.channel, alone=True)
        chat.world.refuse_posts(chat.world.direct(chat.user("Ada")), alone=True)
        chat.asks("Ada", HOTEL).bot_is_silent()
        assert caplog.text.count("Nobody could be told that") == 1
        assert "Traceback" not in caplog.text

    def test_the_asker_is_told_if_the_answer_to_an_edited_question_is_refused(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.refuse_posts(chat.channel)
        chat.world.edit(thread.channel, thread.root, HOTEL.replace("Netherlands", "Germany"))
        chat.told("Ada", "edited question", "ask an admin")
        thread.bot_is_silent()
        assert count_told(chat, "Ada", "edited question") == 1
        assert [turn.question.as_asked for turn in chat.turns(thread)] == [HOTEL]  # whose answer stays

    def test_a_refused_explanation_is_reported_in_direct_messages(
        self, chat: Chat, caplog: pytest.LogCaptureFixture
    ) -> None:
        direct = meet_directly(chat)
        thread = ask_about_hotels(chat)
        chat.world.refuse_posts(chat.channel, alone=True)
        for _ in range(2):  # another click explains again, and is answered again
            thread.clicks("Ada", "Explain", thread.bots[0])
            chat.settles()
        told = [shown for shown in chat.world.in_channel(direct) if shown.says("explanation could not be shown")]
        assert len(told) == 2
        assert "Traceback" not in caplog.text
        thread.bot_is_silent()

    def test_sharing_a_refused_explanation_says_that_it_could_not_be_posted(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.refuse_posts(chat.channel)
        for count in (1, 2):
            thread.clicks("Ada", "Explain", thread.bots[0])
            chat.sees_alone("Ada", HEADING)
            chat.shares("Ada")
            chat.settles()
            assert count_told(chat, "Ada", "The explanation is ready, but it could not be posted") == count
        thread.bot_is_silent()
        chat.world.up()
        thread.clicks("Ada", "Explain", thread.bots[0])
        chat.sees_alone("Ada", HEADING)
        chat.shares("Ada")
        thread.bot_says(HEADING)


REFUSED = "could not be answered where you asked it"


def count_told(chat: Chat, name: str, text: str) -> int:
    """Return how often only this person was shown a text."""
    return sum(shown.says(text) for shown in chat.world.alone(chat.user(name)))


def has_heard(chat: Chat, name: str, thread: Thread, log: str) -> bool:
    """Whether a person reads an answer to their question or why there is none; else the log says that they do not."""
    user = chat.user(name)
    told = chat.world.alone(user) or chat.world.in_channel(chat.world.direct(user))
    return bool(thread.bots or told) or "Nobody could be told" in log


def meet_directly(chat: Chat) -> str:
    """Let Ada write to the bot directly, so that it knows how to reach her; return the channel."""
    chat.writes("Ada", HOTEL).bot_says("€165")
    chat.settles()
    return chat.world.direct(chat.user("Ada"))


def wait_for_direct_message(chat: Chat, direct: str, *parts: str) -> None:
    chat.awaited(
        lambda: [shown for shown in chat.world.in_channel(direct) if shown.says(*parts)],
        lambda: f"Ada was to read {parts} in direct messages, and reads {chat.world.in_channel(direct)}",
    )
