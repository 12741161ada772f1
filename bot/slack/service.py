"""Slack as a service of the server: receives requests, or connects by Socket Mode."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.adapter.socket_mode.async_handler import AsyncSocketModeHandler

from adapters.slack.calls import SlackCalls
from adapters.slack.platform import SlackPlatform
from adapters.slack.receiver import is_certificate_check, is_signed, make_app, parse_request
from bot.server.logs import RefusalLog
from bot.settings import Settings
from bot.slack.listener import SlackListener
from core.errors import ChatUnavailable

PATH = "/slack/events"

logger = logging.getLogger(__name__)


class Slack:
    """Service that receives requests at ``/slack/events``, or opens a connection to Slack (Socket Mode)."""

    name = "Slack"
    early = True

    def __init__(self, settings: Settings, calls: SlackCalls, platform: SlackPlatform, listener: SlackListener) -> None:
        self._settings = settings
        self._calls = calls
        self._platform = platform
        self._listener = listener
        self._secret = settings.slack_signing_secret.get_secret_value()
        self._app = make_app(calls, self._secret, platform.find_bot, listener)
        self._socket: AsyncSocketModeHandler | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._problem = "not started"
        self._refusals = RefusalLog(logger)

    def list_routes(self) -> Sequence[web.RouteDef]:
        """Return one route for events, clicks and commands; none in Socket Mode, where Slack sends no requests."""
        return [] if self._in_socket_mode else [web.post(PATH, self._handle_request)]

    async def start(self) -> None:
        """Read the bot's identity, and connect. Raises ChatRefused for tokens that Slack does not accept."""
        await self._calls.open()
        self._problem = ""
        try:
            bot = await self._platform.find_bot()
            logger.info("Slack: workspace %s, as %s.", bot.team, bot.user)
        except ChatUnavailable as error:
            logger.warning("Slack does not answer yet; WikiWhy tries again when Slack sends something: %s", error)
        if self._in_socket_mode:
            await self._connect(self._settings.slack_app_token.get_secret_value())

    async def stop(self) -> None:
        if self._socket and self._connecting:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
            await self._socket.close_async()  # type: ignore[no-untyped-call]
        await self._listener.close()
        await self._calls.close()
        self._problem = "stopped"

    def find_problem(self) -> str:
        if self._problem or self._socket is None:
            return self._problem
        session = self._socket.client.current_session
        return "" if session is not None and not session.closed else "not connected to Slack"

    async def _connect(self, token: str) -> None:
        """Connect by Socket Mode. Raises ChatRefused for a refused token, which Slack's client would retry forever."""
        try:
            await SlackCalls(token, self._settings.slack_api_url).set("apps.connections.open")
        except ChatUnavailable as error:
            logger.warning("Slack does not answer yet; WikiWhy tries to connect until it does: %s", error)
        self._socket = AsyncSocketModeHandler(self._app, token)
        # It retries until it succeeds; workflows that were running must not wait for it.
        self._connecting = asyncio.create_task(self._socket.connect_async())  # type: ignore[no-untyped-call]

    @property
    def _in_socket_mode(self) -> bool:
        return bool(self._settings.slack_app_token.get_secret_value())

    async def _handle_request(self, request: web.Request) -> web.Response:
        """Handle a request. Nothing is parsed before the signature of the raw bytes is checked."""
        body = await request.read()
        if not is_signed(self._secret, request.headers, body):
            if is_certificate_check(body):
                return web.Response()
            self._refusals.warn("A request at %s was refused: it has no valid signature of Slack.", PATH)
            return web.Response(status=401, text="This request has no valid signature of Slack.\n")
        asked = parse_request(request.query_string, request.headers, body)
        if asked is None:
            self._refusals.warn("A request at %s was refused: it is signed, but its body cannot be parsed.", PATH)
            return web.Response(status=400, text="This body cannot be parsed.\n")
        return await to_aiohttp_response(await self._app.async_dispatch(asked))


def has_slack(settings: Settings) -> bool:
    """Whether Slack is configured, at least in part."""
    return bool(settings.slack_bot_token.get_secret_value())


def find_missing_slack_settings(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each setting that is missing when Slack is configured in part."""
    secret, app_token = settings.slack_signing_secret.get_secret_value(), settings.slack_app_token.get_secret_value()
    if has_slack(settings) and not secret and not app_token:
        yield (
            "Slack is configured in part: set WIKIWHY_SLACK_SIGNING_SECRET, from Basic Information of the app's page, "
            "or WIKIWHY_SLACK_APP_TOKEN for Socket Mode."
        )
    if (secret or app_token) and not has_slack(settings):
        yield "Slack is configured in part: set WIKIWHY_SLACK_BOT_TOKEN, from OAuth & Permissions of the app's page."
