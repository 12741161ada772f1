"""A Confluence over HTTP, of either flavour, in a thread of its own.

with ConfluenceServer(site, "datacenter") as server:
    ...  # server.url, server.token
    assert server.sent_bodies == {}
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
import ssl
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from aiohttp import web

from tests.servers.confluence import attachments, comments, v1, v2
from tests.servers.confluence.faults import Fault, Faults
from tests.servers.confluence.request import File, Flavour, Limits, Redirect, Request, RequestError, v1_error, v2_error
from tests.servers.confluence.site import Site
from tests.servers.threaded import ThreadedApplication

CERTIFICATE = Path(__file__).with_name("self-signed.pem")
_CONTEXTS: dict[Flavour, str] = {"cloud": "/wiki", "datacenter": "/confluence"}

Endpoint = Callable[[Request], Any]

_BOTH: dict[str, Endpoint] = {
    "/rest/api/content/search": v1.search_content,
    "/rest/api/content/{id}/restriction/byOperation/read": v1.read_restriction,
    "/rest/api/content/{id}/descendant/comment": comments.descendants,
    "/rest/api/user": v1.user,
    "/rest/api/user/memberof": v1.member_of,
}
_CLOUD: dict[str, Endpoint] = {
    "/api/v2/spaces": v2.spaces,
    "/api/v2/spaces/{id}": v2.space,
    "/api/v2/spaces/{id}/pages": v2.space_pages,
    "/api/v2/spaces/{id}/permissions": v2.space_permissions,
    "/api/v2/spaces/{id}/blogposts": v2.space_posts,
    "/api/v2/pages/{id}": v2.page,
    "/api/v2/blogposts/{id}": v2.page,
    "/api/v2/blogposts/{id}/labels": v2.labels,
    "/api/v2/blogposts/{id}/attachments": v2.attachments,
    "/api/v2/pages/{id}/labels": v2.labels,
    "/api/v2/pages/{id}/attachments": v2.attachments,
    "/api/v2/pages/{id}/ancestors": v2.ancestors,
    "/api/v2/users-bulk": v2.users_bulk,
    **{f"/api/v2/{kind}/{{id}}": v2.folder for kind in ("folders", "databases", "whiteboards")},
    **{f"/api/v2/{kind}/{{id}}/ancestors": v2.ancestors for kind in ("folders", "databases", "whiteboards")},
    "/rest/api/content/{id}/child/attachment/{file}/download": attachments.download,
    "/media/{id}/{file}": attachments.media,
    "/rest/api/search/user": v1.search_user,
    "/rest/api/group/by-id": v1.group,
}
_DATA_CENTER: dict[str, Endpoint] = {
    "/rest/api/content": v1.contents,
    "/rest/api/content/{id}": v1.content,
    "/rest/api/content/{id}/child/attachment": v1.attachments,
    "/download/attachments/{id}/{title}": attachments.old_download,
    "/rest/api/admin/users/list/active": v1.active_users,
    "/rest/api/space": v1.spaces,
    "/rest/api/space/{key}": v1.space,
    "/rest/api/space/{key}/permissions": v1.space_permissions,
}
_OF: dict[Flavour, dict[str, Endpoint]] = {"cloud": _BOTH | _CLOUD, "datacenter": _BOTH | _DATA_CENTER}
_PATTERNS = {
    flavour: [(re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)), endpoint) for path, endpoint in routes.items()]
    for flavour, routes in _OF.items()
}

_UNAUTHORIZED = "<!doctype html><title>HTTP Status 401 – Unauthorized</title><h1>HTTP Status 401 – Unauthorized</h1>"
_NOT_FOUND = "<!doctype html><title>HTTP Status 404 – Not Found</title><h1>HTTP Status 404 – Not Found</h1>"


def find(flavour: Flavour, path: str) -> tuple[Endpoint, Mapping[str, str]] | None:
    """The endpoint and its path's parts."""
    for pattern, endpoint in _PATTERNS[flavour]:
        if match := pattern.fullmatch(path):
            return endpoint, match.groupdict()
    return None


@dataclass(frozen=True)
class Recorded:
    """One request that was made. ``at``: monotonic seconds at its start."""

    path: str  # with the context path
    status: int  # 0 where the connection was reset
    at: float
    headers: Mapping[str, str] = field(repr=False)


class ConfluenceServer:
    """Answers while the ``with`` block lasts. The site may be changed all the time, under its lock or between requests.

    ``version``: of Data Center, decides what exists.
    """

    def __init__(
        self,
        site: Site,
        flavour: Flavour = "cloud",
        *,
        port: int = 0,
        limits: Limits | None = None,
        seed: int = 0,
        tls: bool = False,
        context: str | None = None,
        version: tuple[int, int] = (9, 2),
    ) -> None:
        self.site = site
        self.flavour = flavour
        self.limits = limits or Limits()
        self.faults = Faults(seed)
        self.sent_bodies: Counter[str] = Counter()
        """How often a body left the server, by page id: the figure that a frugal sync is measured by."""
        self.sent_files: Counter[str] = Counter()
        """The same of the bytes of attached files, by their ids."""
        self.requests: list[Recorded] = []
        self.at_once = 0
        """The most requests that were being answered at the same time."""
        self.latency = 0.0
        """Seconds that every answer takes at least."""
        self.before_request: Callable[[], None] = lambda: None
        """Called before each request is answered, as when somebody edits the site between any two of them."""
        self.nests = True
        """Whether ``expand`` reaches into ancestors, as ``ancestors.restrictions.read``."""
        self.has_users_bulk = True
        """Whether Cloud has its bulk lookup of users."""
        self.version = version
        self.context = _CONTEXTS[flavour] if context is None else context
        self.url = ""
        """With the context path; without a slash at the end."""
        self._revoked: set[str] = set()
        self._open = 0
        self._server = ThreadedApplication(port=port, certificate=_certificate() if tls else None)

    def __enter__(self) -> ConfluenceServer:
        application = web.Application(client_max_size=2**26)
        application.router.add_route("*", "/{path:.*}", self._handle)
        self._server.start(application)
        self.url = f"{self._server.url}{self.context}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stop()

    @property
    def email(self) -> str:
        """Of the syncing account: Cloud signs in with it and the token."""
        return self.site.users[self.site.syncing].email

    @property
    def token(self) -> str:
        """Of the syncing account. Every account has one: ``token-of-`` and its name."""
        return f"token-of-{self.site.syncing}"

    def revoke(self, token: str) -> None:
        self._revoked.add(token)

    def asked(self, pattern: str = "") -> list[Recorded]:
        """The requests so far whose path has this pattern."""
        return [request for request in self.requests if re.search(pattern, request.path)]

    def forget(self) -> None:
        """Starts all records anew, for measuring one sync."""
        self.requests.clear()
        self.sent_bodies.clear()
        self.sent_files.clear()
        self.at_once = 0

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        at = time.monotonic()
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        fault = self.faults.choose(request.path_qs)
        account = self._account(request.headers.get("Authorization", ""))
        status = 0
        try:
            await asyncio.sleep(self.latency + (fault.delay if fault else 0.0))
            response = await self._answered(request, fault, account)
            if fault and fault.breaks:
                await _break(request, response, fault.breaks)
            else:
                status = response.status
            return response
        finally:
            self._open -= 1
            self.requests.append(Recorded(request.path, status, at, dict(request.headers)))

    async def _answered(self, request: web.Request, fault: Fault | None, account: str | None) -> web.Response:
        if fault and fault.action:
            fault.action()
        if fault and fault.status is not None:
            headers = fault.headers()
            return web.Response(status=fault.status, text=fault.text, content_type=fault.content_type, headers=headers)
        if not request.path.startswith(f"{self.context}/"):
            return web.Response(status=404, text=_NOT_FOUND, content_type="text/html")
        body = await request.json() if request.method == "POST" else {}
        status, answer, headers = self.look_up(request, account, body)
        if isinstance(answer, File):
            return web.Response(body=answer.content, content_type="application/octet-stream")
        if isinstance(answer, Redirect):
            return web.Response(status=302, headers={"Location": answer.address})
        if isinstance(answer, str):
            return web.Response(status=status, text=answer, content_type="text/html", headers=headers)
        if fault and fault.alter and status == 200:
            answer = fault.alter(answer, request.path_qs)
        sent = json.dumps(answer, ensure_ascii=False).encode()
        sent = sent[: int(len(sent) * fault.cut)] if fault and fault.cut is not None else sent
        return web.Response(status=status, body=sent, content_type="application/json", headers=headers)

    def look_up(
        self, request: web.BaseRequest, account: str | None, body: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[int, Any, Mapping[str, str]]:
        """Status, JSON or HTML, and headers."""
        path = request.path.removeprefix(self.context)
        v2 = path.startswith("/api/v2/")
        if account is None:
            return self._refused(RequestError(401, "Unauthorized"), v2)
        found = find(self.flavour, path)
        if found is None or not self._has(path):
            return 404, {"message": f"null for uri: {request.url}", "status-code": 404}, {}
        endpoint, match = found
        base = f"{request.scheme}://{request.host}{self.context}"
        looked_up = Request(
            self.site, self.flavour, account, base, self.context, path, request.query, match,
            self.limits, self.sent_bodies, sent_files=self.sent_files, nests=self.nests, body=body,
        )  # fmt: skip
        with self.site.lock:
            self.before_request()
            try:
                answer = endpoint(looked_up)
            except RequestError as error:
                return self._refused(error, v2)
        return 200, answer, looked_up.headers

    def _has(self, path: str) -> bool:
        """Whether this version of the site has an endpoint."""
        if path.endswith("/users-bulk"):
            return self.has_users_bulk
        return self.version >= (9, 1) or path.startswith("/api/v2/") or not path.endswith("/permissions")

    def _refused(self, error: RequestError, v2: bool) -> tuple[int, Any, Mapping[str, str]]:
        if v2:
            return error.status, v2_error(error.status, error.message), {}
        if error.status == 401 and self.flavour == "datacenter":
            return 401, _UNAUTHORIZED, {"WWW-Authenticate": 'OAuth realm="https%3A%2F%2Fwiki.hollerbell.example"'}
        return error.status, v1_error(error.status, error.message, self.flavour == "cloud"), {}

    def _account(self, authorization: str) -> str | None:
        """Who signs in: Cloud with e-mail and API token, Data Center with a personal access token."""
        scheme, _, given = authorization.partition(" ")
        if self.flavour == "datacenter":
            name = self._holder(given) if scheme == "Bearer" else None
        else:
            email, _, token = _decoded(given).partition(":") if scheme == "Basic" else ("", "", "")
            name = self._holder(token)
            name = name if name and self.site.users[name].email == email else None
        return name if name and self.site.users[name].active else None

    def _holder(self, token: str) -> str | None:
        name = token.removeprefix("token-of-")
        return name if token not in self._revoked and name != token and name in self.site.users else None


async def _break(request: web.Request, response: web.Response, where: str) -> None:
    """Resets the connection, before anything or in the middle of the body."""
    if request.transport is None:
        return
    if where == "within":
        body = response.body if isinstance(response.body, bytes) else b""
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        request.transport.write(head.encode() + body[: len(body) // 2])
        await asyncio.sleep(0.01)
    request.transport.abort()


def _decoded(given: str) -> str:
    try:
        return base64.b64decode(given).decode()
    except ValueError:
        return ""


def _certificate() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context
