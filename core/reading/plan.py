"""A plan: what a question asks of one table or list, bound to its columns."""

from __future__ import annotations

from dataclasses import dataclass

from core.reading.conditions import Condition, fulfils
from core.reading.measure import Measure
from core.reading.question import Operation, RowQuestion
from core.reading.relation import Relation, Row
from core.reading.words import Word, is_same_noun, words_of

_RANK_WEIGHT = 0.4
_STRENGTH_WEIGHT = 0.05
_NAMED_WEIGHT = 0.1
_MEANING_WEIGHT = 0.7


@dataclass(frozen=True, slots=True)
class Plan:
    """An operation on the rows of a relation.

    ``columns``: those that the question names. ``fit``: the share of the question's words, by weight, that the relation
    accounts for, 0 to 1; ``unbound``: the words that it does not account for. ``measure``: the column that is compared
    or added up. ``alternatives``: the conditions for the two rows that are compared, or that a range goes from and to.
    ``target``: the column that says yes or no, or whose cells are compared as text. ``contradicts``: no row fulfils all
    conditions; ``lists_values``: since the question names two values of one column. ``meaning``: how well the relation
    matches the question, 0 to 1; ``is_meant``: clearly better than others, see :mod:`core.reading.meaning`.
    """

    question: RowQuestion
    relation: Relation
    conditions: tuple[Condition, ...]
    columns: tuple[str, ...]
    fit: float
    unbound: tuple[Word, ...]
    measure: Measure | None = None
    alternatives: tuple[Condition, ...] = ()
    target: str = ""
    contradicts: bool = False
    lists_values: bool = False
    meaning: float = 0.0
    is_meant: bool = False

    @property
    def operation(self) -> Operation:
        return self.question.operation

    @property
    def subject(self) -> tuple[Word, ...]:
        return self.question.subject

    @property
    def score(self) -> float:
        """The fit, the rank of the page, and how certain it is that the rows are what is asked for."""
        strength = max((min(condition.strength, 1.0) for condition in self.conditions), default=0.0)
        fit = self.fit + _RANK_WEIGHT / self.relation.rank
        named = _NAMED_WEIGHT * self._names_rows
        return fit + _STRENGTH_WEIGHT * strength + named + _MEANING_WEIGHT * self.meaning

    @property
    def _names_rows(self) -> bool:
        """Whether the first column is called as what is counted or listed."""
        header = {word.folded for word in words_of(self.relation.columns[0])} if self.relation.columns else set()
        return bool(self.subject) and any(is_same_noun(self.subject[-1].folded, name) for name in header)

    def find_rows(self) -> list[Row]:
        """The rows that fulfil all conditions, in their order."""
        return [row for row in self.relation.rows if fulfils(row, self.conditions)]
