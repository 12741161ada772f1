"""Writes a computed result: its first line, and the rows that it comes from, each cited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from core.i18n import message, plural
from core.languages import Language
from core.model import Answer, Citation, Evidence
from core.reading.plans.plan import Plan
from core.reading.questions.row_question import Operation
from core.reading.relations.rows import DONE, ITEM, OWN_COLUMNS, PAGE, SECTION, VALUE, Row
from core.reading.results.result import Result
from core.reading.words import split_words
from core.wording.quotations import BETWEEN_CELLS, ELLIPSIS, make_citation, replace_brackets, write_header

_SHOWN_ROWS = 15
_MOST_ROWS = 20  # a longer result is cut to the rows above; a shorter one is not cut for a few rows
_SHOWN_CELLS = 6
_MOST_CELLS = 40  # of a row that is shown as a whole
_FEW = 2
_LONG_CELL_WORDS = 30


def compose_answer(plan: Plan, result: Result, spoken: Language) -> Answer:
    """Return the result in a sentence, and the rows that it comes from, each cited."""
    rows = _find_fields(plan, result)
    headline = replace_brackets(" ".join(result.headline.render(spoken).split()))
    if not rows:
        searched = make_citation(1, plan.relation.rows[0].ranked.evidence)
        return Answer(f"{headline} [1]", answered=True, citations=(searched,))
    numbers: dict[str, int] = {}
    quotes: dict[str, list[str]] = {}
    shown = rows if len(rows) <= _MOST_ROWS else rows[:_SHOWN_ROWS]
    cited = _find_properties(plan) or shown
    evidences: dict[str, Evidence] = {}
    for ranked, part in (source for row in cited for source in row.sources):
        evidence = evidences.setdefault(ranked.evidence.evidence_id, ranked.evidence)
        numbers.setdefault(evidence.evidence_id, len(numbers) + 1)
        quotes.setdefault(evidence.evidence_id, []).append(evidence.parts[part])
    citations: list[Citation] = [
        make_citation(number, evidences[key], "\n".join(quotes[key])) for key, number in numbers.items()
    ]
    lines = [headline, *_write_rows(plan, shown, numbers)]
    if len(shown) < len(rows):
        lines.append(message("Showing {shown} of {total}.", shown=len(shown), total=len(rows)).render(spoken))
    return Answer("\n".join(lines), answered=True, citations=tuple(citations))


def _find_properties(plan: Plan) -> Sequence[Row]:
    """Return the rows of the page that the result comes from, if they are properties: those it is about, else all."""
    properties = plan.relation.properties
    about = (plan.target, plan.distinct, plan.measure.column if plan.measure else "", *plan.columns)
    columns = dict.fromkeys((*about, *(condition.column for condition in plan.conditions)))
    return [properties[each] for each in columns if each in properties] or tuple(properties.values())


def _find_fields(plan: Plan, result: Result) -> Sequence[Row]:
    """Return the rows of the result; of a record, only the fields that the answer comes from."""
    about = {plan.target, *plan.columns, *(condition.column for condition in plan.conditions)}
    return [each for each in plan.relation.fields if not about.isdisjoint(each.cells)] or result.rows


def _write_rows(plan: Plan, shown: Sequence[Row], numbers: Mapping[str, int]) -> Iterator[str]:
    """Yield the lines for the shown rows, equal ones as one line with their number, each with its citations."""
    cited: dict[str, list[list[int]]] = defaultdict(list)
    few = len(shown) <= _FEW and not plan.distinct
    chosen = [_choose_columns(plan, row, few) for row in shown]
    counts_equal_rows = bool(plan.distinct or plan.compared)
    if added := [] if counts_equal_rows else _find_differing_columns(plan, shown, chosen):
        pairs = zip(shown, chosen, strict=True)
        chosen = [[*each[:1], *(column for column in added if column in row.cells), *each[1:]] for row, each in pairs]
    columns = set(chain.from_iterable(chosen))
    for row, own in zip(shown, chosen, strict=True):
        written = " ".join(_write_row(plan, row, few, own, columns).split())
        of_row = dict.fromkeys(ranked.evidence.evidence_id for ranked, _ in row.sources)
        numbered = [*numbers.values()] if plan.relation.properties else [numbers[each] for each in of_row]
        cited[replace_brackets(written)].append(numbered)
    for written, sources in cited.items():
        marks = "".join(f"[{number}]" for number in dict.fromkeys(chain.from_iterable(sources)))
        if len(sources) > 1 and not plan.compared:
            written = plural("{row} ({count} row)", "{row} ({count} rows)", len(sources), row=written).render(
                plan.question.language
            )
        yield f"- {written} {marks}"


def _find_differing_columns(plan: Plan, shown: Sequence[Row], chosen: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns by which rows differ that would look equal with the chosen ones: the first one of each."""
    alike: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row, columns in zip(shown, chosen, strict=True):
        alike[tuple(row.cells[column] for column in columns)].append(row)
    differing = (
        next((column for column in plan.relation.columns if len({row.cells.get(column, "") for row in rows}) > 1), "")
        for rows in alike.values()
        if plan.relation.kind == "table" and len(rows) > 1
    )
    return list(dict.fromkeys(filter(None, differing)))


def _write_row(plan: Plan, row: Row, few: bool, chosen: Sequence[str], columns: AbstractSet[str]) -> str:
    """Return an item, or the chosen cells of a table's row.

    ``columns``: those of all shown rows. A cell of theirs that this row leaves out is marked: it must not look empty.
    """
    if plan.relation.kind != "table":
        section = row.cells.get(SECTION)
        shows_section = section and (plan.conditions or plan.operation is Operation.COMPARE)
        return f"{section}: {row.cells[ITEM]}" if shows_section else row.cells[ITEM]
    left_out = {column for column in columns - {*chosen} if row.cells.get(column, "").strip()} - OWN_COLUMNS
    wanted = [column for column in row.cells if column in left_out or column in chosen] if left_out else chosen
    shown = {column: ELLIPSIS if column in left_out else row.cells[column] for column in wanted}
    cells = [
        cell if column in {VALUE, SECTION, PAGE} else f"{write_header(column)}: {cell}"
        for column, cell in shown.items()
    ]
    is_cut = few and _is_wide(plan) and len(wanted) > len(_find_names(plan, row)) + len(plan.conditions)
    return BETWEEN_CELLS.join([*cells, ELLIPSIS] if is_cut else cells)


def _is_wide(plan: Plan) -> bool:
    return len(plan.relation.columns) > _MOST_CELLS


def _find_names(plan: Plan, row: Row) -> list[str]:
    """Return the columns that name a row."""
    return [column for column in plan.relation.columns if column in row.cells][: 1 if _is_wide(plan) else 2]


def _choose_columns(plan: Plan, row: Row, few: bool) -> list[str]:
    """Return the columns that name the row, then those that the question is about.

    All columns if there are ``few`` rows, or the row is short; none of a list.
    """
    if plan.relation.kind != "table":
        return []
    about = [*plan.columns, plan.distinct, plan.target, *(condition.column for condition in plan.conditions)]
    if plan.measure:
        about.append(plan.measure.column)
    listed = {word.folded for word in plan.subject}
    about += [column for column, cell in row.cells.items() if listed & {word.folded for word in split_words(cell)}]
    names = _find_names(plan, row)
    wanted = [column for column in dict.fromkeys([*names, *about]) if column in row.cells and column != DONE]
    is_short = sum(len(value.split()) for value in row.cells.values()) <= _LONG_CELL_WORDS
    if (few and len(row.cells) <= _MOST_CELLS) or (is_short and len(row.cells) <= _SHOWN_CELLS):
        return list(row.cells)
    if few and set(wanted) <= {*names, *(condition.column for condition in plan.conditions)}:
        # No column is asked for: the first ones, and those that selected the row.
        kept = {*wanted, *list(row.cells)[: _MOST_CELLS - len(wanted)]}
        return [column for column in row.cells if column in kept]
    return wanted
