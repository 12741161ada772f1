"""Sync reports in chats."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.indexing.report import PageCounts, SpaceReport
from core.languages import Language
from core.ports.wiki import PageFailure, Traffic
from core.views.sync import build_sync_failure, build_sync_notice

KEYS = frozenset({"ENG", "HR"})


def report(key: str = "ENG", **more: object) -> SpaceReport:
    counts = PageCounts(seen=20, added=3, updated=2, removed=1, unchanged=14)
    made = SpaceReport(key, counts, embedded=57, traffic=Traffic(requests=12), seconds=4.2)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def failures(count: int) -> list[PageFailure]:
    return [PageFailure(str(at), f"Page {at}", "it is broken") for at in range(count)]


def test_a_successful_sync_is_reported_in_numbers() -> None:
    notice = build_sync_notice([report()], "en", KEYS)
    assert notice.kind == "done"
    assert notice.text == "Synced ENG in 4 s"
    assert notice.lines == (
        "ENG: 20 pages, 3 added, 2 updated, 1 removed, 14 unchanged",
        "57 texts embedded, 12 requests",
    )


def test_a_report_may_be_german() -> None:
    notice = build_sync_notice([report()], "de", KEYS)
    assert notice.text == "In 4 s synchronisiert: ENG"
    assert "20 Seiten, 3 neu" in notice.lines[0]


def test_restricted_and_unread_pages_are_reported() -> None:
    counts = PageCounts(seen=20, restricted=4, failed=2)
    notice = build_sync_notice([report(pages=counts, errors=failures(2))], "en", KEYS, {"0", "1"})
    assert notice.kind == "problem"
    assert notice.lines[0].endswith("0 unchanged, 4 restricted, 2 not read")
    assert notice.lines[-2:] == ("Not read: Page 0", "Not read: Page 1")


@given(st.integers(0, 40), st.frozensets(st.integers(0, 40).map(str)))
def test_some_errors_are_named_and_the_others_counted(count: int, pages: frozenset[str]) -> None:
    lines = build_sync_notice([report(errors=failures(count))], "en", KEYS, pages).lines[2:]
    told = [line.removeprefix("Not read: Page ") for line in lines if line.startswith("Not read: ")]
    more = sum(int(found[1]) for line in lines if (found := re.match(r"(\d+) pages could not be read", line)))
    more += sum(line.startswith("One page could not be read") for line in lines)
    assert set(told) <= pages
    assert len(told) <= 5
    assert len(told) + more == count


@given(st.frozensets(st.sampled_from(["ENG", "HR", "OPS"])), st.sampled_from(["en", "de"]), st.booleans())
def test_reports_contain_no_hidden_names_and_no_error_texts(
    spaces: frozenset[str], language: Language, failing: bool
) -> None:
    reports = [
        report("ENG", errors=failures(3)),
        report("HR", unlisted="http://wiki.internal refuses HR"),
        report("OPS", vanished=True),
        report("OPS", stopped="OPS would lose 30 of 40 pages"),
    ]
    notice = build_sync_notice(reports, language, spaces)
    if failing:
        notice = build_sync_failure(["ENG", "HR", "OPS"], language, spaces)
    text = "\n".join([notice.text, *notice.lines])
    named = {key for key in ("ENG", "HR", "OPS") if re.search(rf"\b{key}\b", text)}
    assert named <= spaces
    for words in ("Page 0", "broken", "wiki.internal", "30 of 40"):
        assert words not in text


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("how", ["stopped", "unlisted"])
def test_a_refused_sync_is_not_reported_as_done(language: Language, how: str) -> None:
    refused = report("HR", **{how: "Most pages would be deleted."})
    notice = build_sync_notice([refused], language, KEYS)
    assert notice.kind == "problem"
    assert len(notice.lines) == 1
    assert ("--allow-mass-delete" in notice.lines[0]) == (how == "stopped")
    assert "HR" in notice.text
    assert "4 s" not in notice.text
    beside = build_sync_notice([report(), refused], language, KEYS)
    assert beside.kind == "problem"
    assert beside.lines[-1] == notice.lines[0]
    assert "8 s" in beside.text


def test_a_space_that_is_gone_is_reported_as_removed() -> None:
    notice = build_sync_notice([report(vanished=True)], "en", KEYS)
    assert notice.lines == ("ENG is no longer in the wiki and was removed.",)
