"""Plans and results: a question bound to a table or list, the computed result, and both as text and as SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.i18n import Message, message, plural
from core.model import TracedPlan
from core.reading.plans.conditions import Condition, fulfils
from core.reading.plans.measure import Measure
from core.reading.questions.limits import Comparison
from core.reading.questions.question import Operation, RowQuestion
from core.reading.relations.people import is_of_holders
from core.reading.relations.relation import Relation
from core.reading.relations.rows import DONE, ITEM, PAGE, SECTION, VALUE, Row
from core.reading.words import Word, fold_words, is_same_noun, split_words

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
    or added up. ``alternatives``: the conditions of the two rows that are compared, or of the ends of a range.
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
    alternatives: tuple[Condition, ...] = ()
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
    def _names_rows(self) -> bool:
        """Whether the first column, or the whole heading of a table, is named after what is counted or listed."""
        header = {word.folded for word in split_words(self.relation.columns[0])} if self.relation.columns else set()
        heading = fold_words("".join(self.relation.heading_path[-1:])) if self.relation.kind == "table" else ()
        header.update(heading if len(heading) == 1 else ())
        return bool(self.subject) and any(is_same_noun(self.subject[-1].folded, name) for name in header)

    def find_rows(self) -> list[Row]:
        """Return the rows that fulfil all conditions, in their order."""
        return [row for row in self.relation.rows if fulfils(row, self.conditions)]


# ------------------------------------------------------------------------------------------ results


@dataclass(frozen=True, slots=True)
class Result:
    """``headline``: the first line of the answer. ``rows``: those that the result comes from; () if no row is close.

    ``is_open``: whether it leaves a yes-or-no question open. ``verdict``: whether it says yes or no, None for neither.
    """

    headline: Message
    rows: tuple[Row, ...]
    is_open: bool = False
    verdict: bool | None = None


def make_verdict(says_yes: bool, reason: Message | str, rows: Sequence[Row]) -> Result:
    """Return the result that begins with yes or no."""
    headline = message("Yes – {reason}", reason=reason) if says_yes else message("No – {reason}", reason=reason)
    return Result(headline, tuple(rows), verdict=says_yes)


def write_matching(plan: Plan, count: int) -> Message:
    """Return the first line of an answer with the rows that fulfil the conditions: "2 of 4 entries in …"."""
    return plural(
        "{count} of {total} entries in “{place}” matches {conditions}:",
        "{count} of {total} entries in “{place}” match {conditions}:",
        count,
        total=plan.relation.total,
        place=name_relation(plan.relation),
        conditions=name_conditions(plan),
    )


def name_relation(relation: Relation) -> str:
    """Return the name of a table or list: its last heading, else the title of its page."""
    return relation.heading_path[-1].rstrip(":") if relation.heading_path else relation.title


def name_conditions(plan: Plan) -> str:
    """Return the conditions of a plan as text."""
    named = [_name_condition(condition) for condition in plan.conditions]
    written = (each if isinstance(each, str) else each.render(plan.question.language) for each in named)
    return ", ".join(dict.fromkeys(written))


def _name_condition(condition: Condition) -> Message | str:
    """Return a condition as text: "Vendor: HP"."""
    if condition.column == DONE:
        is_done = condition.comparison is Comparison.POSITIVE
        return message("state: done") if is_done else message("state: open")
    match condition.comparison:
        case Comparison.POSITIVE:
            return message("{column}: yes", column=condition.column)
        case Comparison.NEGATIVE:
            return message("{column}: no", column=condition.column)
        case Comparison.MISSING if condition.is_negated:
            return message("{column}: given", column=condition.column)
        case Comparison.MISSING if is_of_holders(condition.column):
            return message("nobody under “{column}”", column=condition.column)
        case Comparison.MISSING:
            return message("no {column}", column=condition.column)
    named: Message | str = f"{condition.column}: {condition.value}"
    if condition.limit and condition.comparison is not Comparison.DURING:
        named = _name_limit(condition)
    elif condition.column in {ITEM, VALUE, SECTION}:
        named = message("“{value}”", value=condition.value)
    return message("not {condition}", condition=named) if condition.is_negated else named


def _name_limit(condition: Condition) -> Message | str:
    """Return a limit as text: "Price > €100", "Due before June 2026"."""
    values = {"column": condition.column, "value": condition.value}
    if not condition.is_on_dates:
        return f"{condition.column} {condition.comparison} {condition.value}"
    match condition.comparison:
        case Comparison.LESS:
            return message("{column} before {value}", **values)
        case Comparison.MORE:
            return message("{column} after {value}", **values)
        case Comparison.AT_MOST:
            return message("{column} until {value}", **values)
    return message("{column} from {value}", **values)


# ---------------------------------------------------------------------------------------------- SQL


def trace_plan(plan: Plan, rows: int) -> TracedPlan:
    """Return the plan as the turn's trace has it. ``rows``: the number of rows that the result comes from."""
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else []
    return TracedPlan(
        plan.operation.value,
        _describe_table(plan),
        tuple(_write_condition(each) for each in (*plan.conditions, *plan.alternatives)),
        tuple(dict.fromkeys((*plan.columns, *about))),
        rows,
        render_sql(plan),
    )


def render_sql(plan: Plan) -> str:
    """Return the plan as one SELECT statement."""
    parts = ["SELECT", _write_select(plan), "FROM", _quote_name(_describe_table(plan))]
    if where := _write_where(plan):
        parts += ["WHERE", " AND ".join(where)]
    return " ".join([*parts, *_write_order(plan)])


def _describe_table(plan: Plan) -> str:
    relation = plan.relation
    if PAGE in relation.columns:
        return f"tables of “{relation.title}”"
    name = name_relation(relation)
    return relation.title if name == relation.title else f"{name} on page {relation.title}"


def _write_select(plan: Plan) -> str:
    if plan.distinct:
        values = f"DISTINCT {_quote_name(plan.distinct)}"
        return f"COUNT({values})" if plan.operation is Operation.COUNT else values
    if plan.operation is Operation.COUNT:
        return "COUNT(*)"
    if plan.operation in {Operation.SUM, Operation.MEAN} and plan.measure:
        return f"{'SUM' if plan.operation is Operation.SUM else 'AVG'}({_quote_name(plan.measure.column)})"
    about = [plan.measure.column] if plan.measure else [plan.target] if plan.target else list(plan.columns)
    return ", ".join(_quote_name(column) for column in dict.fromkeys((*plan.relation.columns[:1], *about)))


def _write_where(plan: Plan) -> list[str]:
    if plan.distinct and any(each.is_negated for each in plan.conditions):
        return _write_denied(plan)
    conditions = [_write_condition(condition) for condition in plan.conditions]
    if plan.alternatives:
        first, last = plan.alternatives
        if plan.operation is Operation.SUM:
            conditions.append(
                f"{_quote_name(first.column)} BETWEEN {_quote_text(first.value)} AND {_quote_text(last.value)}"
            )
        else:
            conditions.append(f"({_write_condition(first)} OR {_write_condition(last)})")
    return conditions


def _write_denied(plan: Plan) -> list[str]:
    """Return the conditions for things of which no row states what is denied."""
    others = [_write_condition(each) for each in plan.conditions if not each.is_negated]
    denied = " OR ".join(
        _write_condition(replace(each, is_negated=False)) for each in plan.conditions if each.is_negated
    )
    column, table = _quote_name(plan.distinct), _quote_name(_describe_table(plan))
    inner = " AND ".join([*others, f"({denied})"])
    return [*others, " ".join([column, "NOT IN (SELECT", column, "FROM", table, "WHERE", f"{inner})"])]


def _write_order(plan: Plan) -> list[str]:
    if plan.measure is None or plan.operation not in {Operation.LARGEST, Operation.SMALLEST}:
        return []
    direction = ["DESC"] if plan.operation is Operation.LARGEST else []
    return ["ORDER BY", _quote_name(plan.measure.column), *direction, "LIMIT 1"]


def _write_condition(condition: Condition) -> str:
    column = _quote_name(condition.column)
    first, _, last = map(_quote_text, condition.value.partition("/"))
    match condition.comparison:
        case Comparison.POSITIVE:
            return f"{column} = 'yes'"
        case Comparison.NEGATIVE:
            return f"{column} = 'no'"
        case Comparison.MISSING if condition.is_negated:
            return f"({column} IS NOT NULL AND {column} <> 'no')"
        case Comparison.MISSING:
            return f"({column} IS NULL OR {column} = 'no')"
        case Comparison.IS:
            written = f"{column} = {_quote_text(condition.value)}"
        case Comparison.DURING if "/" in condition.value:  # stretches of days
            written = " AND ".join((f"{column} <= {last}", f"{column} >= {first}"))
        case Comparison.HAS | Comparison.DURING:
            written = f"{column} LIKE {_quote_text(f'%{condition.value}%')}"
        case _:
            written = f"{column} {condition.comparison} {_quote_text(condition.value)}"
    return f"NOT {written}" if condition.is_negated else written


def _quote_name(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _quote_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
