"""The two ways of paging: start and limit with a count, or an opaque cursor."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tests.servers.confluence.asked import Asked, Refused

T = TypeVar("T")


def v1_page(
    asked: Asked,
    items: Sequence[T],
    rendered: Callable[[T], Any],
    most: int,
    *,
    default: int = 25,
    sees: Callable[[T], bool] | None = None,
    cursor: bool = False,
) -> dict[str, Any]:
    """One page of ``items``: ``{"results", "start", "limit", "size", "_links": {"self", "base", "context", "next"}}``.

    ``limit`` is what the server kept to, not what was asked for. ``next`` lacks the context path. What the account
    may not see goes after the page is cut, so a page can be short, or empty, and still have a ``next``.
    ``cursor``: Cloud's search, which pages by cursor and ignores ``start``.
    https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api
    """
    limit = min(asked.number("limit", default), most, asked.limits.cap or most)
    start = _offset(asked) if cursor else asked.number("start", 0)
    if sees and not asked.hides_after_cutting:
        items = [item for item in items if sees(item)]
    cut = [item for item in items[start : start + limit] if sees is None or sees(item)]
    links = {"self": f"{asked.base}{asked.link()}", "base": asked.base, "context": asked.context}
    if start + limit < len(items) and limit > 0:
        end = start + limit
        links["next"] = asked.link(
            limit=str(limit), **({"cursor": _token({"o": end})} if cursor else {"start": str(end)})
        )
    return {
        "results": [rendered(item) for item in cut],
        "start": start,
        "limit": limit,
        "size": len(cut),
        "_links": links,
    }


def v2_page(
    asked: Asked,
    items: Sequence[T],
    rendered: Callable[[T], Any],
    key: Callable[[T], Any],
    *,
    falling: bool = False,
    sees: Callable[[T], bool] | None = None,
) -> dict[str, Any]:
    """One page of ``items`` by ``key`` (unique, made of what JSON can hold), after the one that the cursor names.

    ``{"results", "_links": {"base", "next"}}``, with ``next`` in a ``Link`` header too; both absent at the end.
    https://developer.atlassian.com/cloud/confluence/rest/v2/intro/#using
    """
    limit = asked.number("limit", 25)
    if not 1 <= limit <= asked.limits.v2:
        raise Refused(
            400, f"Provided value {{{limit}}} for 'limit' is not within range. Expected range is 1-{asked.limits.v2}"
        )
    limit = min(limit, asked.limits.cap or limit)
    if sees and not asked.hides_after_cutting:
        items = [item for item in items if sees(item)]
    ordered = sorted(items, key=key, reverse=falling)
    after = _after(asked)
    if after is not None:
        ordered = [item for item in ordered if (list(key(item)) < after if falling else list(key(item)) > after)]
    links = {"base": asked.base}
    if len(ordered) > limit:
        token = _token({"a": list(key(ordered[limit - 1]))})
        links["next"] = asked.context + asked.link(cursor=token)
        asked.headers["Link"] = f'<{links["next"]}>; rel="next", <{asked.base}>; rel="base"'
    shown = [item for item in ordered[:limit] if sees is None or sees(item)]
    return {"results": [rendered(item) for item in shown], "_links": links}


def _token(value: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


def _read(asked: Asked) -> dict[str, Any]:
    given = asked.query.get("cursor")
    if not given:
        return {}
    try:
        return dict(json.loads(base64.urlsafe_b64decode(given)))
    except (binascii.Error, ValueError) as error:
        raise Refused(400, f"Invalid cursor: {given}") from error


def _offset(asked: Asked) -> int:
    return int(_read(asked).get("o", 0))


def _after(asked: Asked) -> list[Any] | None:
    return _read(asked).get("a")
