"""The keys with which the channel signs, and the login where the bot gets its own token.

Two applications: the keys beside the connector over http; Entra's login over https, since msal accepts nothing else.
https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

from __future__ import annotations

import time
import uuid

from aiohttp import web

from tests.servers.chat_server import Json
from tests.servers.teams.tokens import Tokens

SCOPE = "https://api.botframework.com/.default"
LIFE = 3600
"""Seconds that the bot's own token is good for."""


class Identity:
    """``asked``: how often the bot asked for a token. ``down``: whether everything is answered 503."""

    def __init__(self, app_id: str, secret: str, tenant: str) -> None:
        self.app_id, self.secret, self.tenant = app_id, secret, tenant
        self.tokens = Tokens("", app_id)
        self.asked = self.metadata_asked = 0
        self.down = False
        self._given: dict[str, float] = {}

    def channel_routes(self) -> list[web.RouteDef]:
        return [
            web.get("/v1/.well-known/openidconfiguration", self._channel_metadata),
            web.get("/v1/.well-known/keys", self._channel_keys),
        ]

    def login_routes(self) -> list[web.RouteDef]:
        return [
            web.get("/{tenant}/.well-known/openid-configuration", self._login_metadata),
            web.get("/{tenant}/v2.0/.well-known/openid-configuration", self._login_metadata),
            web.post("/{tenant}/oauth2/v2.0/token", self._token),
        ]

    def is_good(self, authorization: str) -> bool:
        """Whether this header has one of the bot's own tokens."""
        return self._given.get(authorization.removeprefix("Bearer "), 0.0) > time.monotonic()

    async def _channel_metadata(self, request: web.Request) -> web.Response:
        self.metadata_asked += 1
        return self._show({
            "issuer": "https://api.botframework.com",
            "authorization_endpoint": "https://invalid.botframework.com",
            "jwks_uri": f"{_base(request)}/v1/.well-known/keys",
            "id_token_signing_alg_values_supported": ["RS256"],
        })  # fmt: skip

    async def _channel_keys(self, request: web.Request) -> web.Response:
        return self._show({"keys": [self.tokens.channel.jwk(("msteams", "webchat", "directline"))]})

    async def _login_metadata(self, request: web.Request) -> web.Response:
        base = f"{_base(request)}/{request.match_info['tenant']}"
        return self._show({
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "token_endpoint": f"{base}/oauth2/v2.0/token",
        })  # fmt: skip

    async def _token(self, request: web.Request) -> web.Response:
        self.asked += 1
        form = await request.post()
        wanted = {
            "grant_type": ("client_credentials", 400, "unsupported_grant_type", "AADSTS70003"),
            "client_id": (self.app_id, 400, "unauthorized_client", "AADSTS700016"),
            "client_secret": (self.secret, 401, "invalid_client", "AADSTS7000215"),
            "scope": (SCOPE, 400, "invalid_scope", "AADSTS70011"),
        }
        for name, (value, status, error, code) in wanted.items():
            if form.get(name) != value:
                body = {"error": error, "error_description": f"{code}: {name} is not valid.", "error_codes": []}
                return web.json_response(body, status=status)
        token = f"bot-{uuid.uuid4().hex}"
        self._given[token] = time.monotonic() + LIFE
        return self._show({"token_type": "Bearer", "expires_in": LIFE, "ext_expires_in": LIFE, "access_token": token})

    def _show(self, body: Json) -> web.Response:
        return web.Response(status=503, text="Service Unavailable") if self.down else web.json_response(body)


def _base(request: web.Request) -> str:
    return f"{request.scheme}://{request.host}"
