"""Making an answer fit: first its long tables and code become shorter, then its text, each saying what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.slack.mrkdwn import Json, size
from adapters.slack.pieces import Piece, cut, total
from core.views.words import Words

MESSAGE = 11_000
"""Characters of all texts of a message together. Slack refuses about 12,000 and more (``msg_blocks_too_long``)."""

SECTION = 2_900
"""Characters of one text; Slack's limit is 3,000."""

CONTEXT = 1_900
"""Characters of one text in a context block; Slack's limit is 2,000."""

_LINES = 30  # of a table or of code, where there is room
_FEW_LINES = 10  # where there is not
_LINE = 300  # characters of code in a line, where there is no room


def fit_pieces(pieces: Sequence[Piece], room: int, words: Words, source: str) -> list[Piece]:
    """The pieces in at most so many characters. ``source``: a link to where the rest stands, "" if there is none."""
    shown = [shorter for piece in pieces for shorter in _shortened(piece, _LINES, words, source)]
    if total(shown) > room:
        shown = [shorter for piece in pieces for shorter in _shortened(piece, _FEW_LINES, words, source, _LINE)]
    if total(shown) <= room:
        return shown
    ending = goes_on(words, source)
    return [*_beginning(shown, room - total([ending]) - 20), ending]


def goes_on(words: Words, source: str) -> Piece:
    """Says that the text is longer than what is shown. ``source``: as for :func:`fitted`."""
    return Piece(" ".join(filter(None, (words.goes_on, source))))


def _shortened(piece: Piece, lines: int, words: Words, source: str, line: int = SECTION) -> Iterator[Piece]:
    """A table, or code, of at most so many lines, and then how many are left out."""
    if not piece.code:
        yield piece
        return
    lines += piece.table_head
    kept = [cut(text, line - 1) for text in piece.text.split("\n")]
    left = len(kept) - lines if len(kept) > lines + 1 else 0  # "1 more line" takes a line itself
    shown = "\n".join(text + ("…" if rest else "") for text, rest in kept[: len(kept) - left])
    yield replace(piece, text=shown)
    if left:
        sentence = (words.more_rows if piece.table_head else words.more_lines).format(count=left)
        yield Piece(" ".join(filter(None, (sentence, source))), tight=True)


def _beginning(pieces: Sequence[Piece], room: int) -> Iterator[Piece]:
    for piece in pieces:
        needed = total([piece])
        if needed > room:
            text, _ = cut(piece.text if piece.code else piece.bare or piece.text, max(room - 20, 1))
            if text:
                yield replace(piece, text=text, bare="")
            return
        room -= needed
        yield piece


def characters(blocks: Sequence[Json]) -> int:
    """Characters of all texts in blocks."""
    return sum(_characters(block) for block in blocks)


def _characters(value: object) -> int:
    if isinstance(value, dict):
        own = value.get("text")
        inside = sum(_characters(each) for key, each in value.items() if not (key == "text" and isinstance(own, str)))
        return inside + (size(own) if isinstance(own, str) else 0)
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return 0
