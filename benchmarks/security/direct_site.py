"""A Confluence without HTTP: a function call answers the real client's requests, which is fast."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from multidict import MultiDict

from adapters.confluence.failures import Refusal
from adapters.confluence.http import Http, Json, Parameters, Reply
from adapters.confluence.wiki import ConfluenceWiki
from tests.servers.confluence.request import File, Flavour, Limits, Redirect, Request, RequestError
from tests.servers.confluence.server import find
from tests.servers.confluence.site import Site


class DirectSite:
    """Answers like :class:`tests.servers.confluence.server.ConfluenceServer`, by its endpoints."""

    def __init__(self, site: Site, flavour: Flavour, limits: Limits | None = None) -> None:
        self.site = site
        self.flavour = flavour
        self.limits = limits or Limits()
        self.nests = True
        self.before_request: Callable[[], None] = lambda: None
        self.requests: list[str] = []
        self.url = "http://direct.invalid/wiki" if flavour == "cloud" else "http://direct.invalid"
        self.sent_bodies: Counter[str] = Counter()

    @property
    def email(self) -> str:
        """Of the syncing account."""
        return self.site.users[self.site.syncing].email

    @property
    def token(self) -> str:
        """Of the syncing account."""
        return f"token-of-{self.site.syncing}"

    def connect(self, wiki: ConfluenceWiki) -> None:
        """Redirect the client's requests to this site."""
        http: Http = wiki._http

        async def ask(path: str, parameters: Parameters | None, body: Json | None = None) -> Reply:
            await asyncio.sleep(0)
            self.before_request()
            http._requests += 1
            return self._answer(f"/{path}", parameters or {}, body)

        async def download(path: str, parameters: Parameters, most: int) -> bytes:
            path, _, query = path.partition("?")
            asked = {**parameters, **dict(parse_qsl(query))}
            while True:
                await asyncio.sleep(0)
                self.before_request()
                http._requests += 1
                answer = self._look_up(f"/{path}", asked, None)
                if isinstance(answer, File):
                    return answer.content[: most + 1]
                assert isinstance(answer, Redirect)
                path, _, query = answer.address.removeprefix(f"{self.url}/").partition("?")
                asked = dict(parse_qsl(query))

        http._ask = ask  # type: ignore[method-assign]
        http.download = download  # type: ignore[method-assign]

    def _answer(self, path: str, parameters: Mapping[str, str | int], body: Json | None) -> Reply:
        answer = self._look_up(path, parameters, body)
        return Reply({}, listed=answer) if isinstance(answer, list) else Reply(answer)

    def _look_up(self, path: str, parameters: Mapping[str, str | int], body: Json | None) -> Any:
        self.requests.append(path)
        found = find(self.flavour, path)
        if found is None:
            raise Refusal("has no such thing", "Check.", 404)
        endpoint, match = found
        query = MultiDict({name: str(value) for name, value in parameters.items()})
        context = "/wiki" if self.flavour == "cloud" else ""
        request = Request(
            self.site, self.flavour, self.site.syncing, self.url, context, path, query, match, self.limits,
            self.sent_bodies, nests=self.nests, body=body or {},
        )  # fmt: skip
        try:
            return endpoint(request)
        except RequestError as error:
            raise Refusal(error.message, "Check.", error.status) from None
