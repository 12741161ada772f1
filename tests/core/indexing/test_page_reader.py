from __future__ import annotations

from dataclasses import Field, fields, replace

import pytest

from core.evidence.groups import ExtractionSettings
from core.indexing.page_reader import SyncSettings, digest_page, is_same_version
from core.ports.wiki import ListedPage

PAGE = ListedPage("17", "ENG", "Title", "3", (frozenset({"user:b", "group:a"}), frozenset({"user:c"})))


@pytest.mark.parametrize(
    ("settings", "fingerprint"),
    [
        (
            SyncSettings(),
            "17 ExtractionSettings(lineariser='verbalised', passages=True, lists=True, tables=True, rows=True, "
            "max_chars=1200, context_words=50) ALL",
        ),
        (
            SyncSettings(ExtractionSettings("markdown", False, False, False, False, 800, 7), "NONE", full=True),
            "17 ExtractionSettings(lineariser='markdown', passages=False, lists=False, tables=False, rows=False, "
            "max_chars=800, context_words=7) NONE",
        ),
    ],
)
def test_the_fingerprint_is_a_stored_text(settings: SyncSettings, fingerprint: str) -> None:
    assert settings.fingerprint == fingerprint


@pytest.mark.parametrize("field", fields(ExtractionSettings), ids=lambda field: field.name)
def test_each_extraction_setting_is_in_the_fingerprint(field: Field[object]) -> None:
    other = "piped" if field.name == "lineariser" else not field.default if field.default is True else 17
    changed = replace(ExtractionSettings(), **{field.name: other})
    assert SyncSettings(changed).fingerprint != SyncSettings().fingerprint


def test_the_digest_of_a_page_is_a_stored_text() -> None:
    digest = digest_page(PAGE, SyncSettings().fingerprint)
    assert digest == (
        "6db470e143a28f751c0c11810cbf10817af8789d45807dbc89ecf7ebbbb69550"
        ".a18261f28e4a0834e0c733d1b921593d4967c227180918b3433c20be0c753a2c"
    )
    assert is_same_version(digest, digest_page(PAGE, "another"))
    assert not is_same_version("", digest)
