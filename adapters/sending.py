"""Keeping a bot from sending to a chat platform while another one may be doing its work."""

from __future__ import annotations

from collections.abc import Callable

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

CheckMaySend = Callable[[], None]
"""Raises ChatUnavailable while nothing may be sent."""


class CheckingConnector(aiohttp.TCPConnector):
    """For a session: checks whether it may be sent for each request that does more than read, also a repeated one.

    Once more when it has a connection: without a network that may take longer than the bot may be silent.
    """

    def __init__(self, check: CheckMaySend) -> None:
        super().__init__()
        self._check = check

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - as in aiohttp
    ) -> Connection:
        if req.method == "GET":
            return await super().connect(req, traces, timeout)
        self._check()
        connection = await super().connect(req, traces, timeout)
        try:
            self._check()
        except BaseException:
            connection.close()
            raise
        return connection
