"""One request as the endpoints see it, and how they refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from multidict import MultiMapping

from tests.servers.confluence.parts import Page, User
from tests.servers.confluence.site import Site

Flavour = Literal["cloud", "datacenter"]


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


@dataclass
class Sent:
    """What left the server, by page id: the figures that a frugal sync is measured by."""

    bodies: Counter[str] = field(default_factory=Counter)
    restrictions: Counter[str] = field(default_factory=Counter)


@dataclass
class Asked:
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
    sent: Sent
    hides_after_cutting: bool
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)  # of the answer
    nests: bool = True  # whether parts of ancestors can be expanded

    @property
    def account(self) -> User:
        return self.site.users[self.me]

    @property
    def expand(self) -> str:
        return ",".join(self.query.getall("expand", []))

    def expands(self, what: str) -> bool:
        """Whether this is expanded, itself or something inside it."""
        return any(asked == what or asked.startswith(f"{what}.") for asked in self.expand.split(","))

    def several(self, name: str) -> list[str]:
        """A parameter that may come repeated or comma-separated."""
        return [value for given in self.query.getall(name, []) for value in given.split(",") if value]

    def number(self, name: str, default: int) -> int:
        given = self.query.get(name)
        if given is None:
            return default
        if not given.isdigit():
            raise Refused(400, f"Provided value {{{given}}} for '{name}' is not the correct type. Expected type is int")
        return int(given)

    def link(self, **changed: str) -> str:
        """This request's path and query with some of its parameters changed."""
        kept = [
            (name, value)
            for name, value in self.query.items()
            if name not in changed and name not in ("start", "cursor")
        ]
        return f"{self.path}?{urlencode([*kept, *changed.items()])}"

    def sees(self, page: Page) -> bool:
        return self.site.may_read(self.me, page)


class Refused(Exception):
    """An answer that is an error: its status and the words that Confluence has for it."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def number_of(page_id: str) -> tuple[int, str]:
    """Sorts ids as the numbers they are."""
    return (int(page_id) if page_id.isdigit() else 0, page_id)
