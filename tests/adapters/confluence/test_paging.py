"""Paged listings: read to their end, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.confluence.failures import Refusal
from adapters.confluence.http import Parameters, Reply
from adapters.confluence.paging import ListingShifted, iterate_items, iterate_items_by_offset

HOST, PATH = "wiki.example.com", "rest/api/content"


class Offsets:
    """Answers ``start`` and ``limit`` as Data Center does: cuts a page first, then omits ``hidden`` items."""

    def __init__(self, ids: list[int], cap: int, hidden: frozenset[int] = frozenset()) -> None:
        self.ids, self.cap, self.hidden = ids, cap, hidden
        self.before: Callable[[int], None] = lambda start: None
        self.requests = 0

    async def __call__(self, path: str, parameters: Parameters) -> Reply:
        self.requests += 1
        start, limit = int(parameters["start"]), min(int(parameters["limit"]), self.cap)
        self.before(start)
        cut = self.ids[start : start + limit]
        results = [{"id": number} for number in cut if number not in self.hidden]
        links = {}
        if start + limit < len(self.ids):
            links["next"] = f"/{PATH}?{urlencode({**parameters, 'start': start + limit, 'limit': limit})}"
        return Reply({"results": results, "limit": limit, "size": len(results), "_links": links})


async def by_offset(get: Offsets) -> list[int]:
    parameters = {"start": 0, "limit": 200}
    return [item["id"] async for item in iterate_items_by_offset(get, HOST, PATH, parameters)]


async def by_cursor(*pages: dict[str, Any]) -> list[int]:
    """Each page answers the request with its name as cursor; the first one the request without cursor."""

    async def get(path: str, parameters: Parameters) -> Reply:
        return Reply(pages[int(parameters.get("cursor", 0))])

    return [item["id"] async for item in iterate_items(get, HOST, PATH, {"limit": 200})]


def page(ids: list[int], following: str = "") -> dict[str, Any]:
    return {"results": [{"id": number} for number in ids], "_links": {"next": following} if following else {}}


@given(count=st.integers(0, 90), cap=st.integers(1, 30), hidden=st.frozensets(st.integers(0, 90)))
async def test_every_item_once_whatever_the_server_caps_and_hides(count: int, cap: int, hidden: frozenset[int]) -> None:
    get = Offsets(list(range(count)), cap, hidden)
    assert await by_offset(get) == [number for number in range(count) if number not in hidden]


async def test_an_item_deleted_meanwhile_is_noticed_before_another_is_passed_over() -> None:
    get = Offsets(list(range(60)), 25)

    def delete_one(start: int) -> None:
        if start and len(get.ids) == 60:
            get.ids.pop(0)

    get.before = delete_one
    with pytest.raises(ListingShifted):
        await by_offset(get)


async def test_a_last_page_that_is_full_and_names_no_next_is_checked() -> None:
    get = Offsets(list(range(60)), 20)

    async def forgetful(path: str, parameters: Parameters) -> Reply:
        reply = await get(path, parameters)
        return Reply({**reply.body, "_links": {}})

    found = [item["id"] async for item in iterate_items_by_offset(forgetful, HOST, PATH, {"start": 0, "limit": 200})]
    assert found == list(range(60))


@pytest.mark.parametrize(
    ("following", "cause"),
    [
        (f"/{PATH}?limit=200", "circle"),
        (f"/{PATH}?cursor=1", "circle"),
        (f"https://evil.example.com/{PATH}?cursor=1", "another host, evil.example.com"),
        (f"https://user:word@evil.example.com/{PATH}?cursor=1", "another host, evil.example.com"),
        ("/rest/api/user?cursor=1", "names /rest/api/user as the next page"),
    ],
)
async def test_a_wrong_next_is_an_error(following: str, cause: str) -> None:
    with pytest.raises(Refusal, match=cause) as caught:
        await by_cursor(page([1, 2], f"/{PATH}?cursor=1"), page([3, 4], following))
    assert "word" not in str(caught.value)


async def test_a_cursor_that_only_brings_what_was_there_is_an_error() -> None:
    with pytest.raises(Refusal, match="circle"):
        await by_cursor(page([1, 2], f"/{PATH}?cursor=1"), page([2, 1], f"/{PATH}?cursor=2"), page([3]))


async def test_endless_empty_pages_are_an_error_and_some_are_none() -> None:
    some = [page([], f"/{PATH}?cursor={number + 1}") for number in range(50)]
    assert await by_cursor(*some, page([1])) == [1]
    endless = [page([], f"/{PATH}?cursor={number + 1}") for number in range(1000)]
    with pytest.raises(Refusal, match="empty page"):
        await by_cursor(*endless)


@pytest.mark.parametrize(
    "body", [{}, {"results": None}, {"results": [1]}, {"results": [{"title": "no id"}]}, {"results": [{"id": None}]}]
)
async def test_a_body_that_is_no_listing_is_an_error(body: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="unknown format"):
        await by_cursor(body)


async def test_the_next_of_the_link_header_counts_too_and_so_does_the_real_host() -> None:
    async def get(path: str, parameters: Parameters) -> Reply:
        assert (path, parameters["limit"]) == (PATH, "200")
        if "cursor" in parameters:
            return Reply(page([2]))
        return Reply(page([1]), f"https://{HOST}/wiki/{PATH}?cursor=1")

    assert [item["id"] async for item in iterate_items(get, HOST, PATH, {"limit": 200})] == [1, 2]
