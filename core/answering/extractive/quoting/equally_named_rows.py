"""Adds the rows that a question names as well as the row that is quoted: of a tower's two tests, both.

Words cannot choose between them, and a difference in writing ("OptiPlex", "Optiplex") must not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.answering.extractive.quoting.compose import quote_units
from core.answering.extractive.units import ScoredUnit
from core.model import TABLE_KINDS
from core.text import has_digit
from core.wording.focus import Focus, find_names
from core.wording.identifiers import SearchedText, find_identifiers
from core.wording.quotations import Quotation
from core.wording.word_matches import split_terms

_MOST_OTHERS = 3  # more rows are a list
_LEAST_NAMES = 2  # words of a question that name a row, such as a maker and a model
_LEAST_DIGITS = 3  # characters of a name with digits, of which at least one is needed: "7040", not "Windows 10"
_NEAR = 0.95  # of the score of the quoted row, for a row with the same single identifier

_Named = Mapping[str, frozenset[str]]
"""The names of a question that are in the cells of a row, by header."""


def add_equally_named_rows(
    focus: Focus, units: Sequence[ScoredUnit], quotations: Sequence[Quotation]
) -> list[Quotation]:
    """If the first quotation is one row, add the other rows of its table that the question names equally well."""
    first = quotations[0] if quotations else None
    quoted = [unit for unit in units if first and unit.evidence.kind in TABLE_KINDS and unit.text == first.quote]
    if first is None or not quoted:
        return list(quotations)
    names = find_names(focus).difference(_list_context_terms(quoted[0]))
    named = _find_names_in_cells(quoted[0], names)
    identifies = _identifies(frozenset().union(*named.values()))
    if not identifies and not (named and _has_identifiers(focus, first)):
        return list(quotations)
    near = units if identifies else [unit for unit in units if unit.score >= _NEAR * quoted[0].score]
    shown = {quotation.quote for quotation in quotations}
    others = list(_find_others(quoted[0], named, names, near))
    if not 0 < len(others) <= _MOST_OTHERS:
        return list(quotations)
    missing = [quote_units(focus, [other]) for other in others if not any(other.text in each for each in shown)]
    return [first, *missing, *quotations[1:]]


def _list_context_terms(unit: ScoredUnit) -> list[str]:
    context = unit.evidence.context
    return split_terms(" ".join((context.title, *context.heading_path)))


def _identifies(names: frozenset[str]) -> bool:
    has_number = any(len(name) >= _LEAST_DIGITS and has_digit(name) for name in names)
    return len(names) >= _LEAST_NAMES and has_number


def _has_identifiers(focus: Focus, row: Quotation) -> bool:
    """Whether a row has all words of the question that name one thing by their form, such as "OXT-704"."""
    identifiers = find_identifiers(focus.question)
    text = SearchedText.of(row.evidence, row.quote)
    return bool(identifiers) and all(text.has(each) for each in identifiers)


def _find_others(
    unit: ScoredUnit, named: _Named, names: frozenset[str], units: Sequence[ScoredUnit]
) -> Iterator[ScoredUnit]:
    seen = {unit.text}
    for other in units:
        if (
            other.text not in seen
            and other.evidence.table_key == unit.evidence.table_key
            and _find_names_in_cells(other, names) == named
        ):
            seen.add(other.text)
            yield other


def _find_names_in_cells(unit: ScoredUnit, names: frozenset[str]) -> _Named:
    cells = unit.cells if unit.evidence.structure else ()
    found = {header: names.intersection(split_terms(value)) for header, value in cells}
    return {header: some for header, some in found.items() if some}
