from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import BOUNDARY, content_words, fold, grams, normalize_unicode, unescape_html, words


def test_words_are_runs_of_letters_and_digits_in_lower_case() -> None:
    assert words("Don't use snake_case\0 or v2.0-Über!") == [
        "don",
        "t",
        "use",
        "snake",
        "case",
        "or",
        "v2",
        "0",
        "über",
    ]


def test_decomposed_umlauts_do_not_cut_a_word() -> None:
    assert words(unicodedata.normalize("NFD", "Überblick")) == ["überblick"]


def test_content_words_are_distinct_and_without_stopwords_of_either_language() -> None:
    assert content_words("How is the build and wie wird der Build gebaut?") == ["build", "gebaut"]


def test_only_stopwords_are_better_than_nothing() -> None:
    assert content_words("What is this?") == ["what", "is", "this"]


@pytest.mark.parametrize(
    ("text", "folded"), [("Größe", "groesse"), ("ẞ", "ss"), ("Café Ñandú", "cafe nandu"), ("ÄÖÜ", "aeoeue")]
)
def test_folding_writes_umlauts_as_two_letters_and_strips_diacritics(text: str, folded: str) -> None:
    assert fold(text) == fold(unicodedata.normalize("NFD", text)) == folded


def test_grams_lie_between_boundary_marks_and_short_words_are_their_own() -> None:
    assert grams("Plan, Büro: v2") == ["plan", "_bue", "buer", "uero", "ero_", "v2"]
    assert grams("abc", n=2) == ["_a", "ab", "bc", "c_"]


@given(st.text())
def test_any_text_has_words_and_grams_that_a_query_can_quote(text: str) -> None:
    assert all(word.replace(BOUNDARY, "").isalnum() for word in [*words(text), *grams(text)])
    assert words(" ".join(words(text))) == words(text)


def test_character_references_are_resolved_and_an_endless_number_is_none() -> None:
    assert unescape_html("&lt;a&gt; &#65;&#x42; &amp;lt;") == "<a> AB &lt;"
    assert unescape_html(f"a &#{'9' * 5_000}; b") == "a \ufffd b"


@given(st.text())
def test_a_normal_form_is_pythons_own(text: str) -> None:
    assert normalize_unicode(text, "NFKC") == unicodedata.normalize("NFKC", text)


def test_of_endless_combining_marks_the_first_count() -> None:
    assert len(normalize_unicode("a" + "\u0315\u0300" * 50_000 + "b", "NFC")) < 40
