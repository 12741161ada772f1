"""Keeping a bot from sending to a chat platform while another one may be doing its work."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import aiohttp

CheckMaySend = Callable[[], None]
"""Raises ChatUnavailable while nothing may be sent."""


def check_before_sending(check: CheckMaySend) -> aiohttp.TraceConfig:
    """For a session: each request that does more than read begins with this check, also one that is tried again."""

    async def before_request(
        session: aiohttp.ClientSession, context: SimpleNamespace, request: aiohttp.TraceRequestStartParams
    ) -> None:
        if request.method != "GET":
            check()

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(before_request)
    return trace
