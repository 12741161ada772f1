"""Fixtures: a fake tenant with a bot per module; each test has its own people and channels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from tests.contracts.transcript import Chat
from tests.servers.running_bot import RunningBot
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld
from tests.transcripts.conftest import run_bot

ADMIN = "00000000-0000-0000-0000-0000000ad314"


@pytest.fixture(scope="module")
def tenant() -> Iterator[TeamsWorld]:
    with TeamsWorld() as tenant, pytest.MonkeyPatch.context() as patch:
        for name, value in tenant.environment.items():
            patch.setenv(name, value)
        tenant.retry_delays = (0.05, 0.1, 0.2)
        yield tenant


@pytest.fixture(scope="module")
def bot(
    tenant: TeamsWorld, settings: dict[str, Any], embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningBot]:
    given = {"admins": ADMIN, **tenant.settings, **settings}
    with run_bot(tmp_path_factory.mktemp("bot"), embedder, **given) as bot:
        tenant.deliver_to(f"{bot.url}/api/messages")
        yield bot
        tenant.deliver_to(None)


@pytest.fixture
def teams(tenant: TeamsWorld, bot: RunningBot) -> Iterator[TeamsWorld]:
    """Return the tenant; after the test, assert that Teams refused nothing but messages to ended streams."""
    tenant.reads_all = False
    for kept in (tenant.calls, tenant.deliveries, tenant.refusals):
        kept.clear()
    yield tenant
    tenant.faults.clear()
    tenant.wait_until(lambda: not tenant.pending)
    assert not [refusal for refusal in tenant.refusals if refusal.error != "ContentStreamNotAllowed"]


@pytest.fixture
def world(teams: TeamsWorld) -> TeamsChatWorld:
    return TeamsChatWorld(teams)


@pytest.fixture
def chat(world: TeamsChatWorld, bot: RunningBot) -> Iterator[Chat]:
    """Return a chat in a tenant with an admin."""
    tenant = world.teams.directory
    admin = next((user.id for user in tenant.users.values() if user.object_id == ADMIN), "")
    world.known(admin or world.teams.add_user("admin", object_id=ADMIN))
    chat = Chat(world, bot, ADMIN)
    yield chat
    world.up()
    chat.settles()
