from __future__ import annotations

import pytest

from adapters.slack.manifest import make_manifest
from bot.slack import PATH
from tests.bot.cli.running import wikiwhy


def test_the_manifest_names_the_servers_own_path() -> None:
    ran = wikiwhy("slack", "manifest", "--url", "https://wikiwhy.example.com/")
    assert ran.code == 0
    assert ran.json == make_manifest(f"https://wikiwhy.example.com{PATH}")


def test_the_servers_address_is_that_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_BASE_URL", "https://wiki.example.com/ask")
    assert wikiwhy("slack", "manifest").json == make_manifest(f"https://wiki.example.com/ask{PATH}")


def test_socket_mode_needs_no_address() -> None:
    assert wikiwhy("slack", "manifest", "--socket").json == make_manifest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--url"),
        (["--url", "http://wikiwhy.example.com"], "TLS"),
        (["--url", "wikiwhy.example.com"], "TLS"),
        (["--socket", "--url", "https://wikiwhy.example.com"], "there is no address"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], said: str) -> None:
    ran = wikiwhy("slack", "manifest", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
