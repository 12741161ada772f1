"""Answers that are computed from a whole table or list: how many rows there are, and which.

A computed answer is given only where the plan accounts for the question: every name and number of it is bound, and what
is counted is what the rows are. Else the question is answered from sentences, as any other.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.answerer import citation
from core.answering.extractive.compose import replace_brackets
from core.i18n import Message, message, plural
from core.model import Answer, Citation, RankedEvidence
from core.reading.plan import Operation, Plan, Word, plan_question, words_of
from core.reading.relation import DONE, ITEM, SECTION, VALUE, Row, make_relations
from core.text import Language, language

_SHOWN_ROWS = 15
_SHOWN_CELLS = 6
_FEW = 2
_LONG_CELL_WORDS = 30
_COUNT_FIT, _LIST_FIT, _WHOLE_FIT = 0.3, 0.45, 0.65
_MOST_LISTED = 40
_STRONG = 0.8  # of a condition that makes up for a subject in other words, as in another language
_UNITS = frozenset(
    """day days hour hours minute minutes second seconds week weeks month months year years byte bytes kb mb gb tb
    percent euro euros dollar dollars times tag tage tagen stunde stunden minuten sekunden woche wochen monat monate
    monaten jahr jahre jahren prozent mal""".split()  # noqa: SIM905
)
"""What is measured and not counted: its number stands in the text."""
_ANY_ROW = frozenset(
    """item items entry entries row rows thing things point points eintrag einträge einträgen punkt punkte zeile
    zeilen""".split()  # noqa: SIM905
)
"""Words for a row or item of any kind."""


def compute_answer(question: str, evidences: Sequence[RankedEvidence]) -> Answer | None:
    """The computed answer, with the rows that it comes from; None where the question asks for none, or none is safe."""
    plan = find_plan(question, evidences)
    if plan is None:
        return None
    rows = rows_to_show(plan)
    return _write(plan, rows, language(question)) if rows else None


def rows_to_show(plan: Plan) -> list[Row]:
    """The rows that answer; none where that are too many to be what was asked for. Nested items count by condition."""
    rows = [row for row in plan.find_rows() if plan.conditions or row.depth == 0]
    return [] if plan.operation is Operation.LIST and len(rows) > _MOST_LISTED else rows


def find_plan(question: str, evidences: Sequence[RankedEvidence]) -> Plan | None:
    """The plan for a question; None where none accounts for it."""
    plan = plan_question(question, make_relations(evidences))
    return plan if plan and is_safe(plan) else None


def is_safe(plan: Plan) -> bool:
    """Whether the plan accounts for what the question asks."""
    if any(word.is_name for word in plan.unbound):
        return False
    strength = max((condition.strength for condition in plan.conditions), default=0.0)
    is_bound = any(word not in plan.unbound or word.folded in _ANY_ROW for word in plan.subject)
    if not is_bound and strength < _STRONG:
        return False
    if plan.operation is Operation.COUNT:
        if any(_is_measured(word) or _is_a_figure(plan, word) for word in plan.subject):
            return False
        if plan.conditions:
            return plan.fit >= _COUNT_FIT
        return plan.fit >= _WHOLE_FIT and all(word not in plan.unbound for word in plan.subject)
    if plan.conditions:
        return plan.fit >= _LIST_FIT
    return plan.relation.kind == "table" and plan.fit >= _WHOLE_FIT and not plan.unbound


def _is_measured(word: Word) -> bool:
    """Whether it is a unit, or a German compound with one ("Urlaubstage")."""
    return word.folded in _UNITS or any(len(unit) > 3 and word.folded.endswith(unit) for unit in _UNITS)


def _is_a_figure(plan: Plan, counted: Word) -> bool:
    """Whether a column has the number that is asked for, as "Patches: 12"."""
    for column in plan.columns:
        if counted.folded in {word.folded for word in words_of(column)}:
            values = [row.cells[column] for row in plan.relation.rows if column in row.cells]
            return sum(value.strip().isdigit() for value in values) > len(values) / 2
    return False


# ---------------------------------------------------------------------------------------- the answer


def _write(plan: Plan, rows: Sequence[Row], spoken: Language) -> Answer:
    numbers: dict[str, int] = {}
    quotes: dict[str, list[str]] = {}
    for row in rows[:_SHOWN_ROWS]:
        evidence = row.ranked.evidence
        numbers.setdefault(evidence.evidence_id, len(numbers) + 1)
        quotes.setdefault(evidence.evidence_id, []).append(evidence.parts[row.part])
    evidences = {row.ranked.evidence.evidence_id: row.ranked.evidence for row in rows}
    citations: list[Citation] = [
        citation(number, evidences[key], "\n".join(quotes[key])) for key, number in numbers.items()
    ]
    lines = [replace_brackets(_headline(plan, len(rows)).render(spoken))]
    for row in rows[:_SHOWN_ROWS]:
        shown = " ".join(_line(plan, row, len(rows) <= _FEW).split())
        lines.append(f"- {replace_brackets(shown)} [{numbers[row.ranked.evidence.evidence_id]}]")
    if len(rows) > _SHOWN_ROWS:
        lines.append(message("Showing {shown} of {total}.", shown=_SHOWN_ROWS, total=len(rows)).render(spoken))
    return Answer("\n".join(lines), answered=True, citations=tuple(citations))


def _headline(plan: Plan, count: int) -> Message:
    relation = plan.relation
    place = relation.heading_path[-1].rstrip(":") if relation.heading_path else relation.title
    total = relation.total
    if not plan.conditions:
        return plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", count, place=place)
    conditions = ", ".join(_condition(condition.column, condition.value) for condition in plan.conditions)
    return plural(
        "{count} of {total} entries in “{place}” matches {conditions}:",
        "{count} of {total} entries in “{place}” match {conditions}:",
        count,
        total=total,
        place=place,
        conditions=conditions,
    )


def _condition(column: str, value: str) -> str:
    return f"“{value}”" if column in {ITEM, VALUE, SECTION} else f"{column}: {value}"


def _line(plan: Plan, row: Row, few: bool) -> str:
    """The cells that name the row, then those that the question is about; all of ``few`` rows."""
    if plan.relation.kind == "list":
        section = row.cells.get(SECTION)
        return f"{section}: {row.cells[ITEM]}" if section and plan.conditions else row.cells[ITEM]
    about = [*plan.columns, *(condition.column for condition in plan.conditions)]
    names = [column for column in plan.relation.columns if column in row.cells][:2]
    wanted = [column for column in dict.fromkeys([*names, *about]) if column in row.cells and column != DONE]
    is_short = sum(len(value.split()) for value in row.cells.values()) <= _LONG_CELL_WORDS
    if few or (is_short and len(row.cells) <= _SHOWN_CELLS):
        wanted = list(row.cells)
    return " · ".join(
        row.cells[column] if column in {VALUE, SECTION} else f"{column}: {row.cells[column]}" for column in wanted
    )
