"""Finds sentence boundaries, and cuts long texts at them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_ABBREVIATIONS = {
    "e.g", "eg", "i.e", "ie", "etc", "vs", "cf", "approx", "dr", "mr", "mrs", "ms", "prof", "st", "inc", "ltd", "dept",
    "z.b", "d.h", "u.a", "u.u", "bzw", "ca", "ggf", "evtl", "inkl", "exkl", "zzgl", "usw", "bspw", "vgl", "o.ä", "s.o",
    "s.u", "i.d.r", "i.a", "v.a", "std", "tel", "str", "hr", "fr", "ing", "dipl", "mio", "mrd", "sog", "gem", "geb",
    "mme", "mlle", "p.ex", "sra", "srta", "pág", "núm", "tél",
    "jan", "feb", "aug", "sept", "okt", "oct", "nov", "dez", "dec",
}  # fmt: skip
# Abbreviations only before a number, because they also end sentences ("The answer is no.").
_BEFORE_NUMBERS = set("no nr fig sec abs abb art kap max min p pp s vol ver v".split())
_END = re.compile(
    r"(?<=[.!?…])[\"'”’“»)\]]*+\s++(?=[\"'“„«(\[¿¡]*(?:[^\W_a-z]|[\ud800-\udfff]))"  # a surrogate marks a person
    # Chinese and Japanese: no space follows, and hiragana after a quotation continues the sentence.
    r"|(?<=[。！？])(?:[」』）】”]++(?![\u3041-\u309f])|(?![」』）】”]))\s*+(?=\S)"
)
_ORDINAL = re.compile(r"(^|\s)\d{1,2}\.$")
_FENCE = re.compile(r"(?m)^(`{3,})[^\n`]*$")
_LONGEST_ABBREVIATION = 60  # characters, including brackets and quotes before it
_SENTENCE_ENDS = tuple(".!?…。！？;")
_LABEL = re.compile(r":(\s|$)|：")
_NUMBERED = re.compile(r"\d+[.)]\s")
_LONGEST_STATEMENT = 300  # characters of a statement on several lines


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text verbatim, in order. Line breaks end sentences; fenced code stays whole."""
    return [
        sentence
        for piece, is_code in _split_at_code(text)
        for sentence in ([piece] if is_code else (s for line in piece.split("\n") for s in _split_line(line)))
    ]


def split_lines(text: str) -> list[list[str]]:
    """Return the lines of a text without code, each as its sentences; a statement on several lines is one sentence.

    A line goes on after a line that ends without a mark if it does not look like an item of the same list: "The code
    is" before "4711", a street before a postal code. A label ("Password:") goes with the line after it, unless more
    lines follow that have no label of their own.
    """
    lines: list[list[str]] = []
    for line in filter(None, map(split_sentences, text.split("\n"))):
        if not (lines and _is_continuation(lines[-1][-1], line[0]) and _join(lines[-1], line)):
            lines.append(line)
    found: list[list[str]] = []
    for index, line in enumerate(lines):
        is_only = index + 1 == len(lines) or bool(_LABEL.search(lines[index + 1][0]))
        if not (found and is_only and join_label(found[-1], line)):
            found.append(line)
    return found


def join_label(before: list[str], line: list[str]) -> bool:
    """Add a line to the one before it if that ends with a label and the line has none. Returns whether it did."""
    return before[-1].endswith((":", "：")) and not _LABEL.search(line[0]) and _join(before, line)


def _join(before: list[str], line: list[str]) -> bool:
    joined = f"{before[-1]}\n{line[0]}"
    if len(joined) > _LONGEST_STATEMENT:
        return False
    before[-1:] = [joined, *line[1:]]
    return True


def _is_continuation(before: str, line: str) -> bool:
    is_open = not before.rstrip("\"'”’“»)]*").endswith(_SENTENCE_ENDS) and not _LABEL.search(before + "\n" + line)
    is_other_kind = before[0].isupper() and (line[0].islower() or line[0].isdigit())
    return is_open and is_other_kind and not _NUMBERED.match(line)


def _split_at_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces, each with whether it is fenced code."""
    start = 0
    for first, last in _find_fenced_code(text):
        yield text[start:first].strip("\n"), False
        yield text[first:last], True
        start = last
    yield text[start:].strip("\n") if start else text, False


def _find_fenced_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of code between two fences of equal length, the second without a language."""
    if "```" not in text:
        return
    fences = [(found.start(), found.end(), len(found[1])) for found in _FENCE.finditer(text)]
    ends: dict[int, list[tuple[int, int]]] = {}  # possible closing fences by length, the last one first
    for start, end, length in reversed(fences):
        if end - start == length:
            ends.setdefault(length, []).append((start, end))
    done = 0
    for start, _, length in fences:
        closing = ends.get(length, [])
        while closing and closing[-1][0] <= start:
            closing.pop()
        if start >= done and closing:
            done = closing[-1][1]
            yield start, done


def _split_line(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for boundary in _END.finditer(line):
        end = boundary.start()
        candidate = line[max(start, end - _LONGEST_ABBREVIATION) : end].rstrip()
        if not _continues(candidate, line[boundary.end() : boundary.end() + 1]):
            found.append(line[start : boundary.end()].strip())
            start = boundary.end()
    found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _continues(text: str, following: str) -> bool:
    """Whether the final full stop belongs to an abbreviation or an ordinal number ("am 3. Mai")."""
    if not text.endswith("."):
        return False
    last = text.rsplit(None, 1)[-1].lower().lstrip("(\"'„“[").rstrip(".")
    if last in _BEFORE_NUMBERS:
        return following.isdigit()
    return last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()) or bool(_ORDINAL.search(text[-4:]))


def shorten(text: str, limit: int) -> str:
    """Return the text, cut to ``limit`` characters."""
    return text if len(text) <= limit else f"{text[: limit - 2].rstrip()} …"


def split_part(part: str, limit: int) -> list[str]:
    """Return the part, cut into pieces if it exceeds the limit."""
    return [part] if len(part) <= limit else cut(part, limit)


def group_lengths(lengths: Sequence[int], limit: int) -> list[range]:
    """Group indexes into ranges whose lengths, plus one separator between two, total at most ``limit``."""
    groups: list[range] = []
    start, size = 0, 0
    for index, length in enumerate(lengths):
        if index > start and size + length > limit:
            groups.append(range(start, index))
            start, size = index, 0
        size += length + 1
    return [*groups, range(start, len(lengths))] if lengths else []


def cut(text: str, limit: int) -> list[str]:
    """Cut a long text into pieces of at most ``limit`` characters, at the best boundary before the limit."""
    cuts = (
        _cut_code(piece, limit) if is_code and len(piece) > limit else [piece] if is_code else _cut_text(piece, limit)
        for piece, is_code in _split_at_code(text)
    )
    return [piece for pieces in cuts for piece in pieces if piece]


def _cut_text(text: str, limit: int) -> list[str]:
    pieces: list[str] = []
    text, start = text.strip(), 0
    while len(text) - start > limit:
        window = text[start : start + limit + 1]
        at = max(window.rfind("\n"), *(window.rfind(mark) + 1 for mark in (". ", "; ", ", and ", "。")))
        if at < limit // 3:
            at = window.rfind(" ")
        if at < limit // 3:
            at = limit
        pieces.append(window[:at].strip())
        start += at
    return [*pieces, text[start:].strip()]


def _cut_code(text: str, limit: int) -> list[str]:
    first, _, rest = text.partition("\n")
    body, _, fence = rest.rpartition("\n")
    room = max(limit - len(first) - len(fence) - 2, limit // 2)
    return [f"{first}\n{group}\n{fence}" for group in _group_lines(body, room)]


def _group_lines(body: str, room: int) -> list[str]:
    lines = [line[at : at + room] for line in body.split("\n") for at in range(0, max(len(line), 1), room)]
    groups = (
        "\n".join(lines[index] for index in group) for group in group_lengths([len(line) for line in lines], room)
    )
    return [group.strip("\n") for group in groups if group.strip()]
