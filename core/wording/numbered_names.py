"""Names with a number, of which others differ in the number only: "Rook 4", "rc2", "version 9.0"."""

from __future__ import annotations

import re

from core.text import is_stopword

NUMBERED_NAME = re.compile(r"(?<![^\W_])(?P<name>[^\W\d_]+)[ _.-]?(?P<number>\d+(?:\.\d+)*)(?![^\W_])")


def list_numbers_of_names(text: str) -> dict[str, set[str]]:
    """Return the numbers by the name before each, joined ones with the name: {"rook": {"4"}, "rc": {"rc2"}}."""
    numbers: dict[str, set[str]] = {}
    for found in NUMBERED_NAME.finditer(text.lower()):
        if not is_stopword(found["name"]):
            joined = found.end("name") == found.start("number")
            numbers.setdefault(found["name"], set()).add(found[0] if joined else found["number"])
    return numbers
