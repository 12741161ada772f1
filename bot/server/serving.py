"""Start, run and stop the server."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from bot.server.admin import AdminSocket, MeteredOperations
from bot.server.connections import Connections, compute_most_connections, limit_accept_errors, raise_file_limit
from bot.server.logs import make_http_logger
from bot.server.metrics import Metrics
from bot.server.service import Readiness, Service
from bot.server.web import StartEvents, make_web_application
from bot.storage.data_directory import withdraw_address
from bot.threads import Threads
from bot.wiring import Application
from core.errors import AddressUnavailable

GRACE_SECONDS = 5.0  # for requests in flight when the server stops
_IDLE_SECONDS = 75.0  # until a connection without a further request is closed
_BACKLOG = 128  # connections that wait to be accepted

logger = logging.getLogger(__name__)

OnListening = Callable[[str], None]
"""Called with the address that the server listens on, such as ``http://127.0.0.1:8080``."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What a running server needs besides its services.

    ``threads``: the threads of the event loop. ``loaded``: set when the models are loaded. ``grace_seconds``: for
    requests in flight when the server stops.
    """

    metrics: Metrics
    threads: Threads
    loaded: asyncio.Event = field(default_factory=asyncio.Event)
    on_listening: OnListening = lambda address: None
    grace_seconds: float = GRACE_SECONDS


async def serve(application: Application, services: Sequence[Service], serving: Serving) -> None:
    """Serve until SIGTERM or SIGINT. Raises AddressUnavailable, and what a service raises when it starts.

    The services start in order, and stop in reverse order after the last request was answered. A second signal ends
    the process at once.
    """
    asyncio.get_running_loop().set_default_executor(serving.threads)
    stop = asyncio.Event()
    readiness, started = Readiness(application, services, serving.loaded), StartEvents()
    application.use_threads(serving.threads)
    operations = MeteredOperations(application, serving.metrics, readiness.tried)
    token = application.settings.metrics_token.get_secret_value()
    app = make_web_application(services, readiness, serving.metrics, token, started)
    async with _handle_signals(stop, application), _listen(app, application, serving) as stop_accepting:
        admin = AdminSocket(operations, application.directory)
        await admin.start()
        running: list[Service] = []
        task = asyncio.create_task(_start(services, readiness, started, running))
        try:
            await _wait_for(stop, task)
        finally:
            logger.info("Stopping. Requests in progress have %g more seconds.", serving.grace_seconds)
            await asyncio.gather(stop_accepting(), admin.stop(serving.grace_seconds))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            for service in reversed(running):
                await _stop_safely(service)
            logger.info("Stopped.")


async def _start(
    services: Sequence[Service], readiness: Readiness, started: StartEvents, running: list[Service]
) -> None:
    """Start early services, load the models, start the others, then check readiness until cancelled.

    Appends each service that was started to ``running``.
    """
    for service in (service for service in services if service.early):
        running.append(service)
        await service.start()
    started.early.set()
    await readiness.load()
    for service in (service for service in services if not service.early):
        running.append(service)
        await service.start()
    started.all.set()
    if not any(readiness.report().values()):
        logger.info("Ready.")
    await readiness.keep_checking()


async def _wait_for(stop: asyncio.Event, work: asyncio.Task[None]) -> None:
    """Wait for the signal. Raises the exception of ``work`` if it ends earlier."""
    stopped = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({stopped, work}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
    finally:
        stopped.cancel()


async def _stop_safely(service: Service) -> None:
    """Stop a service. An error is logged, so that the other services are stopped too."""
    try:
        await service.stop()
    except Exception:
        logger.exception("An error occurred while stopping: %s.", service.name)


@asynccontextmanager
async def _listen(
    app: web.Application, application: Application, serving: Serving
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Listen. Yields a function that stops listening and waits for requests in flight, at most the grace seconds."""
    connections = Connections(compute_most_connections(raise_file_limit()))
    app.middlewares.insert(0, connections.note_request)
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=make_http_logger(f"{__name__}.http"),
        auto_decompress=False,
        keepalive_timeout=_IDLE_SECONDS,
        shutdown_timeout=serving.grace_seconds,
    )
    await runner.setup()
    assert runner.server
    host, port = application.settings.host, application.settings.port
    loop = asyncio.get_running_loop()
    try:
        server = await loop.create_server(connections.limit(runner.server), host, port, backlog=_BACKLOG)
    except OSError as error:
        await runner.cleanup()
        raise _explain_failure(host, port, error) from error
    at = server.sockets[0].getsockname()
    serving.on_listening(f"http://[{at[0]}]:{at[1]}" if ":" in at[0] else f"http://{at[0]}:{at[1]}")
    ended = False

    async def end() -> None:
        nonlocal ended
        if not ended:
            ended = True
            server.close()
            await runner.cleanup()

    with limit_accept_errors(loop):
        try:
            yield end
        finally:
            await end()


@asynccontextmanager
async def _handle_signals(stop: asyncio.Event, application: Application) -> AsyncIterator[None]:
    """Handle SIGTERM and SIGINT during the block: the first sets ``stop``, the second ends the process."""
    loop = asyncio.get_running_loop()

    def on_signal(number: signal.Signals) -> None:
        if stop.is_set():
            withdraw_address(application.directory)
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _explain_failure(host: str, port: int, error: OSError) -> AddressUnavailable:
    if error.errno == errno.EADDRINUSE:
        return AddressUnavailable(
            f"Port {port} of {host} is in use by another program. Stop that program, or choose another port with "
            "--port or WIKIWHY_PORT."
        )
    if error.errno in {errno.EACCES, errno.EPERM}:
        return AddressUnavailable(
            f"You have no permission to listen on port {port}. Choose a port above 1023 with --port or WIKIWHY_PORT, "
            "and let a reverse proxy listen on this one."
        )
    cause = error.strerror or str(error)
    return AddressUnavailable(
        f"The server cannot listen on {host}, port {port}: {cause}. Choose an address of this machine with --host or "
        "WIKIWHY_HOST: 127.0.0.1 for this machine only, 0.0.0.0 for all its networks."
    )
