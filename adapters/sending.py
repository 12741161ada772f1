"""Sessions with a chat platform: they send nowhere else, and not while another bot may have taken over the work."""

from __future__ import annotations

from collections.abc import Callable

import aiohttp
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

CheckMaySend = Callable[[], None]
"""Raises ChatUnavailable while this bot may not send."""


def open_session(check: CheckMaySend | None, seconds: float) -> aiohttp.ClientSession:
    """Open a session that keeps connections and follows no redirect, which would send answers to another server.

    ``check``: as of :class:`CheckingConnector`. ``seconds``: time-out of a request.
    """
    tracing = aiohttp.TraceConfig()
    tracing.on_request_redirect.append(_refuse_redirect)
    timeout = aiohttp.ClientTimeout(total=seconds)
    return aiohttp.ClientSession(connector=CheckingConnector(check), timeout=timeout, trace_configs=[tracing])


async def _refuse_redirect(*_: object) -> None:
    raise aiohttp.ClientError("a redirect is not followed")


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
