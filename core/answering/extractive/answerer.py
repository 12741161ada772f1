"""Extractive answering: the embedded default, which needs no language model.

An answer is made of whole sentences, list items and table rows, verbatim. What fits the question best is chosen by
its words, its vector, its rank and the kind of answer that is asked for; where the best does not fit well enough,
the answer is an honest "not found".
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from core.answering.answerer import not_found
from core.answering.extractive.choice import count_named_words, select_best, select_informative
from core.answering.extractive.compose import Statement, compose, statement, whole_list
from core.answering.extractive.sections import find_named_section
from core.answering.extractive.support import is_supported
from core.answering.extractive.units import ScoredUnit, place_of, score_units, units_of
from core.answering.focus import Focus, focus_of, word_matches
from core.answering.strip_instructions import for_people
from core.model import Answer, RankedEvidence
from core.ports import Embedder, TextListener
from core.trace import Tracer

_CLOSE = 0.93  # of the best unit's score: as good an answer
_BESIDE = 0.9  # a sentence of the same evidence: two that fit are read as one
_ALIKE = 0.85  # rows that answer the same question
_TIED = 0.98  # rows that the question does not tell apart
_TIED_SIMILARITY = 0.01
_TIED_ROWS = 3
_STEP = re.compile(r"\d+\. ")
_TABLE_NUMBER = re.compile(r"in Table \d+")
_MORE_OF_THE_SAME = 3
_ROWS = 5


class ExtractiveAnswerer:
    """Answers with the evidences' own words."""

    name = "extractive"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, or "not found" if the evidences do not hold it."""
        focus = focus_of(question)
        usable, _ = await asyncio.to_thread(for_people, evidences)
        units = await score_units(focus, units_of(usable), self._embedder)
        if not units or not is_supported(focus, units):
            return not_found()
        said = select_informative(focus, units)
        return compose(_statements(focus, said)) if said else not_found()


def _statements(focus: Focus, units: Sequence[ScoredUnit]) -> list[Statement]:
    section = find_named_section(focus, units)
    if section:
        return [section]
    best = select_best(focus, units)
    evidence = best.unit.ranked.evidence
    if evidence.kind == "list" and _wants_whole(focus, best, units):
        return [whole_list(best.unit.ranked)]
    if evidence.kind in {"table", "table_row"}:
        return [statement(focus, [unit]) for unit in _rows(focus, best, units)]
    close = [unit for unit in units if unit.score >= _CLOSE * best.score]
    same = [unit for unit in units if unit.unit.ranked is best.unit.ranked and unit.score >= _BESIDE * best.score]
    first = statement(focus, same[:_MORE_OF_THE_SAME])
    elsewhere = (unit for unit in close if unit.unit.ranked.evidence.page_id != evidence.page_id)
    other = next((unit for unit in elsewhere if not _lacks_a_number(focus, unit, best)), None)
    second = statement(focus, [other]) if other else None
    return [first, second] if second and second.text not in first.text else [first]


def _lacks_a_number(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    """Whether a unit lacks a year or version that the question names and the best one has: another one is meant."""
    numbers = tuple(word for word in focus.words if any(character.isdigit() for character in word))
    has, lacks = (word_matches(numbers, f"{place_of(item.unit)} {item.unit.text}") for item in (best, unit))
    return any(there and not missing for there, missing in zip(has, lacks, strict=True))


def _rows(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The best row; more of its table where a list is wanted and they fit alike, or where nothing tells them apart."""
    table = [unit for unit in units if _table(unit) == _table(best)]
    if focus.wants_list:
        rows = [unit for unit in table if unit.own >= _ALIKE * best.own and unit.score >= _ALIKE * best.score]
        return _first(best, rows, _ROWS)
    tied = [unit for unit in table if best.own and _is_tied(focus, unit, best)]
    return _first(best, tied, _TIED_ROWS)


def _is_tied(focus: Focus, unit: ScoredUnit, best: ScoredUnit) -> bool:
    return (
        unit.own >= _TIED * best.own
        and unit.similarity >= best.similarity - _TIED_SIMILARITY
        and count_named_words(focus, unit) == count_named_words(focus, best)
    )


def _first(best: ScoredUnit, rows: Sequence[ScoredUnit], limit: int) -> list[ScoredUnit]:
    return [best, *(unit for unit in rows if unit is not best)][:limit]


def _table(unit: ScoredUnit) -> tuple[str, str]:
    """The table that a row stands in: its page, and the number in its verbalisation."""
    found = _TABLE_NUMBER.search(unit.unit.text)
    return (unit.unit.ranked.evidence.page_id, found[0] if found else "")


def _wants_whole(focus: Focus, best: ScoredUnit, units: Sequence[ScoredUnit]) -> bool:
    """Whether the list as a whole is the answer: its heading or introduction says what is asked for, not one item."""
    if not focus.wants_list:
        return False
    if _STEP.match(best.unit.text):  # one step of several answers no "how do I"
        return True
    evidence = best.unit.ranked.evidence
    introduction = " ".join((*evidence.context.heading_path[-1:], evidence.context.before))
    about = sum(word_matches(focus.words, introduction))
    item = sum(word_matches(focus.words, best.unit.text))
    siblings = sum(1 for unit in units[:4] if unit.unit.ranked is best.unit.ranked)
    return about >= item or siblings >= 2
