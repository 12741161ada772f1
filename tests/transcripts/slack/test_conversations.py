"""Conversations in Slack."""

from __future__ import annotations

from tests.contracts.conversation import ChatTranscripts
from tests.contracts.conversation_access import AccessTranscripts
from tests.contracts.conversation_buttons import ButtonTranscripts
from tests.contracts.transcript import Chat


class TestSlackConversations(ChatTranscripts):
    """The suite that all platforms share: questions and follow-ups."""


class TestSlackButtons(ButtonTranscripts):
    """The suite that all platforms share: buttons."""

    def test_the_form_below_an_answer_to_words_of_no_language_is_in_the_clients_language(self, chat: Chat) -> None:
        chat.user("Uwe", locale="de-DE")
        thread = chat.writes("Uwe", "Hotel?")
        thread.bot_says("[1]")
        thread.clicks("Uwe", "Nicht hilfreich")
        chat.sees_window("Uwe", "Was war falsch?")


class TestSlackAccess(AccessTranscripts):
    """The suite that all platforms share: access."""

    def test_a_command_is_answered_in_the_language_of_the_client(self, chat: Chat) -> None:
        chat.world.slack.workspace.users[chat.user("Uwe")].locale = "de-DE"
        chat.commands("Uwe", "help", "So fragen Sie", "Hier durchsuche ich diese Bereiche")
        chat.commands("Uwe", "spaces", "Das dürfen nur Admins.")
