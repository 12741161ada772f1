"""Teams as a service of the server, receiving requests at ``/api/messages``, and its settings."""

from __future__ import annotations

import ipaddress
import json
import logging
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from adapters.teams.activities import parse_tenant
from adapters.teams.connector import Connector
from adapters.teams.credentials import CHANNEL, LOGIN_URL, METADATA_URL, AuthenticationError, Credentials, Registration
from bot.server.logs import RefusalLog
from bot.server.web import is_local
from bot.settings import Settings
from bot.teams.listener import TeamsListener
from core.errors import ChatUnavailable, WikiWhyError

PATH = "/api/messages"
_BROWSERS = ("Origin", "Sec-Fetch-Site")
"""Headers that browsers set. Any page open in a browser on this machine could send requests to it."""

logger = logging.getLogger(__name__)


class Teams:
    """Implements :class:`bot.server.service.Service`."""

    name = "Microsoft Teams"
    early = True

    def __init__(
        self, settings: Settings, credentials: Credentials, connector: Connector, listener: TeamsListener
    ) -> None:
        self._settings = settings
        self._credentials = credentials
        self._connector = connector
        self._listener = listener
        self._problem = "not started"
        self._refusals = RefusalLog(logger)

    def list_routes(self) -> Sequence[web.RouteDef]:
        return [web.post(PATH, self._handle_request)]

    async def start(self) -> None:
        """Request a token. Raises ChatRefused if Microsoft refuses the bot's credentials."""
        await self._connector.open()
        self._problem = ""
        if not self._credentials.app_id:
            logger.warning("Teams: anonymous. Any program on this machine can send messages in the name of any person.")
            return
        try:
            await self._credentials.get_token()
            logger.info("Teams: as %s.", self._credentials.app_id)
        except ChatUnavailable as error:
            logger.warning("Microsoft's login does not answer yet; it is asked again: %s", error)

    async def stop(self) -> None:
        await self._listener.close()
        await self._connector.close()
        self._problem = "stopped"

    def find_problem(self) -> str:
        return self._problem

    async def _handle_request(self, request: web.Request) -> web.Response:
        """Handle a request; respond after the start of the work is committed."""
        try:
            service_url = await self._authenticate(request)
            activity = _parse_activity(await request.read())  # only after authentication: parsing may take long
            if activity is None:
                return _refuse(400, "This is not an activity.")
            self._check_service_url(activity["serviceUrl"], service_url)
        except AuthenticationError as error:
            self._refusals.warn("A request at %s was refused: %s", PATH, error)
            return _refuse(401, "This request does not prove that Teams sent it.")
        except ChatUnavailable as error:
            self._refusals.warn("A request at %s could not be checked: %s", PATH, error)
            return _refuse(503, "This request cannot be checked now.")
        if activity["channelId"] != CHANNEL:
            return _refuse(400, "This is not an activity of Teams.")
        if self._is_foreign(activity):
            logger.warning("A request from an organisation that WikiWhy is not set up for was ignored.")
            return web.json_response({})
        try:
            answer = await self._listener.handle_activity(activity)
        except WikiWhyError as error:
            logger.warning("An activity could not be handled: %s", error)
            return _refuse(503, "WikiWhy cannot answer now.")
        return web.json_response(answer or {})

    async def _authenticate(self, request: web.Request) -> str:
        """Authenticate a request; return its token's serviceUrl, "" if anonymous. Raises AuthenticationError."""
        if self._credentials.app_id:
            given = request.headers.getall("Authorization", [])
            return await self._credentials.authenticate(given[0] if len(given) == 1 else "")
        if not is_local(request):
            raise AuthenticationError(
                "it is anonymous, and not from this machine, or under another name than this machine's"
            )
        if any(name in request.headers for name in _BROWSERS):
            raise AuthenticationError("it is anonymous, and from a page in a browser")
        return ""

    def _check_service_url(self, given: str, authenticated: str) -> None:
        """Raise AuthenticationError if the activity's serviceUrl is not the authenticated one."""
        if self._credentials.app_id:
            if given != authenticated:
                raise AuthenticationError("its serviceUrl is not the token's")
            return
        service_url = urlsplit(given)
        if service_url.scheme not in {"http", "https"} or not is_loopback(service_url.hostname or ""):
            raise AuthenticationError("it is anonymous, and its serviceUrl is not on this machine")

    def _is_foreign(self, activity: dict[str, Any]) -> bool:
        tenant = parse_tenant(activity)
        return not tenant or (bool(self._settings.teams_tenant_id) and tenant != self._settings.teams_tenant_id)


def _parse_activity(body: bytes) -> dict[str, Any] | None:
    """Parse an activity; return None for anything else. Lone surrogates are replaced, so that it can be stored."""
    try:
        parsed = json.loads(body)
        activity = json.loads(json.dumps(parsed, ensure_ascii=False).encode("utf-8", "replace"))
        if not isinstance(activity, dict):
            return None
        urlsplit(activity.get("serviceUrl") or "")
    except (ValueError, RecursionError, TypeError, AttributeError):
        return None
    conversation = activity.get("conversation")
    texts = [activity.get("type"), activity.get("serviceUrl"), activity.get("channelId")]
    if not all(isinstance(text, str) and text for text in texts) or not isinstance(conversation, dict):
        return None
    there = conversation.get("id")
    return activity if isinstance(there, str) and there else None


def _refuse(status: int, words: str) -> web.Response:
    return web.json_response({"error": words}, status=status)


def has_teams(settings: Settings) -> bool:
    return bool(settings.teams_app_id or settings.teams_anonymous)


def read_registration(settings: Settings) -> Registration:
    password = settings.teams_app_password.get_secret_value()
    return Registration(
        settings.teams_app_id,
        password,
        settings.teams_tenant_id,
        settings.teams_metadata_url or METADATA_URL,
        settings.teams_login_url or LOGIN_URL,
    )


def find_missing_teams_settings(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each setting that is missing or contradicts another one."""
    password = settings.teams_app_password.get_secret_value()
    values = {"APP_ID": settings.teams_app_id, "APP_PASSWORD": password, "TENANT_ID": settings.teams_tenant_id}
    lacking = [f"WIKIWHY_TEAMS_{name}" for name, value in values.items() if not value]
    if settings.teams_anonymous:
        if settings.teams_app_id:
            yield "Teams is configured twice: unset WIKIWHY_TEAMS_ANONYMOUS, or WIKIWHY_TEAMS_APP_ID."
        if not is_loopback(settings.host):
            yield "WIKIWHY_TEAMS_ANONYMOUS would let anyone in: set WIKIWHY_HOST to 127.0.0.1, or unset it."
    elif len(lacking) < len(values) and (settings.teams_app_id or password) and lacking:
        yield f"Teams is configured in part: set {' and '.join(lacking)}, from the bot's registration in Azure."


def is_loopback(host: str) -> bool:
    """Whether an address is a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
