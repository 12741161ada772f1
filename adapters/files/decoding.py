"""Bytes of a text file to text."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes
from charset_normalizer.constant import IANA_SUPPORTED

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED_FROM = 20_000  # bytes
_WESTERN_SHARE = 0.2  # of bytes above ASCII in Western European text, at most; others have more

# Codecs are modules, and none can be loaded any more when a file is read.
for _name in IANA_SUPPORTED:
    codecs.lookup(_name)


def decode(content: bytes) -> str:
    """The text: by its mark, as UTF-8, or as what it looks like. Short Western texts look like anything, so these are
    told by how few of their bytes are above ASCII.
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
