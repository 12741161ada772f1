"""Whole lists and sections, which answer a question that names them and nothing that is in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from core.answering.extractive.compose import Statement, list_items, passage, whole_list
from core.answering.extractive.units import ScoredUnit, Unit, is_code, without_marker
from core.answering.focus import Focus, content_words, terms, word_matches
from core.model import Evidence, RankedEvidence
from core.text import count_words

SAME_EVIDENCE = 0.9  # of the best unit's score: a second sentence of the same evidence is shown with it
PROSE = frozenset(["passage", "list"])
_STEP = re.compile(r"\d+\. ")
_SECTION_WORDS = 60  # a longer section is too long for an answer
_NAMED_SECTION_WORDS = 200  # of a section that the question only names
_ABOUT_PLACE = 0.5  # of the question's words: fewer are in title and heading where it asks for something in there
_NAMES_PLACE = 0.65  # of the question's words: so many are in title and heading if it only names a section
_QUESTION_WORDS = frozenset(
    ["what", "when", "where", "who", "why", "how", "which", "was", "wann", "wo", "wer", "warum", "wie", "welche"]
)
_NEAR = 0.65  # of the best evidence's score: below it the same heading is another page's


def wants_whole_list(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> bool:
    """Whether the list as a whole is the answer: its heading or introduction says what is asked for, not one item."""
    if not focus.wants_list:
        return False
    if _STEP.match(best.unit.text):  # one step of several does not answer "how do I"
        return True
    evidence = best.unit.ranked.evidence
    introduction = " ".join((*evidence.context.heading_path[-1:], evidence.context.before))
    in_introduction = sum(word_matches(focus.words, introduction))
    in_item = sum(word_matches(focus.words, best.unit.text))
    siblings = sum(1 for unit in units[:4] if unit.unit.ranked is best.unit.ranked)
    return in_introduction >= in_item or siblings >= 2


def find_named_section(focus: Focus, units: Sequence[ScoredUnit]) -> Statement | None:
    """The list or short section that the question asks for by its heading, if it is among the best evidences."""
    ranked = {unit.unit.ranked.evidence.evidence_id: unit.unit.ranked for unit in units}
    near = _NEAR * max(item.score for item in ranked.values())
    in_best = sum(word_matches(focus.words, units[0].unit.text))
    named = [
        (_count_heading_words(focus, item.evidence), item)
        for item in ranked.values()
        if item.score >= near
        and (focus.wants_list or _asks_alike(focus, item.evidence))
        and _share_in_place(focus, item.evidence) >= _ABOUT_PLACE
    ]
    # A single unit that has more of the question's words than the heading is a better answer.
    wanted = [pair for pair in named if pair[0] and (focus.wants_list or pair[0] >= in_best)]
    wanted.sort(key=lambda pair: (-pair[0], pair[1].evidence.kind != "list", pair[1].rank))
    return next((whole for _, item in wanted if (whole := _whole_section(focus, item))), None)


def _count_heading_words(focus: Focus, evidence: Evidence) -> int:
    """The number of words of a heading in the question, if all are in it, or if a list's heading has all of its."""
    words = content_words(_heading(evidence))
    matched = sum(1 for match in word_matches(words, focus.question) if match)
    covers = evidence.kind == "list" and bool(focus.words) and all(word_matches(focus.words, _heading(evidence)))
    return matched if matched == len(words) or covers else 0


def _share_in_place(focus: Focus, evidence: Evidence) -> float:
    """The share of the question's words that stand in the title or the headings."""
    place = " ".join((evidence.context.title, *evidence.context.heading_path))
    return sum(map(bool, word_matches(focus.words, place))) / max(len(focus.words), 1)


def _asks_alike(focus: Focus, evidence: Evidence) -> bool:
    """Whether the heading begins with the question word of the question: "What you wear", "Wann wir liefern"."""
    first = terms(_heading(evidence))[:1]
    return bool(first) and first[0] in _QUESTION_WORDS and first == terms(focus.question)[:1]


def _heading(evidence: Evidence) -> str:
    return without_marker(evidence.context.heading_path[-1]) if evidence.context.heading_path else ""


def _whole_section(focus: Focus, ranked: RankedEvidence) -> Statement | None:
    evidence = ranked.evidence
    if evidence.kind == "list":
        return whole_list(ranked)
    if evidence.kind != "passage":
        return None
    last = len(evidence.parts) - 1
    if evidence.parts[last].endswith(":") and evidence.context.after:
        return passage(ranked, [last])
    if code := [index for index, part in enumerate(evidence.parts) if is_code(part)]:
        return passage(ranked, code)
    leading = _leading_sentences(evidence)
    return passage(ranked, leading) if len(leading) == last + 1 or _asks_alike(focus, evidence) else None


def _leading_sentences(evidence: Evidence) -> list[int]:
    """The indexes of the first sentences of a passage, as many as make one answer."""
    words, leading = 0, [0]
    for index, part in enumerate(evidence.parts):
        words += count_words(part)
        if index and words <= _SECTION_WORDS:
            leading.append(index)
    return leading


def quote_section(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Statement]:
    """A section from the first unit on that fits, or the whole one if the question has no other words; else none.

    Where title and heading account for the question, what follows in the section answers it, and no other place.
    """
    evidence = best.unit.ranked.evidence
    in_place = _share_in_place(focus, evidence)
    if not _count_heading_words(focus, evidence) or in_place < _NAMES_PLACE:
        return []
    parts = _parts_of_section(best, evidences)
    near = {_place_of(unit.unit) for unit in units if unit is best or unit.score >= SAME_EVIDENCE * best.score}
    first = next(at for at, part in enumerate(parts) if _place_of(part) in near)
    at_best = next(at for at, part in enumerate(parts) if _place_of(part) == _place_of(best.unit))
    starts = [0, first, at_best] if in_place == 1 else [first, at_best]
    begin = next(start for start in starts if _count_words(parts[start:at_best]) <= _NAMED_SECTION_WORDS / 2)
    ends = range(begin + 1, len(parts) + 1)
    end = max((end for end in ends if _count_words(parts[begin:end]) <= _NAMED_SECTION_WORDS), default=begin + 1)
    shown = [
        (ranked, [part.index for part in some])
        for ranked, some in groupby(parts[begin:end], key=lambda part: part.ranked)
    ]
    return [
        passage(ranked, indexes) if ranked.evidence.kind == "passage" else list_items(ranked, indexes)
        for ranked, indexes in shown
    ]


def _place_of(part: Unit) -> tuple[str, int]:
    return part.ranked.evidence.evidence_id, part.index


def _count_words(parts: Sequence[Unit]) -> int:
    return sum(count_words(part.text) for part in parts)


def _parts_of_section(best: ScoredUnit, evidences: Sequence[RankedEvidence]) -> list[Unit]:
    """The sentences and items of the best unit's section, as far as they are among the evidences, in their order."""
    found = {
        ranked.evidence.ordinal: ranked
        for ranked in (*evidences, best.unit.ranked)
        if ranked.evidence.kind in PROSE and section_of(ranked.evidence) == section_of(best.unit.ranked.evidence)
    }
    return [
        Unit(ranked, index, part)
        for _, ranked in sorted(found.items())
        for index, part in enumerate(ranked.evidence.parts)
    ]


def section_of(evidence: Evidence) -> tuple[str, tuple[str, ...]]:
    return evidence.page_id, evidence.context.heading_path
