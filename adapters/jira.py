"""Jira as the tracker of the issues that pages show: summary and status of issues that everybody may read.

The readers of a project or an issue cannot be found out by the syncing account. So only issues of the projects in the
settings are requested, and of an issue with a security level only the key is used.

- Cloud: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-post
- Data Center: https://docs.atlassian.com/software/jira/docs/api/REST/latest/#api/2/search
"""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import urlsplit

import aiohttp

from adapters.counts import note_rate_limit, note_retry
from adapters.retries import backoff, read_retry_after
from core.errors import IssuesUnavailable
from core.ports.wiki import Issue

_BATCH = 100  # issues of one request
_MOST_REQUESTS = 30  # for one batch, if Jira refuses some of its keys
_MOST_BYTES = 4_000_000
_LONGEST_PAUSE = 60.0
_FIELDS = ("summary", "status", "security")
_LATER = "Sync again later."

Json = dict[str, Any]
Issues = dict[str, Issue | None]


@dataclass(frozen=True, slots=True)
class Connection:
    """Address and credentials of Jira. ``account``: an e-mail address (Cloud), or "" (Data Center).

    ``attempts``: most attempts of one request. ``patience``: most seconds of all pauses of one request.
    """

    url: str
    flavour: Literal["cloud", "datacenter"]
    token: str = field(repr=False)
    account: str = ""
    timeout: float = 30.0  # seconds, of one attempt
    ca_bundle: str = ""  # a file, "" for the default authorities
    attempts: int = 4
    first_pause: float = 1.0
    patience: float = 120.0


class _UnknownIssue(Exception):
    """Jira answered 400: the query names an issue that does not exist or that the account may not read."""


class _Busy(Exception):
    """A retry may help. ``wished``: seconds that Jira asks to wait."""

    def __init__(self, cause: str, wished: float | None = None) -> None:
        super().__init__(cause)
        self.wished = wished


class Jira:
    """See :class:`core.ports.wiki.IssueTracker`. ``projects``: keys of the projects that everybody may read."""

    def __init__(self, connection: Connection, projects: Collection[str]) -> None:
        self._connection = connection
        self._projects = frozenset(projects)

    @property
    def host(self) -> str:
        """Host and port of Jira."""
        return urlsplit(self._connection.url).netloc

    def covers(self, key: str) -> bool:
        return key.rpartition("-")[0] in self._projects

    async def issues(self, keys: Collection[str]) -> Mapping[str, Issue | None]:
        covered = sorted(key for key in set(keys) if self.covers(key))
        found: Issues = {}
        async with self._open() as session:
            for start in range(0, len(covered), _BATCH):
                found |= await self._find(session, covered[start : start + _BATCH])
        return found

    async def check(self) -> None:
        """Search for issues of the projects. Raises IssuesUnavailable."""
        names = ", ".join(f'"{project}"' for project in sorted(self._projects))
        async with self._open() as session:
            try:
                await self._search(session, f"project in ({names})", pages=1)
            except _UnknownIssue:
                cause = f"does not know one of the projects {names}, or not for this account"
                raise self._make_error(cause, "Check WIKIWHY_JIRA_PROJECTS.") from None

    async def _find(self, session: aiohttp.ClientSession, keys: Sequence[str]) -> Issues:
        """Find issues by their keys. If Jira refuses one of the keys, halve them, up to a number of requests."""
        found: Issues = {}
        waiting, requests = [list(keys)], 0
        while waiting and requests < _MOST_REQUESTS:
            batch, requests = waiting.pop(), requests + 1
            try:
                issues = await self._search(session, f"issuekey in ({', '.join(batch)})")
            except _UnknownIssue:
                half = len(batch) // 2
                if half:
                    waiting += [batch[half:], batch[:half]]
                else:
                    found[batch[0]] = None
            else:
                found |= {key: issues.get(key) for key in batch}
        return found

    async def _search(self, session: aiohttp.ClientSession, jql: str, pages: int = 10) -> Issues:
        """Return the issues that a query finds. Raises _UnknownIssue and IssuesUnavailable."""
        body: Json = {"jql": jql, "fields": list(_FIELDS), "maxResults": _BATCH}
        found: Issues = {}
        for _ in range(pages):
            reply = await self._send_with_retries(session, body)
            listed = reply.get("issues")
            if not isinstance(listed, list):
                raise self._make_error("answered with data of an unknown form", "Check WIKIWHY_JIRA_URL.")
            found |= dict(_read_issue(each) for each in listed if isinstance(each, dict))
            if self._connection.flavour == "cloud":
                body = {**body, "nextPageToken": reply.get("nextPageToken")}
                is_last = not body["nextPageToken"]
            else:
                body = {**body, "startAt": body.get("startAt", 0) + len(listed)}
                is_last = body["startAt"] >= int(reply.get("total") or 0)
            if is_last or not listed:
                break
        return found

    async def _send_with_retries(self, session: aiohttp.ClientSession, body: Json) -> Json:
        waited = 0.0
        for attempt in range(1, self._connection.attempts + 1):
            try:
                return await self._send(session, body)
            except _Busy as busy:
                pause = backoff(attempt, self._connection.first_pause, _LONGEST_PAUSE)
                pause = pause if busy.wished is None else busy.wished
                waited += pause
                if attempt == self._connection.attempts or waited > self._connection.patience:
                    raise self._make_error(str(busy), _LATER) from None
            note_retry("jira")
            await asyncio.sleep(pause)
        raise AssertionError("there is an attempt")

    async def _send(self, session: aiohttp.ClientSession, body: Json) -> Json:
        path = "rest/api/3/search/jql" if self._connection.flavour == "cloud" else "rest/api/2/search"
        try:
            # Redirects are not followed, because they would send the token to another server.
            address = f"{self._connection.url}/{path}"
            async with session.post(address, json=body, allow_redirects=False) as response:
                if response.status != 200:
                    raise self._interpret_refusal(response)
                read = await response.content.read(_MOST_BYTES)
                while len(read) < _MOST_BYTES and (more := await response.content.read(_MOST_BYTES)):
                    read += more
        except TimeoutError:
            raise _Busy("did not answer in time") from None
        except aiohttp.ClientConnectorCertificateError as error:
            advice = "Name your authority's certificate by WIKIWHY_CONFLUENCE_CA_BUNDLE."
            raise self._make_error("has a certificate that is not trusted", advice) from error
        except aiohttp.ClientError as error:
            raise _Busy(f"cannot be reached ({type(error).__name__})") from error
        try:
            reply = json.loads(read)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise self._make_error("answered with something else than data", "Check WIKIWHY_JIRA_URL.")
        return reply

    def _interpret_refusal(self, response: aiohttp.ClientResponse) -> Exception:
        status = response.status
        match status:
            case 400:
                return _UnknownIssue()
            case 401 | 403:
                cause = f"{'refuses the credentials' if status == 401 else 'forbids this'} ({status})"
                return self._make_error(cause, "Check WIKIWHY_JIRA_TOKEN, the e-mail address, and what it may read.")
            case 429 | 503:
                if status == 429:
                    note_rate_limit("jira")
                wished = read_retry_after(response.headers, datetime.now(UTC))
                return _Busy(f"asks for fewer requests ({status})", wished)
            case 408 | 425 | 500 | 502 | 504:
                return _Busy(f"failed ({status})")
        return self._make_error(f"does not answer as Jira does ({status})", "Check WIKIWHY_JIRA_URL.")

    def _make_error(self, cause: str, advice: str) -> IssuesUnavailable:
        return IssuesUnavailable(f"Jira at {self.host} {cause}. {advice}")

    def _open(self) -> aiohttp.ClientSession:
        connection = self._connection
        tls = ssl.create_default_context(cafile=connection.ca_bundle or None)
        basic = base64.b64encode(f"{connection.account}:{connection.token}".encode()).decode()
        authorization = f"Basic {basic}" if connection.account else f"Bearer {connection.token}"
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=tls, limit=1),
            timeout=aiohttp.ClientTimeout(total=connection.timeout),
            headers={"Authorization": authorization, "Accept": "application/json"},
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=True,
        )


def _read_issue(given: Json) -> tuple[str, Issue | None]:
    """Return the issue and its current key, which is another than the requested one if the issue was moved."""
    fields = given.get("fields")
    fields = fields if isinstance(fields, dict) else {}
    status = fields.get("status")
    name = status.get("name") if isinstance(status, dict) else None
    summary = fields.get("summary")
    # The field is missing if the project has no security levels.
    if fields.get("security") is not None or not isinstance(summary, str) or not isinstance(name, str):
        return str(given.get("key")), None
    return str(given.get("key")), Issue(summary, name)
