"""The server's web application: its routes, and the middlewares of every request."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import web, web_response
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Middleware
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.server.logs import RefusalLog
from bot.server.metrics import Metrics
from bot.server.service import Readiness, Service
from core.errors import WikiWhyError

MOST_BYTES = 1024**2  # of a request's body
_BODY_SECONDS = 10.0
_RETRY_SECONDS = 5
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_READ_BY_HANDLER = "/webhooks/"

logger = logging.getLogger(__name__)

# Responses do not name the server and its version. aiohttp has no other hook that covers responses to broken requests.
web_response.SERVER_SOFTWARE = "wikiwhy"  # type: ignore[attr-defined]

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class StartEvents:
    """``early``: set when the services that do not wait for the models are started; ``all``: when all services are."""

    early: asyncio.Event = field(default_factory=asyncio.Event)
    all: asyncio.Event = field(default_factory=asyncio.Event)


def make_web_application(
    services: Sequence[Service], readiness: Readiness, metrics: Metrics, metrics_token: str, started: StartEvents
) -> web.Application:
    """Make the application with ``/healthz``, ``/readyz``, ``/metrics`` and the services' routes.

    The services' routes answer 503 until the services are started. ``metrics_token``: required to read ``/metrics``
    from another machine; "" allows only this machine.
    """
    own = {"/healthz", "/readyz", "/metrics"}
    early = {route.path for service in services if service.early for route in service.list_routes()}

    async def healthz(request: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def readyz(request: web.Request) -> web.Response:
        parts = readiness.report()
        ready = started.all.is_set() and not any(parts.values())
        shown = {name: problem or "ready" for name, problem in parts.items()}
        return web.json_response({"ready": ready, "parts": shown}, status=200 if ready else 503)

    async def metrics_text(request: web.Request) -> web.Response:
        if not (is_local(request) or _has_token(request, metrics_token)):
            raise web.HTTPUnauthorized(text="from another machine, send WIKIWHY_METRICS_TOKEN as the bearer token\n")
        metrics.ready.set(started.all.is_set() and not any(readiness.report().values()))
        return web.Response(body=generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @web.middleware
    async def require_started(request: web.Request, handler: Handler) -> web.StreamResponse:
        gate = started.early if request.path in early else started.all
        if request.path not in own and request.match_info.http_exception is None and not gate.is_set():
            raise web.HTTPServiceUnavailable(text="starting\n", headers={"Retry-After": str(_RETRY_SECONDS)})
        return await handler(request)

    application = web.Application(
        middlewares=[_make_measuring(metrics), _make_guard(), require_started, _read_body], client_max_size=MOST_BYTES
    )
    application.add_routes(
        [web.get("/healthz", healthz), web.get("/readyz", readyz), web.get("/metrics", metrics_text)]
    )
    for service in services:
        application.add_routes(service.list_routes())
    return application


def is_local(request: web.Request) -> bool:
    """Whether a request comes from this machine, and neither through a proxy nor from a web page by DNS rebinding."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    if not isinstance(peer, tuple) or any(name in request.headers for name in _FORWARDED):
        return False
    if len(request.headers.getall("Host", [])) != 1:
        return False
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
        host = urlsplit(f"//{request.host}").hostname
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback and host in _OWN_NAMES


def _has_token(request: web.Request, token: str) -> bool:
    given = request.headers.get("Authorization", "")
    return bool(token) and hmac.compare_digest(given.encode("utf-8", "surrogateescape"), f"Bearer {token}".encode())


def _make_measuring(metrics: Metrics) -> Middleware:
    @web.middleware
    async def measure(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        # Paths that are not served get one label, because senders choose them and each label is kept forever.
        route = resource.canonical if resource and request.match_info.http_exception is None else "none"
        method = request.method if route != "none" else "any"
        began, status = time.perf_counter(), 500
        try:
            with metrics.requests_in_flight.track_inprogress():
                response = await handler(request)
            status = response.status
            return response
        except web.HTTPException as answer:
            status = answer.status
            raise
        except ConnectionError:
            status = 499  # the client disconnected
            raise
        finally:
            metrics.requests.labels(route, method, str(status)).inc()
            metrics.request_seconds.labels(route).observe(time.perf_counter() - began)

    return measure


def _make_guard() -> Middleware:
    refusals = RefusalLog(logger)

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        """Log unexpected errors, and answer them without details."""
        try:
            return await handler(request)
        except web.HTTPException:
            raise
        except (HttpProcessingError, web.RequestPayloadError):
            refusals.warn("A request was refused: its body does not match its headers.")
            return web.Response(status=400, text="the body does not match the headers\n")
        except ConnectionError:
            raise  # the client disconnected
        except Exception as error:
            resource = request.match_info.route.resource
            route = resource.canonical if resource else "none"  # not the path, which the sender chooses
            unexpected = None if isinstance(error, WikiWhyError) else error  # as while the database is away
            logger.error("A request to %s failed: %s", route, error, extra={"route": route}, exc_info=unexpected)
            return web.Response(status=500, text="internal error\n")

    return guard


@web.middleware
async def _read_body(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Read the body within a time limit, so that a slow sender cannot keep a request open."""
    if request.match_info.http_exception is not None:
        return await handler(request)  # it refuses the request without the body
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        # A small compressed body could decompress to any size.
        raise web.HTTPUnsupportedMediaType(text="the body is compressed\n")
    if request.can_read_body and not request.path.startswith(_READ_BY_HANDLER):
        try:
            async with asyncio.timeout(_BODY_SECONDS):
                await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout(text="the body did not arrive in time\n") from None
    return await handler(request)
