"""Plain text: paragraphs between empty lines."""

from __future__ import annotations

import re

from adapters.files.decoding import decode
from adapters.files.markup import FileUnreadable, Markup

_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")
_MOST_CONTROLS = 0.1  # of characters; a file with more is no text


def read(content: bytes, markup: Markup) -> str:
    """Reads a text; returns what is wrong with it, "" if nothing."""
    text = read_text(content)
    for paragraph in _EMPTY_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        markup.paragraph(paragraph)
    return ""


def read_text(content: bytes) -> str:
    """The text of a file. Raises FileUnreadable where it has none."""
    text = decode(content)
    start = text[:10_000]
    controls = sum(1 for sign in start if sign < " " and sign not in "\t\n\r\f")
    if controls > _MOST_CONTROLS * len(start):
        raise FileUnreadable("cannot be read: it is of another kind than its name says.")
    if not text.strip():
        raise FileUnreadable("has no text.")
    return text
