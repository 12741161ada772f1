"""Finds the citations in a model's text, in the forms that models write, and what they stand for.

Each citation becomes one character, its mark, so that the text can be split into sentences as if it had none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text import STOPWORDS

CITING_WORD = r"(?:sources?|quellen?|evidences?|refs?\.?|references?|documents?|docs?|passages?|citations?)"
# Possessive repetitions (``*+``) do not backtrack, so the time is linear in the length of the text.
_NUMBER = rf"(?:{CITING_WORD}\s*+:?+\s*+)?[#№^]?+\s*+\d{{1,3}}+"
_NUMBERS = rf"{_NUMBER}(?:\s*+(?:,|;|&|/|-|–|—|and|und|to|bis)\s*+{_NUMBER})*+"
_CITATION = re.compile(
    rf"\[\s*+{_NUMBERS}\s*+\]|【\s*+{_NUMBERS}[^】]{{0,20}}】"
    rf"|\(\s*+{CITING_WORD}\s*+:?+\s*+\[?+\s*+{_NUMBERS}\s*+\]?+\s*+\)",
    re.IGNORECASE,
)
_RANGE_OR_NUMBER = re.compile(r"(\d{1,3}+)(?:\s*+(?:-|–|—|to|bis)\s*+[^\d\s]{0,10}+\s*+(\d{1,3}+))?+", re.IGNORECASE)
_MAX_RANGE = 20
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)

# For splitting into sentences each citation becomes one character of the private use area, which cleaned text lacks.
_FIRST_MARK, _MAX_CITATIONS = 0xE000, 6000
_MARK = "[\ue000-\uf7ff]"
_MARKS = rf"{_MARK}(?:(?:\s*+(?:[,;&]|and|und)){{0,2}}+\s*+{_MARK})*+"
_SPACED_MARKS = re.compile(rf"(?<!\s)\s*+{_MARKS}")
_ANY_MARK, _MARK_GROUP = re.compile(_MARK), re.compile(_MARKS)
_AFTER_STOP = re.compile(rf"([.!?…:。！？][\"'”’“»)]*+)((?:\s*+{_MARK})++)")
_IN_BRACKETS = re.compile(rf"\(\s*+(?:see|cf\.?|siehe|vgl\.?|{CITING_WORD})?\s*+:?+\s*+({_MARKS})\s*+\)", re.IGNORECASE)
_ACCORDING_TO = (
    r"(?:according to|as (?:stated|mentioned|described) in|laut|gemäß)\s++"
    rf"(?:the\s++|der\s++|den\s++)?(?:{CITING_WORD}\s++)?({_MARKS})"
)
_ACCORDING_FIRST = re.compile(rf"^(\s*+(?:[-*•]|\d++\.)?+\s*+){_ACCORDING_TO}\s*+,?+\s*+", re.IGNORECASE)
_ACCORDING_LAST = re.compile(rf"(?<=\w),?[ \t]{_ACCORDING_TO}(?=[.!?]?$)", re.IGNORECASE)
_WORD_BEFORE = re.compile(rf"(?<!\w)(\w++)\s++(?:{CITING_WORD}\s*+:?+\s*+)?+$", re.IGNORECASE)
_LOOK_BACK = 60  # characters
_CITATION_ENDS = ("]", "】", ")")
_NOTHING_FOLLOWS = re.compile(
    rf"(?:(?:\s*+(?:[,;&]|and|und)){{0,2}}+\s*+(?:{_CITATION.pattern}))*+\s*+(?:[.,;:!?)]|$)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with each citation as one mark before its sentence's full stop.

    ``cited``: the source numbers of each mark. ``cut_after``: the function word before a mark, where it lacks what
    belongs to it once the mark is taken out ("the limit is [1].", "according to [2]").
    """

    text: str
    cited: dict[str, tuple[int, ...]]
    cut_after: dict[str, str]


def mark_citations(text: str) -> MarkedText:
    """The text with its citations marked, but for those within code."""
    citations: dict[str, tuple[int, ...]] = {}
    cut_after: dict[str, str] = {}

    def mark(found: re.Match[str]) -> str:
        character = chr(_FIRST_MARK + len(citations) % _MAX_CITATIONS)
        citations[character] = tuple(_numbers(found.group()))
        if word := _find_cut_word(found):
            cut_after[character] = word
        return character

    pieces: list[str] = []
    start = 0
    for code in _CODE.finditer(text):
        pieces += [_CITATION.sub(mark, text[start : code.start()]), code.group()]
        start = code.end()
    marked = "".join([*pieces, _CITATION.sub(mark, text[start:])])
    return MarkedText("\n".join(_move_marks_inside(line) for line in marked.split("\n")), citations, cut_after)


def _find_cut_word(citation: re.Match[str]) -> str:
    """The function word that a citation completes as if it were a word of the sentence, "" if it only follows one.

    Function words go before what they belong to, so none is last in a sentence, unless the sentence is written so
    without its citation.
    """
    text = citation.string
    ahead = text[max(0, citation.start() - _LOOK_BACK) : citation.start()]
    before = _WORD_BEFORE.search(ahead)
    if before is None or ahead[: before.start()].rstrip().endswith(_CITATION_ENDS):
        return ""
    word = before[1].lower()
    return word if word in STOPWORDS and _NOTHING_FOLLOWS.match(text, citation.end()) else ""


def take_marks_out(sentence: str) -> str:
    """A sentence without its marks and what joins them."""
    return _SPACED_MARKS.sub("", sentence)


def marks_in(sentence: str) -> list[str]:
    """The marks of a sentence, in order."""
    return _ANY_MARK.findall(sentence)


def lead_with_marks(sentence: str) -> str:
    """A sentence in which marks stand for a phrase such as "According to [1]," without that phrase."""
    return _ACCORDING_LAST.sub(r"\1", _ACCORDING_FIRST.sub(r"\1\2", sentence))


def is_cut_at(sentence: str, mark: str, word: str) -> bool:
    """Whether the word still stands before the mark."""
    before = _WORD_BEFORE.search(sentence[: sentence.index(mark)].rstrip() + " ")
    return before is not None and before[1].lower() == word


def without_last_mark(block: str) -> str:
    """A line without the mark at its end."""
    shown = block.rstrip()
    return shown[:-1].rstrip() if _ANY_MARK.match(shown[-1:]) else block


def _move_marks_inside(line: str) -> str:
    """Moves marks before the full stop of their sentence; in a line that begins with one, they precede it."""
    line = _IN_BRACKETS.sub(r"\1", line)
    if _ANY_MARK.match(line.lstrip()):
        return _move_marks_back(line)
    return _AFTER_STOP.sub(r"\2\1", line)


def _move_marks_back(line: str) -> str:
    """Moves each group of marks to the end of the sentence that follows it, before its full stop, if it has one."""
    groups = list(_MARK_GROUP.finditer(line))
    pieces = [line[: groups[0].start()]]
    for at, group in enumerate(groups):
        following = line[group.end() : groups[at + 1].start() if at + 1 < len(groups) else len(line)]
        said = following.rstrip()
        text, stop = said[:-1].lstrip(" \t\r\f\v\u00a0:"), said[-1:]
        if stop and stop in ".!?。！？" and text and text[-1] not in ".!?。！？":
            pieces += [text, group.group(), stop, following[len(said) :]]
        else:
            pieces += [group.group(), following]
    return "".join(pieces)


def _numbers(citation: str) -> Iterator[int]:
    for found in _RANGE_OR_NUMBER.finditer(citation):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from range(first, min(last, first + _MAX_RANGE) + 1) if last >= first else (first, last)
