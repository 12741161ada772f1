"""``wikiwhy sync confluence``, against a Confluence over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.confluence.http import Retries
from tests.bot.cli.running import wikiwhy
from tests.bot.cli.terminal import Terminal, screen
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.faults import error, html_page, unavailable
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site
from tests.servers.jira import IssueInJira, JiraServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ConfluenceServer]:
    monkeypatch.chdir(tmp_path)
    site = Site()
    many_pages(25, "ENG", site)
    site.add_space("PEO")
    site.add_page("PEO", "Holidays", "<p>Everybody has 30 days of holiday.</p>")
    with ConfluenceServer(site, "datacenter") as running:
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_URL", running.url)
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", running.token)
        yield running


def test_two_spaces_are_synced_then_answer_and_one_is_kept_up_to_date(server: ConfluenceServer) -> None:
    site = server.site
    secret = site.add_page("PEO", "Salaries", "<p>The carillonneur earns 4,711 crowns.</p>")
    site.restrict(secret.page_id)
    ran = wikiwhy("sync", "confluence", "PEO", "ENG", "--json")
    assert ran.code == 0, ran.err
    people, engineering = ran.json["spaces"]
    assert (people["key"], people["pages"]["added"], people["pages"]["restricted"]) == ("PEO", 2, 1)
    assert engineering["pages"]["added"] == 25
    assert people["requests"] + engineering["requests"] == len(server.requests)
    assert people["waits"] == 0
    assert "30 days" in wikiwhy("ask", "How many days of holiday?", "--space", "PEO", "--json").json["answer"]
    assert "4,711" not in wikiwhy("ask", "What does the carillonneur earn?", "--json").out

    site.unrestrict(secret.page_id)
    ran = wikiwhy("sync", "confluence", "PEO")
    assert ran.code == 0
    assert ran.says("requests", "2 pages in 1 space")
    assert "4,711" in wikiwhy("ask", "What does the carillonneur earn?", "--json").json["answer"]


def test_a_dry_run_changes_nothing_and_a_mass_deletion_stops(server: ConfluenceServer) -> None:
    assert wikiwhy("sync", "confluence", "ENG", "--dry-run").says("nothing was changed")
    assert wikiwhy("spaces", "--json").json["spaces"] == []
    wikiwhy("sync", "confluence", "ENG")
    for page_id in list(server.site.pages)[:24]:
        server.site.trash(page_id)
    for arguments in (["--dry-run"], []):
        ran = wikiwhy("sync", "confluence", "ENG", *arguments)
        assert ran.code == 1
        assert ran.says("would remove 24 of the 25 pages of space ENG", "--allow-mass-delete")
    ran = wikiwhy("sync", "confluence", "ENG", "--allow-mass-delete", "--json")
    assert (ran.code, ran.json["spaces"][0]["pages"]["removed"]) == (0, 24)


def test_a_wrong_key_fails_loudly_and_the_other_spaces_are_synced(server: ConfluenceServer) -> None:
    ran = wikiwhy("sync", "confluence", "NOPE", "PEO", "--dry-run")
    assert ran.code == 1
    assert ran.says("PEO 1 1 ", "not synced:", "no space NOPE", "nothing was changed")
    ran = wikiwhy("sync", "confluence", "NOPE", "PEO")
    assert ran.code == 1
    assert ran.says("PEO 1 1 ", "not synced:", "has no space NOPE, or the account may not read it", "ENG, PEO")
    assert "NOPE" not in ran.out
    ran = wikiwhy("sync", "confluence", "NOPE", "PEO", "--json")
    assert ran.code == 1
    wrong, right = ran.json["spaces"]
    assert ("no space NOPE" in wrong["stopped"], right["stopped"], right["pages"]["unchanged"]) == (True, "", 1)
    assert [space["key"] for space in wikiwhy("spaces", "--json").json["spaces"]] == ["PEO"]
    ran = wikiwhy("sync", "confluence", "NOPE")
    assert (ran.code, ran.out) == (1, "")


def test_a_space_that_cannot_be_listed_or_is_gone_keeps_its_pages_and_the_others_are_synced(
    server: ConfluenceServer,
) -> None:
    assert wikiwhy("sync", "confluence", "ENG", "PEO").code == 0
    server.site.add_page("PEO", "Sick leave", "<p>Call before nine.</p>")
    server.faults.on(r"/content\?.*spaceKey=ENG", error(400, "No such expansion"))
    ran = wikiwhy("sync", "confluence", "ENG", "PEO")
    assert ran.code == 1
    assert ran.says("PEO 2 1 ", "not synced: Space ENG cannot be listed", "No such expansion")
    server.faults.clear()
    server.site.delete_space("ENG")
    ran = wikiwhy("sync", "confluence", "ENG", "PEO")
    assert ran.code == 1
    assert ran.says("PEO 2 0 ", "no space ENG", "wikiwhy forget ENG")
    engineering, people = wikiwhy("spaces", "--json").json["spaces"]
    assert (engineering["pages"], people["pages"]) == (25, 2)
    assert "no space ENG" in engineering["last_error"]
    assert people["last_error"] == ""


def test_wrong_credentials_and_settings_fail_loudly_and_change_nothing(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", "wrong-token")
    ran = wikiwhy("sync", "confluence", "ENG")
    assert ran.code == 1
    assert ran.says("refuses the credentials (401)", "WIKIWHY_CONFLUENCE_TOKEN")
    assert "wrong-token" not in ran.out + ran.err
    monkeypatch.delenv("WIKIWHY_CONFLUENCE_TOKEN")
    ran = wikiwhy("sync", "confluence", "ENG")
    assert ran.code == 1
    assert ran.says("also set WIKIWHY_CONFLUENCE_TOKEN")
    assert wikiwhy("sync", "confluence").code == 2
    assert wikiwhy("spaces", "--json").json["spaces"] == []


def test_doctor_says_whether_confluence_can_be_read(server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = wikiwhy("doctor", "--json")
    (found,) = [finding for finding in ran.json["findings"] if finding["part"] == "Confluence"]
    assert found["state"] == "works"
    assert "the account can view 2 spaces: ENG, PEO" in found["found"]
    server.faults.on("", unavailable())
    assert wikiwhy("doctor").says("is not available now (503")
    server.faults.clear()
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", "wrong-token")
    ran = wikiwhy("doctor")
    assert ran.code == 1
    assert ran.says("refuses the credentials (401)")
    assert "wrong-token" not in ran.out + ran.err


def test_issues_of_jira_are_found_by_their_summaries_and_the_doctor_asks_jira(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = (
        '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">BELL-1</ac:parameter></ac:structured-macro>'
    )
    server.site.add_page("PEO", "Plans", f"<p>This summer we do {shown}.</p>")
    with JiraServer("datacenter", {"BELL-1": IssueInJira("Replace the cracked clapper")}) as jira:
        for name, value in (("URL", jira.url), ("TOKEN", jira.token), ("PROJECTS", "BELL")):
            monkeypatch.setenv(f"WIKIWHY_JIRA_{name}", value)
        assert wikiwhy("sync", "confluence", "PEO").code == 0
        answer = wikiwhy("ask", "Who replaces the cracked clapper?", "--json").json["evidences"][0]["text"]
        assert answer == "This summer we do BELL-1: Replace the cracked clapper (In Progress)."
        assert wikiwhy("doctor").says("Jira", "projects BELL")
        jira.token = "another"
        assert wikiwhy("doctor").says("refuses the credentials (401)", "WIKIWHY_JIRA_TOKEN")
        server.site.add_page("PEO", "More plans", f"<p>And {shown.replace('BELL-1', 'BELL-2')}.</p>")
        ran = wikiwhy("sync", "confluence", "PEO")
        assert ran.code == 0
        assert ran.says("issues could not be updated", "WIKIWHY_JIRA_TOKEN")


def test_the_report_s_columns_are_whole_at_80_columns(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, other, *_ = server.site.pages
    server.site.restrict(page)
    server.faults.on(rf"/{other}\?", html_page())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("adapters.confluence.http.Retries", lambda *given, **named: Retries(0.01, *given[1:], **named))
    ran = wikiwhy("sync", "confluence", "ENG")
    assert ran.code == 1
    assert ran.says(f"({other}): cannot be read: Confluence", "not read:", "a web page titled")
    heading, row = ran.out.splitlines()[:2]
    assert heading.split() == [
        "space", "pages", "added", "updated", "removed", "unchanged", "restricted", "failed", "evidences", "embedded",
    ]  # fmt: skip
    assert row.split() == ["ENG", "25", "24", "0", "0", "0", "25", "1", "24", "24"]
    assert len(heading) <= 80


@pytest.mark.slow
def test_a_terminal_shows_that_a_listing_goes_on_before_there_is_any_page(server: ConfluenceServer) -> None:
    server.latency = 0.4
    settings = {name: os.environ[name] for name in ("WIKIWHY_CONFLUENCE_URL", "WIKIWHY_CONFLUENCE_TOKEN")}
    with Terminal("sync", "confluence", "ENG", settings=settings) as terminal:
        assert "texts embedded" not in terminal.read_until("listing")
        terminal.read_until("2 requests")
        server.latency = 0.0
        terminal.read_until("25/25 pages")
        assert terminal.exit_code() == 0
    left = [line for line in screen(terminal.written, 80) if line]
    assert left[0].split()[:2] == ["space", "pages"]
    assert not any("listing" in line for line in left)


def test_a_space_without_pages_is_named(server: ConfluenceServer) -> None:
    server.site.add_space("EMPTY")
    ran = wikiwhy("sync", "confluence", "PEO", "EMPTY")
    assert ran.code == 0
    assert ran.says("note: space EMPTY has no current page")
    assert [line.split()[0] for line in ran.out.splitlines()[1:3]] == ["PEO", "EMPTY"]
