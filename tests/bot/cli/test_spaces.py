"""``wikiwhy spaces``, ``wikiwhy sync due`` and ``wikiwhy forget``, with spaces of a folder and of a Confluence."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from bot.cli.spaces import Times, draw_spaces
from core.ports.pages import SpaceSummary
from tests.bot.cli.running import document, wikiwhy, write_documents
from tests.bot.cli.terminal import Terminal
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ConfluenceServer]:
    monkeypatch.chdir(tmp_path)
    site = Site()
    many_pages(3, "ENG", site)
    site.add_space("PEO")
    site.restrict(site.add_page("PEO", "Salaries", "<p>4,711 crowns.</p>").page_id)
    with ConfluenceServer(site, "datacenter") as running:
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_URL", running.url)
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", running.token)
        yield running


def schedule(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("WIKIWHY_SYNC_SCHEDULE", text)


def test_due_spaces_are_synced_once_and_then_are_not_due(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule(monkeypatch, "ENG, PEO: 0 0 1 1 *")
    assert wikiwhy("spaces").says("No space has been synced", "scheduled but never synced: ENG, PEO")
    ran = wikiwhy("sync", "due", "--json")
    assert ran.code == 0, ran.err
    assert [space["key"] for space in ran.json["spaces"]] == ["ENG", "PEO"]
    server.forget()
    again = wikiwhy("sync", "due")
    assert again.code == 0
    assert again.says("No space is due. The next one is ENG, in ")
    assert wikiwhy("sync", "due", "--json").json["spaces"] == []
    assert server.requests == []


def test_a_due_space_that_fails_says_why_and_stays_due(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wikiwhy("sync", "due").says("WIKIWHY_SYNC_SCHEDULE is not set")
    schedule(monkeypatch, "ENG: @hourly")
    server.revoke(server.token)
    for _ in range(2):
        ran = wikiwhy("sync", "due")
        assert ran.code == 1
        assert ran.says("Space ENG cannot be listed", "WIKIWHY_CONFLUENCE_TOKEN")


def test_spaces_as_json_say_how_fresh_how_restricted_and_when_due(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wikiwhy("sync", "confluence", "ENG", "PEO")
    schedule(monkeypatch, "PEO: @hourly")
    engineering, people = wikiwhy("spaces", "--json").json["spaces"]
    assert {"key", "source", "pages", "evidences", "synced_at", "last_error"} <= engineering.keys()
    assert (engineering["restricted"], engineering["next_due"]) == (0, None)
    assert (people["pages"], people["restricted"]) == (1, 1)
    assert 0 <= people["age_seconds"] < 600
    assert datetime.fromisoformat(people["next_due"]) > datetime.fromisoformat(people["synced_at"])


def test_a_key_of_another_kind_of_wiki_is_not_replaced(server: ConfluenceServer, tmp_path: Path) -> None:
    folder = write_documents(tmp_path / "documents", document("1", "<p>Of a folder.</p>", space="ENG"))
    wikiwhy("sync", "folder", folder)
    for arguments in (["--dry-run"], [], ["--allow-mass-delete"]):
        ran = wikiwhy("sync", "confluence", "ENG", *arguments)
        assert ran.code == 1
        assert ran.says("Space ENG was synced from folder", "first run: wikiwhy forget ENG")
    (space,) = wikiwhy("spaces", "--json").json["spaces"]
    assert (space["pages"], space["source"].split()[0], space["last_error"]) == (1, "folder", "")
    assert wikiwhy("forget", "ENG").code == 0
    assert wikiwhy("sync", "confluence", "ENG").code == 0
    assert wikiwhy("sync", "folder", folder).says("Space ENG was synced from confluence http://127.0.0.1")


def test_forgetting_a_scheduled_space_warns_that_it_would_come_back(
    server: ConfluenceServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wikiwhy("sync", "confluence", "ENG", "PEO")
    schedule(monkeypatch, "PEO: @hourly")
    assert not wikiwhy("forget", "ENG").says("WIKIWHY_SYNC_SCHEDULE")
    ran = wikiwhy("forget", "PEO")
    assert ran.code == 0
    assert ran.says("Removed space PEO: 1 page, and its text", "WIKIWHY_SYNC_SCHEDULE still names PEO")
    assert wikiwhy("spaces", "--json").json["spaces"] == []


@pytest.mark.parametrize(
    ("option", "code", "left"), [([], 1, 2), pytest.param(["--yes"], 0, 1, marks=pytest.mark.slow)]
)
def test_on_a_terminal_forget_asks_first(data: Path, option: list[str], code: int, left: int) -> None:
    with Terminal("forget", "OPS", *option, "--data-dir", data) as terminal:
        terminal.type("\n")
        assert terminal.exit_code() == code
    asks = "Remove space OPS with 1 page, and its text in past answers? [y/N]"
    assert (asks in " ".join(terminal.written.split())) == (not option)
    assert len(wikiwhy("spaces", "--data-dir", data, "--json").json["spaces"]) == left


def summary(key: str, source: str, hours: float | None, error: str = "", restricted: int = 0) -> SpaceSummary:
    at = "" if hours is None else (NOW - timedelta(hours=hours)).isoformat()
    return SpaceSummary(key, source, 12_345, {"passage": 100_000, "table": 23_456}, at, error, restricted)


def shown(summaries: Sequence[SpaceSummary], at: Times, columns: int) -> list[str]:
    console = Console(width=columns, file=io.StringIO())
    with console.capture() as captured:
        console.print(draw_spaces(summaries, at, columns))
    return [line.rstrip() for line in captured.get().splitlines()]


@pytest.mark.parametrize("columns", [80, 120])
def test_spaces_stand_in_whole_lines_under_their_sources(columns: int) -> None:
    cloud = "confluence https://example.atlassian.net/wiki"
    summaries = [
        summary("ENG", cloud, 30, restricted=1_234),
        summary("~" + "5f" * 30, "folder /documents", None, "the last sync failed: no such folder"),
        summary("PEO", cloud, 0.01),
    ]
    at = Times(NOW, {"ENG": NOW - timedelta(days=1), "PEO": NOW + timedelta(hours=23)})
    lines = shown(summaries, at, columns)
    assert all(len(line) <= columns for line in lines)
    assert lines[0] == cloud
    assert lines[1].split("  ")[0] == "space"
    assert [" ".join(line.split()) for line in lines[1:4]] == [
        "space pages restricted evidences synced next sync",
        "ENG 12,345 1,234 123,456 30 hours ago now",
        "PEO 12,345 123,456 just now in 23 hours",
    ]
    assert lines[5] == "folder /documents"
    assert "incomplete" in lines[7]
    assert "the last sync failed: no such folder" in " ".join(lines[9:])


def test_columns_with_nothing_in_them_are_left_out() -> None:
    assert shown([summary("ENG", "folder /d", 1)], Times(NOW), 80)[1].split() == [
        "space",
        "pages",
        "evidences",
        "synced",
    ]
