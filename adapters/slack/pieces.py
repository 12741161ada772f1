"""A message's text in pieces, and how it is cut where Slack's limits want it: never in a link or an entity."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.slack.mrkdwn import break_fences, fence, size

_ATOM = re.compile(r"<[^<>]*>|&(?:amp|lt|gt);|.", re.DOTALL)
_LINK = re.compile(r"<[^<>|]*\|([^<>]*)>")
_SENTENCE_ENDS = ".!?:;…"


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph, a line of a list, a block of code: escaped.

    ``bare``: the same without bold and italics, which a cut would leave open; "" if there are none. ``tight``: it
    follows on the next line, not after an empty one. ``code``: its text goes between fences. ``table_head``: how many
    lines a table's head has, 0 for other code.
    """

    text: str
    bare: str = ""
    tight: bool = False
    code: bool = False
    table_head: int = 0

    @property
    def shown(self) -> str:
        """As it stands in a message."""
        return fence(self.text) if self.code else break_fences(self.text)

    @property
    def spoken(self) -> str:
        """Without markup, as it is read out; links are still links."""
        return self.text if self.code else break_fences(self.bare or self.text)


def fits(text: str, limit: int) -> bool:
    """Whether a text has at most so many characters."""
    return len(text) <= limit and size(text) <= limit


def cut(text: str, limit: int) -> tuple[str, str]:
    """An escaped text's beginning of at most ``limit`` characters, and the rest: "" if it fits.

    Cut at a line's end, else at a sentence's, else at a space, if one of them leaves at least half. The beginning is ""
    where not even the first link or character fits.
    """
    if fits(text, limit):
        return text, ""
    end = total = 0
    breaks = {"line": 0, "sentence": 0, "space": 0}
    for atom in _ATOM.finditer(text):
        total += size(atom[0])
        if total > limit:
            break
        end = atom.end()
        if atom[0] == "\n":
            breaks["line"] = end
        elif atom[0] == " ":
            breaks["sentence" if text[atom.start() - 1] in _SENTENCE_ENDS else "space"] = end
    at = next((found for found in breaks.values() if found >= end / 2), end)
    return text[:at].rstrip(), text[at:].lstrip(" \n") if at else text


def chunks(piece: Piece, limit: int) -> Iterator[str]:
    """A piece as it is shown, in texts of at most ``limit`` characters; code has fences around each."""
    if fits(piece.shown, limit):
        yield piece.shown
        return
    rest = break_fences(piece.text if piece.code else piece.bare or piece.text)
    while rest:
        if piece.code:
            begun, rest = _cut_code(rest, limit - len(fence("")))
            yield fence(begun)
        else:
            begun, rest = cut(rest, limit)
            yield begun


def _cut_code(text: str, limit: int) -> tuple[str, str]:
    """As :func:`cut`, but whole lines, whose indentation stays."""
    if fits(text, limit):
        return text, ""
    end = total = line = 0
    for atom in _ATOM.finditer(text):
        total += size(atom[0])
        if total > limit:
            break
        end = atom.end()
        line = end if atom[0] == "\n" else line
    at = line or end
    return text[:at].removesuffix("\n"), text[at:]


def pack_pieces(pieces: Sequence[Piece], limit: int) -> list[str]:
    """The pieces joined to as few texts as they fit into, none of them blank."""
    texts: list[str] = []
    after_code = False
    for piece in pieces:
        for at, chunk in enumerate(chunks(piece, limit)):
            if not visible(chunk):
                continue
            between = "\n" if piece.tight or piece.code or after_code else "\n\n"
            if texts and not at and size(texts[-1]) + size(between) + size(chunk) <= limit:
                texts[-1] += between + chunk
            else:
                texts.append(chunk)
            after_code = piece.code
    return texts


def visible(text: str) -> bool:
    """Whether there is anything to see in a text: Slack refuses blank ones."""
    return any(not character.isspace() and unicodedata.category(character) != "Cf" for character in text)


def total(pieces: Sequence[Piece]) -> int:
    """Characters that the pieces take."""
    return sum(size(piece.shown) + 2 for piece in pieces)


def remove_links(text: str) -> str:
    """Escaped text with the words of its links in their place."""
    return _LINK.sub(r"\1", text)
