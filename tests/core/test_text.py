from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.languages import find_stopwords
from core.text import (
    BOUNDARY,
    clean,
    count_units,
    count_words,
    fold,
    is_visible,
    list_content_words,
    list_grams,
    list_words,
    normalize_unicode,
    separate_words,
    shorten,
    split_subject,
    unescape_html,
)


def test_words_are_runs_of_letters_and_digits_in_lower_case() -> None:
    assert list_words("Don't use snake_case\0 or v2.0-Über!") == "don t use snake case or v2 0 über".split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("H₂O and CO₂", ["h2o", "and", "co2"]),
        ("20 m², 9 km³", ["20", "m2", "9", "km3"]),
        ("10⁶ and 10^6", ["10", "6", "and", "10", "6"]),
        ("Tower¹ Türen²", ["tower", "1", "türen", "2"]),
    ],
)
def test_superscripts_and_subscripts_are_compared_as_people_type_them(text: str, words: list[str]) -> None:
    assert list_words(text) == words


def test_decomposed_umlauts_do_not_cut_a_word() -> None:
    assert list_words(unicodedata.normalize("NFD", "Überblick")) == ["überblick"]


@pytest.mark.parametrize(
    ("text", "separated"),
    [
        ("経費精算はVPNの設定で行う", ["経費", "費精", "精算", "は", "vpn", "の", "設定", "で", "行", "う"]),
        ("上海的酒店", ["上海", "海的", "的酒", "酒店"]),
        ("テストサーバーの再起動", ["テストサーバー", "の", "再起", "起動"]),
        ("ＶＰＮ２の鐘", ["vpn2", "の", "鐘"]),
        ("출장비는 누가 승인하나요", ["출장비는", "누가", "승인하나요"]),
    ],
)
def test_chinese_and_japanese_are_separated_into_words(text: str, separated: list[str]) -> None:
    assert list_words(text) == separated
    assert separate_words(text).lower().split() == separated


def test_hiragana_connects_and_is_no_content_unless_there_is_nothing_else() -> None:
    assert list_content_words("ホテルの上限はいくら？") == ["ホテル", "上限"]
    assert list_content_words("いつですか") == ["いつですか"]


def test_stopwords_of_another_language_are_given() -> None:
    question = "Qui valide les notes de frais ?"
    assert list_content_words(question, find_stopwords(question)) == ["valide", "notes", "frais"]
    assert find_stopwords("Who approves travel?") == find_stopwords("誰ですか") == frozenset()


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("Two words", 2), ("東京都庁", 2), ("VPNの設定", 3), ("- a | b", 4)]
)
def test_two_characters_of_chinese_or_japanese_count_as_a_word(text: str, count: int) -> None:
    assert count_words(text) == count


@given(st.text())
def test_separating_words_loses_no_letter_and_a_second_time_changes_nothing(text: str) -> None:
    separated = separate_words(text)
    assert set("".join(separated.split())) <= set(text) | set(string.ascii_letters + string.digits)
    assert list_words(separated) == list_words(text)
    assert text.isascii() <= (separated == text)


def test_voiced_letters_stay_others_than_unvoiced_ones() -> None:
    assert fold("ガード") == "ガード" != fold("カート")


def test_content_words_are_distinct_and_without_stopwords_of_either_language() -> None:
    assert list_content_words("How is the build and wie wird der Build gebaut?") == ["build", "gebaut"]


def test_only_stopwords_are_better_than_nothing() -> None:
    assert list_content_words("What is this?") == ["what", "is", "this"]


@pytest.mark.parametrize(
    ("text", "folded"), [("Größe", "groesse"), ("ẞ", "ss"), ("Café Ñandú", "cafe nandu"), ("ÄÖÜ", "aeoeue")]
)
def test_folding_writes_umlauts_as_two_letters_and_strips_diacritics(text: str, folded: str) -> None:
    assert fold(text) == fold(unicodedata.normalize("NFD", text)) == folded


def test_grams_lie_between_boundary_marks_and_short_words_are_their_own() -> None:
    assert list_grams("Plan, Büro: v2") == ["plan", "_bue", "buer", "uero", "ero_", "v2"]
    assert list_grams("abcde") == ["_abc", "abcd", "bcde", "cde_"]


@given(st.text())
def test_any_text_has_words_and_grams_that_a_query_can_quote(text: str) -> None:
    assert all(word.replace(BOUNDARY, "").isalnum() for word in [*list_words(text), *list_grams(text)])
    assert list_words(" ".join(list_words(text))) == list_words(text)


def test_character_references_are_resolved_and_an_endless_number_is_none() -> None:
    assert unescape_html("&lt;a&gt; &#65;&#x42; &amp;lt;") == "<a> AB &lt;"
    assert unescape_html(f"a &#{'9' * 5_000}; b") == "a \ufffd b"


@given(st.text())
def test_a_normal_form_is_pythons_own(text: str) -> None:
    assert normalize_unicode(text, "NFKC") == unicodedata.normalize("NFKC", text)


def test_of_endless_combining_marks_the_first_count() -> None:
    assert len(normalize_unicode("a" + "\u0315\u0300" * 50_000 + "b", "NFC")) < 40


@pytest.mark.parametrize(
    ("question", "own", "subject"),
    [
        ("And in Germany? (Travel policy 2026: hotel limit)", "And in Germany?", "Travel policy 2026: hotel limit"),
        ("Who approves it? (Travel (2026))", "Who approves it?", "Travel (2026)"),
        ("hotel limit (Travel policy)", "hotel limit", "Travel policy"),
        ("Is the limit (for a night) fixed?", "Is the limit (for a night) fixed?", ""),
        ("(Travel policy)", "(Travel policy)", ""),
    ],
)
def test_a_completed_question_is_split_into_its_own_words_and_what_was_added(
    question: str, own: str, subject: str
) -> None:
    assert split_subject(question) == (own, subject)


def test_texts_are_measured_and_cut_as_platforms_count() -> None:
    assert count_units("a🎉") == 3
    assert shorten("🎉" * 10, 10) == "🎉🎉🎉🎉…"
    assert shorten("ten letter", 10) == "ten letter"


def test_control_characters_are_removed() -> None:
    assert clean("a\u202eb\x00c\ud800d\r\ne\u2028f\x1b") == "abcd\ne\nf"


@given(st.text(st.characters(), max_size=5))
def test_a_visible_text_is_not_empty_when_it_is_cleaned(text: str) -> None:
    assert not is_visible("\x9c\x80\ud800\u202e \n")
    assert bool(clean(text).strip()) or not is_visible(text)
