"""The routes of Confluence's webhooks, which give hints that a page changed.

Data Center signs its deliveries (https://confluence.atlassian.com/doc/managing-webhooks-1021225606.html). A rule of
Cloud's automation or a Forge app sends a secret in a header. Only the page's id and the key of its space are used, to
refresh that page from the wiki. No other content of a delivery is trusted.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web
from cachetools import TTLCache

from bot.server.logs import RefusalLog
from core.indexing.page_refresh import Hint, HintListener

DATA_CENTER_PATH = "/webhooks/confluence/datacenter"
RELAY_PATH = "/webhooks/confluence/relay"
SIGNATURE_HEADER = "X-Hub-Signature"
SECRET_HEADER = "X-WikiWhy-Secret"  # noqa: S105  # the header's name

_MOST_BYTES = 64 * 1024
_MOST_SECONDS = 10.0  # for a body to arrive
_WINDOW_SECONDS = 300.0  # most difference between a delivery's timestamp and our clock
_MOST_DELIVERIES = 10_000  # signatures kept to recognise repetitions
_PAGE_ID = re.compile("[0-9]{1,19}")
_SPACE = re.compile("[!-~]{1,255}")

logger = logging.getLogger(__name__)

Clock = Callable[[], float]
Json = dict[str, Any]


def make_webhook_routes(secret: str, listener: HintListener, clock: Clock = time.time) -> list[web.RouteDef]:
    """Return the routes for both kinds of senders; none without a secret. ``clock``: seconds since 1970.

    Status 202: the hint was accepted, 204: nothing to do, 400: invalid, 401: without the secret, 408: too slow, 413:
    too long.
    """
    if not secret:
        return []
    deliveries, refusals = _Deliveries(clock), RefusalLog(logger)

    async def data_center(request: web.Request) -> web.Response:
        given = request.headers.get(SIGNATURE_HEADER, "")
        if not given:
            raise _make_refusal(f"{SIGNATURE_HEADER} is missing: set a secret in the webhook")
        body = await _read_body(request)
        expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        if not _is_same(given, expected):
            raise _make_refusal(f"{SIGNATURE_HEADER} does not match: its secret is not WIKIWHY_WEBHOOK_SECRET")
        event = _parse_event(request, body)
        hint = _find_hint(event)
        if hint is None or not deliveries.is_new(expected, event.get("timestamp")):
            return web.Response(status=204)
        return await _note_hint(listener, hint)

    async def relay(request: web.Request) -> web.Response:
        if not _is_same(request.headers.get(SECRET_HEADER, ""), secret):
            raise _make_refusal(f"{SECRET_HEADER} is missing or wrong")
        hint = _find_hint(_parse_event(request, await _read_body(request)))
        return web.Response(status=204) if hint is None else await _note_hint(listener, hint)

    return [
        web.post(DATA_CENTER_PATH, _log_refusals(data_center, refusals)),
        web.post(RELAY_PATH, _log_refusals(relay, refusals)),
    ]


class _Deliveries:
    """The accepted deliveries, so that a repetition, possibly by an attacker, has no effect."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accepted: TTLCache[str, bool] = TTLCache(_MOST_DELIVERIES, 2 * _WINDOW_SECONDS, clock)

    def is_new(self, signature: str, timestamp: object) -> bool:
        """Add a delivery. Raises HTTPBadRequest without a timestamp in ms, HTTPUnauthorized outside the window."""
        if not isinstance(timestamp, int) or isinstance(timestamp, bool):
            raise _make_problem(web.HTTPBadRequest, "the delivery has no timestamp")
        if abs(int(self._clock() * 1000) - timestamp) > _WINDOW_SECONDS * 1000:
            raise _make_refusal("the delivery is too old, or the clocks of Confluence and of this machine differ")
        if signature in self._accepted:
            return False
        self._accepted[signature] = True
        return True


async def _note_hint(listener: HintListener, hint: Hint) -> web.Response:
    await listener.note_hint(hint)
    return web.json_response({"page_id": hint.page_id}, status=202)


async def _read_body(request: web.Request) -> bytes:
    """Read the body. Raises HTTPRequestEntityTooLarge and HTTPRequestTimeout."""
    if (request.content_length or 0) > _MOST_BYTES:
        raise _make_too_long(request.content_length or 0)
    body = bytearray()
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > _MOST_BYTES:
                    raise _make_too_long(len(body))
    except TimeoutError:
        raise _make_problem(web.HTTPRequestTimeout, "the body did not arrive in time") from None
    return bytes(body)


def _parse_event(request: web.Request, body: bytes) -> Json:
    """Parse the body. Raises HTTPBadRequest if it is not a JSON object."""
    if request.content_type != "application/json":
        raise _make_problem(web.HTTPBadRequest, "Content-Type is not application/json")
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        raise _make_problem(web.HTTPBadRequest, "the body is not JSON") from None
    if not isinstance(event, dict):
        raise _make_problem(web.HTTPBadRequest, "the body is not a JSON object")
    return event


def _find_hint(event: Json) -> Hint | None:
    """Return the page of an event, None if it has none (another kind of event, or a test of the connection).

    Formats: ``{"page": {"id", "spaceKey"}}`` of Data Center, ``{"content": {"id", "space": {"key"}}}`` of Forge, and
    ``{"page_id", "space"}``. Raises HTTPBadRequest for an id that is not a number.
    """
    about = next((event[name] for name in ("page", "content") if isinstance(event.get(name), dict)), None)
    page_id, space = (
        (event.get("page_id"), event.get("space")) if about is None else (about.get("id"), _find_space(about))
    )
    if page_id is None:
        return None
    shown = str(page_id) if isinstance(page_id, str | int) and not isinstance(page_id, bool) else ""
    if not _PAGE_ID.fullmatch(shown):
        raise _make_problem(web.HTTPBadRequest, "the page's id is not a number")
    return Hint(space if isinstance(space, str) and _SPACE.fullmatch(space) else "", shown)


def _find_space(about: Mapping[str, Any]) -> object:
    space = about.get("space")
    return about.get("spaceKey") or (space.get("key") if isinstance(space, dict) else space)


def _is_same(given: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def _log_refusals(
    handler: Callable[[web.Request], Awaitable[web.Response]], refusals: RefusalLog
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Log refusals, without any text of the sender."""

    async def answer(request: web.Request) -> web.Response:
        try:
            return await handler(request)
        except web.HTTPClientError as refusal:
            refusals.warn("A webhook was refused at %s: %s.", request.path, refusal.text)
            raise

    return answer


def _make_refusal(why: str) -> web.HTTPUnauthorized:
    return web.HTTPUnauthorized(text=why)


def _make_too_long(size: int) -> web.HTTPRequestEntityTooLarge:
    return web.HTTPRequestEntityTooLarge(_MOST_BYTES, size, text=f"the body is longer than {_MOST_BYTES} bytes")


def _make_problem(kind: type[web.HTTPBadRequest] | type[web.HTTPRequestTimeout], why: str) -> web.HTTPClientError:
    return kind(text=why)
