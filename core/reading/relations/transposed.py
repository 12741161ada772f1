"""Arranges tables with a row for each property by things: "Seats: 204, 221, 158", "Drive: Diesel, Battery".

Such a table is recognised by its cells: most of its rows have cells of one kind (numbers of one measure, yes or no,
dates, text), and none of its columns. A table of yes and no only stays as it is:
:func:`core.reading.results.checking.find_things_of_row` answers from its rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from core.dates import MONTHS
from core.reading.relations.marks import is_blank, read_verdict
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS, SECTION, VALUE, Row
from core.reading.values import MONEY, ValueKind, read_value
from core.reading.words import PRICE, fold_words, has_same_noun, split_words

_LEAST = 2  # properties, and things
_PERIODS = (
    (re.compile("|".join(sorted(set(fold_words(" ".join(MONTHS)))))), frozenset(["month", "monat"])),
    (re.compile("q[1-4]"), frozenset(["quarter", "quartal"])),
    (re.compile(r"(?:19|20)\d\d"), frozenset(["year", "jahr"])),
)
_REFERENCES = frozenset(
    """total sum average mean median target goal limit threshold maximum minimum allowed weight weighting trend comment
    comments remark remarks note notes previous
    gesamt summe durchschnitt mittelwert ziel soll grenzwert gewichtung vorjahr kommentar bemerkung
    bemerkungen""".split()
)
"""Words of columns that are no things of their own."""
_MOST_PROPERTIES, _MOST_CELLS = 200, 5_000  # of a table that is read for each question


def arrange_by_thing(relation: Relation, asked_words: Collection[str]) -> Relation:
    """Return a table of properties with a row for each thing, and any other relation unchanged.

    It stays as it is if the question names the properties by their header: "which functions" of a column "Function".
    """
    turned = arrange_by_column(relation, asked_words)
    return turned if turned.properties and _are_properties(turned) else relation


def arrange_by_column(relation: Relation, asked_words: Collection[str]) -> Relation:
    """Return a table with a row for each column, and a column for each row by its first cell, if these all differ.

    Any other relation is returned unchanged, and one of which the question names the first column. The cells of the new
    rows are cited from ``properties``. If not all properties are known, no row is complete.
    """
    if relation.kind != "table" or relation.is_record or relation.all_rows or len(relation.columns) <= _LEAST:
        return relation
    if len(relation.rows) > _MOST_PROPERTIES or len(relation.rows) * len(relation.columns) > _MOST_CELLS:
        return relation
    first, *things = relation.columns
    if first not in OWN_COLUMNS and any(has_same_noun(name, asked_words) for name in fold_words(first)):
        return relation
    labels = [row.cells.get(first, "").strip() for row in relation.rows]
    is_named = all(labels) and len(set(labels)) == len(labels) >= _LEAST and not {*labels} & OWN_COLUMNS
    if not is_named or SECTION in relation.columns or not OWN_COLUMNS.isdisjoint(things):
        return relation
    missing = relation.total - len(relation.rows)
    lowest = [thing.rpartition(" > ")[2] for thing in things]  # of two header rows
    names = lowest if len(set(lowest)) == len(things) else things
    return replace(
        relation,
        columns=(VALUE, *labels),
        rows=tuple(_make_row_of_thing(relation, *pair, labels) for pair in zip(things, names, strict=True)),
        total=len(things) + (1 if missing else 0),
        properties=dict(zip(labels, relation.rows, strict=True)),
    )


def leave_out_references(relation: Relation, asked_words: Collection[str]) -> Relation:
    """Return a table that is arranged by things without what they are compared with: totals, limits, weights, notes.

    A thing that the question names stays.
    """
    kept = tuple(row for row in relation.rows if not _is_reference(row.cells[VALUE], asked_words))
    return replace(relation, rows=kept, total=relation.total - len(relation.rows) + len(kept))


def _is_reference(name: str, asked_words: Collection[str]) -> bool:
    words = {word.folded for word in split_words(name) if word.is_content}
    return bool(words) and words <= _REFERENCES and words.isdisjoint(asked_words)


def find_nouns_for_things(relation: Relation) -> frozenset[str]:
    """Return the nouns for the things that a table of properties is arranged by, if they are months or other periods.

    No header has them: "how many months were reviewed" of columns "Jan", "Feb" and "Mar".
    """
    if not relation.properties:
        return frozenset()
    things = [fold_words(thing) for thing in relation.get_cells(VALUE)]
    found = (nouns for period, nouns in _PERIODS if all(any(map(period.fullmatch, thing)) for thing in things))
    return next(found, frozenset())


def _make_row_of_thing(relation: Relation, column: str, name: str, labels: Sequence[str]) -> Row:
    pairs = zip(labels, relation.rows, strict=True)
    cells = {label: row.cells[column] for label, row in pairs if column in row.cells}
    return replace(relation.rows[0], cells={VALUE: name, **cells})


def _find_kind(label: str, cell: str) -> str:
    """Return the kind of a cell, with what a number measures; "" for one without information.

    All currencies are one kind, as a table of countries may have another one in each row, unless the row is a price.
    """
    if is_blank(cell):
        return ""
    if read_verdict(cell) is not None:
        return "verdict"
    value = read_value(cell)
    is_price = not PRICE.isdisjoint(fold_words(label))
    measure = "money" if value.measure in MONEY and not is_price else value.measure
    return f"number of {measure}" if value.kind is ValueKind.NUMBER else value.kind.value


def _are_properties(turned: Relation) -> bool:
    """Whether each thing has cells of several kinds, and most properties have one, not all the same one."""
    columns: list[list[str]] = []
    for row in turned.rows:
        kinds = [_find_kind(label, row.cells.get(label, "")) for label in turned.properties]
        if len({kind for kind in kinds if kind}) < _LEAST:
            return False
        columns.append(kinds)
    rows = [own for row in zip(*columns, strict=True) if (own := {kind for kind in row if kind})]
    alike = [own for own in rows if len(own) == 1]
    return len(alike) * 2 > len(rows) and len(set.union(*alike)) > 1
