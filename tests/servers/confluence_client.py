"""A bare client to see with what a Confluence server answers: no retries, no paging of its own."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from typing import Any

from tests.servers.confluence import ConfluenceServer


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Message

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def results(self) -> list[Any]:
        return list(self.json["results"])

    @property
    def ids(self) -> list[str]:
        return [result["id"] for result in self.results]


def signed_in(server: ConfluenceServer, name: str | None = None) -> dict[str, str]:
    """The header that this account (default: the syncing one) signs in with."""
    user = server.site.users[name or server.site.syncing]
    token = f"token-of-{user.name}"
    if server.flavour == "datacenter":
        return {"Authorization": f"Bearer {token}"}
    return {"Authorization": "Basic " + base64.b64encode(f"{user.email}:{token}".encode()).decode()}


def get(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> Answer:
    """``path`` below the context path, or from it on. Query names with ``_`` for ``-``."""
    asked = urllib.parse.urlencode({key.replace("_", "-"): value for key, value in query.items()})
    url = server.url.removesuffix(server.context) + server.context + path.removeprefix(server.context)
    return fetch(url + (f"?{asked}" if asked else ""), signed_in(server, name))


def fetch(url: str, headers: dict[str, str], body: bytes | None = None) -> Answer:
    request = urllib.request.Request(url, headers={**headers, "Content-Type": "application/json"}, data=body)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return Answer(response.status, response.read().decode(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(), error.headers)


def walk(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> Iterator[Answer]:
    """This page and every further one, by ``next``."""
    answer = get(server, path, name, **query)
    yield answer
    while following := answer.json["_links"].get("next"):
        answer = get(server, following, name)
        yield answer


def everything(server: ConfluenceServer, path: str, name: str | None = None, **query: object) -> list[Any]:
    return [result for answer in walk(server, path, name, **query) for result in answer.results]


def listing(server: ConfluenceServer, key: str, name: str | None = None, **query: object) -> list[Answer]:
    """The pages of a space, as a sync of each flavour lists them."""
    if server.flavour == "datacenter":
        return list(walk(server, "/rest/api/content", name, spaceKey=key, type="page", **query))
    number = server.site.spaces[key].space_id
    return list(walk(server, f"/api/v2/spaces/{number}/pages", name, status="current", **query))


def page(server: ConfluenceServer, page_id: str, name: str | None = None) -> Answer:
    """One page with its body and version."""
    if server.flavour == "datacenter":
        return get(server, f"/rest/api/content/{page_id}", name, expand="body.storage,version,space,ancestors")
    return get(server, f"/api/v2/pages/{page_id}", name, body_format="storage")
