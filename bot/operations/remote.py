"""Operations executed over HTTP by the server that owns the data directory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

from bot import find_version
from bot.audit import read_command_line_user
from bot.operations.operation import EventListener, Operation, R, ignore_events
from bot.operations.serialisation import ACTOR_HEADER, VERSION_HEADER, dump_value, parse_event, parse_result
from bot.storage.data_directory import ServerAddress
from core.errors import DataDirectoryInUse, ServerUnavailable

_CONNECT_SECONDS = 5.0


class RemoteOperations:
    """Executes operations in a server (see :class:`bot.operations.operation.Operations`)."""

    def __init__(self, server: ServerAddress) -> None:
        self._server = server

    async def execute(self, operation: Operation[R], on_event: EventListener = ignore_events) -> R:
        """Execute an operation in the server; a cancellation here cancels it there.

        Also raises ServerUnavailable, and DataDirectoryInUse if the server refuses the request. Each call opens its
        own connection, since calls may be made in different event loops.
        """
        operation = operation.make_paths_absolute()
        headers = {"Authorization": f"Bearer {self._server.token}", VERSION_HEADER: find_version()}
        headers[ACTOR_HEADER] = read_command_line_user()
        timeout = ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
        url = f"http://127.0.0.1:{self._server.port}/work/{type(operation).__name__}"
        try:
            async with (
                ClientSession(timeout=timeout, headers=headers) as session,
                session.post(url, data=dump_value(type(operation), operation).encode()) as response,
            ):
                self._check(response)
                async for line in _read_lines(response):
                    event = parse_event(line)
                    if event is None:
                        result: R = parse_result(operation, line)
                        return result
                    on_event(event)
        except ClientError as error:
            raise self._make_unavailable() from error
        raise self._make_unavailable()

    def _check(self, response: ClientResponse) -> None:
        if response.status == 409:
            raise ServerUnavailable(
                f"The server (pid {self._server.pid}) runs version {self._server.version} of WikiWhy, and this command "
                f"is version {find_version()}. Restart the server."
            )
        if response.status == 503:
            raise self._make_unavailable()
        if response.status != 200:
            # Another program listens at the address.
            raise DataDirectoryInUse(
                f"The server that owns the data directory (pid {self._server.pid}) refuses this command (status "
                f"{response.status}). Restart the server, or stop it."
            )

    def _make_unavailable(self) -> ServerUnavailable:
        return ServerUnavailable(
            f"The server that owns the data directory (pid {self._server.pid}) was stopped or does not answer. Run the "
            "command again."
        )


async def _read_lines(response: ClientResponse) -> AsyncIterator[Mapping[str, Any]]:
    """Yield the lines of a response. Unlike aiohttp's own reader, it limits no line: an explanation is long."""
    rest = b""
    async for chunk in response.content.iter_any():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield json.loads(line)
