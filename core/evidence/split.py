"""Sentence boundaries, and the packing of long evidence into pieces that end at one."""

from __future__ import annotations

import re

_ABBREVIATIONS = {
    "e.g", "i.e", "etc", "vs", "cf", "approx", "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "fig", "sec", "inc", "ltd",
    "z.b", "d.h", "u.a", "bzw", "ca", "ggf", "evtl", "inkl", "exkl", "zzgl", "usw", "abs", "bspw", "vgl", "o.ä", "s.o", "s.u",
    "i.d.r", "max", "min", "std", "tel", "str", "hr", "fr", "jan", "feb", "aug", "sept", "okt", "oct", "nov", "dez", "dec",
}  # fmt: skip
_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=[\"'“„(\[]*[^\W_a-z])")
_ORDINAL = re.compile(r"(^|\s)\d{1,2}\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, verbatim, in order; line breaks end a sentence, code fences stay whole."""
    if "```" in text:
        return [part for piece in _outside_fences(text) for part in piece]
    return [sentence for line in text.split("\n") for sentence in _sentences_of_line(line)]


def _outside_fences(text: str) -> list[list[str]]:
    pieces = re.split(r"(```.*?\n```)", text, flags=re.DOTALL)
    return [
        [piece] if piece.startswith("```") else sentences(piece.replace("```", "")) for piece in pieces if piece.strip()
    ]


def _sentences_of_line(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for boundary in _END.finditer(line):
        candidate = line[start : boundary.start()].rstrip()
        if not _ends_in_abbreviation(candidate):
            found.append(line[start : boundary.end()].strip())
            start = boundary.end()
    found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _ends_in_abbreviation(text: str) -> bool:
    if not text.endswith("."):
        return False
    last = text.split()[-1].lower().lstrip("(\"'„“[").rstrip(".") if text.split() else ""
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()) or bool(_ORDINAL.search(text))


def pack(parts: list[str], limit: int) -> list[list[str]]:
    """Groups parts, in order, so that each group has at most ``limit`` characters; no part is lost.

    A part that is longer than the limit by itself is cut at line, sentence or, last, word boundaries.
    """
    groups: list[list[str]] = []
    size = limit + 1
    for part in parts:
        for piece in [part] if len(part) <= limit else cut(part, limit):
            if size + len(piece) > limit:
                groups.append([])
                size = 0
            groups[-1].append(piece)
            size += len(piece) + 1
    return groups


def cut(text: str, limit: int) -> list[str]:
    """Cuts one long text into pieces of at most ``limit`` characters, at the best boundary before it."""
    if text.startswith("```") and text.endswith("```"):
        return _cut_code(text, limit)
    pieces: list[str] = []
    while len(text) > limit:
        window = text[: limit + 1]
        at = max(window.rfind("\n"), *(window.rfind(mark) + 1 for mark in (". ", "; ", ", and ")))
        if at < limit // 3:
            at = window.rfind(" ")
        if at < limit // 3:
            at = limit
        pieces.append(text[:at].strip())
        text = text[at:].strip()
    return [piece for piece in (*pieces, text) if piece]


def _cut_code(text: str, limit: int) -> list[str]:
    fence, _, rest = text.partition("\n")
    body = rest.removesuffix("```").rstrip("\n")
    room = max(limit - len(fence) - 5, limit // 2)
    return [f"{fence}\n{group}\n```" for group in _line_groups(body, room)]


def _line_groups(body: str, room: int) -> list[str]:
    lines = [line[at : at + room] for line in body.split("\n") for at in range(0, max(len(line), 1), room)]
    groups, size = [""], 0
    for line in lines:
        if size and size + len(line) + 1 > room:
            groups.append("")
            size = 0
        groups[-1] += f"\n{line}" if size else line
        size += len(line) + 1
    return [group for group in groups if group.strip()]
