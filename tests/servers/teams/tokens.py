"""Tokens that a connector sends with an activity: valid ones, and forgeries that a bot must refuse.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

from __future__ import annotations

import base64
import functools
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jwt
from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers.chat_server import Json
from tests.servers.teams.state import APP_ID

ISSUER = "https://api.botframework.com"
EMULATOR_ISSUER = "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/"
"""The SDK accepts tokens of this issuer, Microsoft's own tenant for bots, as the emulator's."""
OTHER_TENANT = "https://sts.windows.net/11111111-2222-3333-4444-555555555555/"
HOUR = 3600


@functools.cache
def _key(owner: str) -> rsa.RSAPrivateKey:
    """Return the process's key of an owner: generating one is slow, and the SDK caches keys."""
    return rsa.generate_private_key(65537, 2048)


@dataclass(frozen=True)
class SigningKey:
    """An RSA key with its name in the metadata."""

    name: str
    owner: str

    @property
    def private(self) -> rsa.RSAPrivateKey:
        return _key(self.owner)

    def jwk(self, endorsements: tuple[str, ...] = ()) -> Json:
        """Return the public key for a JWKS."""
        found: Json = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key()))
        found = {name: found[name] for name in ("kty", "n", "e")}
        found |= {"use": "sig", "kid": self.name, "x5t": self.name}
        return found | ({"endorsements": list(endorsements)} if endorsements else {})

    def sign(self, claims: Json, **header: Any) -> str:
        """Sign claims. ``header``: replaces header fields; None removes one."""
        given = {"kid": self.name, "x5t": self.name} | header
        kept = {name: value for name, value in given.items() if value is not None}
        return jwt.encode(claims, self.private, algorithm="RS256", headers=kept)

    def public_pem(self) -> bytes:
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.private.public_key().public_bytes(serialization.Encoding.PEM, form)


@dataclass(frozen=True)
class Tokens:
    """Makes tokens for one bot. ``channel``: the key in the channel's metadata; ``login``: Entra's key."""

    service_url: str
    app_id: str = APP_ID
    channel: SigningKey = field(default_factory=lambda: SigningKey("channel-key", "channel"))
    login: SigningKey = field(default_factory=lambda: SigningKey("login-key", "login"))
    stranger: SigningKey = field(default_factory=lambda: SigningKey("channel-key", "stranger"))
    """An attacker's key with the name of the channel's."""

    def claims(self, **changed: Any) -> Json:
        """Return the claims of a valid token; ``changed`` replaces claims, None removes one."""
        now = int(time.time())
        given = {
            "serviceurl": self.service_url, "iss": ISSUER, "aud": self.app_id, "nbf": now - 60, "exp": now + HOUR,
        } | changed  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}

    def good(self, **changed: Any) -> str:
        return self.channel.sign(self.claims(**changed))

    def entra(self, issuer: str, app_id: str) -> str:
        """Return a correctly signed token that Entra, not the channel, issued to the app ``app_id`` for the bot."""
        claims = self.claims(iss=issuer, serviceurl=None, ver="1.0", appid=app_id, tid=issuer.split("/")[3])
        return self.login.sign(claims)


def _part(value: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _unsigned(tokens: Tokens) -> str:
    return tokens.good().rpartition(".")[0] + "."


def _none(tokens: Tokens) -> str:
    return f"{_part({'alg': 'none', 'typ': 'JWT', 'kid': tokens.channel.name})}.{_part(tokens.claims())}."


def _hmac(tokens: Tokens) -> str:
    """Return a token signed with the public key as a shared secret."""
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT', 'kid': tokens.channel.name})}.{_part(tokens.claims())}"
    digest = hmac.new(tokens.channel.public_pem(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _dated(tokens: Tokens, begin: int, end: int) -> str:
    """Return a header whose token is valid from ``begin`` to ``end``, in seconds from now."""
    now = int(time.time())
    return f"Bearer {tokens.good(nbf=now + begin, exp=now + end)}"


def _changed(tokens: Tokens) -> str:
    """Return changed claims between the header and signature of a valid token."""
    header, _, signature = tokens.good().split(".")
    return f"{header}.{_part(tokens.claims(serviceurl='https://example.com/'))}.{signature}"


def _header_key(tokens: Tokens) -> str:
    """Return a token with its own key in the header."""
    return tokens.stranger.sign(tokens.claims(), jwk=tokens.stranger.jwk())


FORGERIES: dict[str, Callable[[Tokens], str | None]] = {
    "no header": lambda tokens: None,
    "empty bearer": lambda tokens: "Bearer ",
    "garbage": lambda tokens: "Bearer not-a-token",
    "garbage of three parts": lambda tokens: "Bearer aaaa.bbbb.cccc",
    "other scheme": lambda tokens: f"Basic {tokens.good()}",
    "unsigned": lambda tokens: f"Bearer {_unsigned(tokens)}",
    "alg none": lambda tokens: f"Bearer {_none(tokens)}",
    "HS256 with the public key": lambda tokens: f"Bearer {_hmac(tokens)}",
    "wrong key": lambda tokens: f"Bearer {tokens.stranger.sign(tokens.claims())}",
    "key in the header": lambda tokens: f"Bearer {_header_key(tokens)}",
    "unknown kid": lambda tokens: f"Bearer {tokens.channel.sign(tokens.claims(), kid='another', x5t='another')}",
    "missing kid": lambda tokens: f"Bearer {tokens.channel.sign(tokens.claims(), kid=None, x5t=None)}",
    "claims changed": lambda tokens: f"Bearer {_changed(tokens)}",
    "expired": lambda tokens: _dated(tokens, -2 * HOUR, -HOUR),
    "no expiry": lambda tokens: f"Bearer {tokens.good(exp=None)}",
    "not yet valid": lambda tokens: _dated(tokens, HOUR, 2 * HOUR),
    "wrong audience": lambda tokens: f"Bearer {tokens.good(aud='00000000-0000-0000-0000-000000000000')}",
    "audiences": lambda tokens: f"Bearer {tokens.good(aud=['00000000-0000-0000-0000-000000000000', tokens.app_id])}",
    "missing audience": lambda tokens: f"Bearer {tokens.good(aud=None)}",
    "wrong issuer": lambda tokens: f"Bearer {tokens.good(iss='https://example.com')}",
    "missing issuer": lambda tokens: f"Bearer {tokens.good(iss=None)}",
    "other tenant": lambda tokens: f"Bearer {tokens.entra(OTHER_TENANT, 'another-app')}",
    "emulator issuer": lambda tokens: f"Bearer {tokens.entra(EMULATOR_ISSUER, tokens.app_id)}",
    "missing serviceUrl claim": lambda tokens: f"Bearer {tokens.good(serviceurl=None)}",
    "another serviceUrl": lambda tokens: f"Bearer {tokens.good(serviceurl='https://example.com/emea/')}",
}
"""By name, the whole Authorization header; None: without one. Each is to be answered 401."""


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
