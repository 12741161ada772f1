"""A workspace over real HTTP, and an application over real files."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from bot.settings import load_settings
from bot.wiring import Application, open_application
from tests.servers.slack import SlackWorld


@pytest.fixture
def world() -> Iterator[SlackWorld]:
    with SlackWorld() as world:
        yield world


@pytest.fixture
def application(tmp_path: Path, embedder: E5Embedder) -> Iterator[Application]:
    with open_application(load_settings(data_dir=tmp_path / "data", default_spaces="ENG")) as application:
        application.__dict__["embedder"] = embedder
        yield application


@pytest.fixture
async def platform(world: SlackWorld) -> AsyncIterator[SlackPlatform]:
    calls = SlackCalls(world.bot_token, world.api_url)
    await calls.open()
    yield SlackPlatform(calls, time.monotonic)
    await calls.close()
