"""What ``wikiwhy doctor`` finds of Slack, against a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.health import checks
from bot.health.chats import check_slack
from bot.operations.finding import Finding
from bot.settings import Settings, load_settings
from tests.servers.faults import Fault
from tests.servers.slack.world import SlackWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackWorld]:
    monkeypatch.chdir(tmp_path)
    with SlackWorld() as world:
        yield world


def settings(world: SlackWorld, **more: Any) -> Settings:
    usual = {"slack_bot_token": world.bot_token, "slack_signing_secret": world.signing_secret, "default_spaces": "ENG"}
    return load_settings(**{**usual, "slack_api_url": world.api_url, **more})


def found(world: SlackWorld, **more: Any) -> dict[str, Finding]:
    return {finding.part: finding for finding in check_slack(settings(world, **more))}


def test_an_app_with_all_it_needs_works(world: SlackWorld) -> None:
    world.scopes = (*world.scopes, "reactions:read")  # which is none of our business
    parts = found(world, base_url="https://wikiwhy.example.com/")
    assert [finding.state for finding in parts.values()] == ["works"] * 3
    assert world.team in parts["Slack"].found
    assert "https://wikiwhy.example.com/slack/events" in parts["Slack's events"].found
    assert "ENG" in parts["channels"].found


def test_permissions_that_are_missing_are_named(world: SlackWorld) -> None:
    world.scopes = tuple(scope for scope in world.scopes if scope not in {"im:history", "users:read.email"})
    finding = found(world)["Slack"]
    assert finding.state == "broken"
    assert "im:history, users:read.email" in finding.found
    assert "wikiwhy slack manifest" in finding.advice


@pytest.mark.parametrize(
    ("given", "part", "said"),
    [
        ({"slack_bot_token": "xoxb-wrong"}, "Slack", "WIKIWHY_SLACK_BOT_TOKEN is not valid"),
        ({"slack_bot_token": "{app}"}, "Slack", "mixed up"),
        ({"slack_app_token": "xoxb-wrong"}, "Slack's events", "WIKIWHY_SLACK_APP_TOKEN"),
        ({"slack_app_token": "xapp-wrong"}, "Slack's events", "WIKIWHY_SLACK_APP_TOKEN"),
        ({"slack_signing_secret": ""}, "Slack", "WIKIWHY_SLACK_SIGNING_SECRET"),
        ({"slack_bot_token": ""}, "Slack", "WIKIWHY_SLACK_BOT"),
    ],
)
def test_a_credential_that_is_wrong_or_missing_is_named_and_not_shown(
    world: SlackWorld, given: dict[str, str], part: str, said: str
) -> None:
    finding = found(world, **{name: value.format(app=world.app_token) for name, value in given.items()})[part]
    assert (finding.state, said in finding.found) == ("broken", True)
    assert "wrong" not in str(finding)
    assert bool(world.calls) == ("" not in given.values())


def test_a_persons_token_is_no_bots(world: SlackWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.servers.slack.methods.BOT", "")
    finding = found(world)["Slack"]
    assert finding.state == "broken"
    assert "xoxb-" in finding.advice


def test_a_slack_that_does_not_answer_is_told(world: SlackWorld) -> None:
    world.faults.add("auth.test", Fault(error="internal_error"), times=None)
    finding = found(world)["Slack"]
    assert (finding.state, "does not answer" in finding.found) == ("broken", True)


def test_socket_mode_is_tried(world: SlackWorld) -> None:
    events = found(world, slack_app_token=world.app_token, slack_signing_secret="")["Slack's events"]
    assert (events.state, "Socket Mode" in events.found) == ("works", True)


def test_without_any_space_nobody_can_ask(world: SlackWorld) -> None:
    finding = found(world, default_spaces="")["channels"]
    assert (finding.state, "no channel has a space" in finding.found) == ("note", True)


def test_the_file_of_channels_is_read(world: SlackWorld, tmp_path: Path) -> None:
    file = tmp_path / "channels.toml"
    assert found(world, channels=str(file))["channels"].state == "broken"
    file.write_text(f'[channels."slack:{world.team}:C1"]\nspaces = ["ENG"]\n[spaces.ENG]\ncontact = "Ada"\n')
    finding = found(world, channels=str(file), default_spaces="")["channels"]
    assert (finding.state, "1 channels with spaces, and 1 contacts" in finding.found) == ("works", True)
    file.write_text('[channels."slack:T0OTHER:C1"]\nspaces = ["ENG"]\n')
    finding = found(world, channels=str(file))["channels"]
    assert (finding.state, "slack:T0OTHER:C1" in finding.found) == ("note", True)
    assert world.team in finding.advice
    file.write_text('[channels."slack:T0OTHER:C1"]\nspace = ["ENG"]\n')
    assert "none of follow_ups, spaces" in found(world, channels=str(file))["channels"].found


def test_doctor_looks_at_slack_only_where_it_is_configured(
    world: SlackWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.health.services.check_embedder", lambda settings: Finding("embedder", "works", ""))
    assert "Slack" not in {finding.part for finding in checks.check(tmp_path)}
    for name, value in {"BOT_TOKEN": "xoxb-world", "SIGNING_SECRET": "s", "API_URL": world.api_url}.items():
        monkeypatch.setenv(f"WIKIWHY_SLACK_{name}", value)
    parts = {finding.part: finding.state for finding in checks.check(tmp_path)}
    assert (parts["Slack"], parts["channels"]) == ("works", "note")
