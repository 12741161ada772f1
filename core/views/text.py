"""Texts as chat platforms take them: without control characters, measured and cut in UTF-16 code units."""

from __future__ import annotations

import re
import unicodedata

from core.text import remove_unencodable

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # bidirectional controls can make a text read differently


def clean(text: str) -> str:
    """Remove characters that no message can contain or that reorder text, and normalise line ends to newlines."""
    return _BREAKS.sub("\n", _REORDERING.sub("", remove_unencodable(text)))


def collapse_spaces(text: str) -> str:
    """Clean a text and collapse its white space to single spaces."""
    return " ".join(clean(text).split())


def count_units(text: str) -> int:
    """Return the length as platforms count it, in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def shorten(text: str, limit: int) -> str:
    """Cut a text to ``limit`` UTF-16 units, with "…" at its end if it was cut."""
    if len(text) <= limit and count_units(text) <= limit:
        return text
    wide = text[: limit - 1].encode("utf-16-le", "surrogatepass")
    return wide[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def make_caption(text: str, limit: int) -> str:
    """Return a text as a title or the label of a button: one line of at most ``limit`` UTF-16 units, never empty."""
    return shorten(collapse_spaces(text), limit) or "…"


def surround(text: str, mark: str) -> str:
    """Put marks around a text on one line, inside of its surrounding white space; none around an empty text."""
    inner = text.strip()
    if not inner:
        return text
    before, _, after = text.partition(inner)
    return f"{before}{mark}{inner}{mark}{after}"


def is_visible(text: str) -> bool:
    """Whether a text contains visible characters."""
    return any(not character.isspace() and unicodedata.category(character) != "Cf" for character in set(text))
