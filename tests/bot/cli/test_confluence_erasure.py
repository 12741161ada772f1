"""Pages that are deleted or restricted in Confluence leave no word behind, and a sync says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.cli.running import wikiwhy
from tests.bot.cli.test_erasure import files_with
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site

WORD = "zinnoberword"
QUESTION = "What does the carillonneur earn?"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ConfluenceServer]:
    monkeypatch.chdir(tmp_path)
    site = Site()
    site.add_space("PEO")
    site.add_group("board", [site.syncing])
    above = site.add_page("PEO", "Money", "<p>About money.</p>").page_id
    page = site.add_page("PEO", "Salaries", f"<p>The carillonneur earns 4,711 {WORD} crowns.</p>", parent=above)
    site.add_page("PEO", "Holidays", "<p>Everybody has 30 days of holiday.</p>")
    with ConfluenceServer(site, "datacenter") as running:
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_URL", running.url)
        monkeypatch.setenv("WIKIWHY_CONFLUENCE_TOKEN", running.token)
        assert wikiwhy("sync", "confluence", "PEO").code == 0
        assert WORD in wikiwhy("ask", QUESTION, "--json").json["answer"]
        running.forget()
        running.page_id, running.above = page.page_id, above  # type: ignore[attr-defined]
        yield running


@pytest.mark.parametrize("what", ["trash", "hide"])
def test_a_page_that_went_leaves_no_word_in_any_file(server: ConfluenceServer, tmp_path: Path, what: str) -> None:
    assert files_with(tmp_path / "data", WORD)
    getattr(server.site, what)(server.page_id)  # type: ignore[attr-defined]
    assert wikiwhy("sync", "confluence", "PEO").code == 0
    assert files_with(tmp_path / "data", WORD) == []
    assert WORD not in wikiwhy("ask", QUESTION, "--json").out


@pytest.mark.parametrize("restricted", ["page_id", "above"])
def test_a_restricted_page_leaves_past_answers(server: ConfluenceServer, tmp_path: Path, restricted: str) -> None:
    turn = wikiwhy("ask", QUESTION, "--json").json
    server.site.restrict(getattr(server, restricted), groups=["board"])
    assert wikiwhy("sync", "confluence", "PEO").code == 0
    assert WORD not in wikiwhy("ask", QUESTION, "--json").out
    explained = wikiwhy("explain", turn["turn_id"])
    assert WORD not in explained.out + explained.err
    # Its readers may still ask for it: it stays in the database, but in no turn.
    server.site.hide(getattr(server, restricted))
    assert wikiwhy("sync", "confluence", "PEO").code == 0
    assert files_with(tmp_path / "data", WORD) == []
