"""Webhooks of Confluence: hints that a page changed, noted at once and followed later.

Data Center signs what it sends, ``https://confluence.atlassian.com/doc/managing-webhooks-1021225606.html``; a rule of
Cloud's automation or a Forge app sends a secret in a header. Of either only the page's id and its space's key are
taken, to look at that page in the wiki: nothing else that they say is believed.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from bot.server.logs import RefusalLog
from core.indexing.page_refresh import Hint, HintListener

DATA_CENTER_PATH = "/webhooks/confluence/datacenter"
RELAY_PATH = "/webhooks/confluence/relay"
SIGNATURE_HEADER = "X-Hub-Signature"
SECRET_HEADER = "X-WikiWhy-Secret"  # noqa: S105  # the header's name

_MOST_BYTES = 64 * 1024
_MOST_SECONDS = 10.0  # for a body to arrive
_WINDOW_SECONDS = 300.0  # between a delivery's timestamp and our clock, either way
_REMEMBERED = 10_000  # deliveries, so that none is taken twice within the window
_PAGE_ID = re.compile("[0-9]{1,19}")
_SPACE = re.compile("[!-~]{1,255}")

logger = logging.getLogger(__name__)

Clock = Callable[[], float]
Json = dict[str, Any]


def webhook_routes(secret: str, listener: HintListener, clock: Clock = time.time) -> list[web.RouteDef]:
    """The routes for both kinds of senders; none without a secret. ``clock``: seconds since 1970.

    They answer 202 where a page is noted, 204 where there is nothing to do, 400 what cannot be understood, 401 who does
    not know the secret, 408 and 413 what takes too long or is too long.
    """
    if not secret:
        return []
    deliveries, refusals = _Deliveries(clock), RefusalLog(logger)

    async def data_center(request: web.Request) -> web.Response:
        given = request.headers.get(SIGNATURE_HEADER, "")
        if not given:
            raise _refused(f"{SIGNATURE_HEADER} is missing: set a secret in the webhook")
        body = await _body(request)
        expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        if not _same(given, expected):
            raise _refused(f"{SIGNATURE_HEADER} is not this body's: the webhook's secret is another one than ours")
        event = _event(request, body)
        hint = _hint(event)
        if hint is None or not deliveries.is_new(expected, event.get("timestamp")):
            return web.Response(status=204)
        return await _noted(listener, hint)

    async def relay(request: web.Request) -> web.Response:
        if not _same(request.headers.get(SECRET_HEADER, ""), secret):
            raise _refused(f"{SECRET_HEADER} is missing or wrong")
        hint = _hint(_event(request, await _body(request)))
        return web.Response(status=204) if hint is None else await _noted(listener, hint)

    return [
        web.post(DATA_CENTER_PATH, _answering(data_center, refusals)),
        web.post(RELAY_PATH, _answering(relay, refusals)),
    ]


class _Deliveries:
    """Which deliveries were taken: one that is sent again, say by somebody who overheard it, leads to nothing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken: OrderedDict[str, float] = OrderedDict()

    def is_new(self, signature: str, timestamp: object) -> bool:
        """Notes a delivery. Raises HTTPBadRequest without a timestamp in ms, HTTPUnauthorized for one out of time."""
        if not isinstance(timestamp, int) or isinstance(timestamp, bool):
            raise _problem(web.HTTPBadRequest, "the delivery has no timestamp")
        now = self._clock()
        if abs(int(now * 1000) - timestamp) > _WINDOW_SECONDS * 1000:
            raise _refused("the delivery is too old, or the clocks of Confluence and of this machine differ")
        if signature in self._taken:
            return False
        while self._taken and (len(self._taken) >= _REMEMBERED or next(iter(self._taken.values())) < now):
            self._taken.popitem(last=False)
        self._taken[signature] = now + 2 * _WINDOW_SECONDS
        return True


async def _noted(listener: HintListener, hint: Hint) -> web.Response:
    await listener.note_hint(hint)
    return web.json_response({"page_id": hint.page_id}, status=202)


async def _body(request: web.Request) -> bytes:
    """The body. Raises HTTPRequestEntityTooLarge and HTTPRequestTimeout."""
    if (request.content_length or 0) > _MOST_BYTES:
        raise _too_long(request.content_length or 0)
    body = bytearray()
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise _too_long(len(body))
    except TimeoutError:
        raise _problem(web.HTTPRequestTimeout, "the body did not arrive in time") from None
    return bytes(body)


def _event(request: web.Request, body: bytes) -> Json:
    """The body as JSON. Raises HTTPBadRequest where it is no JSON object."""
    if request.content_type != "application/json":
        raise _problem(web.HTTPBadRequest, "Content-Type is not application/json")
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        raise _problem(web.HTTPBadRequest, "the body is not JSON") from None
    if not isinstance(event, dict):
        raise _problem(web.HTTPBadRequest, "the body is not a JSON object")
    return event


def _hint(event: Json) -> Hint | None:
    """The page that an event is about, None if it is about none (another kind of event, or a test of the connection).

    ``{"page": {"id", "spaceKey"}}`` of Data Center, ``{"content": {"id", "space": {"key"}}}`` of Forge, and
    ``{"page_id", "space"}``. Raises HTTPBadRequest for an id that is none.
    """
    about = next((event[name] for name in ("page", "content") if isinstance(event.get(name), dict)), None)
    page_id, space = (event.get("page_id"), event.get("space")) if about is None else (about.get("id"), _space(about))
    if page_id is None:
        return None
    shown = str(page_id) if isinstance(page_id, str | int) and not isinstance(page_id, bool) else ""
    if not _PAGE_ID.fullmatch(shown):
        raise _problem(web.HTTPBadRequest, "the page's id is no number")
    return Hint(space if isinstance(space, str) and _SPACE.fullmatch(space) else "", shown)


def _space(about: Mapping[str, Any]) -> object:
    space = about.get("space")
    return about.get("spaceKey") or (space.get("key") if isinstance(space, dict) else space)


def _same(given: str, expected: str) -> bool:
    """Compares in a time that does not tell how much of a secret was right."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def _answering(
    handler: Callable[[web.Request], Awaitable[web.Response]], refusals: RefusalLog
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Logs what is refused, for an administrator to find; nothing of it that the sender wrote."""

    async def answer(request: web.Request) -> web.Response:
        try:
            return await handler(request)
        except web.HTTPClientError as refusal:
            refusals.warn("A webhook was refused at %s: %s.", request.path, refusal.text)
            raise

    return answer


def _refused(why: str) -> web.HTTPUnauthorized:
    return web.HTTPUnauthorized(text=why)


def _too_long(size: int) -> web.HTTPRequestEntityTooLarge:
    return web.HTTPRequestEntityTooLarge(_MOST_BYTES, size, text=f"the body is longer than {_MOST_BYTES} bytes")


def _problem(kind: type[web.HTTPBadRequest] | type[web.HTTPRequestTimeout], why: str) -> web.HTTPClientError:
    return kind(text=why)
