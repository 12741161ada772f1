"""The item of a list that a question names: it may come first, though its list has another order."""

from __future__ import annotations

from collections.abc import Sequence

from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus, find_words_with_digits
from core.wording.list_markers import strip_marker
from core.wording.word_matches import match_texts, split_terms

_SAME_WORDS = 2  # with which items begin that say the same of different things


def is_named_alone(focus: Focus, items: Sequence[str], index: int) -> bool:
    """Whether the question names an item by its first word or a number that no other item has: "what is blue for?"."""
    first = select_content_words(strip_marker(items[index]))[:1]
    if not first or first[0] not in select_content_words(split_subject(focus.question)[0]):
        return _has_number_alone(focus, items, index)
    return sum(bool(each[0]) for each in match_texts(first, items)) == 1


def _has_number_alone(focus: Focus, items: Sequence[str], index: int) -> bool:
    """Whether an item has a number of the question that no other item has: "What is port 4878 for?".

    Only if most items begin with the same words: others may be instructions in their order.
    """
    begins = [split_terms(item)[:_SAME_WORDS] for item in items]
    if 2 * begins.count(begins[index]) < len(items):
        return False
    found = match_texts(find_words_with_digits(focus), items)
    return any(each[index] and sum(map(bool, each)) == 1 for each in zip(*found, strict=True))
