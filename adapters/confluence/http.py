"""One request to Confluence: authenticated, in time, tried again where that may help, and counted.

atlassian-python-api serves as the HTTP client only; its methods for spaces and pages lose pages (they stop at a
short page, or forget the context path). It is synchronous, so requests run in threads, as many as ``concurrency``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import requests
from atlassian.rest_client import AtlassianRestAPI
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth

from adapters.confluence.failures import (
    Failure,
    Refusal,
    make_malformed_response_error,
    of_body,
    of_status,
    of_transport,
)
from adapters.confluence.retries import Retries, read_retry_after
from core.errors import SettingsInvalid
from core.ports import Traffic

# It would log the text of every response, restricted pages among them.
logging.getLogger("atlassian").setLevel(logging.INFO)

_CHUNK = 1 << 16
_CONNECT_SECONDS = 10.0

Json = dict[str, Any]
Parameters = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Connection:
    """Where Confluence is and who asks. ``url``: with the context path, on Cloud with ``/wiki``.

    ``account``: an e-mail address (Cloud), or "" (Data Center, whose personal access tokens say who it is).
    """

    url: str
    token: str = field(repr=False)
    account: str = ""
    timeout: float = 30.0  # seconds, of one try
    concurrency: int = 4
    ca_bundle: str = ""  # a file, "" means the usual authorities
    retries: Retries = field(default_factory=Retries)


@dataclass(frozen=True, slots=True)
class Reply:
    """A response's JSON object, and the address of the next page that its ``Link`` header names, "" if none.

    ``listed``: what it is in place of an object, where it is a list.
    """

    body: Json
    next_link: str = ""
    listed: list[Any] | None = None


class Http:
    """Asks one Confluence. Raises :class:`adapters.confluence.failures.Refusal`."""

    def __init__(self, connection: Connection) -> None:
        if not connection.token.isascii() or not connection.token.isprintable():
            raise SettingsInvalid(
                "WIKIWHY_CONFLUENCE_TOKEN holds characters that no token has. Copy it again, without quotes."
            )
        self.url = connection.url.rstrip("/")
        self._retries = connection.retries
        self._api = _api(connection)
        self._threads = ThreadPoolExecutor(connection.concurrency, thread_name_prefix="confluence")
        self._quiet_until = 0.0  # of time.monotonic(): no request before
        self._requests = 0
        self._waits = 0
        self._seconds_waited = 0.0

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc

    @property
    def traffic(self) -> Traffic:
        """What was sent and waited so far."""
        return Traffic(self._requests, self._waits, self._seconds_waited)

    async def get(self, path: str, parameters: Parameters | None = None) -> Reply:
        """The JSON object at a path below the URL. Raises Refusal once trying again has not helped."""
        reply = await self._get(path, parameters)
        if reply.listed is not None:
            raise make_malformed_response_error("a list")
        return reply

    async def get_list(self, path: str) -> list[Any]:
        """The JSON list at a path below the URL. Raises Refusal once trying again has not helped."""
        reply = await self._get(path, None)
        if reply.listed is None:
            raise make_malformed_response_error("an object in place of a list")
        return reply.listed

    async def _get(self, path: str, parameters: Parameters | None) -> Reply:
        tries, waited = 0, 0.0
        while True:
            await self._until_quiet_is_over()
            tries += 1
            self._requests += 1
            outcome, response = await asyncio.get_running_loop().run_in_executor(
                self._threads, self._try, path, dict(parameters or {})
            )
            if isinstance(outcome, Reply):
                return outcome
            if not outcome.again or not (outcome.overloaded or tries < self._retries.attempts):
                raise outcome.refusal
            wished = read_retry_after(response.headers, datetime.now(UTC)) if response is not None else None
            wait = self._retries.backoff(tries) if wished is None else wished
            waited += wait
            if waited > self._retries.budget:
                raise _given_up(outcome.refusal, wait, waited)
            await self._wait(wait, of_all=outcome.overloaded and wished is not None)

    async def _wait(self, seconds: float, of_all: bool) -> None:
        self._waits += 1
        self._seconds_waited += seconds
        if of_all:  # the limit is the account's: other requests would only use up what is left
            self._quiet_until = max(self._quiet_until, time.monotonic() + seconds)
        await asyncio.sleep(seconds)

    async def _until_quiet_is_over(self) -> None:
        seconds = self._quiet_until - time.monotonic()
        if seconds > 0:
            await asyncio.sleep(seconds)

    def _try(self, path: str, parameters: dict[str, str | int]) -> tuple[Reply | Failure, requests.Response | None]:
        try:
            response = self._api.request("GET", path=path, params=parameters, advanced_mode=True, allow_redirects=False)
        except (requests.exceptions.RequestException, OSError) as error:
            return of_transport(error), None
        if response.status_code != 200:
            return of_status(response), response
        try:
            body = response.json()
        except (ValueError, RecursionError):
            return of_body(response), response
        if isinstance(body, list):
            return Reply({}, listed=body), response
        if not isinstance(body, dict):
            return Failure(make_malformed_response_error(f"a {type(body).__name__}")), response
        return Reply(body, response.links.get("next", {}).get("url", "")), response

    def close(self) -> None:
        """Closes the connections. Requests that are under way end within their time."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._api.close()


class _Session(requests.Session):
    """Ends a response that drips: the time-out of ``requests`` counts anew with every byte."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        started = time.monotonic()
        timeouts = (min(_CONNECT_SECONDS, self._seconds), self._seconds)
        response = super().request(*args, **{**kwargs, "stream": True, "timeout": timeouts})
        chunks = []
        for chunk in response.iter_content(_CHUNK):
            chunks.append(chunk)
            if time.monotonic() - started > self._seconds:
                response.close()
                raise requests.exceptions.ReadTimeout("the response took too long")
        response._content = b"".join(chunks)  # what reading it in one go would leave there
        return response


def _api(connection: Connection) -> AtlassianRestAPI:
    session = _Session(connection.timeout)
    # Cookies would tie requests to a session on the server, whose end then reads as wrong credentials.
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    session.verify = connection.ca_bundle or True
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=connection.concurrency))
    if not connection.account:
        return AtlassianRestAPI(connection.url, session=session, retry_with_header=False, token=connection.token)
    # As bytes: requests would write text as Latin-1.
    session.auth = HTTPBasicAuth(connection.account.encode(), connection.token.encode())
    return AtlassianRestAPI(connection.url, session=session, retry_with_header=False)


def _given_up(refusal: Refusal, wait: float, waited: float) -> Refusal:
    minutes = max(1, round(max(wait, waited) / 60))
    cause = f"{refusal.cause}, and would have to be waited for {minutes} minute{'' if minutes == 1 else 's'} or more"
    return Refusal(cause, refusal.advice, refusal.status, refusal.of_site)
