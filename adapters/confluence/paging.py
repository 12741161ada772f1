"""Listings in several pages, to their real end.

A server may give fewer items than asked for, so only its ``next`` says whether there is more. Of ``next`` only the
query is taken: its path lacks ``/wiki`` on Cloud's v1 and the context path on Data Center.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import parse_qsl, urlsplit

from adapters.confluence.failures import Refusal, make_malformed_response_error
from adapters.confluence.http import Json, Parameters, Reply

Get = Callable[[str, Parameters], Awaitable[Reply]]

_EMPTY_PAGES = 400  # in a row: what the account may not see is left out, which may be all of a page
_LISTING_AGAIN = "Sync again; if this happens each time, please report it."


class ListingShifted(Exception):
    """Items came or went before this place while the listing was read: some may have been passed over."""


class _Listing:
    """What was read of a listing so far. Raises Refusal where it would go on without end."""

    def __init__(self, parameters: Parameters, key: str) -> None:
        self.parameters = {name: str(value) for name, value in parameters.items()}
        self.key = key
        self._asked: set[frozenset[tuple[str, str]]] = set()
        self._seen: set[str] = set()
        self._empty = 0

    async def read(self, get: Get, path: str) -> Reply:
        """The page that the parameters name."""
        page = frozenset(self.parameters.items())
        if page in self._asked:
            raise _circle()
        self._asked.add(page)
        return await get(path, self.parameters)

    def fresh(self, results: list[Json], repeated: int = 0) -> list[Json]:
        """The items that were not read before. ``repeated``: how many at the start were, as was to be expected."""
        fresh = []
        for item in results:
            if str(item[self.key]) not in self._seen:
                self._seen.add(str(item[self.key]))
                fresh.append(item)
        if results[repeated:] and not fresh:
            raise _circle()
        return fresh

    def go_on(self, results: list[Json], following: Mapping[str, str]) -> None:
        """Takes the parameters of the next page."""
        self._empty = 0 if results else self._empty + 1
        if self._empty >= _EMPTY_PAGES:
            raise Refusal("lists one empty page after the other", _LISTING_AGAIN)
        self.parameters |= following


async def items(get: Get, host: str, path: str, parameters: Parameters, key: str = "id") -> AsyncIterator[Json]:
    """All items of a listing, each once. Raises Refusal rather than end early."""
    listing = _Listing(parameters, key)
    while True:
        reply = await listing.read(get, path)
        results = page_items(reply.body, key)
        for item in listing.fresh(results):
            yield item
        following = next_parameters(reply, host, path)
        if following is None:
            return
        listing.go_on(results, following)


async def items_by_offset(get: Get, host: str, path: str, parameters: Parameters) -> AsyncIterator[Json]:
    """All items of a listing by ``start`` and ``limit``, each once.

    A page that is deleted meanwhile moves the later ones one place up, over the edge of a page already read. So each
    page begins with the last item of the one before: raises ListingShifted if that is another one by now. (Not after
    a page with items left out, which the account may not see: then the last place is perhaps one of those.)
    """
    listing, last = _Listing(parameters, "id"), ""
    while True:
        reply = await listing.read(get, path)
        results = page_items(reply.body)
        if last and (not results or str(results[0]["id"]) != last):
            raise ListingShifted
        fresh = listing.fresh(results, repeated=1 if last else 0)
        following = next_parameters(reply, host, path) or _after_a_full_page(reply.body, results, listing.parameters)
        for item in fresh:
            yield item
        if following is None:
            return
        before, start = int(listing.parameters.get("start", "0")), _start(following, listing.parameters)
        last = str(results[-1]["id"]) if 1 < len(results) == start - before else ""
        listing.go_on(results, {**following, "start": str(start - 1 if last else start)})


def page_items(body: Json, key: str = "id") -> list[Json]:
    """The items of one page. Raises Refusal where they are no objects with that key."""
    results = body.get("results")
    if not isinstance(results, list):
        raise make_malformed_response_error("a listing without results")
    for item in results:
        if not isinstance(item, dict) or not isinstance(item.get(key), str | int) or not str(item[key]):
            raise make_malformed_response_error(f"a listed item without {key}")
    return results


def next_parameters(reply: Reply, host: str, path: str) -> dict[str, str] | None:
    """The query of the next page, None if this is the last. Raises Refusal if it is on another host."""
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
            f"sends on to another host, {shown}, for the rest of a listing",
            "Nothing was sent there. Set WIKIWHY_CONFLUENCE_URL to the address that Confluence itself uses.",
        )
    if parts.path.rstrip("/").rpartition("/")[2] != path.rstrip("/").rpartition("/")[2]:
        raise Refusal(f"names {parts.path} as the next page of {path}", _LISTING_AGAIN)
    return dict(parse_qsl(parts.query, keep_blank_values=True))


def _after_a_full_page(body: Json, results: list[Json], current: Mapping[str, str]) -> dict[str, str] | None:
    """What may follow a page as full as the server makes them, though it names no next one; asking costs little."""
    if not results or len(results) != body.get("limit"):
        return None
    return {"start": str(int(current.get("start", "0")) + len(results))}


def _start(following: Mapping[str, str], current: Mapping[str, str]) -> int:
    try:
        start, before = int(following["start"]), int(current.get("start", "0"))
    except (KeyError, ValueError):
        raise make_malformed_response_error("a next page without its start") from None
    if start <= before:
        raise _circle()
    return start


def _circle() -> Refusal:
    return Refusal("lists in a circle: its next page is one that was read before", _LISTING_AGAIN)
