"""The linter finds the words that the glossary lists under "never"."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documentation.glossary import GLOSSARY, has_never_words, never_words

NEVER = never_words(GLOSSARY.read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# the looker of a page", 1),
        ("page_lookers = open_lookers()", 2),
        ("class LookerStore:", 1),
        ('"""Telling words of a text."""', 1),
        ("focus.telling_words", 1),
        ("the onlookers", 0),
        ("a looker  # codespell:ignore looker", 0),
    ],
)
def test_a_word_is_found_in_text_and_in_identifiers(
    text: str, found: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "module.py"
    file.write_text(text)
    assert has_never_words([file]) == bool(found)
    assert capfd.readouterr().out.count("==>") == found


def test_no_term_is_a_word_that_is_never_used() -> None:
    assert NEVER
    assert not NEVER.keys() & set(NEVER.values())
