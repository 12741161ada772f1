"""Authentication of requests from Teams by PyJWT, and the bot's own token from the Bot Framework SDK.

The SDK (botbuilder 4.17.1) is archived. It reads Microsoft's keys in a blocking call without a timeout, so requests are
authenticated here, by the rules of
https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication. Its call for a token
blocks too and therefore runs in a thread, with a timeout.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import jwt
from botframework.connector.auth import AuthenticationConstants, MicrosoftAppCredentials
from msal import ConfidentialClientApplication
from msal.exceptions import MsalServiceError

from core.errors import ChatRefused, ChatUnavailable

CHANNEL = "msteams"
ISSUER = "https://api.botframework.com"
METADATA_URL = "https://login.botframework.com/v1/.well-known/openidconfiguration"
LOGIN_URL = "https://login.microsoftonline.com"
_CHECKS: Any = {"require": ["exp", "iss", "aud", "serviceurl"], "strict_aud": True}  # a single audience, not a list
_LEEWAY = 300  # allowed clock skew in seconds
_SECONDS = 15  # timeout of a call to Microsoft
_KEYS_SECONDS = 24 * 3600.0  # how long keys are valid
_UNKNOWN_SECONDS = 300.0  # between two requests for an unknown key
_FAILED_SECONDS = 10.0  # between two attempts to renew expired keys
_TOKEN_SECONDS = 120.0  # how long the token is reused before the SDK, which knows its expiry, is called again

logger = logging.getLogger(__name__)


class AuthenticationError(Exception):
    """A request does not prove that Teams sent it to this bot. The message is for the log."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The bot's single-tenant registration in Entra. ``app_id`` "": anonymous, for the Agents Playground."""

    app_id: str = ""
    password: str = ""
    tenant: str = ""
    metadata_url: str = METADATA_URL
    login_url: str = LOGIN_URL

    @property
    def authority(self) -> str:
        """Return the address that issues the bot's tokens; a ``login_url`` with a path is used unchanged."""
        url = self.login_url.rstrip("/")
        return url if urlsplit(url).path else f"{url}/{self.tenant}"


class Credentials:
    """Authenticates requests, and gets the bot's own token."""

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._token, self._token_from = "", 0.0
        self._requesting = asyncio.Lock()
        if not registration.app_id:
            return
        self._ours = MicrosoftAppCredentials(
            registration.app_id,
            registration.password,
            registration.tenant,
            AuthenticationConstants.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE,
        )
        self._keys = SigningKeys(registration.metadata_url)

    @property
    def app_id(self) -> str:
        return self._registration.app_id

    async def authenticate(self, header: str) -> str:
        """Check an Authorization header and return the serviceUrl of its token, "" if the bot is anonymous.

        The caller has to compare it with the activity's own serviceUrl. Raises :class:`AuthenticationError`, and
        ChatUnavailable if Microsoft's keys cannot be read.
        """
        if not self._registration.app_id:
            return ""
        scheme, _, token = header.partition(" ")
        if scheme != "Bearer":
            raise AuthenticationError("no token")
        try:
            key = await self._keys.get(jwt.get_unverified_header(token).get("kid"))
            claims = jwt.decode(
                token,
                key.public_key,
                ["RS256"],
                audience=self._registration.app_id,
                issuer=ISSUER,
                leeway=_LEEWAY,
                options=_CHECKS,
            )
        except (jwt.PyJWTError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
            raise AuthenticationError(f"{type(error).__name__}: {error}") from error
        if key.endorsements and CHANNEL not in key.endorsements:
            raise AuthenticationError("its key is not one for Teams")
        service_url = claims["serviceurl"]
        if not isinstance(service_url, str) or not service_url:
            raise AuthenticationError("it has no serviceUrl")
        return service_url

    async def get_token(self) -> str:
        """Return the token for requests to Teams, "" if anonymous. Raises ChatRefused and ChatUnavailable."""
        if not self._registration.app_id:
            return ""
        async with self._requesting:
            if not self._token or time.monotonic() - self._token_from > _TOKEN_SECONDS:
                self._token, self._token_from = await self._request_token(), time.monotonic()
            return self._token

    async def _request_token(self) -> str:
        try:
            return await asyncio.to_thread(self._ask_sdk_for_token)
        except (PermissionError, ValueError) as error:  # MSAL raises ValueError for an unknown tenant
            logger.warning("Microsoft gives no token: %s", error)
            raise ChatRefused(
                "Microsoft does not know the bot: check WIKIWHY_TEAMS_APP_ID, WIKIWHY_TEAMS_APP_PASSWORD (the value of "
                "the client secret, not its id, and not expired) and WIKIWHY_TEAMS_TENANT_ID."
            ) from error
        except (OSError, MsalServiceError) as error:  # requests raises OSErrors, MSAL its own error for a 5xx
            raise ChatUnavailable(f"Microsoft's login does not answer: {type(error).__name__}.") from error

    def _ask_sdk_for_token(self) -> str:
        if self._ours.app is None:
            self._ours.app = ConfidentialClientApplication(
                client_id=self._registration.app_id,
                client_credential=self._registration.password,
                authority=self._registration.authority,
                timeout=_SECONDS,
            )
        return str(self._ours.get_access_token())


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key of Microsoft. ``endorsements``: the channels that it signs for; empty for any."""

    public_key: Any
    endorsements: tuple[str, ...]


class SigningKeys:
    """Cache of Microsoft's keys, read without blocking."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._keys: dict[str, SigningKey] = {}
        self._read_at = self._tried_at = float("-inf")
        self._reading = asyncio.Lock()

    async def get(self, key_id: str | None) -> SigningKey:
        """Return a key by its id. Raises :class:`AuthenticationError` for an unknown key, and ChatUnavailable.

        Unknown key ids cause at most one request to Microsoft in five minutes, failed requests one in ten seconds.
        """
        if self._is_due(key_id):
            async with self._reading:
                if self._is_due(key_id):  # another task may have read them meanwhile
                    await self._read()
        if not self._keys:
            raise ChatUnavailable("Microsoft's keys could not be read a moment ago.")
        if key_id is None or key_id not in self._keys:
            raise AuthenticationError("its key is not known")
        return self._keys[key_id]

    def _is_due(self, key_id: str | None) -> bool:
        now = time.monotonic()
        if now - self._read_at > _KEYS_SECONDS:
            return now - self._tried_at > _FAILED_SECONDS
        return key_id not in self._keys and now - self._tried_at > _UNKNOWN_SECONDS

    async def _read(self) -> None:
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS)) as session:
                jwks_uri = (await _get_json(session, self._url))["jwks_uri"]
                keys = (await _get_json(session, jwks_uri))["keys"]
            self._keys = {
                key["kid"]: SigningKey(jwt.PyJWK(key, "RS256").key, tuple(key.get("endorsements", ())))
                for key in keys
                if key.get("kty") == "RSA"
            }
            self._read_at = time.monotonic()
        except (aiohttp.ClientError, jwt.PyJWTError, OSError, ValueError, KeyError, TypeError) as error:
            self._tried_at = time.monotonic()
            if not self._keys:
                raise ChatUnavailable(f"Microsoft's keys cannot be read: {type(error).__name__}.") from error
            logger.warning("Microsoft's keys could not be read anew: %s", type(error).__name__)
        self._tried_at = time.monotonic()


async def _get_json(session: aiohttp.ClientSession, url: str) -> Any:
    async with session.get(url, allow_redirects=False) as response:
        response.raise_for_status()
        return await response.json(content_type=None)
