"""Conversations in Teams."""

from __future__ import annotations

import pytest

from tests.contracts.conversation import HOTEL, ChatTranscripts, ask_about_hotels
from tests.contracts.conversation_access import AccessTranscripts
from tests.contracts.conversation_buttons import ButtonTranscripts
from tests.contracts.transcript import Chat, Thread
from tests.servers.teams import TeamsWorld


@pytest.fixture(autouse=True)
def hears_all(teams: TeamsWorld) -> None:
    """Let the bot receive all messages of teams, not only those that mention it."""
    teams.reads_all = True


class TestTeamsConversations(ChatTranscripts):
    """The suite that all platforms share: questions and follow-ups."""

    def test_a_question_in_a_thread_of_people_uses_their_messages(self, chat: Chat) -> None:
        """Teams does not let bots read earlier messages, and those without a mention are not stored."""
        thread = chat.begins("Ada", HOTEL)
        thread.says("Ben", "No idea.")
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("", without=("Understood as:",))
        assert "Netherlands" not in str(self.heard(chat, thread))


class TestTeamsButtons(ButtonTranscripts):
    """The suite that all platforms share: buttons. Teams' own thumbs show no notice, and ask for the reason."""

    def test_positive_feedback_is_stored(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Helpful")
        assert _kept(chat, thread) == [("good", "")]

    def test_negative_feedback_is_stored_and_asks_for_a_reason(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Not helpful")
        assert _kept(chat, thread) == [("bad", "")]
        chat.world.submit(chat.user("Ben"), "It is the wrong year.")
        assert _kept(chat, thread) == [("bad", "It is the wrong year.")]

    def test_the_last_feedback_of_a_person_counts(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for name, label in (("Ben", "Helpful"), ("Ada", "Helpful"), ("Ben", "Not helpful")):
            thread.clicks(name, label)
            chat.settles()
        assert sorted(_kept(chat, thread)) == [("bad", ""), ("good", "")]


class TestTeamsAccess(AccessTranscripts):
    """The suite that all platforms share: access."""

    guests_are_foreign = True
    told_by = ("Sources", "Explain")

    def test_strangers_get_no_direct_answers(self, chat: Chat) -> None:
        """A chat with a person of another organisation belongs to the other tenant and is ignored."""
        chat.user("Stranger", elsewhere=True, email="ada@example.com")
        chat.writes("Stranger", HOTEL).bot_is_silent()

    test_an_unknown_command_is_reported = None  # type: ignore[assignment]
    """In Teams a command is a message, and any other message is a question."""

    test_a_sync_is_reported_to_the_admin_where_the_bot_may_not_write = None  # type: ignore[assignment]
    """In Teams commands are possible only where the bot is installed."""


def _kept(chat: Chat, thread: Thread) -> list[tuple[str, str]]:
    """Return the reactions to the answer, with their reasons."""
    chat.settles()
    (turn,) = chat.turns(thread)
    kept = chat.bot.run(chat.bot.application.feedback.load_all())
    return [(one.reaction, one.reason) for one in kept if one.turn_id == turn.turn_id]
