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
            "16 ExtractionSettings(lineariser='verbalised', passages=True, lists=True, tables=True, rows=True, "
            "max_chars=1200, context_words=50) ALL",
        ),
        (
            SyncSettings(ExtractionSettings("markdown", False, False, False, False, 800, 7), "NONE", full=True),
            "16 ExtractionSettings(lineariser='markdown', passages=False, lists=False, tables=False, rows=False, "
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
        ".d96d1d8812d9d22ca346906f0e381b5fc5fc00dd2484aa44f16ff17e3ddcaaf2"
    )
    assert is_same_version(digest, digest_page(PAGE, "another"))
    assert not is_same_version("", digest)
