"""``wikiwhy sync confluence``, against a Confluence over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.cli.running import wikiwhy
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.faults import html_page, unavailable
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site


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


def test_wrong_keys_credentials_and_settings_fail_loudly_and_change_nothing(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = wikiwhy("sync", "confluence", "ENG", "NOPE")
    assert ran.code == 1
    assert ran.says("has no space NOPE, or the account may not read it", "ENG, PEO")
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
    assert "2 spaces that the account may read: ENG, PEO" in found["found"]
    server.faults.on("", unavailable())
    assert wikiwhy("doctor").says("is not available now (503")
    server.faults.clear()
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", "wrong-token")
    ran = wikiwhy("doctor")
    assert ran.code == 1
    assert ran.says("refuses the credentials (401)")
    assert "wrong-token" not in ran.out + ran.err


def test_the_report_s_columns_are_whole_at_80_columns(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, other, *_ = server.site.pages
    server.site.restrict(page)
    server.faults.on(rf"/{other}\?", html_page())
    monkeypatch.setenv("COLUMNS", "80")
    ran = wikiwhy("sync", "confluence", "ENG")
    heading, row = ran.out.splitlines()[:2]
    assert heading.split() == [
        "space", "pages", "added", "updated", "removed", "unchanged", "restricted", "failed", "evidences", "embedded",
    ]  # fmt: skip
    assert row.split() == ["ENG", "25", "24", "0", "0", "0", "25", "1", "24", "24"]
    assert len(heading) <= 80
