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
    """Whether the question names an item by its first word that no other item has: "what is blue for?".

    Of items that begin alike, as instructions in their order do not, also by any other word or number: "port 4878".
    """
    own = select_content_words(split_subject(focus.question)[0])
    first = select_content_words(strip_marker(items[index]))[:1]
    if first and first[0] in own:
        return sum(bool(each[0]) for each in match_texts(first, items)) == 1
    begins = [split_terms(item)[:_SAME_WORDS] for item in items]
    if 2 * begins.count(begins[index]) < len(items):
        return False
    matches = match_texts((*own, *find_words_with_digits(focus)), items)
    alone = [[at for at, match in enumerate(word) if match] for word in zip(*matches, strict=True)]
    return {places[0] for places in alone if len(places) == 1} == {index}
