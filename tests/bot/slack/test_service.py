"""Start of the Slack service against a workspace."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from bot.settings import load_settings
from bot.slack import PATH, Slack
from core.errors import ChatRefused
from tests.adapters.slack.listener import RecordingListener
from tests.servers.faults import Fault
from tests.servers.slack.world import SlackWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlackWorld]:
    monkeypatch.chdir(tmp_path)
    with SlackWorld() as world:
        yield world


def slack(world: SlackWorld, bot_token: str = "", **more: str) -> Slack:
    token = bot_token or world.bot_token
    settings = load_settings(slack_bot_token=token, slack_api_url=world.api_url, **more)
    calls = SlackCalls(token, world.api_url)
    return Slack(settings, calls, SlackPlatform(calls, time.monotonic), RecordingListener())  # type: ignore[arg-type]


async def test_without_socket_mode_there_is_one_route(world: SlackWorld) -> None:
    service = slack(world, slack_signing_secret="secret")
    assert [route.path for route in service.list_routes()] == [PATH]
    await service.start()
    assert service.find_problem() == ""
    await service.stop()


async def test_in_socket_mode_it_connects_and_has_no_route(world: SlackWorld) -> None:
    service = slack(world, slack_app_token=world.app_token)
    assert service.list_routes() == []
    await service.start()
    await world.until(lambda: world.sender.sockets.connected)
    await service.stop()


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"slack_app_token": "xapp-wrong"}, "WIKIWHY_SLACK_APP_TOKEN"),
        ({"bot_token": "xoxb-wrong", "slack_signing_secret": "secret"}, "WIKIWHY_SLACK_BOT_TOKEN"),
    ],
)
async def test_a_wrong_token_fails_the_start_with_advice(world: SlackWorld, wrong: dict[str, str], named: str) -> None:
    service = slack(world, **wrong)
    with pytest.raises(ChatRefused, match=named):
        await asyncio.wait_for(service.start(), 20)  # Slack's client would retry forever
    await service.stop()


async def test_the_start_succeeds_while_slack_does_not_answer(world: SlackWorld) -> None:
    world.faults.add("auth.test", Fault(error="internal_error"))
    service = slack(world, slack_signing_secret="secret")
    await service.start()
    assert service.find_problem() == ""
    await service.stop()
