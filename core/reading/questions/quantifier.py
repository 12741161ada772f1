"""Finds "any", "all" and "any other … besides A and B" in a yes-or-no question: the verdict needs several rows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from core.reading.words import NUMBER_WORDS, Word, split_words


class Quantifier(StrEnum):
    """Of which rows or values a yes-or-no question asks whether something is true."""

    ANY = "any"
    ALL = "all"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantifier. ``following``: the words after it, which begin with what is meant ("vendors").

    ``count``: of "all four", else 0. ``besides``: the names that "other" leaves out, each as its words.
    """

    quantifier: Quantifier
    following: tuple[Word, ...]
    count: int = 0
    besides: tuple[tuple[str, ...], ...] = ()


_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBER_WORDS)})"
_ALL = re.compile(
    rf"(?i)\b(?:all|alle[nr]?)\b(?: of)?(?: (?:the|der|die|den))?(?: {_COUNT}\b)?|\b(?:every|jede[rsnm]?)\b"
)
_ANY = re.compile(r"(?i)\b(?:any|irgendeine?[rsnm]?|irgendwelche[rsnm]?)\b(?: of (?:the|these|those))?")
_OTHER = re.compile(r"(?i)\b(?:any other|other|(?:noch )?(?:andere|weitere)[rsnm]?)\b")
_BESIDES = re.compile(
    r"(?i)\b(?:besides|apart from|other than|in addition to|neben|abgesehen von) (?P<names>[^?;.]{1,100}?)"
    r"(?=\s*[?;.]|\s+(?:in|on|at|for|during|of|im|am|bei|beim|für|noch|any|andere[rsnm]?|weitere[rsnm]?)\b|\s*$)"
)
_BETWEEN_NAMES = re.compile(r" ?, ?(?:and |or |und |oder )?| (?:and|or|und|oder) ")
_NOT_PASSED = re.compile(r"(?i)\b(?:not pass(?:ed)?|nicht bestanden)\b")


def take_quantity(text: str) -> tuple[Quantity | None, str]:
    """Return the quantifier of a yes-or-no question and the text without it; None if there is not exactly one.

    "Any … not passed" is read as "any … failed".
    """
    if excluded := _BESIDES.search(text):
        rest = f"{text[: excluded.start()]} {text[excluded.end() :]}"
        listed = " ".join(excluded["names"].split())
        names = (split_words(name) for name in _BETWEEN_NAMES.split(listed))
        besides = tuple(tuple(word.folded for word in name) for name in names)
        return _take(Quantifier.OTHER, _OTHER, rest, besides) if all(besides) else (None, text)
    found = [(Quantifier.ALL, _ALL), (Quantifier.ANY, _ANY)]
    having = [pair for pair in found if pair[1].search(text)]
    if len(having) != 1:
        return None, text
    return _take(*having[0], _NOT_PASSED.sub("failed", text) if having[0][0] is Quantifier.ANY else text)


def _take(
    quantifier: Quantifier, pattern: re.Pattern[str], text: str, besides: tuple[tuple[str, ...], ...] = ()
) -> tuple[Quantity | None, str]:
    found = list(pattern.finditer(text))
    if len(found) != 1:
        return None, text
    [match] = found
    written = (match.groupdict().get("count") or "").lower()
    count = int(NUMBER_WORDS.get(written, written) or 0)
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    return Quantity(quantifier, split_words(text[match.end() :]), count, besides), rest
