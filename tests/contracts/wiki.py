"""The contract of every :class:`core.ports.wiki.Wiki`.

Inherit it and define a fixture ``served``: a wiki with the pages of :data:`BEFORE`, and functions that change it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest

from core.errors import PageUnreadable
from core.ports.wiki import ListedPage, PageFailure, Wiki

# Id, space, title, body.
Written = tuple[str, str, str, str]
BEFORE: tuple[Written, ...] = (
    ("1001", "ENG", "Bell tower", "<p>The great bell weighs 4,711 kg.</p>"),
    ("1002", "ENG", "Meeting notes", "<p>Of January.</p>"),
    ("1003", "PEO", "Meeting notes", "<p>Of the people's team.</p>"),
    ("1004", "PEO", "", "<p>Nobody gave me a title.</p>"),
    ("1005", "PEO", "Ä & <b> “quoted”", "<p>München — 5 €</p>"),
    ("1006", "PEO", "Empty", ""),
    ("1007", "PEO", "Broken", "<p>Open <strong>never closed</p> & more"),
)


@dataclass(frozen=True, slots=True)
class Served:
    """``opened`` connects anew, like the next sync. ``write`` adds a page, or changes its body or title."""

    opened: Callable[[], AbstractContextManager[Wiki]]
    write: Callable[[Written], None]
    delete: Callable[[str], None]


class WikiContract:
    async def test_names_its_source_without_secrets(self, served: Served) -> None:
        with served.opened() as wiki, served.opened() as again:
            assert wiki.name == again.name
            assert wiki.name.split(" ", 1)[0] in {"folder", "confluence"}
            assert "token" not in wiki.name

    async def test_lists_every_space_once(self, served: Served) -> None:
        with served.opened() as wiki:
            assert sorted(await wiki.list_spaces()) == ["ENG", "PEO"]

    async def test_lists_every_page_of_a_space_once_and_no_other(self, served: Served) -> None:
        with served.opened() as wiki:
            for space in ("ENG", "PEO"):
                listed = await listing(wiki, space)
                assert sorted(page.page_id for page in listed) == [each[0] for each in BEFORE if each[1] == space]
                assert {page.space for page in listed} == {space}
                assert all(page.read_restrictions == () and not page.warning for page in listed)

    async def test_titles_are_one_line_and_never_empty(self, served: Served) -> None:
        with served.opened() as wiki:
            titles = {page.page_id: page.title for page in await listing(wiki, "PEO")}
        assert titles["1003"] == "Meeting notes"
        assert titles["1005"] == "Ä & <b> “quoted”"
        assert "1004" in titles["1004"]

    async def test_gives_each_page_as_it_was_listed_with_its_body(self, served: Served) -> None:
        with served.opened() as wiki:
            for page_id, space, _, body in BEFORE:
                listed = {page.page_id: page for page in await listing(wiki, space)}[page_id]
                page = await wiki.read_page(listed)
                assert (page.page_id, page.space, page.title) == (listed.page_id, listed.space, listed.title)
                assert page.content == body
                assert (page.read_restrictions, page.version) == (listed.read_restrictions, listed.version)
                assert page.url.startswith("http")
                assert page.date[:2] == "20"

    async def test_a_body_comes_with_its_own_version_where_that_is_another_than_the_listed_one(
        self, served: Served
    ) -> None:
        with served.opened() as wiki:
            listed = {page.page_id: page for page in await listing(wiki, "ENG")}["1002"]
            served.write(("1002", "ENG", "Meeting notes", "<p>Of February.</p>"))
            page = await wiki.read_page(listed)
        assert page.content == "<p>Of February.</p>"
        assert page.version != listed.version
        assert page.version == (await versions(served, "ENG"))["1002"]

    async def test_gives_several_pages_at_once(self, served: Served) -> None:
        with served.opened() as wiki:
            listed = await listing(wiki, "PEO")
            pages = await asyncio.gather(*(wiki.read_page(page) for page in [*listed, *reversed(listed)]))
        assert [page.page_id for page in pages] == [page.page_id for page in [*listed, *reversed(listed)]]

    async def test_a_version_stays_while_its_page_does(self, served: Served) -> None:
        assert await versions(served, "ENG") == await versions(served, "ENG")

    async def test_a_version_changes_with_the_body_and_with_the_title(self, served: Served) -> None:
        before = await versions(served, "PEO")
        served.write(("1003", "PEO", "Meeting notes", "<p>Of the people's team, corrected.</p>"))
        served.write(("1005", "PEO", "Another title", BEFORE[4][3]))
        after = await versions(served, "PEO")
        assert {page_id for page_id in before if before[page_id] != after[page_id]} == {"1003", "1005"}

    async def test_a_page_that_came_or_went_is_noticed_by_the_next_listing(self, served: Served) -> None:
        served.delete("1002")
        served.write(("1010", "ENG", "New", "<p>New.</p>"))
        assert set(await versions(served, "ENG")) == {"1001", "1010"}

    async def test_a_page_that_went_after_it_was_listed_is_unreadable_and_the_others_are_not(
        self, served: Served
    ) -> None:
        with served.opened() as wiki:
            listed = {page.page_id: page for page in await listing(wiki, "ENG")}
            served.delete("1002")
            with pytest.raises(PageUnreadable):
                await wiki.read_page(listed["1002"])
            assert (await wiki.read_page(listed["1001"])).content == BEFORE[0][3]

    async def test_traffic_only_grows(self, served: Served) -> None:
        with served.opened() as wiki:
            before = wiki.traffic
            await listing(wiki, "ENG")
            grown = wiki.traffic - before
        assert grown.requests >= 0
        assert (grown.waits, grown.seconds_waited) == (0, 0.0)


async def listing(wiki: Wiki, space: str) -> list[ListedPage]:
    """List the pages of a space, none of which may fail."""
    items: list[ListedPage | PageFailure] = [item async for item in wiki.list_pages(space)]
    pages = [item for item in items if isinstance(item, ListedPage)]
    assert len(pages) == len(items)
    return pages


async def versions(served: Served, space: str) -> dict[str, str]:
    """Return page id to version, as a new sync lists them."""
    with served.opened() as wiki:
        return {page.page_id: page.version for page in await listing(wiki, space)}
