"""Steps: the one that a question asks for by its number, and procedures for questions how to do a thing.

"What about the second step?" is answered by that step, with the code and the items below it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.quoting.compose import quote_items
from core.answering.extractive.units import ScoredUnit, put_first
from core.model import RankedEvidence
from core.reading.lists import find_whole_list
from core.text import split_subject
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation
from core.wording.word_matches import match_text

_AS_GOOD = 0.95  # of the best unit's score
# Stems: German endings are read by the pattern of a question for a step.
_ORDINALS = (
    ("first", "1st", "erste"),
    ("second", "2nd", "zweite"),
    ("third", "3rd", "dritte"),
    ("fourth", "4th", "vierte"),
    ("fifth", "5th", "fünfte"),
    ("sixth", "6th", "sechste"),
    ("seventh", "7th", "siebte"),
    ("eighth", "8th", "achte"),
    ("ninth", "9th", "neunte"),
    ("tenth", "10th", "zehnte"),
)
_LAST = ("last", "final", "letzte")
_NUMBERS = {word: number for number, words in enumerate(_ORDINALS, start=1) for word in words}
_ASKS_STEP = re.compile(
    rf"(?i)\b(?:(?P<word>{'|'.join([*_NUMBERS, *_LAST])})[nrsm]?|(?P<before>[0-9]{{1,2}})\.)"
    r" (?:step|schritte?s?|punkte?s?)\b"
    r"|\b(?:step|schritt|punkt) (?:no\.? ?|nr\.? ?|number |nummer )?(?P<after>[0-9]{1,2})\b(?![.:]?[0-9])"
)
_ASKS_HOW = re.compile(
    r"(?i)\bhow (?:do|does|can|should|would|must) (?:i|we|you|one)\b|\bhow to\b|\bwhat to do\b"
    r"|\bwhat (?:do|should|must|can) (?:i|we) do\b|\bwie \w+ (?:ich|man|wir)\b"
    r"|\bwas (?:tun|mach(?:e|en|t)? (?:ich|man|wir)|muss ich tun|ist zu tun)\b"
)
_STEP = re.compile(r"(?P<number>\d+)\. ")


def quote_asked_step(focus: Focus, units: Sequence[ScoredUnit], evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Quote the step that a question asks for by its number, of the procedure that matches best; [] without one."""
    found = _ASKS_STEP.search(split_subject(focus.question)[0])
    best = next((unit for unit in units if found and _is_step(unit)), None)
    if not found or not best:
        return []
    steps = {
        match["number"]: (piece, index)
        for piece in find_whole_list(best.evidence, evidences)
        for index, part in enumerate(piece.parts)
        if (match := _STEP.match(part))
    }
    word = (found["word"] or "").lower()
    number = found["before"] or found["after"] or str(_NUMBERS.get(word, ""))
    asked = steps.get(list(steps)[-1] if word in _LAST else number)
    return [quote_items(asked[0], [asked[1]])] if asked else []


def put_steps_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front a step of a procedure, if the question asks how to do a thing.

    The procedure has to match nearly as well as the best unit, and to have as many of the question's own words.
    """
    question = split_subject(focus.question)[0]
    if not _ASKS_HOW.search(question) or not units or _is_step(units[0]):
        return list(units)
    own = select_content_words(question)
    in_best = _count_words(own, units[0].text, units[0])
    near = (unit for unit in units if unit.score >= _AS_GOOD * units[0].score and _is_step(unit))
    first = next((unit for unit in near if _count_words(own, unit.evidence.text, unit) >= in_best), None)
    return put_first(first, units)


def _is_step(unit: ScoredUnit) -> bool:
    return unit.evidence.kind == "list" and bool(_STEP.match(unit.text))


def _count_words(words: tuple[str, ...], text: str, unit: ScoredUnit) -> float:
    context = unit.evidence.context
    return sum(match_text(words, " ".join((context.title, *context.heading_path, context.before, text))))
