# ruff: noqa: E501, C901, RUF005 - lists of attacks; one branch a kind of item
"""Pumped strings: a short unit repeated between a prefix and a tail that makes a match fail.

Units are derived from the program: for each repetition in one of its regular expressions, examples of what it repeats,
with an example of what precedes it as the prefix; and single characters and tokens of every class, alone and in pairs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

CHARACTERS = tuple("aZé0 \n\t.,;:!?-–—_*`'\"“”„«»()[]{}<>|/\\@#&=+%~^$…•›‹№½€") + (
    "\r", "\x00", "\x1b", "\x1d", "\x1e", "\x1f", "\x7f", "\x85", "\u00a0", "\u00ad", "\u0301", "\u200b", "\u202e",
    "\u2028", "\ue000", "\ufeff", "\uff1c", "\U0001f600", "\U000e0041", "\ud800",
)  # fmt: skip
"""One of each class that any part of the program distinguishes."""

TOKENS = (
    "[1]", "[1] ", ". ", "1. ", "\n- ", "\n1. ", "| a ", "|-", "| - ", "```", "```\n", "\n```\n", "**", "**a", "__a ", "](", "[a](", "![",
    "[a](b)", "\n[", "\n> ", "> ", "\n\n", " \n", "\\", "\\*", "<a ", "<a>", "</a>", "<b a=", "<!--", "<![CDATA[", "<?", "<!A", "<p", "<p ",
    "<p><b>", "<script>", "<source ", "</source>", "<at>", "</at>", "<@U0000001>", "<!", "<#C", "a@", "@a", "a.b@", "a.", "a-", "www.",
    "http://", "https://a.", "//", "&amp;", "&#1;", "&", "&a", "%20", "e.g. ", "(see ", "(1", "[1, ", "[1-", "1.0", "1:", "in Table 1",
    "you ", "if you ", "the ", "source ", "answer ", "answers must ", "ignore ", "reply ", "[source 1", "a 1 ", "A b ", "Ab ", "and ",
    "\x1b[", "\x1b[0", "{{", "{{ ", "${", "ac:", "xox", "Bearer ", "a b", "word ", "Wort, ", "und ", "1/1 ", "aaaaaaaaaa ", "ä ö ", "e\u0301",
    "\U0001f600\u200d", "+1 ", "``", "` `", "~~", "*a_", "_a*", "[[", "]]", "()", "[](", "<<", ">>", "\n    ", "\n\t", "\n#", "\n===\n", "\n|a|\n|-|\n",
)  # fmt: skip

TAILS = ("", "\x00", "\n", "!", "]", ">", "a", " x", "\n\ud7ff?", "[1].")


@dataclass(frozen=True, slots=True)
class Attack:
    """A prefix, a unit that is repeated, and a tail."""

    prefix: str
    unit: str
    tail: str

    def text(self, length: int) -> str:
        """Return the attack with about ``length`` characters."""
        return self.prefix + self.unit * max(1, length // len(self.unit)) + self.tail

    def __str__(self) -> str:
        return f"{self.prefix!r} + {self.unit!r} x n + {self.tail!r}"


def general_attacks(tails: Sequence[str] = TAILS[:6]) -> Iterator[Attack]:
    """Yield characters and tokens, each with every tail, and after a letter."""
    for unit in (*CHARACTERS, *TOKENS):
        for tail in tails:
            yield Attack("", unit, tail)
        yield Attack("a", unit, "")


def paired_attacks() -> Iterator[Attack]:
    """Yield each pair of characters or tokens as a unit."""
    for one, other in itertools.permutations((*CHARACTERS, *TOKENS), 2):
        yield Attack("", one + other, "\x00")


def attacks_on(pattern: re.Pattern[str]) -> list[Attack]:
    """Yield attacks on the repetitions of one regular expression."""
    found: dict[tuple[str, str], None] = {}
    for prefix, units in _repetitions(parser.parse(pattern.pattern, pattern.flags), pattern.flags):
        for unit in units:
            if unit:
                found.setdefault((prefix, unit))
                found.setdefault(("", prefix + unit) if prefix else ("", unit))
    return [Attack(prefix, unit, tail) for prefix, unit in found for tail in TAILS]


Items = Sequence[tuple[Any, Any]]


def _repetitions(items: Items, flags: int, before: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield each repetition with an example of what precedes it; for two adjacent ones, also what both match."""
    for at, (kind, value) in enumerate(items):
        for inner in _inner(kind, value):
            yield from _repetitions(list(inner), flags, before)
        if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT) and value[1] > 8:
            yield before, list(dict.fromkeys(itertools.islice(_examples(list(value[2])), 12)))
        before += next(iter(_examples([items[at]])), "")


def _inner(kind: Any, value: Any) -> list[Any]:
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        return [value[2]]
    if kind is constants.SUBPATTERN:
        return [value[3]]
    if kind is constants.BRANCH:
        return list(value[1])
    if kind in (constants.ASSERT, constants.ASSERT_NOT):
        return [value[1]]
    if kind is constants.ATOMIC_GROUP:
        return [value]
    return []


def _examples(items: Items) -> Iterator[str]:
    """Return some matching texts, the shortest kinds first."""
    if not items:
        yield ""
        return
    (kind, value), *rest = items
    for first in itertools.islice(_examples_of(kind, value), 8):
        for other in itertools.islice(_examples(rest), 3):
            yield first + other


def _examples_of(kind: Any, value: Any) -> Iterator[str]:
    if kind is constants.LITERAL:
        yield chr(value)
    elif kind is constants.NOT_LITERAL:
        yield from (each for each in "a .\n" if ord(each) != value)
    elif kind is constants.ANY:
        yield from ("a", " ", ".")
    elif kind is constants.IN:
        yield from _of_class(value)
    elif kind in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
        least = max(1, value[0])
        for each in itertools.islice(_examples(list(value[2])), 8):
            yield each * min(least, 40)
        if value[0] == 0:
            yield ""
    elif kind is constants.SUBPATTERN:
        yield from _examples(list(value[3]))
    elif kind is constants.BRANCH:
        for branch in value[1]:
            yield from itertools.islice(_examples(list(branch)), 2)
    elif kind is constants.ATOMIC_GROUP:
        yield from _examples(list(value))
    else:
        yield ""


def _of_class(value: Any) -> Iterator[str]:
    """Return characters of a class, of different kinds."""
    for each in (*"a1 \n.-_:,<\"'(/|*`A\t", "\ue000", "\u00a0", "\u200b", "ä", "\x01"):
        if _in_class(value, each):
            yield each
    for kind, of in value:
        if kind is constants.RANGE:
            yield chr(of[0])
        elif kind is constants.LITERAL:
            yield chr(of)


_CATEGORIES = {
    constants.CATEGORY_DIGIT: r"\d", constants.CATEGORY_NOT_DIGIT: r"\D", constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S", constants.CATEGORY_WORD: r"\w", constants.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip


def _in_class(value: Any, character: str) -> bool:
    negated = bool(value) and value[0][0] is constants.NEGATE
    inside = any(_is(kind, of, character) for kind, of in value)
    return inside != negated


def _is(kind: Any, of: Any, character: str) -> bool:
    if kind is constants.LITERAL:
        return bool(ord(character) == of)
    if kind is constants.RANGE:
        return bool(of[0] <= ord(character) <= of[1])
    if kind is constants.CATEGORY:
        return bool(re.match(_CATEGORIES[of], character))
    return False
