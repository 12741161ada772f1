"""The socket on which the server executes operations for this user's commands: on loopback, with a token."""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
from contextlib import nullcontext, suppress
from typing import Any

from aiohttp import web

from bot import find_version
from bot.audit import act_as, parse_actor
from bot.operations.operation import EventListener, Operation, Operations, R, ignore_events
from bot.operations.serialisation import (
    ACTOR_HEADER,
    OPERATIONS,
    VERSION_HEADER,
    dump_error,
    dump_event,
    dump_result,
    load_value,
)
from bot.operations.sync import SyncResult, SyncSpaces
from bot.server.logs import make_http_logger
from bot.server.metrics import Metrics
from bot.storage.data_directory import DataDirectory, ServerAddress, publish_address, withdraw_address
from bot.wiring import Application
from core.errors import ServerUnavailable, WikiWhyError

_MOST_BYTES = 16 * 1024**2  # requests include the history of a conversation
_CANCELLATION_SECONDS = 2.0

logger = logging.getLogger(__name__)


class MeteredOperations:
    """Executes operations in this process and counts them. Those that need models wait until ``loaded`` is set."""

    def __init__(self, application: Application, metrics: Metrics, loaded: asyncio.Event) -> None:
        self._application = application
        self._metrics = metrics
        self._loaded = loaded

    async def execute(self, operation: Operation[R], on_event: EventListener = ignore_events) -> R:
        if operation.needs_models:
            await self._loaded.wait()
        meters: dict[str | None, Any] = {
            "question": self._metrics.count_question,
            "explanation": self._metrics.count_explanation,
            "sync": self._metrics.measure_sync,
            None: nullcontext,
        }
        with meters[operation.metric]() as outcome:
            result = await operation.run(self._application, on_event)
            if outcome is not None:
                outcome.turn = result
        if isinstance(operation, SyncSpaces) and isinstance(result, SyncResult) and not operation.dry_run:
            for report in result.reports:
                self._metrics.count_sync("command", report.refusal)
        return result


class AdminSocket:
    """Executes the operations of commands. A command that disconnects cancels its operation."""

    def __init__(self, operations: Operations, directory: DataDirectory) -> None:
        self._operations = operations
        self._directory = directory
        self._token = secrets.token_urlsafe(32)
        self._host = ""
        self._runner: web.AppRunner | None = None
        self._running: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def start(self) -> None:
        """Listen, and write the address into the data directory. Raises OSError."""
        application = web.Application(client_max_size=_MOST_BYTES)
        application.add_routes([web.post("/work/{operation}", self._handle)])
        # handler_cancellation: a disconnecting client cancels its operation.
        self._runner = web.AppRunner(
            application,
            access_log=None,
            logger=make_http_logger(f"{__name__}.http"),
            auto_decompress=False,
            handler_cancellation=True,
            shutdown_timeout=2.0,
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port = self._runner.addresses[0][1]
        self._host = f"127.0.0.1:{port}"
        publish_address(self._directory, ServerAddress(port, self._token, os.getpid(), find_version()))

    async def stop(self, grace_seconds: float) -> None:
        """Refuse new requests, wait ``grace_seconds`` for running operations, then cancel them."""
        self._stopping = True
        if self._running:
            await asyncio.wait(self._running, timeout=grace_seconds)
        for task in list(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=_CANCELLATION_SECONDS)
        if self._runner:
            await self._runner.cleanup()
        withdraw_address(self._directory)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        kind = OPERATIONS.get(request.match_info["operation"])
        if kind is None:
            raise web.HTTPNotFound
        try:
            operation: Operation[Any] = load_value(kind, await request.read())
        except ValueError:
            raise web.HTTPBadRequest(text="the body is not what this operation takes\n") from None
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        lines: asyncio.Queue[str] = asyncio.Queue()
        with act_as(parse_actor(request.headers.get(ACTOR_HEADER, ""))):
            task = asyncio.create_task(self._execute(operation, lines))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
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
        """Raise HTTPForbidden for requests of web pages, HTTPUnauthorized without the token, or HTTPConflict."""
        if request.headers.getall("Host", []) != [self._host] or "Origin" in request.headers:
            raise web.HTTPForbidden
        given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, f"Bearer {self._token}".encode()):
            raise web.HTTPUnauthorized
        if request.headers.get(VERSION_HEADER, "") != find_version():
            raise web.HTTPConflict
        if self._stopping:
            raise web.HTTPServiceUnavailable

    async def _execute(self, operation: Operation[Any], lines: asyncio.Queue[str]) -> None:
        """Execute an operation, and put the lines of the response, then an empty line, into the queue."""
        try:
            result = await self._operations.execute(operation, lambda event: lines.put_nowait(dump_event(event)))
            lines.put_nowait(dump_result(operation, result))
        except WikiWhyError as error:
            lines.put_nowait(dump_error(error))
        except asyncio.CancelledError:
            lines.put_nowait(dump_error(ServerUnavailable("The server was stopped. Run the command again.")))
        except Exception as error:
            logger.exception("Operation %s of a command failed.", type(operation).__name__)
            lines.put_nowait(dump_error(error))
        finally:
            lines.put_nowait("")
