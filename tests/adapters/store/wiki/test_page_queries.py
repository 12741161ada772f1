"""The cost of finding outdated lists and of storing the page tree."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice

from sqlalchemy import Connection

from adapters.store.database import Database
from adapters.store.wiki.inclusions import find_outdated_inclusions
from adapters.store.wiki.page_queries import save_parents
from core.model import PageQuery, PageReference, PageTree
from core.ports.pages import Origin
from tests.contracts.examples import indexed_page
from tests.contracts.stores import Stores

PAGES = [str(number) for number in range(300)]
BELOW_HOME = {page_id: "" if page_id == "0" else "0" for page_id in PAGES}
OF_HOME = PageQuery((), frozenset(), PageTree(PageReference("DOC", "Title of 0"), 20))


async def put_pages(stores: Stores, asking: int) -> None:
    """Store all pages below the first one. The first ``asking`` pages have a list of all pages below the first one."""
    pages = [indexed_page(page_id, ()) for page_id in PAGES]
    await stores.pages.replace(
        [replace(page, queries=(OF_HOME,) if at < asking else ()) for at, page in enumerate(pages)]
    )


def count_steps(database: Database, work: Callable[[Connection], object]) -> int:
    """Return how many hundreds of virtual machine steps SQLite needs for ``work``."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with database.write() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, 100)
        try:
            work(connection)
        finally:
            driver.set_progress_handler(None, 0)
    return steps


async def test_pages_that_ask_for_the_same_tree_are_one_walk(stores: Stores, database: Database) -> None:
    await stores.pages.save_parents("DOC", BELOW_HOME, is_all=True)
    steps: list[int] = []
    for asking in (1, len(PAGES)):
        await put_pages(stores, asking)
        steps.append(count_steps(database, lambda connection: find_outdated_inclusions(connection, "", "DOC")))
    assert steps[1] < 3 * steps[0]


async def test_what_a_page_shows_twice_counts_once_and_any_change_of_it_is_noticed(
    stores: Stores, database: Database
) -> None:
    below, few = PageTree(PageReference("DOC", "Title of 0"), 20), PageTree("1", 20)
    queries = (PageQuery((), frozenset(), below), PageQuery((), frozenset(), few))
    places = {"0": "", "1": "0", "2": "1", "3": "1", "4": ""}
    pages = {page_id: indexed_page(page_id, ()) for page_id in places}
    await stores.pages.save_parents("DOC", places, is_all=True)
    await stores.pages.replace(list(pages.values()))

    async def show(page_id: str, *origins: str) -> None:
        named = tuple(PageReference("DOC", f"Title of {each}") for each in ("2", "4", page_id))
        selected = {"1": (queries[0],), "2": queries, "3": queries}
        versions = {
            each: Origin(pages[each].digest, "", each in {"2", "4"}, selected.get(each, ())) for each in origins
        }
        page = replace(pages[page_id], queries=queries, references=named, origins=versions)
        await stores.pages.replace([page])

    async def outdated() -> list[str]:
        return await stores.pages.find_outdated_inclusions("", "DOC")

    await show("0", "1", "2", "3", "4")
    await show("3", "1", "2", "4")
    assert await outdated() == []
    await stores.pages.remove(["2"])
    assert await outdated() == ["0", "3"]  # what they showed of it is deleted, and their rows are numbered again
    await stores.pages.replace([pages["2"]])
    assert await outdated() == ["0", "3"]
    await show("0", "1", "2", "3", "4")
    await show("3", "1", "2", "4")
    await stores.pages.replace([replace(pages["4"], digest="another version")])
    assert await outdated() == ["0", "3"]


async def test_the_place_of_one_page_is_kept_without_reading_all_others(stores: Stores, database: Database) -> None:
    steps: list[int] = []
    for number in (2, len(PAGES)):
        await stores.pages.save_parents("DOC", dict(islice(BELOW_HOME.items(), number)), is_all=True)
        keep = partial(save_parents, space="DOC", parents={"1": f"moved {number}"}, is_all=False)
        steps.append(count_steps(database, keep))
    assert steps[1] < 3 * steps[0] + 3


async def test_places_that_are_kept_already_do_not_wait_for_a_writer(stores: Stores, database: Database) -> None:
    await stores.pages.save_parents("DOC", BELOW_HOME, is_all=True)
    with database.write():
        assert not await asyncio.wait_for(stores.pages.save_parents("DOC", {"1": "0"}, is_all=False), 10)
        assert not await asyncio.wait_for(stores.pages.save_parents("DOC", BELOW_HOME, is_all=True), 10)
