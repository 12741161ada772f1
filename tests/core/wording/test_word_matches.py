"""How much of a question's words texts have, by letters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import list_grams
from core.wording.word_matches import match_text, match_texts, split_terms, strip_verb

WORDS = ("hardware", "hardwaretests", "test", "testing", "tests", "8.0.1", "8.0", "rook", "straße", "strasse", "測試")
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)


def share(word: str, other: str) -> float:
    """The share of a word's 4-grams that another has; of a number's all or nothing, and all if it is continued."""
    if word == other or (word[0].isdigit() and other.startswith(f"{word}.")):
        return 1.0
    own, others = ({each} if each[0].isdigit() else set(list_grams(each)) for each in (word, other))
    found = len(own & others) / len(own)
    return found if found >= 0.5 else 0.0


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True), st.lists(texts, max_size=5))
def test_of_each_text_the_word_that_is_most_alike_counts(words: list[str], given: list[str]) -> None:
    asked = tuple(split_terms(" ".join(words)))
    expected = [
        [max((share(word, other) for other in split_terms(text)), default=0.0) for word in asked] for text in given
    ]
    assert match_texts(asked, given) == expected
    assert [match_text(asked, text) for text in given] == expected


@pytest.mark.parametrize(
    ("number", "text", "share"),
    [
        ("7.16", "7.16.0 (1 May 2026)", 1.0),
        ("5.4", "Release 5.4.12.1", 1.0),
        ("5.4.0", "5.4 is out", 0.0),
        ("5.4", "5.41 15.4 15.4.0 5.40.1", 0.0),
        ("5", "5.4.0", 0.0),
        ("1.500", "1.500.000 €", 0.0),
        ("10:30", "10:30:15", 0.0),
    ],
)
def test_a_version_matches_one_that_continues_it_at_a_dot(number: str, text: str, share: float) -> None:
    assert match_text((number,), text) == [share]


@pytest.mark.parametrize(
    "forms",
    [
        ["zählen", "zählt", "gezählt", "zählte"],
        ["ausschalten", "ausgeschaltet", "auszuschalten", "ausschaltet", "ausschalte"],
        ["zusenden", "zugesendet", "zuzusenden"],
        ["kosten", "kostet", "gekostet", "kosteten"],
        ["pflegen", "pflegt", "gepflegte", "gepflegten"],
        ["zurückziehen", "zurückzieht", "zurückzuziehen"],
        ["einfrieren", "einzufrieren", "einfriert"],
    ],
)
def test_the_forms_of_a_german_verb_match_each_other(forms: list[str]) -> None:
    assert len({strip_verb(form) for form in forms}) == 1
    assert match_text(tuple(forms), forms[0]) == [1.0] * len(forms)


@pytest.mark.parametrize(
    ("word", "other"),
    [("gehalt", "halten"), ("gesetz", "setzen"), ("zugang", "gang"), ("gewinn", "winden"), ("zuerst", "erst")],
)
def test_other_words_that_begin_like_a_participle_do_not_match(word: str, other: str) -> None:
    assert match_text((word,), other) == [0.0]


@given(st.text("abcdefghijklmnopqrstuvwxyzäöüß", min_size=1, max_size=30))
def test_a_word_keeps_its_beginning_unless_it_is_a_participle(word: str) -> None:
    stem = strip_verb(word)
    assert len(stem) >= min(len(word), 3)
    assert word.startswith(stem) or "ge" in word or "zu" in word
