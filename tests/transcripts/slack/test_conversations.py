"""Conversations in Slack."""

from __future__ import annotations

from tests.contracts.conversation import ChatTranscripts
from tests.contracts.conversation_access import AccessTranscripts
from tests.contracts.conversation_buttons import ButtonTranscripts


class TestSlackConversations(ChatTranscripts):
    """AskWorkflow and following up, as on every platform."""


class TestSlackButtons(ButtonTranscripts):
    """What can be done with an answer, as on every platform."""


class TestSlackAccess(AccessTranscripts):
    """Who may ask what where, as on every platform."""
