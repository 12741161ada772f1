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
    """Owners of the team let the bot read its messages; without that it hears those that mention it."""
    teams.reads_all = True


class TestTeamsConversations(ChatTranscripts):
    """AskWorkflow and following up, as on every platform."""

    def test_a_question_in_a_thread_of_people_knows_what_they_said(self, chat: Chat) -> None:
        """Not in Teams, which lets no bot read what was said before; what it heard was none of its business."""
        thread = chat.begins("Ada", HOTEL)
        thread.says("Ben", "No idea.")
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("", without=("Understood as:",))
        assert "Netherlands" not in str(self.heard(chat, thread))


class TestTeamsButtons(ButtonTranscripts):
    """What can be done with an answer, as on every platform. Teams' own thumbs say nothing, and ask for the reason."""

    def test_praise_is_thanked_for_and_kept(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Helpful")
        assert _kept(chat, thread) == [("good", "")]

    def test_blame_is_asked_for_its_reason_and_kept(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Not helpful")
        assert _kept(chat, thread) == [("bad", "")]
        chat.world.submit(chat.user("Ben"), "It is the wrong year.")
        assert _kept(chat, thread) == [("bad", "It is the wrong year.")]

    def test_a_person_counts_once_and_last(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for name, label in (("Ben", "Helpful"), ("Ada", "Helpful"), ("Ben", "Not helpful")):
            thread.clicks(name, label)
            chat.settles()
        assert sorted(_kept(chat, thread)) == [("bad", ""), ("good", "")]


class TestTeamsAccess(AccessTranscripts):
    """Who may ask what where, as on every platform."""

    guests_are_foreign = True
    told_by = ("Sources", "Explain")

    def test_strangers_get_no_direct_answers(self, chat: Chat) -> None:
        """Nor any: a chat with somebody of another organisation is not this organisation's."""
        chat.user("Stranger", elsewhere=True, email="ada@example.com")
        chat.writes("Stranger", HOTEL).bot_is_silent()

    test_what_is_no_command_is_told_so = None  # type: ignore[assignment]
    """A command is a message, and what is no command is a question."""

    test_a_sync_is_reported_to_the_admin_where_the_bot_may_not_write = None  # type: ignore[assignment]
    """Where the bot is not, nobody can give it a command."""


def _kept(chat: Chat, thread: Thread) -> list[tuple[str, str]]:
    """Reactions to the answer, with their reasons."""
    chat.settles()
    (turn,) = chat.turns(thread)
    kept = chat.bot.run(chat.bot.application.feedback.all())
    return [(one.reaction, one.reason) for one in kept if one.turn_id == turn.turn_id]
