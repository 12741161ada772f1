"""Fixtures: a fake tenant, and TeamsPlatform in it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

import pytest

from adapters.teams.connector import Connector
from adapters.teams.credentials import Credentials, Registration
from adapters.teams.platform import TeamsPlatform
from tests.servers.teams import TeamsWorld
from tests.servers.teams.chat_world import TeamsChatWorld, TenantReferences


@pytest.fixture(scope="module")
def tenant() -> Iterator[TeamsWorld]:
    with TeamsWorld() as world:
        yield world


@pytest.fixture
def teams(tenant: TeamsWorld, monkeypatch: pytest.MonkeyPatch) -> Iterator[TeamsWorld]:
    """Return the tenant with its initial settings; people and channels of earlier tests stay."""
    for name, value in tenant.environment.items():
        monkeypatch.setenv(name, value)
    tenant.streams, tenant.stream_life = True, 120.0
    tenant.calls.clear()
    yield tenant
    tenant.faults.clear()


@pytest.fixture
def registration(teams: TeamsWorld) -> Registration:
    return Registration(teams.app_id, teams.secret, teams.tenant, teams.metadata_url, teams.login_url)


@pytest.fixture
def world(teams: TeamsWorld) -> TeamsChatWorld:
    return TeamsChatWorld(teams)


@pytest.fixture
async def connector(registration: Registration) -> AsyncIterator[Connector]:
    connector = Connector(Credentials(registration))
    await connector.open()
    yield connector
    await connector.close()


@pytest.fixture
def references(world: TeamsChatWorld) -> TenantReferences:
    return TenantReferences(world)


@pytest.fixture
def platform(connector: Connector, references: TenantReferences) -> TeamsPlatform:
    return TeamsPlatform(connector, references, time.monotonic)
