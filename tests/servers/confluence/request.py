"""One request as the endpoints see it: what it asks, how its answer is paged, and how it is refused."""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal, TypeVar
from urllib.parse import quote_plus, urlencode

from multidict import MultiMapping

from tests.servers.confluence.site import Page, Site, User

Flavour = Literal["cloud", "datacenter"]
T = TypeVar("T")

_CODES = {400: "INVALID_REQUEST_PARAMETER", 401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND"}
_JAVA = {400: "BadRequestException", 403: "PermissionException", 404: "NotFoundException"}


@dataclass
class Limits:
    """What one answer may hold. ``cap`` is a server-side cap below every other, as an administrator or load may set."""

    cap: int | None = None
    with_body: int = 50
    with_expansions: int = 200
    plain: int = 1000
    v2: int = 250
    subjects: int = 200  # users or groups of one restriction, and members of one group

    def v1(self, expand: str) -> int:
        """For Data Center's listings and every CQL search.

        https://support.atlassian.com/confluence/kb/searching-for-content-with-the-rest-api-and-cql-always-limits-results-to-50
        """
        if "body" in expand:
            return self.with_body
        return self.with_expansions if expand else self.plain


@dataclass(frozen=True)
class File:
    """An answer that is the bytes of a file."""

    content: bytes


@dataclass(frozen=True)
class Redirect:
    """An answer that sends on."""

    address: str


@dataclass
class Request:
    """``base`` is the site's URL with its context path, ``path`` the path without it; ``match``: the path's parts."""

    site: Site
    flavour: Flavour
    me: str  # the account's name
    base: str
    context: str
    path: str
    query: MultiMapping[str]
    match: Mapping[str, str]
    limits: Limits
    sent_bodies: Counter[str]  # how often a body left the server, by page id
    headers: dict[str, str] = field(default_factory=dict)  # of the answer
    sent_files: Counter[str] = field(default_factory=Counter)  # the same of attached files
    nests: bool = True  # whether parts of ancestors can be expanded
    body: Mapping[str, Any] = field(default_factory=dict)  # of a POST

    @property
    def account(self) -> User:
        return self.site.users[self.me]

    @property
    def expand(self) -> str:
        return ",".join(self.query.getall("expand", []))

    def expands(self, what: str) -> bool:
        """Whether this is expanded, itself or something inside it."""
        return any(part == what or part.startswith(f"{what}.") for part in self.expand.split(","))

    def several(self, name: str) -> list[str]:
        """A parameter that may come repeated or comma-separated."""
        return [value for given in self.query.getall(name, []) for value in given.split(",") if value]

    def number(self, name: str, default: int) -> int:
        given = self.query.get(name)
        if given is None:
            return default
        if not given.isdigit():
            raise RequestError(
                400, f"Provided value {{{given}}} for '{name}' is not the correct type. Expected type is int"
            )
        return int(given)

    def link(self, **changed: str) -> str:
        """This request's path and query with some of its parameters changed."""
        left_out = {*changed, "start", "cursor"}
        kept = [(name, value) for name, value in self.query.items() if name not in left_out]
        return f"{self.path}?{urlencode([*kept, *changed.items()])}"

    def sees(self, page: Page) -> bool:
        return self.site.may_read(self.me, page)


def cloud_path(page: Page) -> str:
    """The path of a page for people, on Cloud."""
    place = f"blog/{page.created:%Y/%m/%d}" if page.kind == "blogpost" else f"{page.kind}s"
    return f"/spaces/{page.space}/{place}/{page.page_id}/{quote_plus(page.title)}".rstrip("/")


def number_of(page_id: str) -> tuple[int, str]:
    """Sorts ids as the numbers they are."""
    return (int(page_id) if page_id.isdigit() else 0, page_id)


# Refusals


class RequestError(Exception):
    """An answer that is an error: its status and the words that Confluence has for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def v2_error(status: int, title: str) -> dict[str, Any]:
    """https://developer.atlassian.com/cloud/confluence/rest/v2/intro/"""
    return {"errors": [{"status": status, "code": _CODES[status], "title": title, "detail": None}]}


def v1_error(status: int, message: str, cloud: bool) -> dict[str, Any]:
    """https://developer.atlassian.com/server/confluence/confluence-rest-api-examples/

    Cloud puts the Java class of the error before the message.
    """
    java = f"com.atlassian.confluence.api.service.exceptions.{_JAVA[status]}: " if cloud and status in _JAVA else ""
    return {"statusCode": status, "data": {}, "message": java + message, "reason": HTTPStatus(status).phrase}


# The two ways of paging. What the account may not see goes after a page is cut, so that a page can be short, or empty,
# and still have a ``next``.


def v1_page(
    request: Request,
    items: Sequence[T],
    rendered: Callable[[T], Any],
    most: int,
    *,
    default: int = 25,
    sees: Callable[[T], bool] = lambda item: True,
    cursor: bool = False,
) -> dict[str, Any]:
    """One page of ``items``: ``{"results", "start", "limit", "size", "_links": {"self", "base", "context", "next"}}``.

    ``limit`` is what the server kept to, not what was asked for. ``next`` lacks the context path.
    ``cursor``: Cloud's search, which pages by cursor and ignores ``start``.
    https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api
    """
    limit = min(request.number("limit", default), most, request.limits.cap or most)
    start = int(_read_cursor(request).get("o", 0)) if cursor else request.number("start", 0)
    end = start + limit
    shown = [rendered(item) for item in items[start:end] if sees(item)]
    links = {"self": f"{request.base}{request.link()}", "base": request.base, "context": request.context}
    if end < len(items) and limit > 0:
        following = {"cursor": _write_cursor({"o": end})} if cursor else {"start": str(end)}
        links["next"] = request.link(limit=str(limit), **following)
    return {"results": shown, "start": start, "limit": limit, "size": len(shown), "_links": links}


def v2_page(
    request: Request,
    items: Sequence[T],
    rendered: Callable[[T], Any],
    key: Callable[[T], Any],
    sees: Callable[[T], bool] = lambda item: True,
) -> dict[str, Any]:
    """One page of ``items`` by ``key`` (unique, made of what JSON can hold), after the one that the cursor names.

    ``{"results", "_links": {"base", "next"}}``, with ``next`` in a ``Link`` header too; both absent at the end.
    https://developer.atlassian.com/cloud/confluence/rest/v2/intro/#using
    """
    limit = request.number("limit", 25)
    if not 1 <= limit <= request.limits.v2:
        raise RequestError(
            400, f"Provided value {{{limit}}} for 'limit' is not within range. Expected range is 1-{request.limits.v2}"
        )
    limit = min(limit, request.limits.cap or limit)
    after = _read_cursor(request).get("a")
    ordered = [item for item in sorted(items, key=key) if after is None or list(key(item)) > after]
    links = {"base": request.base}
    if len(ordered) > limit:
        links["next"] = request.context + request.link(cursor=_write_cursor({"a": list(key(ordered[limit - 1]))}))
        request.headers["Link"] = f'<{links["next"]}>; rel="next", <{request.base}>; rel="base"'
    return {"results": [rendered(item) for item in ordered[:limit] if sees(item)], "_links": links}


def _write_cursor(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def _read_cursor(request: Request) -> dict[str, Any]:
    given = request.query.get("cursor")
    if not given:
        return {}
    try:
        return dict(json.loads(base64.urlsafe_b64decode(given)))
    except (binascii.Error, ValueError) as error:
        raise RequestError(400, f"Invalid cursor: {given}") from error
