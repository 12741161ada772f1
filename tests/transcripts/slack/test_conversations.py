"""Conversations in Slack."""

from __future__ import annotations

from tests.contracts.conversation import ChatTranscripts
from tests.contracts.conversation_access import AccessTranscripts
from tests.contracts.conversation_buttons import ButtonTranscripts
from tests.contracts.transcript import Chat


class TestSlackConversations(ChatTranscripts):
    """AskWorkflow and following up, as on every platform."""


class TestSlackButtons(ButtonTranscripts):
    """What can be done with an answer, as on every platform."""


class TestSlackAccess(AccessTranscripts):
    """Who may ask what where, as on every platform."""

    def test_a_command_is_answered_in_the_language_of_the_client(self, chat: Chat) -> None:
        chat.world.slack.workspace.users[chat.user("Uwe")].locale = "de-DE"
        chat.commands("Uwe", "help", "So fragen Sie", "Hier durchsuche ich diese Bereiche")
        chat.commands("Uwe", "spaces", "Das dürfen nur Admins.")
