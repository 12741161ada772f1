"""Fixtures: a fake workspace, and SlackPlatform in it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld


@pytest.fixture(scope="module")
def workspace() -> Iterator[SlackWorld]:
    with SlackWorld() as slack:
        yield slack


@pytest.fixture
def slack(workspace: SlackWorld) -> Iterator[SlackWorld]:
    """Return the workspace with its initial settings; people and channels of earlier tests stay."""
    workspace.calls.clear()
    yield workspace
    workspace.faults.clear()


@pytest.fixture
def world(slack: SlackWorld) -> SlackChatWorld:
    return SlackChatWorld(slack)


@pytest.fixture
async def calls(slack: SlackWorld) -> AsyncIterator[SlackCalls]:
    calls = SlackCalls(slack.bot_token, slack.api_url)
    await calls.open()
    yield calls
    await calls.close()


@pytest.fixture
def platform(calls: SlackCalls) -> SlackPlatform:
    return SlackPlatform(calls, time.monotonic)
