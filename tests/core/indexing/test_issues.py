"""Issues on pages: their summary and status, if everybody may read them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pytest

from core.errors import IssuesUnavailable
from core.ports.wiki import Issue
from tests.core.indexing.parts import DictWiki, Stores

FIRST, SOON, LATER = "2026-05-01T12:00:00+00:00", "2026-05-01T12:30:00+00:00", "2026-05-01T14:00:00+00:00"


@dataclass
class Tracker:
    issues_by_key: dict[str, Issue | None]
    projects: set[str] = field(default_factory=lambda: {"BELL"})
    is_down: bool = False
    asked: list[str] = field(default_factory=list)

    def covers(self, key: str) -> bool:
        return key.rpartition("-")[0] in self.projects

    async def find_issues(self, keys: Collection[str]) -> Mapping[str, Issue | None]:
        self.asked += sorted(keys)
        if self.is_down:
            raise IssuesUnavailable("Jira is away.")
        return {key: self.issues_by_key.get(key) for key in keys}


def issue(key: str) -> str:
    parameters = f'<ac:parameter ac:name="server">Jira</ac:parameter><ac:parameter ac:name="key">{key}</ac:parameter>'
    return f'<ac:structured-macro ac:name="jira" ac:schema-version="1">{parameters}</ac:structured-macro>'


@pytest.fixture
def wiki() -> DictWiki:
    made = DictWiki(names={"account-id:a": "Mara Lind"})
    made.put("1", f"<p>Blocked by {issue('BELL-1')}, see {issue('LAW-7')}.</p>")
    made.put("2", f'<p><ac:link><ri:user ri:account-id="a"/></ac:link> does {issue("BELL-2")}.</p>')
    return made


@pytest.fixture
def tracker(home: Stores) -> Tracker:
    tracker = Tracker({"BELL-1": Issue("Tune the bell", "Open"), "LAW-7": Issue("The lawsuit", "Open")})
    home.tracker = tracker
    return tracker


async def texts(home: Stores) -> dict[str, str]:
    found = await home.read_evidences()
    assert not any(person.account.startswith("issue:") for each in found for person in each.people)
    return {evidence.page_id: evidence.text for evidence in found}


async def test_without_a_tracker_an_issue_is_its_key(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki, FIRST)
    assert await texts(home) == {"1": "Blocked by BELL-1, see LAW-7.", "2": "Mara Lind does BELL-2."}
    assert wiki.asked_for == ["account-id:a"]


async def test_an_issue_has_its_summary_and_status_where_everybody_may_read_it(
    home: Stores, wiki: DictWiki, tracker: Tracker
) -> None:
    await home.sync(wiki, FIRST)
    assert await texts(home) == {
        "1": "Blocked by BELL-1: Tune the bell (Open), see LAW-7.",
        "2": "Mara Lind does BELL-2.",
    }
    assert sorted(tracker.asked) == ["BELL-1", "BELL-2"]


async def test_what_changes_in_the_tracker_follows_within_an_hour_and_reads_no_page(
    home: Stores, wiki: DictWiki, tracker: Tracker
) -> None:
    await home.sync(wiki, FIRST)
    tracker.asked.clear()
    tracker.issues_by_key |= {"BELL-1": Issue("Tune the bell", "Done"), "BELL-2": Issue("Oil it", "Open")}
    wiki.broken = set(wiki.pages)
    await home.sync(wiki, SOON)
    assert not tracker.asked
    home.embedder.embedded.clear()
    (report,) = await home.sync(wiki, LATER)
    assert (report.pages.unchanged, report.people.renamed, report.embedded) == (2, 2, 2)
    assert (await texts(home))["1"] == "Blocked by BELL-1: Tune the bell (Done), see LAW-7."
    assert (await texts(home))["2"] == "Mara Lind does BELL-2: Oil it (Open)."


async def test_a_tracker_that_comes_later_tells_of_pages_that_are_stored(home: Stores, wiki: DictWiki) -> None:
    await home.sync(wiki, FIRST)
    home.tracker = Tracker({"BELL-1": Issue("Tune the bell", "Open")})
    wiki.broken = set(wiki.pages)
    await home.sync(wiki, SOON)
    assert (await texts(home))["1"].startswith("Blocked by BELL-1: Tune the bell (Open)")


@pytest.mark.parametrize("is_unset", [True, False])
async def test_a_project_that_is_not_for_everybody_any_more_becomes_keys(
    home: Stores, wiki: DictWiki, tracker: Tracker, is_unset: bool
) -> None:
    await home.sync(wiki, FIRST)
    if is_unset:
        home.tracker = None
    else:
        tracker.projects = {"LAW"}
    await home.sync(wiki, SOON)
    assert "Tune the bell" not in str(await texts(home))


async def test_an_issue_that_was_hidden_becomes_its_key(home: Stores, wiki: DictWiki, tracker: Tracker) -> None:
    await home.sync(wiki, FIRST)
    tracker.issues_by_key["BELL-1"] = None
    await home.sync(wiki, LATER)
    assert (await texts(home))["1"] == "Blocked by BELL-1, see LAW-7."


async def test_a_tracker_that_is_down_costs_nothing_else(home: Stores, wiki: DictWiki, tracker: Tracker) -> None:
    await home.sync(wiki, FIRST)
    tracker.is_down = True
    wiki.put("3", f"<p>Also {issue('BELL-3')}.</p>")
    (report,) = await home.sync(wiki, LATER)
    assert report.people.issues_error == "Jira is away."
    assert not report.errors
    found = await texts(home)
    assert (found["1"], found["3"]) == ("Blocked by BELL-1: Tune the bell (Open), see LAW-7.", "Also BELL-3.")
    tracker.is_down = False
    tracker.issues_by_key["BELL-3"] = Issue("Paint it", "Open")
    await home.sync(wiki, LATER)
    assert (await texts(home))["3"] == "Also BELL-3: Paint it (Open)."
