"""A tenant with the bot in it, in this process: one a module, with people and channels of each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.contracts.transcript import Chat
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld

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
    folder = tmp_path_factory.mktemp("bot")
    (folder / "channels.toml").touch()
    given: dict[str, Any] = {
        "data_dir": copy_sample_data(folder / "data"), "channels": str(folder / "channels.toml"), "admins": ADMIN,
        "default_spaces": "ENG, PEO, BER", **tenant.settings, **settings,
    }  # fmt: skip
    with RunningBot(Settings(**given), embedder) as bot:
        tenant.deliver_to(f"{bot.url}/api/messages")
        yield bot
        tenant.deliver_to(None)


@pytest.fixture
def teams(tenant: TeamsWorld, bot: RunningBot) -> Iterator[TeamsWorld]:
    """Nothing that the bot sends may break Teams' limits; that a stream was ended there is no fault of its own."""
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
    """With an admin in the tenant."""
    tenant = world.teams.directory
    admin = next((user.id for user in tenant.users.values() if user.object_id == ADMIN), "")
    world.known(admin or world.teams.add_user("admin", object_id=ADMIN))
    chat = Chat(world, bot, ADMIN)
    yield chat
    world.up()
    chat.settles()
