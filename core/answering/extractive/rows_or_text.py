"""Decides between rows that are counted or listed and a text that is rated clearly higher.

A question for rows is recognised by its form, as are some for a single value: "Which port does the daemon use?" asks
for no list of ports, and "How many schemes are supported?" may be answered by a sentence with the number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import ScoredUnit
from core.model import TABLE_KINDS, Evidence
from core.reading.plans.plan import Plan
from core.reading.questions.row_question import Operation
from core.reading.relations.rows import Row

_PLURAL = re.compile(r"(?i)(?:[^su]s|[a-zäöü]en|people)$")  # of most English nouns, and many German ones
_ALL = re.compile(r"(?i)\b(?:all|every|each|alle[nrs]?|jede[nrsm]?)\b")
_HIGHER = 2.4  # in log-odds
_NOT_COMPARED = -2.0  # rating of rows that match so badly that none was compared


def may_be_chance(plan: Plan) -> bool:
    """Whether rows may have been counted or listed only because they share words with a question for something else.

    A plan that accounts for all words is no chance if it counts, or if several things are asked for.
    """
    if not plan.operation.is_on_rows or plan.unbound:
        return plan.operation.is_on_rows
    names_several = bool(plan.subject) and bool(_PLURAL.search(plan.subject[-1].text))
    return not (plan.operation is Operation.COUNT or names_several or _ALL.search(plan.question.text))


def is_text_better(units: Sequence[ScoredUnit], rows: Sequence[Row]) -> bool:
    """Whether a unit likely answers, and is rated clearly higher than those of the tables and lists of the rows."""
    sources = {_get_source(ranked.evidence, part) for row in rows for ranked, part in row.sources}
    of_rows = [unit.rating for unit in units if _get_source(unit.evidence, unit.index) in sources]
    others = [unit.rating for unit in units if unit.rating and _get_source(unit.evidence, unit.index) not in sources]
    least = max(0.0, max(of_rows, default=_NOT_COMPARED) + _HIGHER)
    return bool(rows) and max(others, default=0.0) > least


def _get_source(evidence: Evidence, part: int) -> tuple[str, bool, int]:
    """Return the table or list of a row; of a list within a sentence, the sentence."""
    if evidence.structure is None:
        return evidence.evidence_id, False, part
    return evidence.page_id, evidence.kind in TABLE_KINDS, evidence.structure.block
