"""Preventing a bot from sending to a chat platform while another bot may have taken over its work."""

from __future__ import annotations

from collections.abc import Callable

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

CheckMaySend = Callable[[], None]
"""Raises ChatUnavailable while this bot may not send."""


class CheckingConnector(aiohttp.TCPConnector):
    """A connector that checks before every request but GET, also a repeated one, whether this bot may send.

    It checks again after connecting, because that may take longer than the bot's lease.
    """

    def __init__(self, check: CheckMaySend | None) -> None:
        """``check``: None if there is only one bot, which may always send."""
        super().__init__()
        self._check = check

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - as in aiohttp
    ) -> Connection:
        if self._check is None or req.method == "GET":
            return await super().connect(req, traces, timeout)
        self._check()
        connection = await super().connect(req, traces, timeout)
        try:
            self._check()
        except BaseException:
            connection.close()
            raise
        return connection
