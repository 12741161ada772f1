"""A server process beside a Confluence: it syncs by schedule, and follows webhooks."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest

from bot.server.webhooks import DATA_CENTER_PATH
from tests.bot.cli.running import Ran, wikiwhy
from tests.servers.confluence.contents import many_pages
from tests.servers.confluence.server import ConfluenceServer
from tests.servers.confluence.site import Site
from tests.servers.confluence.v1 import webhook
from tests.servers.serving import ServeProcess, serving, until

pytestmark = pytest.mark.slow

SECRET = "a-secret-of-thirty-two-characters"


def settings(confluence: ConfluenceServer) -> dict[str, str]:
    return {
        "confluence_url": confluence.url, "confluence_token": confluence.token, "confluence_flavour": "datacenter",
        "webhook_secret": SECRET, "sync_schedule": "ENG: @daily",
    }  # fmt: skip


def test_a_space_that_is_due_is_synced_and_a_webhook_is_followed(tmp_path: Path) -> None:
    site = many_pages(3, "ENG")
    first, *_ = site.pages
    with (
        ConfluenceServer(site, "datacenter") as confluence,
        serving(tmp_path / "data", **settings(confluence)) as server,
    ):
        server.until('wikiwhy_space_syncs_total{outcome="synced",reason="schedule"}', 1)
        assert spaces(tmp_path).json["spaces"][0]["pages"] == 3
        site.edit_body(first, "<p>The launch code is kept by Zenobia Marmaladeword.</p>")
        assert deliver(server, site, first, SECRET) == 202
        assert deliver(server, site, first, "another-secret-of-some-length") == 401
        until(lambda: "Zenobia" in answer(tmp_path).out)
        assert server.metric("wikiwhy_hints_total") == 1
        said = server.messages
        assert "Webhooks of Confluence are received at /webhooks/confluence/datacenter" in said
        assert "These spaces are synced by schedule: ENG." in said
        assert "Space ENG was synced (schedule): 3 pages" in said
        assert "Zenobia" not in server.log.read_text()
        assert "launch" not in server.log.read_text()
        assert confluence.token not in server.log.read_text()


def test_a_command_syncs_by_the_settings_of_the_server(tmp_path: Path) -> None:
    site = many_pages(3, "ENG")
    with ConfluenceServer(site, "datacenter") as confluence:
        chosen = {**settings(confluence), "sync_schedule": ""}
        with serving(tmp_path / "data", **chosen) as server:
            ran = wikiwhy("sync", "confluence", "ENG", "NONE", "--json", "--data-dir", tmp_path / "data")
            assert ran.code == 1
            assert [space["pages"]["seen"] for space in ran.json["spaces"]] == [3, 0]
            assert ran.json["spaces"][0]["requests"] > 0
            assert ran.says("wikiwhy forget NONE")
            dry = wikiwhy("sync", "confluence", "ENG", "--dry-run", "--data-dir", tmp_path / "data")
            assert dry.code == 0
            assert server.metric('wikiwhy_space_syncs_total{outcome="synced",reason="command"}') == 1
            assert server.metric('wikiwhy_space_syncs_total{outcome="stopped",reason="command"}') == 1


def spaces(folder: Path) -> Ran:
    return wikiwhy("spaces", "--json", "--data-dir", folder / "data")


def answer(folder: Path) -> Ran:
    ran = wikiwhy("ask", "Who keeps the launch code?", "--json", "--data-dir", folder / "data")
    assert ran.code == 0, ran.err
    return ran


def deliver(server: ServeProcess, site: Site, page_id: str, secret: str) -> int:
    body, headers = webhook(site, "page_updated", page_id, secret)
    try:
        request = urllib.request.Request(server.url + DATA_CENTER_PATH, body, headers)
        with urllib.request.urlopen(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
