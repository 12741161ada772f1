"""Finds the citations in a model's text, in the forms that models write.

Each citation is replaced by one character, its mark, so that the text can be split into sentences as if it had none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.reading.values import find_quantity
from core.text import STOPWORDS

CITING_WORD = r"(?:sources?|quellen?|evidences?|refs?\.?|references?|documents?|docs?|passages?|citations?)"
# Possessive quantifiers (``*+``) do not backtrack, so the time is linear in the length of the text.
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

# Marks are characters of the private use area, which cleaned text does not have.
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
_MORE_CITATIONS = rf"(?:(?:\s*+(?:[,;&]|and|und)){{0,2}}+\s*+(?:{_CITATION.pattern}))*+"
_WORD_AFTER = re.compile(rf"{_MORE_CITATIONS}[ \t]*+([€$£%]|[^\W\d_]{{3,15}}+)", re.IGNORECASE)
_LOOK_BACK = 60  # characters
_CITATION_ENDS = ("]", "】", ")")
_NOTHING_FOLLOWS = re.compile(rf"{_MORE_CITATIONS}\s*+(?:[.,;:!?)]|$)", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in which each citation is one mark before its sentence's full stop.

    ``cited``: the source numbers of each mark. ``cut_after``: the word before a mark that stands for a word of the
    sentence, by mark ("the limit is [1].", "according to [2]", "costs [2] euros").
    """

    text: str
    cited: dict[str, tuple[int, ...]]
    cut_after: dict[str, str]


def mark_citations(text: str) -> MarkedText:
    """Return the text with its citations marked, except those within code."""
    citations: dict[str, tuple[int, ...]] = {}
    cut_after: dict[str, str] = {}

    def mark(found: re.Match[str]) -> str:
        character = chr(_FIRST_MARK + len(citations) % _MAX_CITATIONS)
        citations[character] = tuple(_read_numbers(found.group()))
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
    """Return the word that a citation follows as if it were a word of the sentence; "" if it is none.

    A function word needs a word after it, so a sentence that ends with one lacks the citation as its last word. A unit
    needs a number before it ("costs [2] euros").
    """
    text = citation.string
    ahead = text[max(0, citation.start() - _LOOK_BACK) : citation.start()]
    before = _WORD_BEFORE.search(ahead)
    if before is None or ahead[: before.start()].rstrip().endswith(_CITATION_ENDS):
        return ""
    word = before[1].lower()
    if word in STOPWORDS and _NOTHING_FOLLOWS.match(text, citation.end()):
        return word
    unit = _WORD_AFTER.match(text, citation.end())
    return word if unit and find_quantity(unit[1]) and not word.isdecimal() else ""


def strip_marks(sentence: str) -> str:
    """Return a sentence without its marks and the words that join them."""
    return _SPACED_MARKS.sub("", sentence)


def find_marks(sentence: str) -> list[str]:
    """Return the marks of a sentence, in order."""
    return _ANY_MARK.findall(sentence)


def strip_attribution(sentence: str) -> str:
    """Return a sentence without phrases that attribute it to marks, such as "According to [1],"; the marks stay."""
    return _ACCORDING_LAST.sub(r"\1", _ACCORDING_FIRST.sub(r"\1\2", sentence))


def is_cut_at(sentence: str, mark: str, word: str) -> bool:
    """Whether the word is directly before the mark."""
    before = _WORD_BEFORE.search(sentence[: sentence.index(mark)].rstrip() + " ")
    return before is not None and before[1].lower() == word


def strip_last_mark(block: str) -> str:
    """Return a line without the mark at its end."""
    shown = block.rstrip()
    return shown[:-1].rstrip() if _ANY_MARK.match(shown[-1:]) else block


def _move_marks_inside(line: str) -> str:
    """Move marks before the full stop of their sentence; in a line that begins with a mark, marks precede sentences."""
    line = _IN_BRACKETS.sub(r"\1", line)
    if _ANY_MARK.match(line.lstrip()):
        return _move_marks_back(line)
    return _AFTER_STOP.sub(r"\2\1", line)


def _move_marks_back(line: str) -> str:
    """Move each group of marks to the end of the sentence that follows it, before its full stop if it has one."""
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


def _read_numbers(citation: str) -> Iterator[int]:
    for found in _RANGE_OR_NUMBER.finditer(citation):
        first, last = int(found[1]), int(found[2] or found[1])
        yield from range(first, min(last, first + _MAX_RANGE) + 1) if last >= first else (first, last)
