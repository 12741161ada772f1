"""Sends requests to Confluence: authenticated, with time-outs, retried where that may help, and counted.

atlassian-python-api serves as HTTP client only, since its methods for spaces and pages lose pages (they stop at a short
page, or forget the context path). It is synchronous, so requests run in threads, at most ``concurrency`` at a time.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.cookiejar import DefaultCookiePolicy
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from atlassian.rest_client import AtlassianRestAPI
from requests.adapters import HTTPAdapter
from requests.auth import HTTPBasicAuth
from tenacity import AsyncRetrying, RetryCallState, retry_if_result

from adapters.confluence.failures import (
    Failure,
    Refusal,
    explain_body,
    explain_status,
    explain_transport_error,
    make_malformed_response_error,
)
from adapters.retries import compute_pause, note_rate_limit, note_retry, read_retry_after
from core.errors import SettingsInvalid
from core.ports.wiki import Traffic

# At DEBUG it logs the text of every response, including restricted pages.
logging.getLogger("atlassian").setLevel(logging.INFO)

_CHUNK = 1 << 16
_CONNECT_SECONDS = 10.0
_MOST_REDIRECTS = 3
_MEDIA_HOSTS = (".atlassian.com", ".atlassian.net", ".atl-paas.net")  # of Cloud's media store
_DOWNLOAD_TIMEOUTS = 10  # time-outs of other requests that a download may take

T = TypeVar("T")
Json = dict[str, Any]
Parameters = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Retries:
    """How long to wait between attempts, and when to give up.

    An overloaded server is asked again until one request has waited ``budget`` seconds in total. Other failures are
    limited to ``attempts``.
    """

    first: float = 1.0  # seconds
    longest: float = 60.0  # seconds
    budget: float = 600.0  # seconds
    attempts: int = 4

    def wait(self, state: RetryCallState) -> float:
        """Return the wait that the server asks for, or an exponential one."""
        retry_after = _get_last_failure(state).retry_after
        return compute_pause(state.attempt_number, self.first, self.longest) if retry_after is None else retry_after

    def give_up(self, state: RetryCallState) -> bool:
        """Whether to stop after the last failure."""
        if not _get_last_failure(state).overloaded and state.attempt_number >= self.attempts:
            return True
        return state.idle_for + state.upcoming_sleep > self.budget


@dataclass(frozen=True, slots=True)
class Connection:
    """The address of Confluence, and the credentials."""

    url: str  # with the context path; ends with ``/wiki`` on Cloud
    token: str = field(repr=False)
    account: str = ""  # e-mail address on Cloud; "" on Data Center, whose personal access tokens identify the account
    timeout: float = 30.0  # seconds, of one attempt
    concurrency: int = 4
    ca_bundle: str = ""  # a file; "" for the usual authorities
    retries: Retries = field(default_factory=Retries)


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON response."""

    body: Json
    next_link: str = ""  # the URL of the next page in its ``Link`` header
    listed: list[Any] | None = None  # instead of ``body``, if the response is a list


class Http:
    """Sends requests to one Confluence. Raises :class:`adapters.confluence.failures.Refusal`."""

    def __init__(self, connection: Connection) -> None:
        if not connection.token.isascii() or not connection.token.isprintable():
            raise SettingsInvalid(
                "WIKIWHY_CONFLUENCE_TOKEN contains invalid characters. Copy it again, without quotes."
            )
        self.url = connection.url.rstrip("/")
        self._retries = connection.retries
        self._session = _Session(connection.timeout)
        self._api = _open_api(connection, self._session)
        self._threads = ThreadPoolExecutor(connection.concurrency, thread_name_prefix="confluence")
        self._quiet_until = 0.0  # by time.monotonic(): no request before then
        self._requests = 0
        self._waits = 0
        self._seconds_waited = 0.0

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc

    @property
    def traffic(self) -> Traffic:
        """The requests and waits so far."""
        return Traffic(self._requests, self._waits, self._seconds_waited)

    async def get(self, path: str, parameters: Parameters | None = None) -> Reply:
        """Return the JSON object at a path below the URL. Raises Refusal after the last attempt."""
        reply = await self._ask(path, parameters)
        if reply.listed is not None:
            raise make_malformed_response_error("a list")
        return reply

    async def get_list(self, path: str) -> list[Any]:
        """Return the JSON list at a path below the URL. Raises Refusal after the last attempt."""
        reply = await self._ask(path, None)
        if reply.listed is None:
            raise make_malformed_response_error("an object in place of a list")
        return reply.listed

    async def post(self, path: str, body: Json) -> Reply:
        """Post a body and return the JSON object. Only for requests without effects, because they may be retried."""
        reply = await self._ask(path, None, body)
        if reply.listed is not None:
            raise make_malformed_response_error("a list")
        return reply

    async def download(self, path: str, parameters: Parameters, most: int) -> bytes:
        """Return the bytes at a path below the URL, at most one more than ``most``.

        Follows redirects to Atlassian's media store, without sending the token there.
        """
        return await self._send_patiently(lambda: self._try_download(path, dict(parameters), most))

    async def _ask(self, path: str, parameters: Parameters | None, body: Json | None = None) -> Reply:
        return await self._send_patiently(lambda: self._try(path, dict(parameters or {}), body))

    async def _send_patiently(self, attempt: Callable[[], T | Failure]) -> T:
        retrying = AsyncRetrying(
            retry=retry_if_result(lambda outcome: isinstance(outcome, Failure) and outcome.can_retry),
            wait=self._retries.wait,
            stop=self._retries.give_up,
            before_sleep=self._note_wait,
            retry_error_callback=self._make_last_failure,
        )
        outcome: T | Failure = await retrying(self._send, attempt)
        if isinstance(outcome, Failure):
            raise outcome.refusal
        return outcome

    async def _send(self, attempt: Callable[[], T | Failure]) -> T | Failure:
        seconds = self._quiet_until - time.monotonic()
        if seconds > 0:
            await asyncio.sleep(seconds)
        self._requests += 1
        return await asyncio.get_running_loop().run_in_executor(self._threads, attempt)

    def _note_wait(self, state: RetryCallState) -> None:
        failure = _get_last_failure(state)
        note_retry("confluence")
        self._waits += 1
        self._seconds_waited += state.upcoming_sleep
        if failure.overloaded and failure.retry_after is not None:
            # The rate limit applies to the account, so other requests would only use up what is left of it.
            self._quiet_until = max(self._quiet_until, time.monotonic() + state.upcoming_sleep)

    def _make_last_failure(self, state: RetryCallState) -> Failure:
        failure, waited = _get_last_failure(state), state.idle_for + state.upcoming_sleep
        if waited <= self._retries.budget:
            return failure
        minutes = max(1, round(waited / 60))
        wait = f"{minutes} minute{'' if minutes == 1 else 's'}"
        refusal = failure.refusal
        cause = f"{refusal.cause}, and asks to wait {wait} or more"
        return replace(failure, refusal=Refusal(cause, refusal.advice, refusal.status, refusal.is_site_wide))

    def _try(self, path: str, parameters: dict[str, str | int], sent: Json | None) -> Reply | Failure:
        method = "GET" if sent is None else "POST"
        try:
            response = self._api.request(
                method, path=path, params=parameters, json=sent, advanced_mode=True, allow_redirects=False
            )
        except (requests.exceptions.RequestException, OSError) as error:
            return explain_transport_error(error)
        if response.status_code != 200:
            return _make_failure(response)
        try:
            body = response.json()
        except (ValueError, RecursionError):
            return explain_body(response)
        if isinstance(body, list):
            return Reply({}, listed=body)
        if not isinstance(body, dict):
            return Failure(make_malformed_response_error(f"a {type(body).__name__}"))
        return Reply(body, response.links.get("next", {}).get("url", ""))

    def _try_download(self, path: str, parameters: dict[str, str | int], most: int) -> bytes | Failure:
        address = f"{self.url}/{path}"
        try:
            for _ in range(_MOST_REDIRECTS + 1):
                response = self._session.start_download(address, parameters, is_own=self._is_own(address))
                target = response.headers.get("Location", "")
                if response.status_code not in {301, 302, 303, 307, 308} or not target:
                    break
                address, parameters = urljoin(address, target), {}
                if not self._is_own(address) and not _is_media_store(address):
                    response.headers["Location"] = address
                    break
                response.close()
            if response.status_code != 200:
                self._session.read_rest(response, _CHUNK)
                return _make_failure(response)
            return self._session.read_rest(response, most)
        except (requests.exceptions.RequestException, OSError) as error:
            return explain_transport_error(error)

    def _is_own(self, address: str) -> bool:
        """Whether a URL is below Confluence's own."""
        return address.startswith(f"{self.url}/")

    def close(self) -> None:
        """Close the connections. Pending requests end within their time-out."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._api.close()


class _Session(requests.Session):
    """Stops slow responses: the time-out of ``requests`` starts again with every byte."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        started = time.monotonic()
        timeouts = (min(_CONNECT_SECONDS, self._seconds), self._seconds)
        response = super().request(*args, **{**kwargs, "stream": True, "timeout": timeouts})
        chunks = []
        for chunk in _read_as_it_comes(response):
            chunks.append(chunk)
            if time.monotonic() - started > self._seconds:
                response.close()
                raise requests.exceptions.ReadTimeout("the response took too long")
        response._content = b"".join(chunks)  # as if requests had read the body itself
        return response

    def start_download(self, address: str, parameters: dict[str, str | int], is_own: bool) -> requests.Response:
        """Return the response without its body. ``is_own``: it may be sent the credentials."""
        timeouts = (min(_CONNECT_SECONDS, self._seconds), self._seconds)
        if is_own:
            return super().request(
                "GET", address, params=parameters, stream=True, timeout=timeouts, allow_redirects=False
            )
        with requests.Session() as stranger:
            stranger.verify = self.verify
            return stranger.get(address, auth=_skip_auth, stream=True, timeout=timeouts, allow_redirects=False)

    def read_rest(self, response: requests.Response, most: int) -> bytes:
        """Return the body, at most one byte more than ``most``."""
        started, body = time.monotonic(), bytearray()
        for chunk in _read_as_it_comes(response):
            body += chunk
            if len(body) > most:
                break
            if time.monotonic() - started > self._seconds * _DOWNLOAD_TIMEOUTS:
                response.close()
                raise requests.exceptions.ReadTimeout("the file took too long")
        response.close()
        response._content = bytes(body[: most + 1])
        return response._content


def _read_as_it_comes(response: requests.Response) -> Iterator[bytes]:
    """Yield the body as it arrives.

    ``iter_content`` would wait for a whole chunk, and report a stalled body as a broken connection.
    """
    try:
        while chunk := response.raw.read1(_CHUNK, decode_content=True):
            yield chunk
    except urllib3.exceptions.ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout(error) from error
    except urllib3.exceptions.ProtocolError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error
    except urllib3.exceptions.DecodeError as error:
        raise requests.exceptions.ContentDecodingError(error) from error
    except urllib3.exceptions.SSLError as error:
        raise requests.exceptions.SSLError(error) from error


def _skip_auth(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Used instead of None, for which requests would look into the user's .netrc."""
    return request


def _is_media_store(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" and (parts.hostname or "").endswith(_MEDIA_HOSTS)


def _open_api(connection: Connection, session: _Session) -> AtlassianRestAPI:
    # Cookies would tie requests to a session on the server, whose end would look like wrong credentials.
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    # Once, because requests would read the environment for each request, which takes almost as long as the request.
    session.trust_env = False
    session.proxies = requests.utils.get_environ_proxies(connection.url)
    authorities = (os.environ.get(name) for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"))
    session.verify = connection.ca_bundle or next(filter(None, authorities), True)
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_connections=1, pool_maxsize=connection.concurrency))
    if not connection.account:
        return AtlassianRestAPI(connection.url, session=session, retry_with_header=False, token=connection.token)
    # As bytes, because requests would encode text as Latin-1.
    session.auth = HTTPBasicAuth(connection.account.encode(), connection.token.encode())
    return AtlassianRestAPI(connection.url, session=session, retry_with_header=False)


def _make_failure(response: requests.Response) -> Failure:
    if response.status_code == 429:
        note_rate_limit("confluence")
    return replace(explain_status(response), retry_after=read_retry_after(response.headers, datetime.now(UTC)))


def _get_last_failure(state: RetryCallState) -> Failure:
    """Return the failure of a request's last attempt."""
    assert state.outcome is not None
    failure: Failure = state.outcome.result()
    return failure
