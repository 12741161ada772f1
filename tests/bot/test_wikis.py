"""Which Confluence the settings name."""

from __future__ import annotations

from contextlib import closing

import pytest

from bot.settings import load_settings
from bot.wikis import find_confluence_flavour, make_confluence, make_tracker
from core.errors import SettingsInvalid

WHO = {"confluence_email": "sync@example.com", "confluence_token": "secret-token"}


@pytest.mark.parametrize(
    ("url", "flavour", "name"),
    [
        ("https://example.atlassian.net", "", "confluence https://example.atlassian.net/wiki"),
        ("https://example.atlassian.net/wiki/", "", "confluence https://example.atlassian.net/wiki"),
        ("https://example.atlassian.net/wiki/spaces/ENG", "", "confluence https://example.atlassian.net/wiki"),
        ("https://example.atlassian.net/wiki/home?x=1#y", "", "confluence https://example.atlassian.net/wiki"),
        ("https://wiki.example.com", "cloud", "confluence https://wiki.example.com/wiki"),
        ("https://wiki.example.com", "", "confluence https://wiki.example.com"),
        ("https://wiki.example.com/confluence/", "", "confluence https://wiki.example.com/confluence"),
        ("https://me:pass@wiki.example.com/wiki", "datacenter", "confluence https://wiki.example.com/wiki"),
    ],
)
def test_the_address_and_its_flavour(url: str, flavour: str, name: str) -> None:
    settings = load_settings(confluence_url=url, confluence_flavour=flavour, **WHO)
    with closing(make_confluence(settings)) as wiki:
        assert wiki.name == name
    assert find_confluence_flavour(settings) == (
        "cloud" if flavour == "cloud" or "atlassian.net" in url else "datacenter"
    )


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ({}, ["_URL", "_TOKEN"]),
        ({"confluence_url": "https://example.atlassian.net"}, ["_EMAIL", "_TOKEN"]),
        ({"confluence_url": "https://wiki.example.com"}, ["_TOKEN"]),
        ({"confluence_url": "https://wiki.example.com", "confluence_token": " "}, ["_TOKEN"]),
        ({"confluence_url": "https://example.atlassian.net", "confluence_token": "secret-token"}, ["_EMAIL"]),
    ],
)
def test_what_lacks_is_named(given: dict[str, str], lacking: list[str]) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        make_confluence(load_settings(**given))
    named = str(caught.value).partition(":")[0]
    assert [name for name in ("_EMAIL", "_TOKEN", "_URL") if f"WIKIWHY_CONFLUENCE{name}" in named] == sorted(lacking)
    assert "secret-token" not in str(caught.value)


def test_a_bundle_that_is_no_file_is_said() -> None:
    given = load_settings(confluence_url="https://wiki.example.com", confluence_ca_bundle="/no/such.pem", **WHO)
    with pytest.raises(SettingsInvalid, match=r"WIKIWHY_CONFLUENCE_CA_BUNDLE names /no/such\.pem"):
        make_confluence(given)


def test_an_address_that_is_none_is_said_without_its_password() -> None:
    with pytest.raises(SettingsInvalid) as caught:
        load_settings(confluence_url="ftp://me:hunter2@wiki.example.com")
    assert "confluence_url" in str(caught.value)
    assert "hunter2" not in str(caught.value)


JIRA = {"jira_url": "https://example.atlassian.net/", "jira_token": "t", "jira_projects": "BELL, OPS"}


def test_without_an_address_there_is_no_jira() -> None:
    assert make_tracker(load_settings(jira_token="t", jira_projects="BELL")) is None


def test_jira_covers_the_projects_of_the_settings() -> None:
    tracker = make_tracker(load_settings(**JIRA, confluence_email="sync@example.com"))
    assert tracker
    assert (tracker.covers("OPS-1"), tracker.covers("LAW-1")) == (True, False)


@pytest.mark.parametrize(
    ("given", "lacking"),
    [({"jira_token": "", "jira_email": "x"}, "_TOKEN"), ({"jira_projects": " , ", "jira_email": "x"}, "_PROJECTS"),
     ({}, "_EMAIL")],
)  # fmt: skip
def test_what_is_missing_for_jira_is_named(given: dict[str, str], lacking: str) -> None:
    with pytest.raises(SettingsInvalid, match=rf"also set WIKIWHY_JIRA{lacking}\."):
        make_tracker(load_settings(**{**JIRA, **given}))
