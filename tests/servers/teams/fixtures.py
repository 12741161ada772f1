"""Fixtures of a tenant; import them in a ``conftest.py``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.servers.teams.echo_bot import EchoBot
from tests.servers.teams.receiver import Receiver
from tests.servers.teams.world import TeamsWorld


@pytest.fixture
def teams_world(monkeypatch: pytest.MonkeyPatch) -> Iterator[TeamsWorld]:
    with TeamsWorld() as world:
        for name, value in world.environment.items():
            monkeypatch.setenv(name, value)
        yield world


@pytest.fixture
async def echo_bot(teams_world: TeamsWorld) -> AsyncIterator[EchoBot]:
    """The SDK's own adapter around a bot that repeats what it is told; the tenant delivers to it."""
    async with EchoBot(teams_world.configuration) as bot:
        teams_world.deliver_to(bot.url)
        yield bot


@pytest.fixture
async def teams_bot(teams_world: TeamsWorld) -> AsyncIterator[Receiver]:
    """What the tenant delivers to, without an SDK."""
    async with Receiver(teams_world.token_url) as bot:
        teams_world.deliver_to(bot.url)
        yield bot


__all__ = ["echo_bot", "teams_bot", "teams_world"]
