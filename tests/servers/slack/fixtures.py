"""Fixtures of a workspace; import them in a ``conftest.py``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.servers.slack.emulator import why_no_emulator
from tests.servers.slack.receiver import Receiver
from tests.servers.slack.world import SlackWorld


@pytest.fixture
def slack_world() -> Iterator[SlackWorld]:
    """With the emulator behind it; skipped where that cannot run."""
    if why_no_emulator():
        pytest.skip(why_no_emulator())
    with SlackWorld() as world:
        yield world


@pytest.fixture
def receiver(slack_world: SlackWorld) -> Iterator[Receiver]:
    """What the workspace sends to."""
    with Receiver(slack_world.signing_secret) as receiver:
        slack_world.deliver_to(receiver.url)
        yield receiver


@pytest.fixture
def slack(slack_world: SlackWorld) -> AsyncWebClient:
    """Slack's own client, signed in as the bot."""
    return AsyncWebClient(slack_world.bot_token, base_url=slack_world.api_url)


__all__ = ["receiver", "slack", "slack_world"]
