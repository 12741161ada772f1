"""What ``wikiwhy doctor`` finds of Teams, against a tenant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.health import checks
from bot.health.chats import check_teams
from bot.operations.finding import Finding
from bot.settings import Settings, load_settings
from tests.servers.teams import TeamsWorld

NOBODY = "https://127.0.0.1:9/adfs"  # the port of "discard", where nothing listens


@pytest.fixture(scope="module")
def tenant() -> Iterator[TeamsWorld]:
    with TeamsWorld() as world:
        yield world


@pytest.fixture
def world(tenant: TeamsWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TeamsWorld]:
    monkeypatch.chdir(tmp_path)
    for name, value in tenant.environment.items():
        monkeypatch.setenv(name, value)
    yield tenant
    tenant.identity.down = False


def given(world: TeamsWorld, **more: Any) -> dict[str, Any]:
    usual = {
        "teams_app_id": world.app_id,
        "teams_app_password": world.secret,
        "teams_tenant_id": world.tenant,
        "teams_login_url": world.login_url,
        "teams_metadata_url": world.metadata_url,
        "default_spaces": "ENG",
    }
    return {**usual, **more}


def settings(world: TeamsWorld, **more: Any) -> Settings:
    return load_settings(**given(world, **more))


def found(world: TeamsWorld, **more: Any) -> dict[str, Finding]:
    return {finding.part: finding for finding in check_teams(settings(world, **more))}


def test_a_registration_with_all_it_needs_works(world: TeamsWorld) -> None:
    parts = found(world, base_url="https://wikiwhy.example.com/")
    assert [finding.state for finding in parts.values()] == ["works"] * 4
    assert world.app_id in parts["Teams"].found
    assert world.tenant in parts["Teams"].found
    assert "https://wikiwhy.example.com/api/messages" in parts["Teams' requests"].found
    assert "1.30" in parts["Teams' app"].found
    assert "ENG" in parts["Teams' channels"].found


@pytest.mark.parametrize(
    ("given", "said", "setting"),
    [
        ({"teams_app_password": "hunter2-wrong"}, "client secret is wrong", "WIKIWHY_TEAMS_APP_PASSWORD"),
        ({"teams_app_id": "00000000-0000-0000-0000-000000000009"}, "no such application", "WIKIWHY_TEAMS_APP_ID"),
        ({"teams_login_url": "{login}/elsewhere"}, "no such directory", "WIKIWHY_TEAMS_TENANT_ID"),
        ({"teams_tenant_id": "example.onmicrosoft.com"}, "not a directory id", "WIKIWHY_TEAMS_TENANT_ID"),
        ({"teams_login_url": NOBODY}, "login does not answer", ""),
        ({"teams_anonymous": True}, "configured twice", ""),
    ],
)
def test_what_is_wrong_with_a_registration_is_said_with_the_setting_and_without_the_secret(
    world: TeamsWorld, given: dict[str, Any], said: str, setting: str
) -> None:
    urls = {name: value.format(login=world.login_url) for name, value in given.items() if isinstance(value, str)}
    finding = found(world, **{**given, **urls})["Teams"]
    assert (finding.state, said in finding.found) == ("broken", True)
    assert setting in finding.advice
    assert "hunter2" not in str(finding)


def test_ids_may_be_written_in_capitals(world: TeamsWorld) -> None:
    capitals = settings(world, teams_app_id=world.app_id.upper(), teams_tenant_id=f" {world.tenant.upper()} ")
    assert (capitals.teams_app_id, capitals.teams_tenant_id) == (world.app_id, world.tenant)


def test_a_microsoft_that_is_down_is_told(world: TeamsWorld) -> None:
    world.identity.down = True
    parts = found(world)
    assert (parts["Teams"].state, "login does not answer" in parts["Teams"].found) == ("broken", True)
    assert (parts["Teams' requests"].state, "keys cannot be read" in parts["Teams' requests"].found) == ("broken", True)
    assert parts["Teams' app"].state == "works"


def test_an_address_without_tls_gets_no_requests(world: TeamsWorld) -> None:
    assert found(world, base_url="http://wikiwhy.example.com")["Teams' requests"].state == "note"


@pytest.mark.parametrize(
    ("left_out", "named"),
    [("teams_app_id", "APP_ID"), ("teams_app_password", "APP_PASSWORD"), ("teams_tenant_id", "TENANT_ID")],
)
def test_half_a_configuration_is_told_and_nobody_asked(world: TeamsWorld, left_out: str, named: str) -> None:
    asked = world.identity.asked
    (finding,) = check_teams(settings(world, **{left_out: ""}))
    assert finding.state == "broken"
    assert f"WIKIWHY_TEAMS_{named}" in finding.found
    assert world.identity.asked == asked


def test_a_directory_alone_is_no_bot(world: TeamsWorld) -> None:
    (finding,) = check_teams(settings(world, teams_app_id="", teams_app_password=""))
    assert (finding.state, "not served" in finding.found) == ("note", True)


def anonymous(world: TeamsWorld, **more: Any) -> dict[str, Finding]:
    return found(world, teams_app_id="", teams_app_password="", teams_tenant_id="", teams_anonymous=True, **more)


def test_anonymous_is_noted_with_where_it_listens(world: TeamsWorld) -> None:
    parts = anonymous(world)
    assert (parts["Teams"].state, "127.0.0.1" in parts["Teams"].found) == ("note", True)
    assert parts["Teams' app"].state == parts["Teams' channels"].state == "works"


def test_anonymous_beyond_this_machine_is_broken(world: TeamsWorld) -> None:
    finding = anonymous(world, host="0.0.0.0")["Teams"]
    assert (finding.state, "WIKIWHY_HOST" in finding.found) == ("broken", True)


def test_an_installation_without_the_apps_files_is_told(
    world: TeamsWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.teams.app.package.resources.files", lambda name: tmp_path)
    finding = found(world)["Teams' app"]
    assert (finding.state, "Install WikiWhy again" in finding.found) == ("broken", True)


def test_channels_of_other_organisations_are_pointed_out(world: TeamsWorld, tmp_path: Path) -> None:
    file = tmp_path / "channels.toml"
    file.write_text(f'[channels."teams:{world.tenant}:19:a@thread.tacv2"]\nspaces = ["ENG"]\n')
    assert found(world, channels=str(file))["Teams' channels"].state == "works"
    file.write_text('[channels."teams:another:19:a@thread.tacv2"]\nspaces = ["ENG"]\n')
    finding = found(world, channels=str(file))["Teams' channels"]
    assert (finding.state, "teams:another:19:a@thread.tacv2" in finding.found) == ("note", True)
    assert world.tenant in finding.advice
    file.write_text('[channels."slack:T0OTHER:C1"]\nspaces = ["ENG"]\n')
    assert found(world, channels=str(file))["Teams' channels"].state == "works"


def test_doctor_looks_at_teams_only_where_it_is_configured(
    world: TeamsWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.health.services.check_embedder", lambda settings: Finding("embedder", "works", ""))
    assert "Teams" not in {finding.part for finding in checks.check(tmp_path)}
    for name, value in given(world).items():
        monkeypatch.setenv(f"WIKIWHY_{name.upper()}", value)
    parts = {finding.part: finding.state for finding in checks.check(tmp_path)}
    assert (parts["Teams"], parts["Teams' requests"], parts["Teams' channels"]) == ("works", "works", "works")
    assert "Slack" not in parts
