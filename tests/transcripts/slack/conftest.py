"""A Slack with the bot in it, in this process: one a module, with people and channels of each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.contracts.transcript import Chat
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data
from tests.servers.slack import SlackWorld
from tests.servers.slack.chat_world import SlackChatWorld
from tests.servers.slack.state import User

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
    folder = tmp_path_factory.mktemp("bot")
    (folder / "channels.toml").touch()
    given: dict[str, Any] = {
        "data_dir": copy_sample_data(folder / "data"), "channels": str(folder / "channels.toml"), "admins": ADMIN,
        "default_spaces": "ENG, PEO, BER", "slack_api_url": workspace.api_url, "slack_bot_token": workspace.bot_token,
        "slack_signing_secret": workspace.signing_secret, **settings,
    }  # fmt: skip
    with RunningBot(Settings(**given), embedder) as bot:
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
    """Nothing that the bot sends may break Slack's limits."""
    chat = Chat(world, bot, ADMIN)
    yield chat
    world.up()
    chat.settles()
    assert not world.slack.refusals
