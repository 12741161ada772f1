"""A few of the cases of ``python -m benchmarks.security requests``, against the same parts in this process."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Sequence

import pytest
from aiohttp import web

from benchmarks.security._requests import Generator
from benchmarks.security.requests import Found, exchange
from bot.server.logs import make_http_logger
from bot.server.metrics import Metrics
from bot.server.service import Readiness
from bot.server.web import StartEvents, make_web_application
from bot.server.webhooks import make_webhook_routes
from core.indexing.page_refresh import Hint


class _Nothing:
    """Takes hints, and has none of the server's parts."""

    name, early = "webhooks", True

    def __init__(self) -> None:
        self.hints: list[Hint] = []

    async def note_hint(self, hint: Hint) -> None:
        self.hints.append(hint)

    def list_routes(self) -> Sequence[web.RouteDef]:
        return make_webhook_routes("a-secret-that-nobody-knows", self)

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def find_problem(self) -> str:
        return ""

    def report(self) -> dict[str, str]:
        return {}


@pytest.fixture
async def listening() -> AsyncIterator[tuple[int, _Nothing]]:
    nothing, started = _Nothing(), StartEvents()
    started.early.set()
    started.all.set()
    readiness: Readiness = nothing  # type: ignore[assignment]
    application = make_web_application([nothing], readiness, Metrics(), "", started)
    logger = make_http_logger("tests.http")
    runner = web.AppRunner(application, access_log=None, logger=logger, auto_decompress=False)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1], nothing
    await runner.cleanup()


async def test_malformed_requests_are_refused_and_lead_to_nothing(
    listening: tuple[int, _Nothing], caplog: pytest.LogCaptureFixture
) -> None:
    port, nothing = listening
    generator, found = Generator(random.Random("1")), Found()  # no secret
    with caplog.at_level(logging.INFO):
        for _ in range(150):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            status, _ = await exchange(reader, writer, generator.request(), seconds=0.5)
            found.answers[status] += 1
            writer.close()
    assert all(status < 500 for status in found.answers)
    assert len(found.answers) > 3
    assert nothing.hints == []
    assert not [record for record in caplog.records if record.exc_info]
    assert len([record for record in caplog.records if record.levelno >= logging.WARNING]) <= 20
