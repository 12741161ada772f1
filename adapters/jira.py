"""Jira as the tracker of issues on pages: their summaries and statuses, if everybody may read them.

The syncing account cannot find out who may read a project or an issue. So only issues of projects in the settings are
requested, and issues with a security level are shown by key only.

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

from adapters.retries import compute_pause, note_rate_limit, note_retry, read_retry_after
from core.errors import IssuesUnavailable
from core.ports.wiki import Issue

_AT_ONCE = 100  # issues per request
_MOST_REQUESTS = 30  # for one batch of keys, because Jira refuses queries with unknown keys
_MOST_BYTES = 4_000_000
_LONGEST_PAUSE = 60.0
_FIELDS = ("summary", "status", "security")
_LATER = "Sync again later."

Json = dict[str, Any]
Issues = dict[str, Issue | None]


@dataclass(frozen=True, slots=True)
class Connection:
    """The address of Jira, and the credentials."""

    url: str
    flavour: Literal["cloud", "datacenter"]
    token: str = field(repr=False)
    account: str = ""  # e-mail address on Cloud; "" on Data Center
    timeout: float = 30.0  # seconds, of one attempt
    ca_bundle: str = ""  # a file; "" for the usual authorities
    attempts: int = 4
    first_pause: float = 1.0  # seconds
    patience: float = 120.0  # seconds that one request may wait in total while Jira is busy


class _UnknownIssue(Exception):
    """Jira answers 400: a query names an issue that does not exist for the account."""


class _Busy(Exception):
    """Another attempt may succeed. ``retry_after``: seconds that Jira asks to wait."""

    def __init__(self, cause: str, retry_after: float | None = None) -> None:
        super().__init__(cause)
        self.retry_after = retry_after


class Jira:
    """See :class:`core.ports.wiki.IssueTracker`. ``projects``: keys of projects whose issues everybody may read."""

    def __init__(self, connection: Connection, projects: Collection[str]) -> None:
        self._connection = connection
        self._projects = frozenset(projects)

    @property
    def host(self) -> str:
        """Host and port of the URL."""
        return urlsplit(self._connection.url).netloc

    def covers(self, key: str) -> bool:
        return key.rpartition("-")[0] in self._projects

    async def find_issues(self, keys: Collection[str]) -> Mapping[str, Issue | None]:
        covered = sorted(key for key in set(keys) if self.covers(key))
        found: Issues = {}
        async with self._open() as session:
            for start in range(0, len(covered), _AT_ONCE):
                found |= await self._find(session, covered[start : start + _AT_ONCE])
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
        """Find issues, halving the keys when Jira refuses one of them. Keys left after the last request are omitted."""
        found: Issues = {}
        waiting, requests = [list(keys)], 0
        while waiting and requests < _MOST_REQUESTS:
            some, requests = waiting.pop(), requests + 1
            try:
                issues = await self._search(session, f"issuekey in ({', '.join(some)})")
            except _UnknownIssue:
                half = len(some) // 2
                if half:
                    waiting += [some[half:], some[:half]]
                else:
                    found[some[0]] = None
            else:
                found |= {key: issues.get(key) for key in some}
        return found

    async def _search(self, session: aiohttp.ClientSession, jql: str, pages: int = 10) -> Issues:
        """Return the issues that a query finds. Raises _UnknownIssue and IssuesUnavailable."""
        body: Json = {"jql": jql, "fields": list(_FIELDS), "maxResults": _AT_ONCE}
        found: Issues = {}
        for _ in range(pages):
            reply = await self._ask_patiently(session, body)
            listed = reply.get("issues")
            if not isinstance(listed, list):
                raise self._make_error("returned data in an unknown format", "Check WIKIWHY_JIRA_URL.")
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

    async def _ask_patiently(self, session: aiohttp.ClientSession, body: Json) -> Json:
        waited = 0.0
        for attempt in range(1, self._connection.attempts + 1):
            try:
                return await self._ask(session, body)
            except _Busy as busy:
                pause = compute_pause(attempt, self._connection.first_pause, _LONGEST_PAUSE)
                pause = pause if busy.retry_after is None else busy.retry_after
                waited += pause
                if attempt == self._connection.attempts or waited > self._connection.patience:
                    raise self._make_error(str(busy), _LATER) from None
            note_retry("jira")
            await asyncio.sleep(pause)
        raise AssertionError("there is an attempt")

    async def _ask(self, session: aiohttp.ClientSession, body: Json) -> Json:
        path = "rest/api/3/search/jql" if self._connection.flavour == "cloud" else "rest/api/2/search"
        try:
            # Redirects are not followed: they might send the token elsewhere.
            address = f"{self._connection.url}/{path}"
            async with session.post(address, json=body, allow_redirects=False) as response:
                if response.status != 200:
                    raise self._make_refusal(response)
                read = await response.content.read(_MOST_BYTES)
                while len(read) < _MOST_BYTES and (more := await response.content.read(_MOST_BYTES)):
                    read += more
        except TimeoutError:
            raise _Busy("did not answer in time") from None
        except aiohttp.ClientConnectorCertificateError as error:
            advice = "Set WIKIWHY_CONFLUENCE_CA_BUNDLE to the certificate of your authority."
            raise self._make_error("uses an untrusted certificate", advice) from error
        except aiohttp.ClientError as error:
            raise _Busy(f"cannot be reached ({type(error).__name__})") from error
        try:
            reply = json.loads(read)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise self._make_error("returned something other than data", "Check WIKIWHY_JIRA_URL.")
        return reply

    def _make_refusal(self, response: aiohttp.ClientResponse) -> Exception:
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
                retry_after = read_retry_after(response.headers, datetime.now(UTC))
                return _Busy(f"limits the number of requests ({status})", retry_after)
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
    """Return an issue with its current key, which differs from the requested one if it was moved."""
    fields = given.get("fields")
    fields = fields if isinstance(fields, dict) else {}
    status = fields.get("status")
    name = status.get("name") if isinstance(status, dict) else None
    summary = fields.get("summary")
    # Without the field the project has no security levels.
    if fields.get("security") is not None or not isinstance(summary, str) or not isinstance(name, str):
        return str(given.get("key")), None
    return str(given.get("key")), Issue(summary, name)
