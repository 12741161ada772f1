"""The socket by which this user's other commands hand their work to the server: loopback only, with a token."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from aiohttp import web

from bot.audit import act_as, actor_of
from bot.data_directory import DataDirectory
from bot.operations.address import Address, publish, withdraw
from bot.operations.operations import AskRequest, Operations, SyncOrder
from bot.operations.serialisation import (
    ACTOR_HEADER,
    METHODS,
    VERSION_HEADER,
    Suggesting,
    error_line,
    event_line,
    load_value,
    result_line,
)
from bot.refusals import http_logger
from bot.version import version
from core.errors import ServerUnavailable, WikiWhyError
from core.model import Question
from core.ports import Progress, Traffic

_MOST_BYTES = 16 * 1024**2  # a conversation's history is in the request
_LAST_WORDS_SECONDS = 2.0

logger = logging.getLogger(__name__)

Tell = Callable[[str, object], None]
"""Sends an event, named as in ``bot.operations.serialisation.EVENTS``."""


class AdminSocket:
    """Does what commands ask for, as long as they stay connected."""

    def __init__(self, work: Operations, directory: DataDirectory) -> None:
        self._work = work
        self._directory = directory
        self._token = secrets.token_urlsafe(32)
        self._host = ""
        self._runner: web.AppRunner | None = None
        self._under_way: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def start(self) -> None:
        """Listens, and says in the data directory where. Raises OSError."""
        application = web.Application(client_max_size=_MOST_BYTES)
        application.add_routes([web.post("/work/{method}", self._handle)])
        # Who leaves wants the work no longer.
        self._runner = web.AppRunner(
            application,
            access_log=None,
            logger=http_logger(f"{__name__}.http"),
            auto_decompress=False,
            handler_cancellation=True,
            shutdown_timeout=2.0,
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port = self._runner.addresses[0][1]
        self._host = f"127.0.0.1:{port}"
        publish(self._directory, Address(port, self._token, os.getpid(), version()))

    async def stop(self, grace_seconds: float) -> None:
        """Takes no more work, gives what is under way that long to end, then cancels it and says so."""
        self._stopping = True
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=grace_seconds)
        for task in list(self._under_way):
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=_LAST_WORDS_SECONDS)
        if self._runner:
            await self._runner.cleanup()
        withdraw(self._directory)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        name = request.match_info["method"]
        if name not in METHODS:
            raise web.HTTPNotFound
        try:
            argument = load_value(METHODS[name].argument, await request.read())
        except ValueError:
            raise web.HTTPBadRequest(text="the body is not what this method takes\n") from None
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        lines: asyncio.Queue[str] = asyncio.Queue()
        with act_as(actor_of(request.headers.get(ACTOR_HEADER, ""))):
            task = asyncio.create_task(self._do(name, argument, lines))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            while line := await lines.get():
                await response.write(line.encode() + b"\n")
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        with suppress(ConnectionError):
            await response.write_eof()
        return response

    def _check(self, request: web.Request) -> None:
        """Raises HTTPForbidden for what a web page sends, HTTPUnauthorized for who does not know the token."""
        if request.headers.getall("Host", []) != [self._host] or "Origin" in request.headers:
            raise web.HTTPForbidden
        given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
            raise web.HTTPUnauthorized
        if request.headers.get(VERSION_HEADER, "") != version():
            raise web.HTTPConflict
        if self._stopping:
            raise web.HTTPServiceUnavailable

    async def _do(self, name: str, argument: Any, lines: asyncio.Queue[str]) -> None:
        """Does the work; then there is one last line, and an empty one after it."""
        try:
            result = await _METHODS[name](self._work, argument, lambda event, value: _put(lines, event, value))
            lines.put_nowait(result_line(METHODS[name].result, result))
        except WikiWhyError as error:
            lines.put_nowait(error_line(error))
        except asyncio.CancelledError:
            lines.put_nowait(error_line(ServerUnavailable("The server was stopped. Start it, and run this again.")))
        except Exception as error:
            logger.exception("The work %r of a command failed.", name)
            lines.put_nowait(error_line(error))
        finally:
            lines.put_nowait("")


def _put(lines: asyncio.Queue[str], event: str, value: object) -> None:
    lines.put_nowait(event_line(event, value))


class _Teller:
    """Turns what work tells into events."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def on_question(self, question: Question) -> None:
        self._tell("question", question)

    def on_text(self, text: str) -> None:
        self._tell("text", text)

    def on_progress(self, progress: Progress) -> None:
        self._tell("progress", progress)

    def on_traffic(self, traffic: Traffic) -> None:
        self._tell("traffic", traffic)


async def _ask(work: Operations, asking: AskRequest, tell: Tell) -> object:
    return await work.ask(asking, _Teller(tell))


async def _suggest(work: Operations, suggesting: Suggesting, tell: Tell) -> object:
    return await work.suggest(suggesting.turn_id, suggesting.earlier)


async def _explain(work: Operations, turn_id: str, tell: Tell) -> object:
    return await work.explain(turn_id, _Teller(tell).on_progress)


async def _sync(work: Operations, order: SyncOrder, tell: Tell) -> object:
    return await work.sync(order, _Teller(tell))


_METHODS: dict[str, Callable[[Operations, Any, Tell], Awaitable[object]]] = {
    "begin": lambda work, spaces, tell: work.begin(spaces),
    "ask": _ask,
    "suggest": _suggest,
    "explain": _explain,
    "spaces": lambda work, nothing, tell: work.spaces(),
    "sync": _sync,
    "forget": lambda work, key, tell: work.forget(key),
    "feedback": lambda work, nothing, tell: work.feedback(),
    "export_person": lambda work, person, tell: work.export_person(person),
    "forget_person": lambda work, order, tell: work.forget_person(order),
    "audit": lambda work, since, tell: work.audit(since),
    "check_indexes": lambda work, nothing, tell: work.check_indexes(),
}
