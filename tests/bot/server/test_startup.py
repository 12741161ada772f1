"""Which platforms there are by the settings, what is missing, and what a server says of itself when it starts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.server.metrics import Metrics
from bot.settings import Settings, load_settings
from bot.slack import Slack
from bot.startup import ChatPlatforms, describe_server, open_platforms
from bot.wiring import open_application
from tests.bot.chat.chatting import Syncs

TOKEN, SECRET, APP = "xoxb-nightingale", "signing-goldfinch", "xapp-kingfisher"
pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


def found(folder: Path, **given: str) -> tuple[ChatPlatforms, Settings]:
    with (
        open_application(load_settings(data_dir=folder / "data", **given)) as application,
        open_platforms(application, sync=Syncs(), metrics=Metrics(), loaded=asyncio.Event()) as chat,
    ):
        return chat, application.settings


async def test_what_a_click_began_ends_before_the_durable_work_does(tmp_path: Path) -> None:
    given = {"slack_bot_token": TOKEN, "slack_signing_secret": SECRET}
    is_done = False

    async def begin() -> None:
        nonlocal is_done
        await asyncio.sleep(0.05)
        is_done = True

    with (
        open_application(load_settings(data_dir=tmp_path / "data", **given)) as application,
        open_platforms(application, sync=Syncs(), metrics=Metrics(), loaded=asyncio.Event()) as chat,
    ):
        slack, work = chat.services
        assert isinstance(slack, Slack)
        slack._listener._background.start(begin())
        await work.stop()
        assert is_done


@dataclass
class Named:
    name: str


def said(folder: Path, *services: str, **given: str) -> str:
    chat, settings = found(folder, **given)
    return "\n".join(describe_server(settings, "http://127.0.0.1:1", chat, [Named(name) for name in services]))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "names", "missing"),
    [
        ({}, (), ""),
        ({"slack_bot_token": TOKEN, "slack_signing_secret": SECRET}, ("Slack",), ""),
        ({"slack_bot_token": TOKEN, "slack_app_token": APP}, ("Slack",), ""),
        ({"slack_bot_token": TOKEN}, (), "WIKIWHY_SLACK_SIGNING_SECRET"),
        ({"slack_signing_secret": SECRET}, (), "WIKIWHY_SLACK_BOT_TOKEN"),
        ({"slack_app_token": APP}, (), "WIKIWHY_SLACK_BOT_TOKEN"),
    ],
)
def test_a_platform_is_served_once_it_is_configured_and_what_it_lacks_is_said(
    tmp_path: Path, given: dict[str, str], names: tuple[str, ...], missing: str
) -> None:
    chat, _ = found(tmp_path, **given)
    assert chat.names == names
    assert [service.name for service in chat.services] == [*names, "durable work"]
    assert all(service.early for service in chat.services)
    assert missing in "".join(chat.missing)
    assert bool(chat.missing) == bool(missing)
    announced = said(tmp_path, **given)
    assert all(line in announced for line in chat.missing)
    assert ("No chat platform is configured" in announced) != bool(names)
    assert not any(secret in announced for secret in (TOKEN, SECRET, APP))


def test_what_is_set_in_vain_is_said(tmp_path: Path) -> None:
    announced = said(tmp_path, webhook_secret="x" * 32, sync_schedule="ENG: @daily")
    assert "Webhooks are off: WIKIWHY_WEBHOOK_SECRET is set" in announced
    assert "No space is synced: WIKIWHY_SYNC_SCHEDULE is set" in announced
    assert announced.count("Set WIKIWHY_CONFLUENCE_URL.") == 2


def test_what_runs_is_said(tmp_path: Path) -> None:
    wiki = {"confluence_url": "https://wiki.example.com", "confluence_token": "t" * 20, "confluence_email": "a@b.c"}
    given = {**wiki, "sync_schedule": "ENG: @daily", "base_url": "https://bot.example.com"}
    announced = said(tmp_path, "webhooks", "schedules", **given)
    assert "Webhooks of Confluence are received at" in announced
    assert "synced by schedule: ENG." in announced
    assert "https://bot.example.com" in announced
    assert "http://127.0.0.1:1" in announced
    assert "No space is synced by schedule" in said(tmp_path, **wiki)
