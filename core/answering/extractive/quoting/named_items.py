"""The item of a list that a question names: it comes first, though its list has another order, or stands alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import begins_with_reference
from core.model import Evidence
from core.reading.values import find_quantity
from core.reading.words import split_words
from core.text import has_digit, split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus, find_words_with_digits
from core.wording.list_markers import strip_marker
from core.wording.word_matches import match_text, match_texts, split_terms

_NAMING_NUMBER = re.compile(r"(?!(?:19|20)\d\d$)(?:\d{3,}|(?=\w*[a-z])(?=\w*\d)\w{3,})")
"""A number or code that names a thing. A year, or a small number, may be said of several."""
_STEP = re.compile(r"\d+\. ")
_FIRST_WORDS = 3  # of a step, in which what it is for stands: "Error 0x31 = locked"
_OF_AMOUNT = frozenset(
    "above over than to up below under between about ab über unter bis zwischen als mehr max".split()
)
"""Words before an amount, which is said of a thing and does not name it: "above 1000 EUR"."""
_AMOUNT = re.compile(r"\d+(?:st|nd|rd|th|[kmgt]i?b|[a-z]?m|h|min|hours?|days?|weeks?|months?|years?|tagen?|stunden?)")
_AND = frozenset(["and", "or", "und", "oder"])
_RELATIVE = re.compile(r"(?i)\b(?:before|after|besides|next|on top|vor|nach|nächste[nrsm]?|außer(?:dem)?)\b")
_REFERS = re.compile(r"(?i)\b(?:see|same as|as for|as before|siehe|wie (?:bei|oben|vorher)|above|oben)\b")
_SAME_WORDS = 2  # with which items begin that say the same of different things


def is_named_alone(focus: Focus, items: Sequence[str], index: int) -> bool:
    """Whether the question names an item by its first word that no other item has: "what is blue for?".

    Of items that begin alike, as instructions in their order do not, also by any other word or number: "port 4878".
    """
    own = select_content_words(split_subject(focus.question)[0])
    first = select_content_words(strip_marker(items[index]))[:1]
    if first and first[0] in own:
        return first[0] in _find_only(first, items)
    begins = [split_terms(item)[:_SAME_WORDS] for item in items]
    if 2 * begins.count(begins[index]) < len(items):
        return False
    return set(_find_only((*own, *find_words_with_digits(focus)), items).values()) == {index}


def _find_only(words: tuple[str, ...], items: Sequence[str]) -> dict[str, int]:
    """Return the words that one item alone has, with its index."""
    matches = match_texts(words, items)
    places = ([at for at, match in enumerate(each) if match] for each in zip(*matches, strict=True))
    return {word: having[0] for word, having in zip(words, places, strict=True) if len(having) == 1}


def find_numbered_item(focus: Focus, evidence: Evidence) -> int | None:
    """Return the index of the only item of a list with a number or code of the question, such as a port; else None.

    The title, headings and introduction do not have it. A number that several items have names none of them, nor does
    an amount. A step of a procedure has to begin with it, as the number is often what the whole procedure is about.
    """
    if evidence.kind != "list" or _RELATIVE.search(focus.question):
        return None
    places = _find_places(focus, evidence)
    having = set(places.values())
    if len(having) != 1 or _refers_to_others(evidence.parts, index := having.pop()):
        return None
    begins = any(match_text(tuple(places), _get_beginning(evidence.parts[index])))
    return index if begins or not _STEP.match(evidence.parts[index]) else None


def _find_places(focus: Focus, evidence: Evidence) -> dict[str, int]:
    """Return the numbers of a question that one item of a list alone has, and its headings do not, with its index."""
    numbers = _list_naming_numbers(focus)
    around = match_text(numbers, _get_text_around(evidence))
    own = tuple(number for number, match in zip(numbers, around, strict=True) if not match)
    return _find_only(own, evidence.parts)


def _get_beginning(item: str) -> str:
    return " ".join(split_terms(strip_marker(item))[:_FIRST_WORDS])


def has_naming_number(focus: Focus, evidence: Evidence, beside: Evidence) -> bool:
    """Whether the title, headings or introduction of an evidence have a number that one item of another list has."""
    return any(match_text(tuple(_find_places(focus, beside)), _get_text_around(evidence)))


def _list_naming_numbers(focus: Focus) -> tuple[str, ...]:
    """Return the numbers and codes of a question that name a thing: not "1000 EUR", "100 guests" or "16GB"."""
    words = split_words(split_subject(focus.question)[0])
    naming: list[str] = []
    for before, word, after in zip((None, *words), words, (*words[1:], None), strict=False):
        if not word.folded.isdigit():
            is_name = has_digit(word.folded) and not _AMOUNT.fullmatch(word.folded)
        else:
            follows_name = before is not None and before.is_content and before.folded not in _OF_AMOUNT
            is_next = before is not None and before.folded in _AND and bool(naming)
            is_name = (follows_name or is_next) and not (after and (after.is_content or find_quantity(after.folded)))
        naming += [word.folded] if is_name else []
    return tuple(word for word in find_words_with_digits(focus) if _NAMING_NUMBER.fullmatch(word) and word in naming)


def _get_text_around(evidence: Evidence) -> str:
    context = evidence.context
    return " ".join((context.title, *context.heading_path, context.before))


def _refers_to_others(items: Sequence[str], index: int) -> bool:
    """Whether an item refers to another one: "It …", "as E102", "see above"."""
    if begins_with_reference(strip_marker(items[index])) or _REFERS.search(items[index]):
        return True
    codes = tuple(term for term in split_terms(items[index]) if _NAMING_NUMBER.fullmatch(term))
    others = [_get_beginning(item) for at, item in enumerate(items) if at != index]
    return any(map(any, match_texts(codes, others)))
