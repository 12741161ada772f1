from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping

import pytest

from core.views.explanation_wording import EXPLANATION_WORDS
from core.views.notices import HelpView, Waiting
from core.views.wording import WORDS, format_hidden_sources, help_lines, progress_text, too_long, too_many


def sentences(words: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every sentence, by where it stands."""
    if isinstance(words, str):
        yield path, words
    elif isinstance(words, Mapping):
        for name, value in words.items():
            yield from sentences(value, f"{path}.{name}")
    elif isinstance(words, tuple):
        for at, value in enumerate(words):
            yield from sentences(value, f"{path}.{at}")
    elif dataclasses.is_dataclass(words):
        for field in dataclasses.fields(words):
            yield from sentences(getattr(words, field.name), f"{path}.{field.name}")


@pytest.mark.parametrize("all_words", [WORDS, EXPLANATION_WORDS])
def test_german_says_all_that_english_does_with_the_same_values(all_words: Mapping[str, object]) -> None:
    english, german = dict(sentences(all_words["en"])), dict(sentences(all_words["de"]))
    assert english.keys() == german.keys()
    for path, sentence in english.items():
        assert german[path].strip()
        assert set(re.findall(r"{\w+", sentence)) == set(re.findall(r"{\w+", german[path])), path


def test_titles_of_forms_and_buttons_are_short_enough_for_every_platform() -> None:
    for words in WORDS.values():
        for form in (words.correction, words.reason):
            assert all(len(text) <= 24 for text in (form.title, form.submit, form.cancel))
        for label in (words.explain, words.sources, words.not_meant, words.good, words.bad):
            assert len(label) <= 30


def test_waiting_tells_how_far_it_is_where_that_is_known() -> None:
    assert progress_text(Waiting("en", "explanation")) == "Taking sources away, to see which of them matter …"
    assert progress_text(Waiting("de", "explanation", done=3, total=8)) == "Ich lasse Quellen weg: 3 von 8 …"
    assert progress_text(Waiting("de", "sync", about="DOC")) == "DOC wird eingelesen …"


def test_numbers_and_times_read_as_in_each_language() -> None:
    assert "4,001 characters; at most 4,000" in too_long(4001, 4000, "en")
    assert "4.001 Zeichen; höchstens 4.000" in too_long(4001, 4000, "de")
    assert too_many(59, "en", in_channel=False).endswith("Ask again in 59 seconds.")
    assert too_many(1, "de", in_channel=True).endswith("Fragen Sie in 1 Sekunde wieder.")
    assert too_many(600, "de", in_channel=True).endswith("Fragen Sie in 10 Minuten wieder.")


def test_hidden_sources_are_counted() -> None:
    assert format_hidden_sources(0, "en") == ""
    assert format_hidden_sources(1, "en").startswith("One source is")
    assert format_hidden_sources(2, "de").startswith("2 Quellen fehlen")


def test_help_is_for_where_it_is_asked() -> None:
    assert help_lines(HelpView("en", "@W", ("HR",)))[0].startswith("Mention @W with")
    direct = help_lines(HelpView("en", "@W", ("HR",), direct=True))
    assert direct[0].startswith("Write me")
    assert direct[-1].endswith("your own account may read.")
