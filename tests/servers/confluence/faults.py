"""What can go wrong between a client and a Confluence, one thing each, and the plan of when it does.

server.faults.share(0.3, too_many_requests(retry_after=0), unavailable())
server.faults.on(r"/pages/123", html_page(), times=2)
server.faults.on(r"/spaces/\\d+/pages", truncated_json(), nth=3)
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Literal

LOGIN_PAGE = """<!DOCTYPE html><html><head><title>Log In - Confluence</title></head>
<body class="login">
<form name="loginform" method="POST" action="/dologin.action"><h1>Log in</h1></form></body></html>"""
"""What a single sign-on or a proxy answers with status 200 instead of JSON."""
Alter = Callable[[Any, str], Any]  # the answer's JSON and the request's path with its query -> another JSON


@dataclass(frozen=True)
class Fault:
    """With ``status`` an answer of its own, else something done to the real one."""

    name: str
    status: int | None = None
    text: str = ""
    content_type: str = "application/json"
    headers: Callable[[], Mapping[str, str]] = dict
    alter: Alter | None = None
    cut: float | None = None  # which part of the bytes is sent
    breaks: Literal["", "before", "within"] = ""  # where the connection is reset
    delay: float = 0.0  # seconds
    action: Callable[[], object] | None = None  # done before answering


def too_many_requests(retry_after: float | str | None = None, *, date: bool = False, reset: bool = False) -> Fault:
    """429. ``retry_after`` in seconds (None: no such header), as an HTTP date with ``date``; a string goes as it is.

    ``reset`` adds ``X-RateLimit-Reset`` (ISO time) and its kin.
    https://developer.atlassian.com/cloud/confluence/rate-limiting/
    """

    def headers() -> dict[str, str]:
        seconds = retry_after if isinstance(retry_after, int | float) else 0
        at = datetime.now(UTC) + timedelta(seconds=seconds)
        said = format_datetime(at, usegmt=True) if date else str(retry_after)
        shown = {"Retry-After": said} if retry_after is not None else {}
        if reset:
            shown |= {"X-RateLimit-Limit": "40000", "X-RateLimit-Remaining": "0", "X-RateLimit-NearLimit": "true"}
            shown |= {"X-RateLimit-Reset": at.strftime("%Y-%m-%dT%H:%MZ"), "RateLimit-Reason": "confluence-burst-based"}
        return shown

    return Fault("429", 429, json.dumps({"message": "Rate limit exceeded", "code": 429}), headers=headers)


def unavailable(retry_after: float | None = None) -> Fault:
    """503 as a proxy says it, in HTML."""
    page = "<html><body><h1>503 Service Unavailable</h1>No server is available to handle this request.</body></html>"
    said = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Fault("503", 503, page, "text/html", lambda: said)


def error(status: int, message: str = "Something went wrong") -> Fault:
    """Any status, with REST v1's JSON."""
    return Fault(str(status), status, json.dumps({"statusCode": status, "message": message}))


def html_page(text: str = LOGIN_PAGE) -> Fault:
    """Status 200 and an HTML page, as of a single sign-on."""
    return Fault("html", 200, text, "text/html")


def captcha() -> Fault:
    """What Data Center answers after too many failed sign-ins, whatever the password."""
    reason = {"X-Seraph-LoginReason": "AUTHENTICATION_DENIED", "X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE"}
    return Fault("captcha", 403, "<html><body>Basic Authentication Failure</body></html>", "text/html", lambda: reason)


def truncated_json(part: float = 0.5) -> Fault:
    """The first ``part`` of the real answer, as if that were the whole."""
    return Fault("truncated", cut=part)


def connection_cut() -> Fault:
    """Reset in the middle of the answer's body."""
    return Fault("cut", breaks="within")


def connection_reset() -> Fault:
    """Reset before a byte is answered."""
    return Fault("reset", breaks="before")


def slow(seconds: float) -> Fault:
    return Fault("slow", delay=seconds)


def first(action: Callable[[], object]) -> Fault:
    """Answers rightly, but does something first, as when somebody edits the site while it is read."""
    return Fault("first", action=action)


def next_to_itself() -> Fault:
    """A ``next`` that leads to the same request again."""

    def alter(answer: Any, asked: str) -> Any:
        prefix = "" if answer["_links"].get("context") is None else str(answer["_links"]["context"])
        return _with_next(answer, asked.removeprefix(prefix))

    return Fault("next to itself", alter=alter)


def next_elsewhere(host: str = "https://elsewhere.invalid") -> Fault:
    """A ``next`` that is a whole URL, of another host."""
    return Fault("next elsewhere", alter=lambda answer, asked: _with_next(answer, f"{host}{asked}"))


def altered(change: Alter, name: str = "altered") -> Fault:
    """The real answer's JSON, changed by a function of it and the request's path with query."""
    return Fault(name, alter=change)


def _with_next(answer: Any, link: str) -> Any:
    return answer | {"_links": answer.get("_links", {}) | {"next": link}}


@dataclass
class _Rule:
    path: re.Pattern[str]
    fault: Fault
    nth: Collection[int] | None
    times: int | None
    seen: int = 0
    done: int = 0


@dataclass
class _Share:
    fraction: float
    faults: Sequence[Fault]
    path: re.Pattern[str]
    at_most_in_a_row: int
    asked: Counter[str] = field(default_factory=Counter)
    in_a_row: Counter[str] = field(default_factory=Counter)


class Faults:
    """The plan. What fails depends on the seed, the request and how often it was made, not on the order of threads."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._rules: list[_Rule] = []
        self._shares: list[_Share] = []

    def share(self, fraction: float, *faults: Fault, path: str = "", at_most_in_a_row: int = 3) -> None:
        """This share of requests (0 to 1) gets one of ``faults``; the same request so many times in a row at most."""
        self._shares.append(_Share(fraction, faults, re.compile(path), at_most_in_a_row))

    def on(
        self, path: str, fault: Fault, *, nth: int | Collection[int] | None = None, times: int | None = None
    ) -> None:
        """Requests whose path with query has this pattern: the ``nth`` (from 1), the first ``times``, or all."""
        wanted = {nth} if isinstance(nth, int) else nth
        self._rules.append(_Rule(re.compile(path), fault, wanted, times))

    def clear(self) -> None:
        self._rules, self._shares = [], []

    def choose(self, asked: str) -> Fault | None:
        """For one more request of this path with query."""
        found = None
        for rule in self._rules:
            if not rule.path.search(asked):
                continue
            rule.seen += 1
            due = rule.seen in rule.nth if rule.nth is not None else rule.times is None or rule.done < rule.times
            if due and found is None:
                rule.done += 1
                found = rule.fault
        return found or self._drawn(asked)

    def _drawn(self, asked: str) -> Fault | None:
        for share in self._shares:
            if not share.path.search(asked):
                continue
            share.asked[asked] += 1
            draw = random.Random(f"{self.seed} {asked} {share.asked[asked]}")
            if draw.random() < share.fraction and share.in_a_row[asked] < share.at_most_in_a_row:
                share.in_a_row[asked] += 1
                return draw.choice(share.faults)
            share.in_a_row[asked] = 0
        return None
