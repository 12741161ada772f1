"""The report of a sync in a chat."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.indexing.report import PageCounts, SpaceReport
from core.ports import PageFailure, Traffic
from core.text import Language
from core.views.sync import sync_notice


def report(key: str = "ENG", **more: object) -> SpaceReport:
    counts = PageCounts(seen=20, added=3, updated=2, removed=1, unchanged=14)
    made = SpaceReport(key, counts, embedded=57, traffic=Traffic(requests=12), seconds=4.2)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def failures(count: int) -> list[PageFailure]:
    return [PageFailure(str(at), f"Page {at}", "it is broken") for at in range(count)]


def test_a_sync_that_went_well_is_told_in_numbers() -> None:
    notice = sync_notice([report()], "en")
    assert notice.kind == "done"
    assert notice.text == "Synced ENG in 4 s"
    assert notice.lines == (
        "ENG: 20 pages, 3 added, 2 updated, 1 removed, 14 unchanged",
        "57 texts embedded, 12 requests",
    )


def test_it_speaks_german_too() -> None:
    notice = sync_notice([report()], "de")
    assert notice.text == "ENG synchronisiert in 4 s"
    assert "20 Seiten, 3 neu" in notice.lines[0]


def test_restricted_and_unread_pages_are_told_where_there_are_some() -> None:
    counts = PageCounts(seen=20, restricted=4, failed=2)
    notice = sync_notice([report(pages=counts, errors=failures(2))], "en")
    assert notice.kind == "problem"
    assert notice.lines[0].endswith("0 unchanged, 4 restricted, 2 not read")
    assert notice.lines[-1] == "Not read: Page 1: it is broken"


@given(st.integers(0, 40))
def test_of_many_errors_some_are_told_and_how_many_more(count: int) -> None:
    lines = sync_notice([report(errors=failures(count))], "en").lines[2:]
    told = sum(line.startswith("Not read: ") for line in lines)
    more = sum(int(found[1]) for line in lines if (found := re.match(r"and (\d+) more", line)))
    assert told == min(count, 5)
    assert told + more == count


@pytest.mark.parametrize("spoken", ["en", "de"])
@pytest.mark.parametrize("how", ["stopped", "unlisted"])
def test_what_was_not_synced_is_not_told_as_done(spoken: Language, how: str) -> None:
    refused = report("HR", **{how: "Most pages would be deleted."})
    notice = sync_notice([refused], spoken)
    assert notice.kind == "problem"
    assert notice.lines == ("Most pages would be deleted.",)
    assert "HR" in notice.text
    assert "4 s" not in notice.text
    beside = sync_notice([report(), refused], spoken)
    assert beside.kind == "problem"
    assert beside.lines[-1] == "Most pages would be deleted."
    assert "8 s" in beside.text


def test_a_space_that_is_gone_is_told_as_removed() -> None:
    notice = sync_notice([report(vanished=True)], "en")
    assert notice.lines == ("ENG is no longer in the wiki, and was removed.",)
