"""A tenant with the bot in it, in this process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data
from tests.servers.teams import TeamsWorld

ADMIN = "00000000-0000-0000-0000-0000000ad314"


@pytest.fixture(scope="module")
def tenant() -> Iterator[TeamsWorld]:
    with TeamsWorld() as world, pytest.MonkeyPatch.context() as patch:
        for name, value in world.environment.items():
            patch.setenv(name, value)
        yield world


@pytest.fixture(scope="module")
def bot(tenant: TeamsWorld, embedder: E5Embedder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBot]:
    settings = Settings(
        data_dir=copy_sample_data(tmp_path_factory.mktemp("bot") / "data"),
        suggestions="off",
        admins=ADMIN,
        default_spaces="ENG, PEO, BER",
        **tenant.settings,  # type: ignore[arg-type]
    )
    with RunningBot(settings, embedder) as bot:
        tenant.deliver_to(f"{bot.url}/api/messages")
        yield bot
        tenant.deliver_to(None)


@pytest.fixture
def teams(tenant: TeamsWorld, bot: RunningBot) -> Iterator[TeamsWorld]:
    """Nothing that the bot sends may break Teams' limits."""
    for kept in (tenant.calls, tenant.deliveries, tenant.refusals):
        kept.clear()
    yield tenant
    tenant.faults.clear()
    tenant.wait_until(lambda: not tenant.pending)
    assert not tenant.refusals
