"""Rows for the total of the others: "Total", "Summe", "Average". They are no rows of their own.

A row is a total if its label says so, and if it stands where totals stand and has only figures, or if one of its
figures is the sum or mean of the rows that belong to it. So a company of the name "Total" is a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from core.languages import LanguageCode
from core.reading.relations.rows import ITEM, SECTION, Row
from core.reading.values import Value, ValueKind, read_column
from core.text import has_digit
from core.text_caches import cache_texts

_SUM_WORDS = frozenset(
    """total totals sum subtotal gesamt summe gesamtsumme endsumme zwischensumme teilsumme insgesamt
    totale totaal somme sommes suma soma somma totalt summa yhteensä välisumma razem łącznie celkem spolu součet
    összesen toplam итого всего разом усього общо σύνολο skupaj ukupno kopā jumlah σ σύν 合計 总计 合计 小計 小计 합계
    총계 المجموع الإجمالي مجموع סהכ รวม tổng""".split()
)
_MEAN_WORDS = frozenset(
    """average averages avg mean durchschnitt mittelwert mittel moyenne promedio media média gemiddelde genomsnitt
    gennemsnit keskiarvo średnia průměr átlag ortalama среднее середнє 平均 평균""".split()
)
_TOTAL_WORDS = _SUM_WORDS | _MEAN_WORDS
_BESIDE = frozenset(
    """grand overall all of the in general sub net gross cost costs amount number count value price
    und and netto brutto kosten betrag zahl anzahl wert gesamte alle aller général générale general geral
    complessivo generale""".split()
)
"""Words beside those for totals: "Grand total", "Summe netto"."""
_COMPOUND = re.compile(r"gesamt(?:zahl|betrag|kosten|ergebnis|wert|preis|menge|budget|anzahl|umsatz|aufwand|fläche)")
_WORD = re.compile(r"[^\W\d_]+")
_LETTERS = re.compile(r"[^\W_]")
_QUOTES = re.compile("['’״\"]")
_MARKED = re.compile(r"(?P<label>[^:]{1,60}): ?(?P<amount>.{1,60})")
_MOST_WORDS = 5
_LEAST_ROWS = 2
_ROUNDING = Decimal("0.006")  # share of a sum or mean by which rounded figures may differ from it


@cache_texts(5_000)
def says_total(cell: str) -> bool:
    """Whether a cell begins like the label of a total: "Total", "Total costs", "Summe netto"."""
    words = _WORD.findall(_QUOTES.sub("", cell.lower()))
    first = next((word for word in words if word not in _BESIDE), "")
    return len(words) <= _MOST_WORDS and is_total_word(first)


def is_total_word(word: str) -> bool:
    """Whether a word in lower case says that something is a sum or a mean."""
    return word in _TOTAL_WORDS or bool(_COMPOUND.fullmatch(word))


def has_total(rows: Sequence[Row], is_mean: bool) -> bool:
    """Whether one of the rows for totals is one for a mean, or else for a sum."""
    return any(_is_mean(_find_label(rows, at)[1]) is is_mean for at in range(len(rows)))


def find_totals(
    rows: Sequence[Row], columns: Sequence[str], language: LanguageCode, has_end: bool, context: frozenset[str]
) -> list[int]:
    """Return the indexes of the rows that are totals.

    ``has_end``: the last row is that of the table. ``context``: the words, in lower case, of its headers and of what is
    around it, which a label may have too ("Total budget").
    """
    labels = [_find_label(rows, at) for at in range(len(rows))]
    said = {at for at, (_, label) in enumerate(labels) if says_total(label)}
    if not said or len(rows) - len(said) < _LEAST_ROWS:
        return []
    plain = [at for at in range(len(rows)) if at not in said]
    figures = _Figures(rows, columns, language)
    ending = next((at + 1 for at in range(len(rows) - 1, -1, -1) if at not in said), 0) if has_end else len(rows)
    found: list[int] = []
    since = 0  # the first row after the last total
    for at in sorted(said):
        column, label = labels[at]
        run = [each for each in plain if since <= each < at]
        before = [each for each in plain if each < at]
        groups = (before, run) if at else (plain,)
        only_figures = figures.has_only_figures(at, column)
        is_added = (at >= ending or only_figures) and any(
            len(group) >= _LEAST_ROWS and figures.adds_up(at, group, column, _is_mean(label)) for group in groups
        )
        is_last = (
            at >= ending
            and only_figures
            and _is_whole_label(label, context)
            and figures.may_be_total(at, before, column, _is_mean(label))
        )
        if is_added or is_last:
            found.append(at)
            since = at + 1
    return found


def may_be_total(rows: Sequence[Row], at: int) -> bool:
    """Whether a row that was not recognised as a total may still be one: it has a longer label, or is the last."""
    _, label = _find_label(rows, at)
    return says_total(label) and (at == len(rows) - 1 or len(_WORD.findall(label)) > 1 or _is_last_of_section(rows, at))


def _is_last_of_section(rows: Sequence[Row], at: int) -> bool:
    return rows[at].cells.get(SECTION) != rows[at + 1].cells.get(SECTION)


def find_total_item(rows: Sequence[Row]) -> list[int]:
    """Return the index of the last item of a list if it is the total: "Total: 12"; else nothing."""
    if len(rows) <= _LEAST_ROWS or rows[-1].depth:
        return []
    parts = [_MARKED.fullmatch(row.cells.get(ITEM, "").strip()) for row in rows]
    last = parts[-1]
    is_total = last and _is_whole_label(last["label"], frozenset()) and all(parts)
    return [len(rows) - 1] if is_total and last and has_digit(last["amount"]) else []


def _find_label(rows: Sequence[Row], at: int) -> tuple[str, str]:
    """Return the column and text of the first cell that is filled, and that does not only repeat the row above."""
    above: Mapping[str, str] = rows[at - 1].cells if at else {}
    for column, cell in rows[at].cells.items():
        is_repeated = at and above.get(column) == cell and not says_total(cell)
        if column != SECTION and not is_repeated and (_LETTERS.search(cell) or says_total(cell)):
            return column, cell
    return "", ""


def _is_whole_label(label: str, context: frozenset[str]) -> bool:
    """Whether all words of a label are those of totals, or of the headers and what is around the table."""
    words = _WORD.findall(label.lower())
    known = (is_total_word(word) or word in _BESIDE or word in context for word in words)
    return says_total(label) and all(known)


def _is_mean(label: str) -> bool:
    return not _MEAN_WORDS.isdisjoint(_WORD.findall(label.lower()))


class _Figures:
    """The cells of a table as numbers, read when they are needed."""

    def __init__(self, rows: Sequence[Row], columns: Sequence[str], language: LanguageCode) -> None:
        self._rows, self._columns, self._language = rows, columns, language
        self._read: dict[str, list[Value | None]] = {}

    def _read_column(self, column: str) -> list[Value | None]:
        if column not in self._read:
            cells = [row.cells.get(column, "") for row in self._rows]
            values = read_column(cells, self._language)
            self._read[column] = [value if value.kind is ValueKind.NUMBER else None for value in values]
        return self._read[column]

    def _pair(self, at: int, group: Sequence[int], label: str) -> Iterator[tuple[Decimal, list[Decimal]]]:
        """Yield the figures of a row, each with those of the group in its column, if they are comparable."""
        for column in self._columns:
            own = self._read_column(column)[at] if column not in {label, SECTION} else None
            others = [value for each in group if (value := self._read_column(column)[each])]
            if own and len(others) >= _LEAST_ROWS and all(own.is_comparable(other) for other in others):
                yield own.key[0], [other.key[0] for other in others]

    def adds_up(self, at: int, group: Sequence[int], label: str, is_mean: bool) -> bool:
        """Whether a figure of a row is the sum of those of the group, or their mean."""
        for own, others in self._pair(at, group, label):
            wanted = sum(others, Decimal(0)) / (len(others) if is_mean else 1)
            if any(others) and abs(own - wanted) <= _ROUNDING * abs(wanted):
                return True
        return False

    def has_only_figures(self, at: int, label: str) -> bool:
        """Whether a row has figures beside its label, and no other text."""
        others = [column for column in self._columns if column not in {label, SECTION}]
        filled = [column for column in others if _LETTERS.search(self._rows[at].cells.get(column, ""))]
        repeated = [each for each in filled if self._rows[at - 1].cells.get(each) == self._rows[at].cells[each]]
        return any(self._read_column(column)[at] for column in filled) and all(
            self._read_column(column)[at] or column in repeated for column in filled
        )

    def may_be_total(self, at: int, group: Sequence[int], label: str, is_mean: bool) -> bool:
        """Whether no figure of a row is too small for a total: below all others, or for a sum below one of them."""
        pairs = self._pair(at, group, label)
        return all(own >= (min(others) if is_mean else max(others)) or min(others) < 0 for own, others in pairs)
