"""Plain text: decodes it, and splits it into paragraphs at empty lines."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes
from charset_normalizer.constant import IANA_SUPPORTED

from adapters.files.markup import FileUnreadable, Markup

_EMPTY_LINES = re.compile(r"\n[ \t]*\n\s*")
_MOST_CONTROLS = 0.1  # maximum share of control characters in text
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED_FROM = 20_000  # bytes
_WESTERN_SHARE = 0.2  # maximum share of bytes above ASCII in Western European text; other scripts have more

# Codecs are modules, which can no longer be loaded when a file is read.
for _name in IANA_SUPPORTED:
    codecs.lookup(_name)


def read(content: bytes, markup: Markup) -> str:
    """Read a text file, and return its defect, or ""."""
    text = read_text(content)
    for paragraph in _EMPTY_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        markup.add_paragraph(paragraph)
    return ""


def read_text(content: bytes) -> str:
    """Return the text of a file. Raises FileUnreadable if it has none."""
    text = decode(content)
    start = text[:10_000]
    controls = sum(1 for sign in start if sign < " " and sign not in "\t\n\r\f")
    if controls > _MOST_CONTROLS * len(start):
        raise FileUnreadable("cannot be read: it is of another kind than its name says.")
    if not text.strip():
        raise FileUnreadable("has no text.")
    return text


def decode(content: bytes) -> str:
    """Decode by byte order mark, as UTF-8, or in the most likely encoding.

    Detection is unreliable for short Western texts, so few bytes above ASCII are taken as Western.
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        above = len(content) - len(content.translate(None, bytes(range(128, 256))))
        if above <= _WESTERN_SHARE * len(content):
            return _decode_western(content)
    found = from_bytes(content[:_GUESSED_FROM]).best()
    return content.decode(found.encoding, "replace") if found else _decode_western(content)


def _decode_western(content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError:
        return content.decode("latin-1")
