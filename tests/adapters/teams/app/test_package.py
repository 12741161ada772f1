"""The package matches Teams' schema and names exactly the features of the bot."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import image

from adapters.teams.activities import parse_command
from adapters.teams.app import package as packaging
from adapters.teams.app.manifest import (
    MOST_STARTERS,
    READ_CHANNELS,
    SCOPES,
    About,
    make_german_texts,
    make_manifest,
    make_texts,
)
from adapters.teams.app.package import PackageIncomplete, check_files, find_schema_error, make_package, read_icon
from core.errors import SettingsInvalid
from core.ports.chat import IncomingMessage, Place

ROOT = Path(__file__).parents[4]
WIKI = "https://wiki.example.com"
APP = "8f2c1f0e-5a55-4c1e-9d0a-3b9a3f1f2e11"
ABOUT = About(APP, "wikiwhy.example.com", WIKI, WIKI, WIKI, wiki_host="wiki.example.com")
LIMITS = {"name.short": 30, "name.full": 100, "description.short": 80, "description.full": 4000}


def unpack(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_package_has_manifest_german_texts_and_icons_at_its_root() -> None:
    files = unpack(make_package(ABOUT))
    assert list(files) == ["manifest.json", "de.json", "color.png", "outline.png"]
    assert json.loads(files["manifest.json"]) == make_manifest(ABOUT)
    assert json.loads(files["de.json"]) == make_german_texts(ABOUT)


def test_the_package_is_reproducible() -> None:
    assert make_package(ABOUT) == make_package(ABOUT)
    with zipfile.ZipFile(io.BytesIO(make_package(ABOUT))) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_teams_requests_previews_of_links_to_the_wiki_only() -> None:
    (extension,) = make_manifest(ABOUT)["composeExtensions"]
    assert extension["messageHandlers"] == [{"type": "link", "value": {"domains": ["wiki.example.com"]}}]
    assert "composeExtensions" not in make_manifest(replace(ABOUT, wiki_host=""))


def test_the_manifest_has_a_bot_in_all_scopes_without_files() -> None:
    made = make_manifest(ABOUT)
    (bot,) = made["bots"]
    assert (made["manifestVersion"], made["id"], bot["botId"]) == ("1.30", ABOUT.app_id, ABOUT.app_id)
    assert bot["scopes"] == ["personal", "team", "groupChat"]
    assert (bot["supportsFiles"], bot["isNotificationOnly"]) == (False, False)
    assert made["validDomains"] == ["wikiwhy.example.com", "wiki.example.com"]


def find_commands(made: dict[str, Any], kind: str) -> list[list[dict[str, str]]]:
    return [[each for each in one["commands"] if each["type"] == kind] for one in made["bots"][0]["commandLists"]]


def test_every_scope_offers_the_commands_that_the_bot_understands() -> None:
    made = make_manifest(ABOUT)
    assert [one["scopes"] for one in made["bots"][0]["commandLists"]] == [[scope] for scope in SCOPES]
    for offered in find_commands(made, "basic"):
        assert [each["title"] for each in offered] == ["help"], "others are for admins, who see them there"
        for each in offered:
            said = IncomingMessage(Place("teams", "T", "C", "", True), "1", "U", each["title"])
            understood = parse_command(said)
            assert understood is not None
            assert understood.words == (each["title"],)


@pytest.mark.parametrize("texts", [make_texts("en"), make_texts("de")])
def test_the_example_of_each_command_is_understood(texts: Any) -> None:
    for name, does in texts.commands.items():
        if example := re.search(r"(?:as in|etwa): (.+)$", does):
            understood = parse_command(IncomingMessage(Place("teams", "T", "C", "", True), "1", "U", example[1]))
            assert understood is not None
            assert understood.words == (name, "ENG")


def test_prompt_starters_are_questions_and_not_commands() -> None:
    for offered in find_commands(make_manifest(ABOUT), "prompt"):
        assert len(offered) == 3
        for each in offered:
            assert each["prompt"] == each["title"]
            assert parse_command(IncomingMessage(Place("teams", "T", "C", "", True), "1", "U", each["prompt"])) is None


def test_an_admins_starters_replace_the_default_ones_in_both_languages() -> None:
    own = replace(ABOUT, starters=("Who is on call?",))
    assert [each["title"] for each in find_commands(make_manifest(own), "prompt")[0]] == ["Who is on call?"]
    assert make_german_texts(own)["bots[0].commandLists[0].commands[0].prompt"] == "Who is on call?"
    assert make_package(replace(ABOUT, starters=("Who is on call?",) * MOST_STARTERS))
    with pytest.raises(SettingsInvalid, match="commandLists"):
        make_package(replace(ABOUT, starters=("Who is on call?",) * 12))


def test_every_english_text_has_a_german_one() -> None:
    made, other = make_manifest(ABOUT), make_german_texts(ABOUT)
    for scope, listed in enumerate(made["bots"][0]["commandLists"]):
        for number, each in enumerate(listed["commands"]):
            at = f"bots[0].commandLists[{scope}].commands[{number}]"
            assert {key.removeprefix(f"{at}.") for key in other if key.startswith(f"{at}.")} == each.keys() - {"type"}
            assert other[f"{at}.description"] != each["description"]
    assert other["description.full"] != made["description"]["full"]


@pytest.mark.parametrize("reads", [False, True])
def test_names_and_descriptions_keep_the_limits(reads: bool) -> None:
    about = replace(ABOUT, read_channels=reads)
    made, other = make_manifest(about), make_german_texts(about)
    for key, limit in LIMITS.items():  # the schema of other languages states them where a validator does not look
        group, _, name = key.partition(".")
        assert 0 < len(made[group][name]) <= limit
        assert 0 < len(other[key]) <= limit


def test_reading_channels_is_requested_only_if_wanted() -> None:
    assert "authorization" not in make_manifest(ABOUT)
    made = make_manifest(replace(ABOUT, read_channels=True))
    permissions = made["authorization"]["permissions"]["resourceSpecific"]
    assert permissions == [{"name": READ_CHANNELS, "type": "Application"}]
    assert made["webApplicationInfo"]["id"] == ABOUT.app_id
    assert "all messages" in made["description"]["full"]
    assert make_package(replace(ABOUT, read_channels=True)) != make_package(ABOUT)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"app_id": "1"}, "bots[0].botId"),
        ({"developer": "x" * 33}, "developer.name"),
        ({"website": "wiki.example.com"}, "developer.websiteUrl"),
        ({"starters": ("x" * 129,)}, "bots[0].commandLists[0].commands[0].title"),
    ],
)
def test_an_invalid_package_is_not_made(changed: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingsInvalid, match=re.escape(named)):
        make_package(replace(ABOUT, **changed))


@given(st.text(max_size=40), st.text(max_size=140), st.booleans())
def test_any_manifest_matches_the_schema(developer: str, starter: str, reads: bool) -> None:
    about = replace(ABOUT, developer=developer, starters=(starter,), read_channels=reads)
    allowed = len(developer) <= 32 and len(starter) <= 128
    assert bool(find_schema_error(make_manifest(about), "MicrosoftTeams.schema.json")) != allowed


def test_the_schema_refuses_unknown_fields() -> None:
    assert "nonsense" in find_schema_error(make_manifest(ABOUT) | {"nonsense": 1}, "MicrosoftTeams.schema.json")
    assert "bots[0].nonsense" in find_schema_error(
        make_german_texts(ABOUT) | {"bots[0].nonsense": ""}, "MicrosoftTeams.Localization.schema.json"
    )


@pytest.mark.parametrize(("name", "pixels"), [("color.png", 192), ("outline.png", 32)])
def test_the_icons_match_teams_requirements(name: str, pixels: int) -> None:
    drawn = image.imread(io.BytesIO(read_icon(name)))
    assert drawn.shape == (pixels, pixels, 4)
    shown = drawn[drawn[..., 3] > 0]
    if name == "outline.png":
        assert np.all(shown[:, :3] == 1.0)  # white
        assert drawn[0, 0, 3] == 0.0  # on nothing
    else:
        assert np.all(drawn[..., 3] == 1.0)
        middle = drawn[36:156, 36:156]
        assert len(np.unique(middle.reshape(-1, 4), axis=0)) > len(np.unique(drawn[:36].reshape(-1, 4), axis=0)) == 1


def test_a_missing_file_of_the_installation_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_files()
    monkeypatch.setattr(packaging.resources, "files", lambda name: tmp_path)
    with pytest.raises(PackageIncomplete, match="Install WikiWhy again"):
        check_files()
    (tmp_path / "color.png").write_bytes(b"GIF89a")
    with pytest.raises(PackageIncomplete, match="damaged"):
        read_icon("color.png")


def test_the_package_in_the_docs_is_current() -> None:
    """A change of it needs a higher VERSION, or Teams takes no update.

    Made by: python -c "import json; from tests.adapters.teams.app.test_package import *;
    print(json.dumps(make_manifest(ABOUT), ensure_ascii=False, indent=2))" > docs/teams-manifest.json
    """
    written = json.loads((ROOT / "docs" / "teams-manifest.json").read_text("utf-8"))
    assert written == make_manifest(ABOUT)


@pytest.mark.parametrize("name", [*SCOPES, *make_manifest(ABOUT)["permissions"], READ_CHANNELS])
def test_the_setup_page_names_each_permission(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "teams.md").read_text("utf-8")
