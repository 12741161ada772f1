"""The column that a question compares, adds up or limits, and periods ("in July 2026") as conditions on dates.

A measure is the column that the question names, or whose header or unit fits what is asked ("heaviest": a weight). If
two columns fit equally well, none is used.

The words of "July 2026" are not in a cell "2026-07-03", so a period is compared as a date, if exactly one column of
dates fits.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace

from core.reading.plans.conditions import Condition
from core.reading.questions.limits import Bound, Comparison, may_limit
from core.reading.questions.periods import list_periods
from core.reading.questions.row_question import Superlative
from core.reading.relations.marks import is_absent, is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM
from core.reading.values import (
    MONEY,
    Value,
    ValueKind,
    find_date_value,
    find_quantity,
    is_same_kind,
    read_column,
    read_value,
)
from core.reading.words import Word, fold_words, has_same_noun, split_words
from core.wording.word_matches import match_text

_IN_BRACKETS = re.compile(r" \([^()]{1,40}\)$")
_NAMED = 0.75  # share of the 4-grams of a header's word that the question has to have
_CURRENCIES = frozenset("€$£")
_UNKNOWN = frozenset(["unknown", "unbekannt"])
_VERSION_WORDS = frozenset(["version", "versions", "release", "releases", "ver", "firmware", "bios"])
_OF_ANYTHING = MONEY | {"percent"}
_AMBIGUOUS = frozenset("min g t m s h b w".split())
_DURATION = "duration"
_MEASURES = {
    measure: re.compile(rf"^(?:{names})s?$|(?:{endings})(?:e|en)?$")
    for measure, names, endings in (
        ("mass", "weight|mass|load|payload", "gewicht|masse|nutzlast|traglast"),
        ("length", "length|width|height|depth|distance|diameter", "länge|breite|höhe|tiefe|entfernung|strecke|abstand"),
        (
            _DURATION,
            "duration|delay|latency|age|alter|length|länge",
            "time|zeit|dauer|verspätung|verzögerung|latenz|frist",
        ),
        ("temperature", "temperature", "temperatur"),
        ("power", "power", "leistung"),
        ("size", "memory|ram|storage|disk", "speicher"),
        ("price", "price|cost|fee|rent|salary|budget", "preis|kosten|gebühr|miete|gehalt|kost"),
    )
}
"""Words of headers for what is measured, and endings of German compounds of them."""
_SYNONYMS = (
    frozenset(["memory", "ram", "speicher", "arbeitsspeicher"]),
    frozenset(["latency", "delay", "latenz", "verzögerung"]),
    frozenset(["duration", "dauer"]),
)


@dataclass(frozen=True, slots=True)
class Measure:
    """A column whose cells are values of one kind. ``values`` has an entry for each row; None: blank."""

    column: str
    values: tuple[Value | None, ...]

    @property
    def kind(self) -> ValueKind:
        return next(value.kind for value in self.values if value)

    @property
    def measure(self) -> str:
        return next(value.measure for value in self.values if value)

    def is_meant_by(self, word: str) -> bool:
        """Whether a word, folded, is for what is measured: "latency" of "p99 write", if the header has no other one.

        "RAM" is for "Memory", and not for "Disk".
        """
        pattern = _MEASURES.get(_DURATION if self.measure == "months" else self.measure)
        if pattern is None or not pattern.search(word):
            return False
        others = [name for name in fold_words(self.column) if pattern.search(name)]
        return all(name == word or _is_synonym(name, word) for name in others)

    def is_counted_in(self, word: str) -> bool:
        """Whether a word is a unit of what is measured: "days" of a duration, whatever it is the duration of."""
        return find_quantity(word) == self.measure != ""


def _is_synonym(name: str, other: str) -> bool:
    return any(name in group and other in group for group in _SYNONYMS)


def read_measure(relation: Relation, column: str) -> Measure | None:
    """Return the column as a measure; None if a cell is no value, or of another kind than the others."""
    cells = ["" if _has_no_value(cell := row.cells.get(column, "")) else cell for row in relation.rows]
    filled = [cell for cell in cells if not is_blank(cell)]
    if column == ITEM:
        values = [date for cell in filled if (date := find_date_value(cell))]
        if len(values) != len(filled):
            return None
    else:
        is_version = any(word.folded in _VERSION_WORDS for word in split_words(column))
        values = read_column(filled, relation.language, is_version)
        values = _add_unit(values, column) if _is_measured_in(column, relation) else values
    if not is_same_kind(values):
        return None
    rest = iter(values)
    return Measure(column, tuple(None if is_blank(cell) else next(rest) for cell in cells))


def _is_measured_in(column: str, relation: Relation) -> bool:
    """Whether what is in brackets in a header may be a unit: not "Price (kg)", "Temperature (min)" or "Games (h)".

    "min", which is also the minimum, and single letters need a word of what they measure: "Duration (min)", but not
    beside "Duration (max)".
    """
    unit = _read_brackets(column)
    quantity = find_quantity(unit)
    if quantity in _OF_ANYTHING or not quantity:
        return True
    words = fold_words(_IN_BRACKETS.sub("", column))
    known = {measure for measure, names in _MEASURES.items() if any(map(names.search, words))}
    is_known = (_DURATION if quantity == "months" else quantity) in known
    if unit.lower() not in _AMBIGUOUS:
        return is_known or not known
    beside = (each for each in relation.columns if _IN_BRACKETS.sub("", each) == _IN_BRACKETS.sub("", column) != each)
    return is_known and all(find_quantity(_read_brackets(each)) == quantity for each in beside)


def _read_brackets(column: str) -> str:
    match = _IN_BRACKETS.search(column)
    return match[0].strip(" ()") if match else ""


def _add_unit(values: list[Value], column: str) -> list[Value]:
    """Return numbers without a unit with that of their header, "Odometer (km)", if all are such; else unchanged."""
    unit = _read_brackets(column)
    is_plain = all(value.kind is ValueKind.NUMBER and not value.unit for value in values)
    like = read_value(f"1 {unit}") if is_plain and (find_quantity(unit) or unit in _CURRENCIES) else None
    if like is None or like.kind is not ValueKind.NUMBER:
        return values
    return [
        replace(
            value,
            key=tuple(each * like.factor for each in value.key),
            other=tuple(each * like.factor for each in value.other),
            unit=like.unit,
            measure=like.measure,
            factor=like.factor,
        )
        for value in values
    ]


def _has_no_value(cell: str) -> bool:
    """Whether a cell says that there is no value, or that it is not known."""
    return is_absent(cell) or cell.strip(" .").casefold() in _UNKNOWN


def find_measure(
    asked_words: Sequence[Word],
    relation: Relation,
    taken: Collection[str],
    wanted: Superlative,
    subject: Collection[str],
) -> Measure | None:
    """Return the only column that the words name, or that measures what the superlative says best; else None.

    ``subject``: words for the rows ("which month"). Their column is used only if there is no other.
    """
    best: list[tuple[float, Measure]] = []
    specific: list[tuple[float, Measure]] = []
    words = [word.folded for word in asked_words if word.is_content]  # not the "s" of "what's"
    may_mean = any(find_quantity(word) or any(names.search(word) for names in _MEASURES.values()) for word in words)
    for column in relation.columns:
        if column in taken or (column == ITEM and not wanted.is_temporal):
            continue
        score = score_name(column, asked_words)
        measure = read_measure(relation, column) if score or wanted.hints or may_mean else None
        if measure is None:
            continue
        if wanted.is_temporal and measure.kind is ValueKind.NUMBER and not score:
            continue
        hinted = is_hinted(measure, wanted) or any(
            measure.is_meant_by(each) or measure.is_counted_in(each) for each in words
        )
        if score or hinted:
            best.append((score + hinted, measure))
        if hinted and wanted.is_specific:
            specific.append((score + hinted, measure))
    best = specific or best  # "the cheapest boat with cabins" is not the one with the fewest
    others = [pair for pair in best if not {word.folded for word in split_words(pair[1].column)} <= set(subject)]
    if wanted.is_temporal and len(others) < len(best):  # "the latest build" of a column "Build" is not that of "BIOS"
        others = [
            (score, measure)
            for score, measure in others
            if measure.kind is ValueKind.DATE or score_name(measure.column, asked_words)
        ]
    has_others = any(word.is_content and word.folded not in subject for word in asked_words)
    is_own = bool(wanted.hints) or wanted.is_temporal or not has_others  # not "the room with the most items"
    best = sorted(others or (best if is_own else []), key=lambda pair: -pair[0])
    first = [measure for score, measure in best if score == best[0][0]]
    if len(first) > 1 and wanted.is_temporal:  # of a date and a version the date says which is the latest
        first = [measure for measure in first if measure.kind is not ValueKind.VERSION]
    return first[0] if len(first) == 1 else None


def is_hinted(measure: Measure, superlative: Superlative) -> bool:
    """Whether the header, the unit or the kind of a column is one that the superlative measures."""
    header = {word.folded for word in split_words(measure.column)}
    if superlative.is_temporal and measure.kind in {ValueKind.DATE, ValueKind.VERSION}:
        return True
    return bool(superlative.hints & header) or measure.measure in superlative.hints


def score_name(column: str, asked_words: Sequence[Word]) -> float:
    """Return how well the question names a column: 1 or more for all words of its header, less for some, 0 for none.

    What is in brackets at the end need not be said ("Top speed (km/h)"), nor the upper of two header rows.
    """
    main = _IN_BRACKETS.sub("", column)
    return max(_score_words(each, asked_words) for each in dict.fromkeys((column, main, main.rpartition(" > ")[2])))


def _score_words(column: str, asked_words: Sequence[Word]) -> float:
    header = [word.folded for word in split_words(column) if word.is_content]
    question = " ".join(word.folded for word in asked_words if word.is_content)
    if not header or not question:
        return 0.0
    said = {word.folded for word in asked_words if word.is_content}
    matches = zip(header, match_text(tuple(header), question), strict=True)
    named = sum(match >= _NAMED or has_same_noun(name, said) for name, match in matches)
    return named / len(header) + 0.1 * named


def list_named(columns: Sequence[str], asked_words: Sequence[Word], taken: Collection[str]) -> list[str]:
    """Return the columns that the question names in full.

    If several have the same lower header ("BIOS > Boot", "UEFI > Boot"), only the one that is named best is returned.
    """
    left = [word for word in asked_words if word.folded not in taken]
    scores = {column: score for column in columns if (score := score_name(column, left)) >= 1}
    alike = defaultdict[str, list[float]](list)
    for column, score in scores.items():
        alike[column.rpartition(" > ")[2]].append(score)
    beside = {column: sorted(alike[column.rpartition(" > ")[2]]) for column in scores}
    return [column for column, score in scores.items() if " > " not in column or _is_first(score, beside[column])]


def _is_first(score: float, scores: Sequence[float]) -> bool:
    """Whether a score is the only highest one of sorted scores."""
    return score == scores[-1] and scores.count(score) == 1


def is_named(column: str, asked_words: Sequence[Word], taken: Collection[str]) -> bool:
    """Whether the question has all content words of a header."""
    return score_name(column, [word for word in asked_words if word.folded not in taken]) >= 1


# ------------------------------------------------------------------------------------------ periods


def find_periods(asked_words: Sequence[Word], relation: Relation, context: Set[str], text: str) -> list[Condition]:
    """Return a condition for each period that the context does not have, if exactly one column fits.

    ``text``: the question as asked, which has the full stop after "14.3.".
    """
    found: list[Condition] = []
    measures: list[Measure] | None = None
    for at, length, period in list_periods(tuple(asked_words), text):
        if not all(word.folded in context for word in asked_words[at : at + length]):
            measures = _find_dates(relation) if measures is None else measures
            if condition := _bind_period(period, at, asked_words, measures, relation):
                found.append(condition)
    return found


def _find_dates(relation: Relation) -> list[Measure]:
    measures = (read_measure(relation, column) for column in relation.columns if column != ITEM)
    return [measure for measure in measures if measure and measure.kind is ValueKind.DATE]


def _bind_period(
    period: Value, at: int, asked_words: Sequence[Word], measures: Sequence[Measure], relation: Relation
) -> Condition | None:
    bound = Bound(Comparison.DURING, period, is_temporal=True)
    able = [measure for measure in measures if may_limit(bound, [value for value in measure.values if value])]
    meant = [measure for measure in able if is_named(measure.column, asked_words, ())] or able
    if len(meant) != 1:
        return None
    [measure] = meant
    values = read_cells(relation, measure)
    return Condition(measure.column, period.text, Comparison.DURING, 1.0, period, values, at=at)


def read_cells(relation: Relation, measure: Measure) -> dict[str, Value]:
    """Return the filled cells of a measure and their values."""
    cells = (row.cells.get(measure.column, "") for row in relation.rows)
    return {cell: value for cell, value in zip(cells, measure.values, strict=True) if value}
