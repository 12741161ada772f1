"""Conversations in Slack."""

from __future__ import annotations

from tests.contracts.conversation import ChatTranscripts


class TestSlackConversations(ChatTranscripts):
    """As on every platform."""
