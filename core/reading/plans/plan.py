"""Plans: a question bound to a table or list."""

from __future__ import annotations

from dataclasses import dataclass

from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.measure import Measure
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.words import Word, fold_words, is_same_noun, split_words
from core.text import has_digit

_RANK_WEIGHT = 0.4
_STRENGTH_WEIGHT = 0.05
_NAMED_WEIGHT = 0.1
_MEANING_WEIGHT = 0.7
_CONTINUED_WEIGHT = 0.05


@dataclass(frozen=True, slots=True)
class Plan:
    """An operation on the rows of a relation.

    ``columns``: those that the question names. ``fit``: the share of the question's words, by weight, that the relation
    accounts for, 0 to 1; ``unbound``: the words that it does not account for. ``measure``: the column that is compared
    or added up. ``compared``: the conditions of the two rows that are compared, or of the ends of a range.
    ``target``: the column that says yes or no, or whose cells are compared as text. ``contradicts``: whether no row
    fulfils all conditions; ``lists_values``: whether that is because the question names two values of one column.
    ``meaning``: how well the relation matches the question by vectors, 0 to 1; ``is_meant``: whether clearly better
    than others, see :mod:`core.reading.plans.meaning`. ``distinct``: the column whose values are counted or
    listed, and not its rows.
    """

    question: RowQuestion
    relation: Relation
    conditions: tuple[Condition, ...]
    columns: tuple[str, ...]
    fit: float
    unbound: tuple[Word, ...]
    measure: Measure | None = None
    compared: tuple[Condition, ...] = ()
    target: str = ""
    contradicts: bool = False
    lists_values: bool = False
    meaning: float = 0.0
    is_meant: bool = False
    distinct: str = ""

    @property
    def operation(self) -> Operation:
        return self.question.operation

    @property
    def subject(self) -> tuple[Word, ...]:
        return self.question.subject

    @property
    def score(self) -> float:
        """Return the sort key of plans.

        The fit, the page's rank, and how sure it is that these are the rows asked for.
        """
        strength = max((min(condition.strength, 1.0) for condition in self.conditions), default=0.0)
        fit = self.fit + _RANK_WEIGHT / self.relation.rank
        named = _NAMED_WEIGHT * self._names_rows
        named += _CONTINUED_WEIGHT * self.relation.is_continued
        return fit + _STRENGTH_WEIGHT * strength + named + _MEANING_WEIGHT * self.meaning

    @property
    def free_numbers(self) -> frozenset[str]:
        """The numbers of the question that no condition binds: those that a header may have."""
        bound = {at for each in self.conditions for at in each.bound}
        free = (word.folded for at, word in enumerate(self.question.words) if at not in bound)
        return frozenset(filter(has_digit, free))

    @property
    def _names_rows(self) -> bool:
        """Whether the first column, or the whole heading of a table, is named after what is counted or listed."""
        header = {word.folded for word in split_words(self.relation.columns[0])} if self.relation.columns else set()
        heading = fold_words("".join(self.relation.heading_path[-1:])) if self.relation.kind == "table" else ()
        header.update(heading if len(heading) == 1 else ())
        return bool(self.subject) and any(is_same_noun(self.subject[-1].folded, name) for name in header)

    def find_rows(self) -> list[Row]:
        """Return the rows that fulfil all conditions, in their order."""
        return [row for row in self.relation.rows if fulfils(row, self.conditions)]
