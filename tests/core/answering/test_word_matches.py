"""How much of a question's words texts have, by letters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.text import list_grams
from core.wording.focus import match_text, match_texts, split_terms

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
