"""Who asks us, and who we are: the one module that uses the Bot Framework's SDK (botbuilder 4.17.1).

The SDK is archived, and has defects that are guarded here: it reads the keys of Microsoft by a call that blocks and may
last forever, looks for new ones wrongly, asks for tokens the same way, and fails in many ways on a token that is no
good. What it sends loses fields of entities and is repeated nowhere, so that activities go out as plain JSON instead
(:mod:`adapters.teams.connector`).
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from botbuilder.integration.aiohttp import ConfigurationBotFrameworkAuthentication
from botbuilder.schema import Activity
from botframework.connector.auth import AuthenticationConstants, MicrosoftAppCredentials
from botframework.connector.auth.jwt_token_extractor import JwtTokenExtractor
from jwt.algorithms import RSAAlgorithm
from msal import ConfidentialClientApplication
from msal.exceptions import MsalServiceError

from core.errors import ChatRefused, ChatUnavailable

CHANNEL = "msteams"
ISSUER = "https://api.botframework.com"
METADATA_URL = "https://login.botframework.com/v1/.well-known/openidconfiguration"
LOGIN_URL = "https://login.microsoftonline.com"
_SECONDS = 15  # of a call to Microsoft
_KEYS_SECONDS = 24 * 3600.0  # that keys are relied on
_UNKNOWN_SECONDS = 300.0  # between two looks for a key that is not known
_FAILED_SECONDS = 10.0  # between two tries to read the keys that we have to have
_TOKEN_SECONDS = 120.0  # that a token of ours is used before the SDK is asked again, which knows when it ends

logger = logging.getLogger(__name__)


class NotAuthentic(Exception):
    """A request that does not prove that Teams sent it for us. Its words are for the log."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The bot as it is registered in Entra: single-tenant. ``app_id`` "": anonymous, for the Playground."""

    app_id: str = ""
    password: str = ""
    tenant: str = ""
    metadata_url: str = METADATA_URL
    login_url: str = LOGIN_URL

    @property
    def authority(self) -> str:
        """Where our tokens come from; an address with a path of its own is taken as it is."""
        url = self.login_url.rstrip("/")
        return url if urlsplit(url).path else f"{url}/{self.tenant}"


class Credentials:
    """Proves requests, and gets the token that we send with ours."""

    def __init__(self, registration: Registration) -> None:
        self._registration = registration
        self._token, self._token_from = "", 0.0
        self._asking = asyncio.Lock()
        if not registration.app_id:
            return
        self._ours = MicrosoftAppCredentials(
            registration.app_id,
            registration.password,
            registration.tenant,
            AuthenticationConstants.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE,
        )
        JwtTokenExtractor.metadataCache[registration.metadata_url] = Keys(registration.metadata_url)
        self._sdk = ConfigurationBotFrameworkAuthentication(_configuration(registration))

    @property
    def app_id(self) -> str:
        return self._registration.app_id

    async def prove(self, header: str) -> str:
        """The serviceUrl that the token in the header speaks for; "" if we are anonymous.

        An activity is proved where its own serviceUrl is that one, which the caller checks. Raises
        :class:`NotAuthentic`, and ChatUnavailable where Microsoft's keys cannot be had now.
        """
        if not self._registration.app_id:
            return ""
        scheme, _, token = header.partition(" ")
        if scheme != "Bearer" or _issuer(token) != ISSUER:
            raise NotAuthentic("no token of Bot Framework")
        about = Activity(channel_id=CHANNEL)
        try:
            claims = (await self._sdk.authenticate_request(about, header)).claims_identity.claims
        except ChatUnavailable:
            raise
        except Exception as error:  # it raises whatever comes up: PermissionError, KeyError, jwt's own
            raise NotAuthentic(f"{type(error).__name__}: {error}") from error
        if "exp" not in claims or claims.get("aud") != self._registration.app_id:
            raise NotAuthentic("it has no end, or is for another")
        service_url = claims.get("serviceurl")
        if not isinstance(service_url, str) or not service_url:
            raise NotAuthentic("it speaks for no serviceUrl")
        return service_url

    async def token(self) -> str:
        """What we prove ourselves with, "" if anonymous. Raises ChatRefused and ChatUnavailable."""
        if not self._registration.app_id:
            return ""
        async with self._asking:
            if not self._token or time.monotonic() - self._token_from > _TOKEN_SECONDS:
                self._token, self._token_from = await self._asked(), time.monotonic()
            return self._token

    async def _asked(self) -> str:
        try:
            return await asyncio.to_thread(self._ask)
        except (PermissionError, ValueError) as error:  # MSAL's for a tenant that there is not
            logger.warning("Microsoft gives no token: %s", error)
            raise ChatRefused(
                "Microsoft does not know the bot: check WIKIWHY_TEAMS_APP_ID, WIKIWHY_TEAMS_APP_PASSWORD (the value of "
                "the client secret, not its id, and not expired) and WIKIWHY_TEAMS_TENANT_ID."
            ) from error
        except (OSError, MsalServiceError) as error:  # what requests raises is one; MSAL's own is for a 5xx
            raise ChatUnavailable(f"Microsoft's login does not answer: {type(error).__name__}.") from error

    def _ask(self) -> str:
        if self._ours.app is None:
            self._ours.app = ConfidentialClientApplication(
                client_id=self._registration.app_id,
                client_credential=self._registration.password,
                authority=self._registration.authority,
                timeout=_SECONDS,
            )
        return str(self._ours.get_access_token())


@dataclass(frozen=True, slots=True)
class Key:
    """As the SDK wants it."""

    public_key: Any
    endorsements: list[str]


class Keys:
    """Microsoft's keys by their ids, read without blocking; takes the place of the SDK's own metadata."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._keys: dict[str, Key] = {}
        self._read_at = self._tried_at = float("-inf")
        self._reading = asyncio.Lock()

    async def get(self, key_id: str | None) -> Key:
        """Raises :class:`NotAuthentic` for a key that there is not, and ChatUnavailable.

        However many tokens name keys that nobody knows, Microsoft is asked once in five minutes; where it does not
        answer, once in ten seconds.
        """
        if self._is_due(key_id):
            async with self._reading:
                if self._is_due(key_id):  # still, after another request that waited for the same
                    await self._read()
        if not self._keys:
            raise ChatUnavailable("Microsoft's keys could not be read a moment ago.")
        if key_id not in self._keys:
            raise NotAuthentic("its key is not known")
        return self._keys[str(key_id)]

    def _is_due(self, key_id: str | None) -> bool:
        now = time.monotonic()
        if now - self._read_at > _KEYS_SECONDS:
            return now - self._tried_at > _FAILED_SECONDS
        return key_id not in self._keys and now - self._tried_at > _UNKNOWN_SECONDS

    async def _read(self) -> None:
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS)) as session:
                jwks_uri = (await _json(session, self._url))["jwks_uri"]
                keys = (await _json(session, jwks_uri))["keys"]
            self._keys = {key["kid"]: _key(key) for key in keys if key.get("kty") == "RSA"}
            self._read_at = time.monotonic()
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, TypeError) as error:
            self._tried_at = time.monotonic()
            if not self._keys:
                raise ChatUnavailable(f"Microsoft's keys cannot be read: {type(error).__name__}.") from error
            logger.warning("Microsoft's keys could not be read anew: %s", type(error).__name__)
        self._tried_at = time.monotonic()


async def _json(session: aiohttp.ClientSession, url: str) -> Any:
    async with session.get(url) as response:
        response.raise_for_status()
        return await response.json(content_type=None)


def _key(key: Mapping[str, Any]) -> Key:
    return Key(RSAAlgorithm.from_jwk(json.dumps(key)), list(key.get("endorsements", [])))


def _issuer(token: str) -> object:
    """Who a token says it is from: others would make the SDK ask elsewhere for keys."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return claims.get("iss") if isinstance(claims, dict) else None
    except (IndexError, ValueError, RecursionError):
        return None


def _configuration(registration: Registration) -> SimpleNamespace:
    return SimpleNamespace(
        APP_ID=registration.app_id,
        APP_PASSWORD=registration.password,
        APP_TYPE="SingleTenant",
        APP_TENANTID=registration.tenant,
        TO_CHANNEL_FROM_BOT_LOGIN_URL=AuthenticationConstants.TO_CHANNEL_FROM_BOT_LOGIN_URL_PREFIX,
        TO_CHANNEL_FROM_BOT_OAUTH_SCOPE=AuthenticationConstants.TO_CHANNEL_FROM_BOT_OAUTH_SCOPE,
        TO_BOT_FROM_CHANNEL_TOKEN_ISSUER=ISSUER,
        TO_BOT_FROM_CHANNEL_OPENID_METADATA_URL=registration.metadata_url,
        TO_BOT_FROM_EMULATOR_OPENID_METADATA_URL=registration.metadata_url,
        CALLER_ID="urn:botframework:azure",
    )
