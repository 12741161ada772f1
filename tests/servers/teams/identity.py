"""Who signs, and who may send: OpenID metadata and keys, and the endpoint where the bot gets its own token.

Two applications: one beside the connector over http, and Entra's login over https, since msal takes nothing else.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.servers.teams.state import APP_ID, SECRET, Json
from tests.servers.teams.tokens import Tokens

SCOPE = "https://api.botframework.com/.default"
LIFE = 3600
"""Seconds that the bot's own token is good for."""


@dataclass(frozen=True)
class BotConfiguration:
    """What ``ConfigurationBotFrameworkAuthentication`` of botbuilder reads; nothing of the SDK is replaced.

    Any of the last five makes the SDK take all of them (its "parameterized" authentication, whose checks are not those
    for the public cloud: it compares the serviceUrl where the activity has one). ``TO_CHANNEL_FROM_BOT_LOGIN_URL`` goes
    to msal, which wants https and asks Microsoft about hosts that it does not know unless the path is ``/adfs``. The
    certificate is the world's own: the process of the bot needs ``REQUESTS_CA_BUNDLE``, see
    :attr:`TeamsWorld.environment`.
    """

    TO_CHANNEL_FROM_BOT_LOGIN_URL: str
    TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL: str
    TO_BOT_FROM_EMULATOR_OPENID_METADATA_URL: str
    APP_ID: str = APP_ID
    APP_PASSWORD: str = SECRET
    APP_TYPE: str = "SingleTenant"
    APP_TENANTID: str = ""
    TO_CHANNEL_FROM_BOT_OAUTH_SCOPE: str = "https://api.botframework.com"
    TO_BOT_FROM_CHANNEL_TOKEN_ISSUER: str = "https://api.botframework.com"
    OAUTH_URL: str = "https://api.botframework.com"
    CALLER_ID: str = "urn:botframework:azure"


class Identity:
    """``given``: the bot's own tokens, with the monotonic time at which each ends."""

    def __init__(self, app_id: str, secret: str, tenant: str) -> None:
        self.app_id, self.secret, self.tenant = app_id, secret, tenant
        self.tokens = Tokens("", app_id)
        self.given: dict[str, float] = {}
        self.asked = 0
        """How often the bot asked for a token."""
        self.metadata_asked = 0
        self.down = False
        """Whether metadata, keys and tokens are answered 503."""

    def channel_routes(self) -> list[web.RouteDef]:
        """For the connector's own application."""
        return [
            web.get("/v1/.well-known/openidconfiguration", self._channel_metadata),
            web.get("/v1/.well-known/keys", self._channel_keys),
            web.get("/common/v2.0/.well-known/openid-configuration", self._login_metadata),
            web.get("/common/discovery/v2.0/keys", self._login_keys),
            web.post("/{tenant}/oauth2/v2.0/token", self._token),
        ]

    def login_routes(self) -> list[web.RouteDef]:
        """For the login's application, over https."""
        return [
            web.get("/{tenant}/.well-known/openid-configuration", self._login_metadata),
            web.get("/{tenant}/v2.0/.well-known/openid-configuration", self._login_metadata),
            web.post("/{tenant}/oauth2/v2.0/token", self._token),
        ]

    def good(self, token: str) -> bool:
        return self.given.get(token, 0.0) > time.monotonic()

    def expire(self) -> None:
        """Ends every token that the bot has."""
        self.given.clear()

    async def _channel_metadata(self, request: web.Request) -> web.Response:
        self.metadata_asked += 1
        return self._shown({
            "issuer": "https://api.botframework.com",
            "authorization_endpoint": "https://invalid.botframework.com",
            "jwks_uri": f"{_base(request)}/v1/.well-known/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        })  # fmt: skip

    async def _channel_keys(self, request: web.Request) -> web.Response:
        return self._shown({"keys": [self.tokens.channel.jwk(("msteams", "webchat", "directline"))]})

    async def _login_metadata(self, request: web.Request) -> web.Response:
        base, tenant = _base(request), request.match_info.get("tenant", "common")
        return self._shown({
            "issuer": f"{base}/{tenant}",
            "authorization_endpoint": f"{base}/{tenant}/oauth2/v2.0/authorize",
            "token_endpoint": f"{base}/{tenant}/oauth2/v2.0/token",
            "jwks_uri": f"{base}/common/discovery/v2.0/keys",
        })  # fmt: skip

    async def _login_keys(self, request: web.Request) -> web.Response:
        return self._shown({"keys": [self.tokens.login.jwk()]})

    async def _token(self, request: web.Request) -> web.Response:
        """https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication"""
        self.asked += 1
        form = await request.post()
        if form.get("grant_type") != "client_credentials":
            return _refusal(400, "unsupported_grant_type", "AADSTS70003: grant type is not supported.")
        if form.get("client_id") != self.app_id:
            return _refusal(400, "unauthorized_client", "AADSTS700016: Application was not found in the directory.")
        if form.get("client_secret") != self.secret:
            return _refusal(401, "invalid_client", "AADSTS7000215: Invalid client secret provided.")
        if form.get("scope") != SCOPE:
            return _refusal(400, "invalid_scope", "AADSTS70011: The provided value for 'scope' is not valid.")
        token = f"bot-{uuid.uuid4().hex}"
        self.given[token] = time.monotonic() + LIFE
        return self._shown({"token_type": "Bearer", "expires_in": LIFE, "ext_expires_in": LIFE, "access_token": token})

    def _shown(self, body: Json) -> web.Response:
        return web.Response(status=503, text="Service Unavailable") if self.down else web.json_response(body)


def _refusal(status: int, error: str, description: str) -> web.Response:
    body: dict[str, Any] = {"error": error, "error_description": description, "error_codes": []}
    return web.json_response(body, status=status)


def _base(request: web.Request) -> str:
    return f"{request.scheme}://{request.host}"
