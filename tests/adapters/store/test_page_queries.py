"""What it costs to look up the pages that lists ask for."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from adapters.store.database import Database
from adapters.store.inclusions import find_including
from core.model import PageQuery, PageReference, PageTree
from tests.contracts.examples import indexed_page
from tests.contracts.stores import Stores

PAGES = [str(number) for number in range(300)]
OF_HOME = PageQuery((), frozenset(), PageTree(PageReference("DOC", "Title of 0"), 20))


async def put_pages(stores: Stores, asking: int) -> None:
    """A wiki with all pages below the first one, and the first so many of them ask for what is below it."""
    pages = [indexed_page(page_id, ()) for page_id in PAGES]
    await stores.pages.replace(
        [replace(page, queries=(OF_HOME,) if at < asking else ()) for at, page in enumerate(pages)]
    )


def count_steps(connection: Connection) -> int:
    """How many thousand steps SQLite takes to find which pages have to be made again."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    driver = connection.connection.driver_connection
    assert driver is not None
    driver.set_progress_handler(count, 1_000)
    try:
        find_including(connection, "", "DOC")
    finally:
        driver.set_progress_handler(None, 0)
    return steps


async def test_pages_that_ask_for_the_same_tree_are_one_walk(stores: Stores, database: Database) -> None:
    await stores.pages.keep_places("DOC", {page_id: "" if page_id == "0" else "0" for page_id in PAGES}, is_all=True)
    steps: list[int] = []
    for asking in (1, len(PAGES)):
        await put_pages(stores, asking)
        with database.read() as connection:
            steps.append(count_steps(connection))
    assert steps[1] < 3 * steps[0]
