"""Whole lists and sections: they answer a question that names only them, and nothing in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from core.answering.extractive.quoting.compose import quote_items, quote_list, quote_passage
from core.answering.extractive.units import ScoredUnit, Unit, is_code, put_first
from core.model import TABLE_KINDS, TEXT_KINDS, Evidence, RankedEvidence
from core.reading.lists import find_whole_list
from core.reading.words import has_same_noun, split_words
from core.text import count_words
from core.wording.content_words import select_content_words
from core.wording.focus import Focus, asks_for_one
from core.wording.list_markers import strip_marker
from core.wording.quotations import Quotation
from core.wording.word_matches import match_text, split_terms

SAME_EVIDENCE = 0.9  # of the best unit's score: for a second sentence of the same evidence to be shown with it
_AS_GOOD = 0.95  # of the best unit's score: for the list that a question asks for to come first
_ASKS_ALL = re.compile(
    r"(?i)\b(?:which|what) (?:(?!are|do|does|is|was|were|has|have|can)[\w-]+ ){0,2}?"
    r"(?P<plural>(?!does)\w{3,}(?<![su])s)\b"
    r"|\bwelche(?P<things>(?:\W{1,2}\w+){1,3})"
)
_STEP = re.compile(r"\d+\. ")
_WORDS_OF_STEP = 2  # of the question, that only the step has
SURELY = 3.0  # in log-odds: a unit that is rated so high answers almost certainly
_SECTION_WORDS = 60  # a longer section is too long for an answer
_NAMED_SECTION_WORDS = 200  # of a section that the question only names
_ABOUT_HEADINGS = (
    0.5  # of the question's words in title and headings: with fewer it asks about something in the section
)
_NAMES_HEADINGS = 0.65  # of the question's words in title and headings: from here on it only names a section
_QUESTION_WORDS = frozenset(
    ["what", "when", "where", "who", "why", "how", "which", "was", "wann", "wo", "wer", "warum", "wie", "welche"]
)
_NEAR = 0.65  # of the best evidence's score: below it the same heading belongs to an unrelated page


def wants_whole_list(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> bool:
    """Whether the whole list is the answer: its heading or introduction says what is asked for, not one item."""
    if not focus.wants_list:
        return False
    if _STEP.match(best.text):  # one step of several does not answer "how do I"
        return not asks_for_step(focus, best, units)
    evidence = best.evidence
    introduction = " ".join((*evidence.context.heading_path[-1:], evidence.context.before))
    in_introduction = sum(match_text(focus.words, introduction))
    in_item = sum(match_text(focus.words, best.text))
    siblings = sum(1 for unit in units[:4] if unit.ranked is best.ranked)
    return in_introduction >= in_item or siblings >= 2


def asks_for_step(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> bool:
    """Whether a question is for one step: it has words that no other text of the section has, and likely answers.

    "How do I register the box again after flashing it?" in "How to flash a box": "5. Register the box again: …".
    """
    context = best.evidence.context
    others = [context.title, *context.heading_path, context.before]
    others += [part for at, part in enumerate(best.evidence.parts) if at != best.index]
    in_step = match_text(focus.words, best.text)
    elsewhere = match_text(focus.words, "\n".join(others))
    own = sum(here == 1 > there for here, there in zip(in_step, elsewhere, strict=True))
    siblings = (unit for unit in units if unit.ranked is best.ranked and unit is not best)
    is_clear = all(unit.score <= SAME_EVIDENCE * best.score for unit in siblings)
    return own >= _WORDS_OF_STEP and best.rating >= SURELY and is_clear


def put_named_lists_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front a unit of the list or table of all things that the question asks for.

    The heading or introduction of the list names these things. The unit has to match nearly as well as the best one:
    "Which towers do we have?" is not answered by a text on towers.
    """
    asked = _ASKS_ALL.search(focus.question)
    if asked and asked["things"] and asks_for_one(focus.question, asked.start()):
        return list(units)
    things = (asked["plural"] or asked["things"]) if asked else ""
    named = {word.folded for word in split_words(things) if word.is_content}
    near = [unit for unit in units if named and unit.score >= _AS_GOOD * units[0].score]
    first = next((unit for unit in near if _is_list_of(unit, named)), None)
    return put_first(first, units)


def _is_list_of(unit: ScoredUnit, named: set[str]) -> bool:
    context = unit.evidence.context
    introduction = " ".join((*context.heading_path[-1:], context.before))
    is_list = unit.evidence.kind == "list" or unit.evidence.kind in TABLE_KINDS
    return is_list and any(has_same_noun(word.folded, named) for word in split_words(introduction))


def find_named_section(
    focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Quotation]:
    """Quote the list or short section that the question asks for by its heading; [] if no good evidence is one."""
    ranked = {unit.evidence.evidence_id: unit.ranked for unit in units}
    near = _NEAR * max(item.score for item in ranked.values())
    in_best = sum(match_text(focus.words, units[0].text))
    named = [
        (_count_heading_words(focus, item.evidence), item)
        for item in ranked.values()
        if item.score >= near
        and (focus.wants_list or _has_same_question_word(focus, item.evidence))
        and _share_in_headings(focus, item.evidence) >= _ABOUT_HEADINGS
    ]
    # A single unit that has more of the question's words than the heading is a better answer.
    wanted = [pair for pair in named if pair[0] and (focus.wants_list or pair[0] >= in_best)]
    wanted.sort(key=lambda pair: (-pair[0], pair[1].evidence.kind != "list", pair[1].rank))
    quoted = (_quote_whole_section(focus, item.evidence, evidences) for _, item in wanted)
    return next(filter(None, quoted), [])


def _count_heading_words(focus: Focus, evidence: Evidence) -> int:
    """Return the number of a heading's words in the question; 0 if not all are, unless a list's heading covers it."""
    words = select_content_words(_get_last_heading(evidence))
    matched = sum(1 for match in match_text(words, focus.question) if match)
    covers = evidence.kind == "list" and bool(focus.words) and all(match_text(focus.words, _get_last_heading(evidence)))
    return matched if matched == len(words) or covers else 0


def _share_in_headings(focus: Focus, evidence: Evidence) -> float:
    """Return the share of the question's words that are in the title or the headings."""
    headings = " ".join((evidence.context.title, *evidence.context.heading_path))
    return sum(map(bool, match_text(focus.words, headings))) / max(len(focus.words), 1)


def _has_same_question_word(focus: Focus, evidence: Evidence) -> bool:
    """Whether heading and question begin with the same question word: "What you wear", "Wann wir liefern"."""
    first = split_terms(_get_last_heading(evidence))[:1]
    return bool(first) and first[0] in _QUESTION_WORDS and first == split_terms(focus.question)[:1]


def _get_last_heading(evidence: Evidence) -> str:
    return strip_marker(evidence.context.heading_path[-1]) if evidence.context.heading_path else ""


def _quote_whole_section(focus: Focus, evidence: Evidence, evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    if evidence.kind == "list":
        return quote_list(find_whole_list(evidence, evidences))
    if evidence.kind != "passage":
        return []
    last = len(evidence.parts) - 1
    if evidence.parts[last].endswith(":") and evidence.context.after:
        return [quote_passage(evidence, [last])]
    if code := [index for index, part in enumerate(evidence.parts) if is_code(part)]:
        return [quote_passage(evidence, code)]
    leading = _find_leading_sentences(evidence)
    is_whole = len(leading) == last + 1 or _has_same_question_word(focus, evidence)
    return [quote_passage(evidence, leading)] if is_whole else []


def _find_leading_sentences(evidence: Evidence) -> list[int]:
    """Return the indexes of the first sentences of a passage, up to ``_SECTION_WORDS`` words."""
    words, leading = 0, [0]
    for index, part in enumerate(evidence.parts):
        words += count_words(part)
        if index and words <= _SECTION_WORDS:
            leading.append(index)
    return leading


def quote_section(
    focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]
) -> list[Quotation]:
    """Quote a section from the first unit that fits, or from its beginning if the question has no other words; else [].

    Where title and heading account for the question, the text of the section answers it, and no other section.
    """
    evidence = best.evidence
    in_headings = _share_in_headings(focus, evidence)
    if not _count_heading_words(focus, evidence) or in_headings < _NAMES_HEADINGS:
        return []
    parts = find_section_parts(evidence, [*evidences, best.ranked])
    near = {identify_unit(unit) for unit in units if unit is best or unit.score >= SAME_EVIDENCE * best.score}
    first = next(at for at, part in enumerate(parts) if identify_unit(part) in near)
    at_best = next(at for at, part in enumerate(parts) if identify_unit(part) == identify_unit(best))
    starts = [0, first, at_best] if in_headings == 1 else [first, at_best]
    begin = next(start for start in starts if _count_words(parts[start:at_best]) <= _NAMED_SECTION_WORDS / 2)
    ends = range(begin + 1, len(parts) + 1)
    end = max((end for end in ends if _count_words(parts[begin:end]) <= _NAMED_SECTION_WORDS), default=begin + 1)
    shown = [
        (evidence, [part.index for part in some])
        for evidence, some in groupby(parts[begin:end], key=lambda part: part.evidence)
    ]
    return [
        quote_passage(evidence, indexes) if evidence.kind == "passage" else quote_items(evidence, indexes)
        for evidence, indexes in shown
    ]


def identify_unit(part: Unit) -> tuple[str, int]:
    """Return a key that no other unit has."""
    return part.evidence.evidence_id, part.index


def _count_words(parts: Sequence[Unit]) -> int:
    return sum(count_words(part.text) for part in parts)


def find_section_parts(evidence: Evidence, evidences: Sequence[RankedEvidence]) -> list[Unit]:
    """Return the sentences and items of an evidence's section that are among the evidences, in their order."""
    found = {
        ranked.evidence.ordinal: ranked
        for ranked in evidences
        if ranked.evidence.kind in TEXT_KINDS and ranked.evidence.section_key == evidence.section_key
    }
    return [
        Unit(ranked, index, part)
        for _, ranked in sorted(found.items())
        for index, part in enumerate(ranked.evidence.parts)
    ]
