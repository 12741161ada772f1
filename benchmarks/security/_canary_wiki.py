"""Confluence in a canary case: the product's adapter with the test server's responses, without a network."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from multidict import MultiDict

from adapters.confluence.failures import explain_status, make_malformed_response_error
from adapters.confluence.http import Connection, Json, Parameters, Reply
from adapters.confluence.wiki import ConfluenceWiki
from benchmarks.security._canary_loop import Scheduler
from benchmarks.security._canary_oracle import Oracle
from benchmarks.security._canary_world import ENG, OPS, World
from core.ports.wiki import Traffic
from tests.servers.confluence.server import ConfluenceServer


@dataclass(frozen=True, slots=True)
class _Request:
    """A request as the test server's endpoints expect it."""

    method: str
    path: str
    query: MultiDict[str]
    scheme: str = "https"
    host: str = "wiki.example.com"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}{self.path}"


class SimulatedHttp:
    """Replaces :class:`adapters.confluence.http.Http` by the test server's responses without a network."""

    def __init__(self, connection: Connection, world: World, scheduler: Scheduler) -> None:
        self.url = connection.url.rstrip("/")
        self._scheduler, self._world = scheduler, world
        self._server = ConfluenceServer(world.site, world.flavour)  # never started, only called

    host = "wiki.example.com"
    traffic = Traffic()

    async def get(self, path: str, parameters: Parameters | None = None) -> Reply:
        answer, headers = await self._answer(path, parameters)
        if not isinstance(answer, dict):
            raise make_malformed_response_error("a list")
        link = re.search(r'<([^>]*)>; rel="next"', headers.get("Link", ""))
        return Reply(answer, link[1] if link else "")

    async def get_list(self, path: str) -> list[Any]:
        answer, _ = await self._answer(path, None)
        if not isinstance(answer, list):
            raise make_malformed_response_error("an object in place of a list")
        return answer

    async def post(self, path: str, body: Json) -> Reply:
        answer, _ = await self._answer(path, None, body)
        return Reply(answer)

    async def _answer(self, path: str, parameters: Parameters | None, body: Json | None = None) -> tuple[Any, Any]:
        await self._scheduler.checkpoint(f"confluence.{_shape(path)}")
        target = urlsplit(path)
        query = MultiDict({name: str(value) for name, value in (parameters or {}).items()})
        for pair in target.query.split("&") if target.query else []:
            name, _, value = pair.partition("=")
            query.add(name, value)
        request = _Request("GET", f"{self._server.context}/{target.path.lstrip('/')}", query)
        status, answer, headers = self._server.look_up(
            request,  # type: ignore[arg-type]
            self._world.site.syncing,
            body or {},
        )
        if status != 200:
            raise explain_status(_Response(status, answer)).refusal  # type: ignore[arg-type]
        return answer, headers

    def close(self) -> None:
        """Do nothing: no connection is open."""


@dataclass(frozen=True, slots=True)
class _Response:
    status_code: int
    answer: Any
    headers: dict[str, str] = field(default_factory=dict)
    url: str = "https://wiki.example.com/"
    reason: str = ""

    @property
    def text(self) -> str:
        return str(self.answer)

    def json(self) -> Any:
        return self.answer


def _shape(path: str) -> str:
    """Return a path without ids: ``pages/#/attachments``."""
    parts = [part for part in path.partition("?")[0].split("/") if part not in {"api", "v2", "rest"}]
    return "/".join("#" if any(map(str.isdigit, part)) or part in {ENG, OPS} else part for part in parts)


class WatchedWiki(ConfluenceWiki):
    """A Confluence that reports its listings to the oracle."""

    oracle: Oracle

    async def list_pages(self, space: str) -> Any:
        async for item in super().list_pages(space):
            if hasattr(item, "read_restrictions"):
                self.oracle.heard_listed(item.page_id, space, item.title, item.read_restrictions)
            yield item
