from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import Field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.groups import ExtractionSettings
from core.indexing.page_reader import SyncSettings, page_digest, read_ahead, same_version
from core.ports.wiki import ListedPage

PAGE = ListedPage("17", "ENG", "Title", "3", (frozenset({"user:b", "group:a"}), frozenset({"user:c"})))


@pytest.mark.parametrize(
    ("settings", "fingerprint"),
    [
        (
            SyncSettings(),
            "9 ExtractionSettings(lineariser='verbalised', passages=True, lists=True, tables=True, rows=True, "
            "max_chars=1200, context_words=50) ALL",
        ),
        (
            SyncSettings(ExtractionSettings("markdown", False, False, False, False, 800, 7), "NONE", full=True),
            "9 ExtractionSettings(lineariser='markdown', passages=False, lists=False, tables=False, rows=False, "
            "max_chars=800, context_words=7) NONE",
        ),
    ],
)
def test_the_fingerprint_is_a_stored_text(settings: SyncSettings, fingerprint: str) -> None:
    assert settings.fingerprint == fingerprint


@pytest.mark.parametrize("field", fields(ExtractionSettings), ids=lambda field: field.name)
def test_each_extraction_setting_is_in_the_fingerprint(field: Field[object]) -> None:
    other = "piped" if field.name == "lineariser" else not field.default if field.default is True else 17
    changed = replace(ExtractionSettings(), **{field.name: other})
    assert SyncSettings(changed).fingerprint != SyncSettings().fingerprint


def test_the_digest_of_a_page_is_a_stored_text() -> None:
    digest = page_digest(PAGE, SyncSettings().fingerprint)
    assert digest == (
        "6db470e143a28f751c0c11810cbf10817af8789d45807dbc89ecf7ebbbb69550"
        ".623b01c4e487f3eab7b0066506430f970201d6077b09f59285e80d36d11c5d25"
    )
    assert same_version(digest, page_digest(PAGE, "another"))
    assert not same_version("", digest)


class Reader:
    """Read earlier items more slowly; items from ``stuck_from`` on never end."""

    def __init__(self, fails_at: int = -1, stuck_from: int = 1000) -> None:
        self.stuck_from = stuck_from
        self.fails_at = fails_at
        self.begun: list[int] = []
        self.cancelled: list[int] = []

    async def __call__(self, item: int) -> str:
        self.begun.append(item)
        try:
            for _ in range(10 - item % 10):
                await asyncio.sleep(0)
            if item >= self.stuck_from:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(item)
            raise
        if item == self.fails_at:
            raise ValueError(f"item {item}")
        return f"item {item}"


@given(count=st.integers(0, 30), at_once=st.integers(1, 8))
async def test_results_come_in_order_and_few_are_waiting(count: int, at_once: int) -> None:
    read, taken = Reader(), 0
    async for item, result in read_ahead(range(count), read, at_once):
        assert (item, result) == (taken, f"item {taken}")
        taken += 1
        await asyncio.sleep(0)
        assert len(read.begun) - taken <= at_once
    assert taken == count


async def test_the_first_error_ends_it_after_the_results_before_and_stops_the_rest() -> None:
    read, taken = Reader(fails_at=3), []

    async def take() -> None:
        async for item, _ in read_ahead(range(20), read, 4):
            taken.append(item)

    with pytest.raises(ValueError, match="item 3"):
        await take()
    assert taken == [0, 1, 2]
    assert len(read.begun) < 10
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_it_early_stops_what_is_under_way() -> None:
    read = Reader(stuck_from=1)
    async with aclosing(read_ahead(range(20), read, 4)) as results:
        async for _ in results:
            break
    assert read.cancelled == [1, 2, 3]
    assert asyncio.all_tasks() == {asyncio.current_task()}
