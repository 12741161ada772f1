"""The item of a list that a question names: it comes first, though its list has another order, or stands alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.model import Evidence
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus, find_words_with_digits
from core.wording.list_markers import strip_marker
from core.wording.word_matches import match_text, match_texts, split_terms

_NAMING_NUMBER = re.compile(r"(?!(?:19|20)\d\d$)(?:\d{3,}|(?=\w*[a-z])(?=\w*\d)\w{3,})")
"""A number or code that names a thing. A year, or a small number, may be said of several."""
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


def find_numbered_item(focus: Focus, evidence: Evidence) -> int | None:
    """Return the index of the only item of a list with a number or code of the question, such as a port; else None.

    The title and headings do not have it. A number that several items have names none of them.
    """
    numbers = tuple(word for word in find_words_with_digits(focus) if _NAMING_NUMBER.fullmatch(word))
    if evidence.kind != "list" or not numbers:
        return None
    context = evidence.context
    around = match_text(numbers, " ".join((context.title, *context.heading_path, context.before)))
    own = tuple(number for number, match in zip(numbers, around, strict=True) if not match)
    matches = match_texts(own, evidence.parts)
    places = [{at for at, match in enumerate(each) if match} for each in zip(*matches, strict=True)]
    having = set().union(*(each for each in places if len(each) == 1))
    return having.pop() if len(having) == 1 else None
