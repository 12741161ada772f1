"""Verdicts by a set that a sentence enumerates: what is asked is one of it, or the set is complete and lacks it.

"A set of PCRs {0,1,2,3}" and "the three canary towers (Utrecht, Hamburg, Ghent)" are complete. "Guests can't talk to
anything" denies whatever is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.needed_words import (
    TextWords,
    UnitVerdict,
    find_missing_words,
    is_same_word,
    list_stated,
)
from core.answering.extractive.verdicts.yes_no_question import (
    CONDITIONS,
    DUTIES,
    NEGATIONS,
    SIMPLE_NEGATIONS,
    YesNoQuestion,
    is_stated,
)
from core.model import TABLE_KINDS
from core.reading.words import Word, split_words
from core.wording.list_markers import strip_marker

_ASKS_MEMBER = re.compile(
    r"(?i)^\W*(?:is|are|was|were|ist|sind|war|waren|gehört|gehören|zählt|zählen) (?P<thing>[^?]{1,80}?) "
    r"(?:one of|part of|among|a member of|in the (?:set|list|group) of|eine[rs]? (?:von|der)|teil (?:von|der|des)|unter"
    r"|zu)\b(?P<rest>[^?]*)"
)
_BRACED = re.compile(r"\{(?P<items>[^{}]{1,300})\}")
_COUNTED = re.compile(
    r"(?i)\b(?P<count>two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn"
    r"|[2-9]|1[0-9])\b[^:({.;]{1,60}(?:: ?|\()(?P<items>[^().;:]{3,300})"
)
_COUNTS = {
    name: number
    for number, names in enumerate(
        ("two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben", "eight acht", "nine neun",
         "ten zehn"), start=2,
    )
    for name in names.split()
}  # fmt: skip
_BETWEEN = re.compile(r"(?i),? (?:and|or|und|oder|sowie) |[,;]")
_OWN = 0.4  # share of the question's words that stand beside the set itself
_ANYTHING = frozenset("anything anyone anybody anywhere any nothing nobody none nichts niemand niemanden".split())
_NOTHING = frozenset("nothing nobody none nichts niemand niemanden".split())


def read_set_verdict(yes_no_question: YesNoQuestion, unit: ScoredUnit, page: str) -> UnitVerdict | None:
    """Return whether what is asked about is in the only set that a sentence, item or cell enumerates.

    ``page``: what else of the unit's page was found. It may have words of the question besides the set's own.
    """
    question = _ASKS_MEMBER.match(yes_no_question.text[yes_no_question.start :])
    said = strip_marker(_read_text(unit)).strip()
    own = TextWords.of(said)
    if question is None or "?" in said or own.folded & (NEGATIONS | CONDITIONS - yes_no_question.folded):
        return None
    sets = _list_sets(said)
    thing = [word for word in split_words(question["thing"]) if is_stated(word)]
    rest = list_stated(replace(yes_no_question, qualifier=(), words=split_words(question["rest"])))
    if len(sets) != 1 or not thing or not rest:
        return None
    if any(own.has(word) for word in thing if not word.folded[0].isdigit()):
        rest = rest[1:]  # "PCR 16 is one of the registers": the set is of PCRs
    unknown = find_missing_words(yes_no_question, rest, own, TextWords.of(page))
    is_about = sum(own.has(word) for word in rest) >= _OWN * len(rest)
    says = _is_member(thing, sets[0], own)
    return UnitVerdict(says, said, unit, (), "") if unknown == () and says is not None and is_about else None


def _read_text(unit: ScoredUnit) -> str:
    if unit.evidence.kind in TABLE_KINDS:
        return ": ".join(part for cell in unit.cells for part in cell if part)
    return unit.text


def _list_sets(text: str) -> Sequence[Sequence[str]]:
    """Return the sets in braces, else those after their number ("three towers: A, B and C")."""
    braced = [_split_items(found["items"]) for found in _BRACED.finditer(text)]
    counted: list[Sequence[str]] = []
    for found in _COUNTED.finditer(text):
        items = _split_items(found["items"])
        count = _COUNTS.get(found["count"].lower()) or int(found["count"])
        if len(items) == count:
            counted.append(items)
    return braced or counted


def _split_items(text: str) -> list[str]:
    return [item.strip() for item in _BETWEEN.split(text) if item.strip()]


def _is_member(thing: Sequence[Word], items: Sequence[str], said: TextWords) -> bool | None:
    """Return whether a thing is an item; None for a part of one, or for another thing than the items name."""
    names = [word for word in thing if word.is_name and word.folded[0].isdigit()]
    numbers = [split_words(item) for item in items]
    if all(len(words) == 1 and words[0].folded.isdigit() for words in numbers):
        kinds = [word for word in thing if word not in names]
        if len(names) != 1 or not all(said.has(word) for word in kinds):
            return None
        return any(words[0].folded == names[0].folded for words in numbers)
    same = [words for words in numbers if all(any(is_same_word(one, word) for word in words) for one in thing)]
    if same:
        return True
    is_part = any(
        any(is_same_word(one, word) for word in words) for one in thing for words in numbers if is_stated(one)
    )
    return None if is_part else False


# -------------------------------------------------------------------------------- denials of anything


def read_universal_denial(yes_no_question: YesNoQuestion, unit: ScoredUnit) -> UnitVerdict | None:
    """Return no if a short text below a heading denies for anything what is asked of what the heading names."""
    context, text = unit.evidence.context, strip_marker(unit.text).strip()
    heading = context.heading_path[-1] if context.heading_path else ""
    said, own = TextWords.of(heading), TextWords.of(text)
    denied = [word for word in own.words if word.folded in NEGATIONS]
    if not heading or unit.evidence.kind in TABLE_KINDS or not own.folded & _ANYTHING or len(denied) != 1:
        return None
    if denied[0].folded not in SIMPLE_NEGATIONS | _NOTHING or own.folded & CONDITIONS - yes_no_question.folded:
        return None
    stated = list_stated(yes_no_question)
    told = [word for word in own.words if is_stated(word) and word.folded not in NEGATIONS | _ANYTHING | DUTIES]
    named = [word for word in said.words if is_stated(word)]
    if not told or not named or not all(any(is_same_word(one, word) for word in stated) for one in (*told, *named)):
        return None
    return UnitVerdict(False, f"{heading}: {text}", unit, (), "")
