"""Enumerations in running text: "First … Second … Lastly …", "(A) … (B) …", "4.1) … 4.2) …", paragraphs with paths.

Pages have lists as sentences or paragraphs as well as with bullets. A question that asks for several things is answered
by all items, and not by as many as fit into a passage of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile

from core.answering.extractive.quoting.lines import find_line_starts, join_parts
from core.answering.extractive.quoting.whole_sections import SAME_EVIDENCE, find_section_parts, identify_unit
from core.answering.extractive.units import ScoredUnit, Unit
from core.model import Evidence, RankedEvidence
from core.text import count_words
from core.wording.focus import Focus
from core.wording.list_markers import read_label
from core.wording.quotations import Quotation

_WHOLE_WORDS = 150  # of items that are quoted with all their sentences
_WITH_LISTS_WORDS = 300  # of the first sentences of items with the lists below them
_MOST_ITEMS = 6  # of an enumeration in which several items fit; of a longer one only those that fit are shown
_SEVERAL, _SEVERAL_WITH_STEPS = 2, 3  # items that fit; if the best one has steps, the question may be about that one
_HOW = re.compile(r"(?i)\W*(?:how|wie)\b")
_ANY = 0  # the number of an item that may follow any other
_LAST = 6
# The words that begin an item: "Secondly, …". Those before a noun ("the second step") begin none.
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first firstly erstens",
            "second secondly zweitens",
            "third thirdly drittens",
            "fourth fourthly viertens",
            "fifth fifthly fünftens",
            "lastly finally schließlich",
        ),
        1,
    )
    for word in words.split()
}
_WORD = re.compile(r"[^\W\d_]{4,12}\b")
_PATH = re.compile(r"(?P<sign>[/$~@#])\w")


@dataclass(frozen=True, slots=True)
class _Item:
    """An item that begins at a part of a section. Items of one enumeration have one form and rising numbers."""

    at: int
    form: str
    number: int


def quote_enumeration(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Quotation]:
    """Quote the enumeration that the best unit announces, or of which several items fit; [] if there is none.

    Only for questions that ask for several things. "How do I …" asks for the steps of one item, not for several items.
    """
    if best.evidence.kind != "passage" or not (focus.wants_list or focus.answer_type == "number"):
        return []
    parts = find_section_parts(best.evidence, [*evidences, best.ranked])
    at_best = next(at for at, part in enumerate(parts) if identify_unit(part) == identify_unit(best))
    near = {identify_unit(unit) for unit in units if unit.score >= SAME_EVIDENCE * best.score}
    enumerations = _find_enumerations(parts)
    announced = next((each for each in enumerations if each[0].at == at_best + 1 and each[0].number <= 1), [])
    asks_how = bool(_HOW.match(focus.question))
    least = _SEVERAL_WITH_STEPS if announced else _SEVERAL
    for items in enumerations if focus.wants_list and not asks_how else ():
        fitting = [item for item in items if identify_unit(parts[item.at]) in near]
        if len(fitting) >= least and any(item.at == at_best for item in items):
            return _quote(parts, [], items if len(items) <= _MOST_ITEMS else fitting)
    is_whole = asks_how or not any(identify_unit(parts[item.at]) in near for item in announced)
    return _quote(parts, [at_best], announced) if announced and is_whole else []


def quote_enumeration_of(block: Evidence, evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Quote the enumeration of which one item introduces a list; [] if none does.

    Under a heading with "(A) …:", a list, "(B) …:" and another list, no list alone is what the heading names.
    """
    parts = find_section_parts(block, evidences)
    at = next((at for at, part in enumerate(parts) if part.evidence.evidence_id == block.evidence_id), 0)
    found = (items for items in _find_enumerations(parts) if any(item.at == at - 1 for item in items))
    return next((_quote(parts, [], items) for items in found), [])


# ------------------------------------------------------------------------------------------- finding


def _find_enumerations(parts: Sequence[Unit]) -> list[list[_Item]]:
    """Return the enumerations of a section, each with at least two items."""
    found: list[list[_Item]] = []
    open_of: dict[str, list[_Item]] = {}
    for item in _find_items(parts):
        items = open_of.get(item.form, [])
        if items and _follows(item, items[-1]):
            items.append(item)
        else:
            open_of[item.form] = [item]
            found.append(open_of[item.form])
    return [items for items in found if len(items) > 1]


def _follows(item: _Item, last: _Item) -> bool:
    is_last = item.form == "ordinal" and item.number == _LAST and last.number < _LAST
    return is_last or item.number in {_ANY, last.number + 1}


def _find_items(parts: Sequence[Unit]) -> Iterator[_Item]:
    starts = _find_starts(parts)
    for at, part in enumerate(parts):
        if part.evidence.kind != "passage":
            continue
        if word := _WORD.match(part.text):
            number = _ORDINALS.get(word[0].lower())
            if number:
                yield _Item(at, "ordinal", number)
        elif at in starts and (label := read_label(part.text)):
            yield _Item(at, *label)
        elif at in starts and (path := _PATH.match(part.text)):
            yield _Item(at, path["sign"], _ANY)


def _find_starts(parts: Sequence[Unit]) -> frozenset[int]:
    """Return the positions of the parts that begin a line or an evidence."""
    of_evidence = {part.evidence.evidence_id: find_line_starts(part.evidence) | {0} for part in parts}
    return frozenset(at for at, part in enumerate(parts) if part.index in of_evidence[part.evidence.evidence_id])


# ------------------------------------------------------------------------------------------- quoting


def _quote(parts: Sequence[Unit], before: Sequence[int], items: Sequence[_Item]) -> list[Quotation]:
    """Quote the items whole if they are short enough, else their first sentences, with their lists if these are."""
    starts = _find_starts(parts)
    begins = [item.at for item in items]
    paragraphs: list[int] = []
    lists: list[int] = []
    for at in begins:
        rest = range(at + 1, len(parts))
        paragraphs += takewhile(lambda each: each not in starts and each not in begins, rest)
        lists += takewhile(lambda each: parts[each].evidence.kind == "list", rest)
    first = sorted([*before, *begins])
    longer = (sorted({*first, *paragraphs, *lists}), sorted({*first, *lists}))
    limits = (_WHOLE_WORDS, _WITH_LISTS_WORDS)
    fitting = (each for each, most in zip(longer, limits, strict=True) if _count_words(parts, each) <= most)
    groups = groupby((parts[at] for at in next(fitting, first)), key=lambda part: part.evidence)
    return [_quote_parts(evidence, [part.index for part in some]) for evidence, some in groups]


def _count_words(parts: Sequence[Unit], positions: Sequence[int]) -> int:
    return sum(count_words(parts[at].text) for at in positions)


def _quote_parts(evidence: Evidence, indexes: Sequence[int]) -> Quotation:
    if evidence.kind == "list":
        lines = "\n".join(evidence.parts[index] for index in indexes)
        return Quotation(lines, evidence, lines)
    return Quotation(join_parts(evidence, indexes), evidence, join_parts(evidence, indexes, omission=""))
