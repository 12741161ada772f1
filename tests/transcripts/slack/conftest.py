"""Fixtures: a fake Slack with a bot per module; each test has its own people and channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from tests.contracts.transcript import Chat
from tests.servers.running_bot import RunningBot
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.servers.slack.state import User
from tests.transcripts.conftest import run_bot

ADMIN = "U0ADMIN0001"


@pytest.fixture(scope="session")
def workspace() -> Iterator[SlackWorld]:
    with SlackWorld() as slack:
        slack.retry_delays = (0.05, 0.1, 0.2)
        slack.workspace.users[ADMIN] = User(ADMIN, "admin", "Admin")
        yield slack


@pytest.fixture(scope="module")
def bot(
    workspace: SlackWorld, settings: dict[str, Any], embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningBot]:
    given = {
        "admins": ADMIN, "slack_api_url": workspace.api_url, "slack_bot_token": workspace.bot_token,
        "slack_signing_secret": workspace.signing_secret, **settings,
    }  # fmt: skip
    with run_bot(tmp_path_factory.mktemp("bot"), embedder, **given) as bot:
        workspace.deliver_to(f"{bot.url}/slack/events")
        yield bot
        workspace.deliver_to(None)


@pytest.fixture
def slack(workspace: SlackWorld, bot: RunningBot) -> Iterator[SlackWorld]:
    workspace.echoes = False
    for kept in (workspace.calls, workspace.deliveries, workspace.refusals):
        kept.clear()
    yield workspace
    workspace.faults.clear()


@pytest.fixture
def world(slack: SlackWorld) -> SlackChatWorld:
    return SlackChatWorld(slack)


@pytest.fixture
def chat(world: SlackChatWorld, bot: RunningBot) -> Iterator[Chat]:
    """Return a chat; after the test, assert that Slack refused no message."""
    chat = Chat(world, bot, ADMIN)
    yield chat
    world.up()
    chat.settles()
    assert not world.slack.refusals
