"""Limits for the connections of the server, so that nobody can use up its open files by connecting.

Everybody who reaches the port can open connections and send nothing, or begin requests and not end them. Beyond a
number of open connections, the server closes the one that has been waiting for a request for the longest time. So a
client that sends a request gets through, however many others are silent.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import resource
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from aiohttp import web

from bot.server.logs import RefusalLog

REQUEST_SECONDS = 10.0  # for the headers of a request, from its first byte; of the first request, from the connection

_MOST_CONNECTIONS = 512  # each may keep 1 MB of headers or body
_MOST_FILES = 8192
_FILES_PER_CONNECTION = 4  # the others are for databases, indexes and requests to other services
_NO_RESOURCES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

logger = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def raise_file_limit() -> int:
    """Let this process open more files, as far as the system allows it. Return how many it may open at least."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return _MOST_FILES
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


def compute_most_connections(files: int) -> int:
    """Return how many connections a process may have that may open so many files."""
    return max(1, min(_MOST_CONNECTIONS, files // _FILES_PER_CONNECTION))


@contextmanager
def limit_accept_errors(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Limit the log of connections that cannot be accepted; asyncio logs hundreds of lines in a second."""
    refusals = RefusalLog(logger, what="connections could not be accepted")

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if "socket" in context and isinstance(error, OSError) and error.errno in _NO_RESOURCES:
            refusals.warn("A connection could not be accepted: %s. Trying again.", error.strerror)
        else:
            loop.default_exception_handler(context)

    before = loop.get_exception_handler()
    loop.set_exception_handler(handle)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


class Connections:
    """The open connections of a server.

    ``most``: how many may be open. ``request_seconds``: for the headers of a request. The server's application needs
    :meth:`note_request` as its first middleware.
    """

    def __init__(self, most: int, request_seconds: float = REQUEST_SECONDS) -> None:
        self._most = most
        self._request_seconds = request_seconds
        # Ordered by the time since which they wait for a request, or have waited for the one in progress.
        self._open: dict[asyncio.BaseTransport, _Connection] = {}
        self._refusals = RefusalLog(logger, what="connections were closed")

    def limit(self, make_protocol: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """Return a factory for :meth:`asyncio.loop.create_server`: its protocols obey the limits."""
        return lambda: _Connection(make_protocol(), self, self._request_seconds)

    def add(self, transport: asyncio.Transport, connection: _Connection) -> None:
        """Add a new connection. If there are too many, close the one that has been waiting for the longest time."""
        self._open[transport] = connection
        if len(self._open) > self._most:
            at, waiting = next((at, each) for at, each in self._open.items() if each.is_waiting)
            del self._open[at]
            waiting.close()
            self._refusals.warn("%d connections are open. One that waited for a request was closed.", self._most)

    def remove(self, transport: asyncio.BaseTransport) -> None:
        """Remove a connection that is lost."""
        self._open.pop(transport, None)

    @web.middleware
    async def note_request(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note which connection has a request in progress."""
        transport = request.transport
        connection = self._open.get(transport) if transport else None
        if not transport or not connection:  # it was closed meanwhile
            return await handler(request)
        connection.begin(request)
        try:
            return await handler(request)
        finally:
            connection.end()
            if self._open.pop(transport, None):
                self._open[transport] = connection


class _Connection(asyncio.Protocol):
    """Passes everything to aiohttp's protocol, and closes the connection if the headers of a request take too long."""

    def __init__(self, protocol: asyncio.Protocol, connections: Connections, request_seconds: float) -> None:
        self._protocol = protocol
        self._connections = connections
        self._seconds = request_seconds
        self._transport: asyncio.Transport
        self._request: web.Request | None = None
        self._timeout: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether no request was received completely since the last one was answered."""
        return self._request is None or not self._request.content.is_eof()

    def begin(self, request: web.Request) -> None:
        """A request begins: its headers were received."""
        self._request = request
        self._cancel_timeout()

    def end(self) -> None:
        """The request is answered."""
        self._request = None

    def close(self) -> None:
        """Close at once: a client that reads nothing may not keep the connection open."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._protocol.connection_made(transport)
        self._start_timeout()
        self._connections.add(self._transport, self)

    def data_received(self, data: bytes) -> None:
        if self._request is None and self._timeout is None:
            self._start_timeout()  # of a further request
        self._protocol.data_received(data)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timeout()
        self._connections.remove(self._transport)
        self._protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def _start_timeout(self) -> None:
        self._timeout = asyncio.get_running_loop().call_later(self._seconds, self.close)

    def _cancel_timeout(self) -> None:
        if self._timeout:
            self._timeout.cancel()
            self._timeout = None
