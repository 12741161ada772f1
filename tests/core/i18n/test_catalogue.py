"""The German catalogue contains exactly the texts that are marked in the code."""

from __future__ import annotations

import functools
import re
from datetime import timedelta
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from core.i18n import Value, format_share, format_value, load_translations, message, plural
from core.languages import Language

ROOT = Path(__file__).parents[3]
KEYWORDS = {"message": (1,), "plural": (1, 2)}
Texts = tuple[str, ...]


def texts(found: str | list[str] | tuple[str, ...]) -> Texts:
    return (found,) if isinstance(found, str) else tuple(found)


@functools.cache
def marked_in_files() -> dict[str, set[Texts]]:
    """Return the texts that ``make messages`` extracts, by file."""
    found_in: dict[str, set[Texts]] = {}
    for package in ("core", "adapters", "bot"):
        for name, _, found, _, _ in extract_from_dir(ROOT / package, [("**.py", "python")], keywords=KEYWORDS):
            found_in.setdefault(f"{package}/{name}", set()).add(texts(found))
    return found_in


def marked(*packages: str) -> set[Texts]:
    """Return the texts of packages."""
    beginnings = tuple(f"{package}/" for package in packages)
    return {text for file, found in marked_in_files().items() if file.startswith(beginnings) for text in found}


@pytest.fixture(scope="module")
def german() -> dict[Texts, Texts]:
    with (ROOT / "core/i18n/de.po").open("rb") as file:
        catalogue = read_po(file, "de")
    assert not [entry.id for entry in catalogue if entry.fuzzy and entry.id]
    return {texts(entry.id): texts(entry.string) for entry in catalogue if entry.id}


def test_every_text_has_a_german_translation_and_none_is_left_over(german: dict[Texts, Texts]) -> None:
    assert marked("core", "adapters", "bot") == german.keys(), (
        "run `make messages`, and translate what is empty in core/i18n/de.po"
    )


def test_every_translation_is_complete_with_the_same_placeholders(german: dict[Texts, Texts]) -> None:
    for ids, translated in german.items():
        assert len(translated) == len(ids)
        expected = {name for text in ids for name in re.findall(r"{\w+}", text)}
        for text in translated:
            assert text.strip(), ids
            assert set(re.findall(r"{\w+}", text)) <= expected, text
        assert {name for text in translated for name in re.findall(r"{\w+}", text)} == expected, ids
        end, german_end = (text.rstrip("“”")[-1:] for text in (ids[-1], translated[-1]))
        assert end == german_end or end.isalnum(), "it ends otherwise than its English"


def test_texts_of_both_platforms_name_nothing_as_only_one_of_their_german_clients_does(
    german: dict[Texts, Texts],
) -> None:
    """Slack says "Channel" and "Direktnachricht", Teams "Kanal" and "Chat"."""
    home = {("Unanswered questions in channels in the last seven days",)}  # on the page that only Slack has
    for ids in marked("core", "bot/chat") - home:
        for text in german[ids]:
            assert not re.search(r"Channel|Kanal|Kanäle|Direktnachricht", text), text
    for text in (text for ids in marked("adapters/slack") for text in german[ids]):
        assert "Kanal" not in text
    for text in (text for ids in marked("adapters/teams", "bot/teams") for text in german[ids]):
        assert not re.search("Channel|Direktnachricht", text), text


def test_the_catalogue_is_read_in_each_language() -> None:
    assert load_translations("de").gettext("Explain") == "Erklären"
    assert load_translations("en").gettext("Explain") == "Explain"


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (12345, "12,345", "12.345"),
        (3.0, "3.0", "3,0"),
        (timedelta(minutes=-5), "5 minutes ago", "vor 5 Minuten"),
        (timedelta(days=3), "in 3 days", "in 3 Tagen"),
        (("ENG", "HR", "OPS"), "ENG, HR, and OPS", "ENG, HR und OPS"),
        (("ENG",), "ENG", "ENG"),
        (message("table row"), "table row", "Tabellenzeile"),
    ],
)
def test_values_are_written_as_in_each_language(value: Value, english: str, german: str) -> None:
    assert (format_value(value, "en"), format_value(value, "de")) == (english, german)


def test_tiny_shares_are_not_rounded_to_zero() -> None:
    assert [format_share(share, "en") for share in (1.0, 0.414, 0.006, 0.005)] == ["100%", "41%", "1%", "<1%"]
    assert format_share(0.41, "de") == "41\u00a0%"


@pytest.mark.parametrize(
    ("language", "count", "text"),
    [("en", 0, "0 spaces"), ("en", 1, "1 space"), ("de", 1, "1 Bereich"), ("de", 1200, "1.200 Bereiche")],
)
def test_numbers_choose_the_plural(language: Language, count: int, text: str) -> None:
    assert plural("{count} space", "{count} spaces", count).render(language) == text


def test_values_are_never_read_as_placeholders() -> None:
    assert message("Not read: {title}", title="{count} {0.x}").render("de") == "Nicht gelesen: {count} {0.x}"
