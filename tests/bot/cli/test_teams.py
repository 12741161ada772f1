from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.teams.service import PATH
from tests.bot.cli.running import wikiwhy

APP_ID = "8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11"
NEEDED = ("--url", "https://wikiwhy.example.com/", "--app-id", APP_ID)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def manifest_in(package: Path) -> Any:
    with zipfile.ZipFile(package) as archive:
        return json.loads(archive.read("manifest.json"))


def test_the_package_is_written_and_the_endpoint_told(tmp_path: Path) -> None:
    ran = wikiwhy("teams", "package", *NEEDED)
    assert ran.code == 0
    assert ran.says(f"https://wikiwhy.example.com{PATH}", "wikiwhy-teams.zip", APP_ID)
    made = manifest_in(tmp_path / "wikiwhy-teams.zip")
    assert (made["id"], made["validDomains"]) == (APP_ID, ["wikiwhy.example.com"])


def test_address_and_application_are_those_of_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_BASE_URL", "https://wiki.example.com/ask")
    monkeypatch.setenv("WIKIWHY_TEAMS_APP_ID", APP_ID.upper())
    ran = wikiwhy("teams", "package", "--out", "other.zip")
    assert ran.says(f"https://wiki.example.com/ask{PATH}")
    assert manifest_in(tmp_path / "other.zip")["bots"][0]["botId"] == APP_ID


def test_the_apps_pages_are_those_that_the_admin_names(tmp_path: Path) -> None:
    help_page, privacy = "https://intranet.example.com/wikiwhy", "https://intranet.example.com/privacy"
    ran = wikiwhy("teams", "package", *NEEDED, "--website", help_page, "--privacy", privacy, "--developer", "IT Berlin")
    assert ran.code == 0
    assert "which has no pages" not in ran.out
    assert manifest_in(tmp_path / "wikiwhy-teams.zip")["developer"] == {
        "name": "IT Berlin", "websiteUrl": help_page, "privacyUrl": privacy, "termsOfUseUrl": help_page,
    }  # fmt: skip


def test_without_pages_they_are_the_wiki_else_the_server_which_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert wikiwhy("teams", "package", *NEEDED).says("The app's links lead to the server", "--website")
    assert manifest_in(tmp_path / "wikiwhy-teams.zip")["developer"]["websiteUrl"] == "https://wikiwhy.example.com"
    monkeypatch.setenv("WIKIWHY_CONFLUENCE_URL", "https://example.atlassian.net")
    assert "which has no pages" not in wikiwhy("teams", "package", *NEEDED).out
    assert manifest_in(tmp_path / "wikiwhy-teams.zip")["developer"]["termsOfUseUrl"] == "https://example.atlassian.net"


def test_options_reach_the_manifest(tmp_path: Path) -> None:
    more = (
        "--starter",
        "Who is on call?",
        "--starter",
        "Where is the menu?",
        "--read-channels",
        "--app-version",
        "1.0.3",
    )
    assert wikiwhy("teams", "package", *NEEDED, *more).code == 0
    made = manifest_in(tmp_path / "wikiwhy-teams.zip")
    assert made["version"] == "1.0.3"
    assert made["authorization"]
    assert [each["title"] for each in made["bots"][0]["commandLists"][0]["commands"]][:2] == [more[1], more[3]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--app-id", APP_ID], "--url"),
        (["--url", "https://wikiwhy.example.com"], "Azure Bot's Configuration"),
        (["--url", "http://wikiwhy.example.com", "--app-id", APP_ID], "TLS"),
        (["--url", "wikiwhy.example.com", "--app-id", APP_ID], "TLS"),
        (["--url", "https://[x", "--app-id", APP_ID], "TLS"),
        (["--url", "https://wikiwhy.example.com:99999", "--app-id", APP_ID], "TLS"),
        (["--url", "https://wiki why.example.com", "--app-id", APP_ID], "TLS"),
        (["--url", "https://me:secret@wikiwhy.example.com", "--app-id", APP_ID], "TLS"),
        ([*NEEDED, "--website", "https://[x"], "--website is not an address"),
        ([*NEEDED, "--out", ""], "--out must be the name of a file"),
        (["--url", "https://wikiwhy.example.com", "--app-id", "wikiwhy"], "not an application id"),
        ([*NEEDED, "--website", "intranet"], "--website is not an address"),
        ([*NEEDED, "--terms", "ftp://intranet"], "--terms is not an address"),
        ([*NEEDED, "--developer", "x" * 33], "32 characters"),
        ([*NEEDED, "--developer", " "], "32 characters"),
        ([*NEEDED, "--starter", ""], "128 characters"),
        ([*NEEDED, "--starter", "x" * 129], "128 characters"),
        ([*NEEDED, *["--starter", "Who?"] * 9], "at most 8"),
        ([*NEEDED, "--app-version", "1.0"], "three numbers"),
    ],
)
def test_wrong_usage_is_told_and_nothing_written(tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = wikiwhy("teams", "package", *arguments)
    assert ran.code == 2
    assert said in " ".join(ran.err.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["folder", "missing/app.zip"])
def test_a_file_that_cannot_be_written_is_told_and_nothing_left_over(tmp_path: Path, out: str) -> None:
    (tmp_path / "folder").mkdir()
    ran = wikiwhy("teams", "package", *NEEDED, "--out", tmp_path / out)
    assert ran.code == 1
    assert ran.says("cannot be written", "--out")
    assert list(tmp_path.rglob("*")) == [tmp_path / "folder"]


def test_what_stood_there_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    (tmp_path / "wikiwhy-teams.zip").write_bytes(b"old")
    assert wikiwhy("teams", "package", *NEEDED, "--developer", "x" * 33).code == 2
    assert (tmp_path / "wikiwhy-teams.zip").read_bytes() == b"old"
    assert wikiwhy("teams", "package", *NEEDED).code == 0
    assert manifest_in(tmp_path / "wikiwhy-teams.zip")
    assert [path.name for path in tmp_path.iterdir()] == ["wikiwhy-teams.zip"]
