"""Bad input from a Confluence: said by page and cause, as an admin reads it, and the rest is synced."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.cli.running import Ran, wikiwhy
from tests.servers.confluence import CERTIFICATE, ConfluenceServer, Flavour, Site, faults, odd_pages

FLAVOURS = pytest.mark.parametrize("flavour", ["cloud", "datacenter"])


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    monkeypatch.chdir(tmp_path)
    return Site()


def set_for(server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_URL", server.url)
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_FLAVOUR", server.flavour)
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_EMAIL", server.email if server.flavour == "cloud" else "")
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", server.token)


def lines(ran: Ran, label: str) -> list[str]:
    """What was said after a label, a line a message."""
    return [line.removeprefix(f"{label} ") for line in ran.err.splitlines() if line.startswith(f"{label} ")]


@FLAVOURS
def test_odd_pages_are_said_by_page_and_cause(site: Site, flavour: Flavour, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = odd_pages(site, big=0)
    huge = "<p>The great bell rings on the hour.</p>" + "<!-- padding -->" * 320_000
    ids["5 MB"] = site.add_page("ODD", "Huge", huge).page_id
    nothing = site.add_page("ODD", "Unreadable", "<!-- never closed <![CDATA[").page_id
    with ConfluenceServer(site, flavour) as server:
        set_for(server, monkeypatch)
        ran = wikiwhy("sync", "confluence", "ODD", "EMPTY")
        again = wikiwhy("sync", "confluence", "ODD", "EMPTY", "--json")
    assert ran.code == 1, ran.err
    assert ran.says("space EMPTY has no current page")
    (unread,) = lines(ran, "not read:")
    assert unread.startswith(f"Unreadable ({nothing}): broken storage format (")
    notes = lines(ran, "note:")
    assert any(note.startswith(f"Broken ({ids['broken storage format']}): broken storage format (") for note in notes)
    assert any(note.startswith(f"Ouroboros ({ids['cycle']}): its ancestors form a circle") for note in notes)
    orphan = f"Orphan ({ids['missing ancestor']}): the restrictions of its ancestor 999999999 cannot be read"
    # Data Center tells a page's ancestors that there are, so a missing one looks like the top.
    assert any(note.startswith(orphan) for note in notes) == (flavour == "cloud")
    heading, *counts = [line.split() for line in ran.out.splitlines()]
    assert {"space", "pages", "added", "restricted", "failed", "evidences"} <= set(heading)
    assert [row[0] for row in counts[:2]] == ["ODD", "EMPTY"]
    assert all(len(line) < 400 for line in ran.err.splitlines())
    odd, empty = again.json["spaces"]
    assert (odd["pages"]["failed"], odd["embedded"], empty["pages"]["seen"]) == (1, 0, 0)
    assert odd["pages"]["unchanged"] == odd["pages"]["seen"] - 1
    found = evidences("the widget, the name, the great bell, a page without a title")
    for text in ("Text inside the widget.", "on the hour", "The first of the name", "The second", "without a title"):
        assert text in found
    for gone in ("My child is my parent", "Was current once", "Will be current"):
        assert gone not in evidences(gone)


def evidences(question: str) -> str:
    """The texts that are found for a question."""
    return "\n".join(found["text"] for found in wikiwhy("ask", question, "--json").json["evidences"])


@FLAVOURS
@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (faults.html_page(), 'answered with a web page titled "Log In - Confluence" in place of data'),
        (faults.truncated_json(), "answered with JSON that is cut off or broken"),
        (faults.altered(lambda answer, asked: {**answer, "body": {}}), "a page without its body"),
        (faults.error(500, "Boom"), "failed (500: Boom)"),
    ],
    ids=lambda value: value.name if isinstance(value, faults.Fault) else "",
)
def test_a_page_that_is_answered_wrongly_is_said_and_the_rest_is_synced(
    site: Site, flavour: Flavour, fault: faults.Fault, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.add_space("ENG")
    bad, *_ = [site.add_page("ENG", f"Bell {number}", f"<p>Bell {number} rings.</p>").page_id for number in range(3)]
    with ConfluenceServer(site, flavour) as server:
        set_for(server, monkeypatch)
        hurried(monkeypatch)
        server.faults.on(rf"/{bad}\?", fault)
        ran = wikiwhy("sync", "confluence", "ENG")
        assert ran.code == 1
        (said,) = lines(ran, "not read:")
        assert said.startswith(f"Bell 0 ({bad}): cannot be read: Confluence ")
        assert cause in said
        assert ran.says("3 2 ", "failed")
        server.faults.clear()
        ran = wikiwhy("sync", "confluence", "ENG", "--json")
    assert ran.code == 0
    assert ran.json["spaces"][0]["pages"]["added"] == 1


@FLAVOURS
@pytest.mark.parametrize("fault", [faults.html_page(), faults.truncated_json()], ids=lambda fault: fault.name)
def test_a_listing_that_is_answered_wrongly_is_said_by_space_and_the_other_is_synced(
    site: Site, flavour: Flavour, fault: faults.Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("ENG", "PEO"):
        site.add_space(key)
        site.add_page(key, f"Bell of {key}", "<p>It rings.</p>")
    with ConfluenceServer(site, flavour) as server:
        set_for(server, monkeypatch)
        hurried(monkeypatch)
        server.faults.on(rf"/spaces/{site.spaces['ENG'].space_id}/pages|spaceKey=ENG", fault)
        ran = wikiwhy("sync", "confluence", "ENG", "PEO")
    assert ran.code == 1
    (said,) = lines(ran, "not synced:")
    assert said.startswith("Space ENG cannot be listed: Confluence at 127.0.0.1:")
    assert ran.says("PEO 1 1 ")
    assert [space["key"] for space in wikiwhy("spaces", "--json").json["spaces"]] == ["PEO"]


def test_a_certificate_error_is_said_with_the_setting_that_helps(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add_space("ENG")
    with ConfluenceServer(site, "datacenter", tls=True) as server:
        set_for(server, monkeypatch)
        ran = wikiwhy("sync", "confluence", "ENG")
        assert (ran.code, ran.out) == (1, "")
        assert ran.says("Space ENG cannot be listed", "certificate that is not trusted: self", "CA_BUNDLE")
        assert "Traceback" not in ran.err
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_CA_BUNDLE", str(CERTIFICATE))
        assert wikiwhy("sync", "confluence", "ENG").code == 0


def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between two tries are a hundredth of what they are for people."""
    monkeypatch.setattr("adapters.confluence.http.Retries.wait", lambda self, state: 0.01)
