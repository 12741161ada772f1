"""Reads the cells of a table as stretches of days: one day, "9–15 Nov 2026", "KW 48", "November 2026", "Q3 2026".

What stands in two columns ("From", "To") is one stretch, and the days of a column "Week of" are the first of seven.
Cells without a year have that of the title or headings, else the year of the question. In a table that goes on from
December to January, the year changes there.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from core.reading.questions.periods import Span, find_week
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS
from core.reading.values import Value, ValueKind, read_value
from core.reading.words import fold_words

_LEAST_CELLS = 2
_MONTHS_BACK = 6  # from one row to the next: the year has changed
_YEAR = re.compile(r"(?<![\d.])20\d\d(?!\d)")
_BRACKETS = re.compile(r"\([^()]{0,60}\)")
_TIME = re.compile(
    r"(?i),? {0,2}(?:at |um |ab )?\b\d{1,2}:\d\d(?: {0,2}(?:[–—-]|bis|to) {0,2}\d{1,2}:\d\d)?(?: ?(?:uhr|h|utc|cet))?\b"
)
_WEEK = re.compile(
    r"(?i)(?:(?:calendar )?week|kalenderwoche|woche|[kc]?w)[ .]{0,2}(?P<week>\d{1,2})(?:[ /.-]{1,3}(?P<year>20\d\d))?"
    r"|(?P<iso>20\d\d)-?w(?P<number>\d{1,2})|(?P<bare>\d{1,2})"
)
_BEFORE_DAYS = re.compile(r"(?i)(?:(?:kw|cw|week|woche) ?\d{1,2} ?[:,·–-]? {0,2}|(?:from|von|vom) )(?=\S)")
_QUARTER = re.compile(
    r"(?i)q(?P<quarter>[1-4])[ /.-]{0,3}(?P<year>20\d\d)|(?P<first>20\d\d)[ /.-]{0,3}q(?P<then>[1-4])"
)
_MONTH = re.compile(r"(?P<month>0?[1-9]|1[0-2])/(?P<year>20\d\d)")
_BETWEEN = re.compile(
    r"(?i) {0,2}[–—] {0,2}| {1,2}- {1,2}|(?<=[\w.])-(?=\w)|(?<=\d)/(?=\d)| (?:bis(?: zum)?|to|until) "
)
_ONLY_DAY = re.compile(r"(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?")
_DAY_AND_YEAR = re.compile(r"(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<year>20\d\d))?")
_OF_WEEKS = frozenset("week weeks kw cw woche wochen kalenderwoche calendarweek".split())
_FROM = frozenset("from start starts begin begins beginning von ab beginn anfang startdatum startdate".split())
_TO = frozenset("to until till end ends bis ende enddatum enddate".split())


@dataclass(frozen=True, slots=True)
class TimeColumns:
    """The column, or the two columns, that say when each row is. ``spans`` has an entry for each row; None: blank.

    ``starts``: whether a row begins something that lasts, so that the row of today is not the next one.
    """

    columns: tuple[str, ...]
    spans: tuple[Span | None, ...]
    starts: bool
    is_of_weeks: bool = False  # by their numbers


def find_time_columns(relation: Relation, year: int, prefers_weeks: bool = False) -> list[TimeColumns]:
    """Return the columns of a table that say when its rows are. ``year``: of cells for which no text has one.

    ``prefers_weeks``: the numbers of weeks count, and not days beside them: a rota may change on Tuesdays.
    """
    year = _find_year(relation) or year
    pair = _find_pair(relation.columns)
    both = _read_pair(relation, *pair, year) if pair else None
    found = _read_each(relation, year, set(pair) if pair and both else set())
    weeks = [each for each in found if each.is_of_weeks]
    if prefers_weeks and weeks:
        return weeks
    of_days = [*([both] if both else []), *(each for each in found if not each.is_of_weeks)]
    return of_days or weeks


def _find_year(relation: Relation) -> int:
    """Return the only year in the context of a table, else 0."""
    years = set(_YEAR.findall(relation.context))
    return int(years.pop()) if len(years) == 1 else 0


def _find_pair(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the only two columns that say from when to when."""
    starts = [column for column in columns if _FROM.intersection(fold_words(column))]
    ends = [column for column in columns if _TO.intersection(fold_words(column))]
    return (starts[0], ends[0]) if len(starts) == len(ends) == 1 and starts != ends else None


def _read_pair(relation: Relation, first: str, last: str, year: int) -> TimeColumns | None:
    starts, ends = _read_cells(relation.get_cells(first), year), _read_cells(relation.get_cells(last), year)
    if starts is None or ends is None:
        return None
    spans = [_join(start, end) for start, end in zip(starts, ends, strict=True)]
    return TimeColumns((first, last), tuple(spans), starts=True)


def _join(start: Span | None, end: Span | None) -> Span | None:
    """Return the days from one to the other; of one without an end only the first."""
    if start is None or end is None:
        return start or end
    return Span(start.start, end.end) if start.start <= end.end else None


def _read_each(relation: Relation, year: int, taken: Set[str]) -> list[TimeColumns]:
    dates: list[TimeColumns] = []
    weeks: list[TimeColumns] = []
    for column in relation.columns:
        if column in OWN_COLUMNS or column in taken:
            continue
        is_of_weeks = not _OF_WEEKS.isdisjoint(fold_words(column))
        cells = relation.get_cells(column)
        if spans := _read_cells(cells, year):
            if is_of_weeks or _FROM.intersection(fold_words(column)):
                spans = _add_ends(spans)
            starts = any(span and not span.is_one_day for span in spans)
            dates.append(TimeColumns((column,), tuple(spans), starts))
        elif spans := _read_weeks(cells, year, is_of_weeks):
            weeks.append(TimeColumns((column,), tuple(spans), starts=True, is_of_weeks=True))
    return [*dates, *weeks]


def _add_ends(spans: list[Span | None]) -> list[Span | None]:
    """Return the stretches of days of which only the first days are given: each ends before the next one begins.

    The last one lasts as long as the others. If these differ, or anything else is unclear, all are left as they are.
    """
    starts = [span.start for span in spans if span and span.is_one_day]
    lengths = {(after - start).days for start, after in pairwise(starts)}
    if len(starts) < len(spans) or len(lengths) != 1 or min(lengths) < 1:
        return spans
    [length] = lengths
    return [Span(start, start + timedelta(length - 1)) for start in starts]


def _read_cells(cells: Sequence[str], year: int) -> list[Span | None] | None:
    """Return the stretches of days in the cells of a column; None if a filled cell has none."""
    found = [None if is_blank(cell) else read_days(cell) for cell in cells]
    filled = [ends for cell, ends in zip(cells, found, strict=True) if not is_blank(cell)]
    if len(filled) < _LEAST_CELLS or None in filled:
        return None
    spans = list(_add_years([ends for ends in filled if ends], year))
    if None in spans:
        return None
    rest = iter(spans)
    return [None if is_blank(cell) else next(rest) for cell in cells]


def _add_years(found: Sequence[tuple[Value, Value]], year: int) -> Iterator[Span | None]:
    """Yield the stretches with a year where the cells have none."""
    before = 0
    for first, last in found:
        month = int(first.key[1])
        if not first.key[0] and not last.key[0] and before - month >= _MONTHS_BACK:
            year += 1
        before = month
        yield _make_span(first, last, int(first.key[0] or last.key[0]) or year)


def _make_span(first: Value, last: Value, year: int) -> Span | None:
    """Return the days from the first day of one date to the last of the other; None if there is no such day."""
    start_year = int(first.key[0]) or year
    end_year = int(last.key[0]) or start_year
    if not first.key[0] and last.key[0] and first.key[1:] > last.key[1:]:
        start_year -= 1  # "28.12.–03.01.2027"
    if not last.key[0] and first.key[1:] > last.key[1:]:
        end_year += 1
    try:
        start = date(start_year, int(first.key[1]), int(first.key[2]) or 1)
        month = int(last.key[1])
        end = date(end_year, month, int(last.key[2]) or monthrange(end_year, month)[1])
    except ValueError:
        return None
    return Span(start, end) if start <= end else None


def read_days(cell: str) -> tuple[Value, Value] | None:
    """Return the first and the last date of a cell, which may lack their years; None if it is anything else."""
    text = " ".join(_TIME.sub(" ", _BRACKETS.sub(" ", cell)).split()).strip(" ,")
    text = text[before.end() :] if (before := _BEFORE_DAYS.match(text)) else text
    if match := _QUARTER.fullmatch(text):
        return _read_quarter(int(match["quarter"] or match["then"]), match["year"] or match["first"])
    whole = read_value(f"{month['year']}-{month['month']}" if (month := _MONTH.fullmatch(text)) else text)
    if whole.kind is ValueKind.DATE:
        return whole, whole
    for match in _BETWEEN.finditer(text):
        if ends := _read_ends(text[: match.start()].strip(), text[match.end() :].strip()):
            return ends
    return None


def _read_quarter(quarter: int, year: str) -> tuple[Value, Value]:
    return read_value(f"{year}-{3 * quarter - 2:02}"), read_value(f"{year}-{3 * quarter:02}")


def _read_ends(left: str, right: str) -> tuple[Value, Value] | None:
    """Return the two dates of a range, of which one may have only its day: "9–15 Nov", "Nov 9–15, 2026"."""
    first, last = read_value(left), read_value(right)
    if last.kind is ValueKind.DATE and last.key[2] and (day := _ONLY_DAY.fullmatch(left)):
        first = _write_date(last.key[0], last.key[1], int(day["day"]))
    elif first.kind is ValueKind.DATE and first.key[2] and (day := _DAY_AND_YEAR.fullmatch(right)):
        last = _write_date(int(day["year"] or first.key[0]), first.key[1], int(day["day"]))
    if first.kind is not ValueKind.DATE or last.kind is not ValueKind.DATE or bool(first.key[2]) != bool(last.key[2]):
        return None
    return first, last


def _write_date(year: object, month: object, day: int) -> Value:
    written = f"{int(str(year)):04}-{int(str(month)):02}-{day:02}"
    return read_value(written if int(str(year)) else f"{day}.{month}.")


def _read_weeks(cells: Sequence[str], year: int, is_of_weeks: bool) -> list[Span | None] | None:
    """Return the calendar weeks of a column of their numbers; None if it has others."""
    matches = [None if is_blank(cell) else _WEEK.fullmatch(" ".join(cell.split())) for cell in cells]
    filled = [match for cell, match in zip(cells, matches, strict=True) if not is_blank(cell)]
    if len(filled) < _LEAST_CELLS or not all(match and (is_of_weeks or not match["bare"]) for match in filled):
        return None
    found: list[Span | None] = []
    before = 0
    for match in matches:
        number = int(match["week"] or match["number"] or match["bare"]) if match else 0
        year += bool(match and before - number > 26)
        before = number or before
        found.append(find_week(number, int((match["year"] or match["iso"] or year) if match else year)))
    return found
