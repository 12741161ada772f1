"""Reads paged listings to their end.

A server may return fewer items than requested, so only its ``next`` link tells whether there are more. Only the query
of that link is used: its path lacks ``/wiki`` on Cloud's v1 and the context path on Data Center.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import parse_qsl, urlsplit

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Http, Json, Parameters, Reply

AT_ONCE_IN_V1 = 200
"""The maximum number of items of one response of v1 with expanded pages; it may return fewer."""
Get = Callable[[str, Parameters], Awaitable[Reply]]

_EMPTY_PAGES = 400  # in a row; a page is empty if the account may see none of its items
_LISTING_AGAIN = "Sync again; if this happens each time, please report it."


class ListingShifted(Exception):
    """Items before this position were added or removed while the listing was read, so some may have been skipped."""


class _Listing:
    """The state of reading a listing. Raises Refusal if it would never end."""

    def __init__(self, parameters: Parameters, key: str) -> None:
        self.parameters = {name: str(value) for name, value in parameters.items()}
        self.key = key
        self._asked: set[frozenset[tuple[str, str]]] = set()
        self._seen: set[str] = set()
        self._empty = 0

    async def read(self, get: Get, path: str) -> Reply:
        """Read the page with the current parameters."""
        page = frozenset(self.parameters.items())
        if page in self._asked:
            raise _make_circle_error()
        self._asked.add(page)
        return await get(path, self.parameters)

    def select_new(self, results: list[Json], repeated: int = 0) -> list[Json]:
        """Return the items that were not read before. ``repeated``: how many at the start are expected to be known."""
        fresh = []
        for item in results:
            if str(item[self.key]) not in self._seen:
                self._seen.add(str(item[self.key]))
                fresh.append(item)
        if results[repeated:] and not fresh:
            raise _make_circle_error()
        return fresh

    def advance(self, results: list[Json], following: Mapping[str, str]) -> None:
        """Set the parameters of the next page."""
        self._empty = 0 if results else self._empty + 1
        if self._empty >= _EMPTY_PAGES:
            raise Refusal("returns one empty page after the other", _LISTING_AGAIN)
        self.parameters |= following


async def iterate_items(get: Get, host: str, path: str, parameters: Parameters, key: str = "id") -> AsyncIterator[Json]:
    """Yield all items of a listing, without duplicates. Raises Refusal rather than end early."""
    listing = _Listing(parameters, key)
    while True:
        reply = await listing.read(get, path)
        results = read_items(reply.body, key)
        for item in listing.select_new(results):
            yield item
        following = find_next_parameters(reply, host, path)
        if following is None:
            return
        listing.advance(results, following)


async def iterate_items_by_offset(get: Get, host: str, path: str, parameters: Parameters) -> AsyncIterator[Json]:
    """Yield all items of a listing by ``start`` and ``limit``, without duplicates.

    If a page is deleted meanwhile, later items move up by one, past the end of what is already read. So each request
    begins with the last item of the previous one, and ListingShifted is raised if it is another item now. (Not if the
    previous response omitted items that the account may not see, since the last position may be one of these.)
    """
    listing, last = _Listing(parameters, "id"), ""
    while True:
        reply = await listing.read(get, path)
        results = read_items(reply.body)
        if last and (not results or str(results[0]["id"]) != last):
            raise ListingShifted
        fresh = listing.select_new(results, repeated=1 if last else 0)
        following = find_next_parameters(reply, host, path) or _continue_full_page(
            reply.body, results, listing.parameters
        )
        for item in fresh:
            yield item
        if following is None:
            return
        before, start = int(listing.parameters.get("start", "0")), _start(following, listing.parameters)
        last = str(results[-1]["id"]) if 1 < len(results) == start - before else ""
        listing.advance(results, {**following, "start": str(start - 1 if last else start)})


def read_items(body: Json, key: str = "id") -> list[Json]:
    """Return the items of one response. Raises Refusal if they are not objects with this key."""
    results = body.get("results")
    if not isinstance(results, list):
        raise make_malformed_response_error("a listing without results")
    for item in results:
        if not isinstance(item, dict) or not isinstance(item.get(key), str | int) or not str(item[key]):
            raise make_malformed_response_error(f"a listed item without {key}")
    return results


def find_next_parameters(reply: Reply, host: str, path: str) -> dict[str, str] | None:
    """Return the query of the next page, or None for the last one. Raises Refusal if it is on another host."""
    links = reply.body.get("_links")
    link = links.get("next") if isinstance(links, dict) else None
    link = link or reply.next_link
    if not link:
        return None
    if not isinstance(link, str):
        raise make_malformed_response_error("a next page that is no address")
    parts = urlsplit(link)
    if parts.netloc and parts.netloc != host:
        shown = parts.netloc.rpartition("@")[2]
        raise Refusal(
            f"refers to another host, {shown}, for the rest of a listing",
            "Nothing was sent there. Set WIKIWHY_CONFLUENCE_URL to the address that Confluence itself uses.",
        )
    if parts.path.rstrip("/").rpartition("/")[2] != path.rstrip("/").rpartition("/")[2]:
        raise Refusal(f"names {parts.path} as the next page of {path}", _LISTING_AGAIN)
    return dict(parse_qsl(parts.query, keep_blank_values=True))


def _continue_full_page(body: Json, results: list[Json], current: Mapping[str, str]) -> dict[str, str] | None:
    """Return the parameters after a full page without a ``next`` link, where more may follow at little cost."""
    if not results or len(results) != body.get("limit"):
        return None
    return {"start": str(int(current.get("start", "0")) + len(results))}


def _start(following: Mapping[str, str], current: Mapping[str, str]) -> int:
    try:
        start, before = int(following["start"]), int(current.get("start", "0"))
    except (KeyError, ValueError):
        raise make_malformed_response_error("a next page without its start") from None
    if start <= before:
        raise _make_circle_error()
    return start


def _make_circle_error() -> Refusal:
    return Refusal("lists in a circle: its next page is one that was read before", _LISTING_AGAIN)


async def list_items(
    http: Http, path: str, parameters: Parameters | None = None, key: str = "id", limit: int = AT_ONCE_IN_V1
) -> list[Json]:
    """Return all items of a listing. Raises Refusal rather than return only some."""
    wanted = {**(parameters or {}), "limit": limit}
    return [item async for item in iterate_items(http.get, http.host, path, wanted, key)]
