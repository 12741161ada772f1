"""A Jira that finds issues by their keys, as Cloud and as Data Center do: an unknown one is an error of the query."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

from aiohttp import web

from tests.servers.threaded import ThreadedApplication

ACCOUNT, TOKEN = "sync@hollerbell.example", "token-of-sync"
_KEYS = re.compile(r"issuekey in \(([A-Z0-9_, -]+)\)")
_PROJECTS = re.compile(r'project in \(((?:"[A-Z]+"(?:, )?)+)\)')
_PATHS = {"cloud": "/rest/api/3/search/jql", "datacenter": "/rest/api/2/search"}


@dataclass
class IssueInJira:
    summary: str
    status: str = "In Progress"
    security: str = ""


@dataclass
class JiraServer:
    """Answers while the ``with`` block lasts. ``statuses``: of the next responses, before it answers as it should.

    ``cap``: the most issues of one response. ``queries``: what was asked.
    """

    flavour: Literal["cloud", "datacenter"]
    issues: dict[str, IssueInJira] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    cap: int = 100
    token: str = TOKEN
    body: str = ""
    queries: list[str] = field(default_factory=list)
    url: str = ""
    _server: ThreadedApplication = field(default_factory=ThreadedApplication)

    def __enter__(self) -> JiraServer:
        application = web.Application()
        application.router.add_post(_PATHS[self.flavour], self._search)
        self._server.start(application)
        self.url = self._server.url
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stop()

    async def _search(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.queries.append(body["jql"])
        if self.statuses and (status := self.statuses.pop(0)) != 200:
            return web.Response(status=status, headers={"Retry-After": "0"} if status == 429 else {})
        if request.headers["Authorization"] != self._authorization():
            return web.Response(status=401, text="Basic authentication with passwords is deprecated.")
        if self.body:
            return web.Response(text=self.body, content_type="text/html")
        keys = self._find(body["jql"])
        if keys is None:
            return web.json_response({"errorMessages": ["An issue does not exist."], "errors": {}}, status=400)
        return web.json_response(self._page(keys, body))

    def _authorization(self) -> str:
        if self.flavour == "datacenter":
            return f"Bearer {self.token}"
        return f"Basic {base64.b64encode(f'{ACCOUNT}:{self.token}'.encode()).decode()}"

    def _find(self, jql: str) -> list[str] | None:
        """The keys of the issues, None where one of them, or a project, is not there."""
        if found := _KEYS.fullmatch(jql):
            keys = found[1].split(", ")
            return keys if all(key in self.issues for key in keys) else None
        projects = _PROJECTS.fullmatch(jql)
        assert projects, jql
        names = [name.strip('"') for name in projects[1].split(", ")]
        of_each = {name: [key for key in self.issues if key.startswith(f"{name}-")] for name in names}
        return [key for keys in of_each.values() for key in keys] if all(of_each.values()) else None

    def _page(self, keys: list[str], body: dict[str, Any]) -> dict[str, Any]:
        start = int(body.get("nextPageToken") or body.get("startAt") or 0)
        end = start + min(self.cap, body["maxResults"])
        answer: dict[str, Any] = {"issues": [self._show(key) for key in keys[start:end]]}
        if self.flavour == "datacenter":
            return {**answer, "startAt": start, "maxResults": end - start, "total": len(keys)}
        return {**answer, "isLast": end >= len(keys), **({"nextPageToken": str(end)} if end < len(keys) else {})}

    def _show(self, key: str) -> dict[str, Any]:
        issue = self.issues[key]
        security = {"id": "1", "name": issue.security} if issue.security else None
        fields = {"summary": issue.summary, "status": {"name": issue.status}, "security": security}
        return {"id": "1", "key": key, "fields": fields}
