"""Tables and lists of pages as relations: rows of named cells, each with its evidence and the part of it.

The pieces of a table or list that was split into several evidences are joined, by the structure that extraction stores
(:class:`core.model.Structure`). Only inline lists are parsed from sentences.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Literal

from core.languages import LanguageCode, detect_language
from core.model import Context, Evidence, RankedEvidence, Structure
from core.reading.relations.as_above import fill_cells, says_same_as_above
from core.reading.relations.inline_lists import InlineItem, find_inline_lists
from core.reading.relations.legend import read_codes, read_legend
from core.reading.relations.rows import (
    ITEM,
    OWN_COLUMNS,
    PAGE,
    SECTION,
    VALUE,
    Row,
    fill_merged_cells,
    read_items,
    read_rows,
    split_row_headers,
    stack_repetitions,
)
from core.reading.relations.totals import find_total_item, find_totals
from core.reading.words import PREPOSITIONS, Word, fold_words, split_words
from core.text_caches import cache_texts

_KIND_WORDS = 4
_VERDICT_LETTERS = frozenset("PFYNJ")
_STATE_WORDS = 3  # of a cell that is a state
_BEFORE_STATE = PREPOSITIONS | frozenset("off on out under up".split())
_SHORT = re.compile(r"\s{0,3}([^\W\d_]{3,30})(?:\s{0,3}$|[;:(\n])")
_LEAST_LINES = 3
_LINE_WORDS = 8
_LINE_ENDS = (".", "!", "?", ":", ";", ",")
_BETWEEN_VALUES = re.compile(r"[,;/&\n]")


@dataclass(frozen=True)
class Relation:
    """A table or list, also one within a sentence. ``introduction``: its caption, or the line before it.

    ``legend``: what the page says about its columns, by column; ``codes``: about the codes in its cells, by column and
    code. ``all_rows``: the rows with those for their totals, () if there are none of these. ``fields``: of a record,
    the rows that the page has, each with one field; ``properties``: by column, if the page has a row for each property
    and a column for each thing, see :mod:`.transposed`. ``is_continued``: whether it is joined from several tables, see
    :mod:`core.reading.plans.continued_tables`. Without slots, because what is read for each question that is bound to
    it is computed once.
    """

    kind: Literal["table", "list", "sentence"]
    page_id: str
    title: str
    heading_path: tuple[str, ...]
    introduction: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    total: int  # rows of the whole table or list, of which some may be missing in ``rows``
    rank: int  # of its page's best evidence
    legend: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    all_rows: tuple[Row, ...] = ()
    fields: tuple[Row, ...] = ()
    properties: Mapping[str, Row] = field(default_factory=dict)
    is_continued: bool = False

    @property
    def is_record(self) -> bool:
        """Whether it is one thing with its fields, such as the properties of a page, and its only row has them all."""
        return bool(self.fields)

    @property
    def rows_of_page(self) -> Sequence[Row]:
        """The rows that the page has, and from which ``rows`` are made."""
        return self.fields or tuple(self.properties.values()) or self.all_rows or self.rows

    @property
    def name(self) -> str:
        """Its last heading, else the title of its page."""
        return self.heading_path[-1].rstrip(":") if self.heading_path else self.title

    @property
    def key(self) -> tuple[object, ...]:
        """Return a key that is the same whenever it is made from the same evidences."""
        return self.page_id, self.heading_path, self.introduction, self.columns, self.total

    @cached_property
    def context(self) -> str:
        """The text around it that says what it is about."""
        return " ".join((self.title, *self.heading_path, self.introduction))

    @cached_property
    def totals(self) -> tuple[Row, ...]:
        """The rows for totals of the others, which are not in ``rows``."""
        own = set(map(id, self.rows))
        return tuple(row for row in self.all_rows if id(row) not in own)

    @cached_property
    def with_totals(self) -> Relation:
        """The relation with its totals as rows, in the order of the page."""
        if not self.all_rows:
            return self
        return replace(self, rows=self.all_rows, total=self.total + len(self.totals), all_rows=())

    def get_cells(self, column: str) -> tuple[str, ...]:
        """Return the cells of a column, "" where a row has none."""
        if column not in self._cells:
            self._cells[column] = tuple([row.cells.get(column, "") for row in self.rows])
        return self._cells[column]

    @cached_property
    def _cells(self) -> dict[str, tuple[str, ...]]:
        """The cells of the columns that were asked for."""
        return {}

    @cached_property
    def language(self) -> LanguageCode:
        """The language in which its numbers are written."""
        return detect_language(" ".join((self.context, *self.columns)))

    @cached_property
    def vocabularies(self) -> Mapping[str, frozenset[str]]:
        """The words of all cells of each column, folded."""
        return {column: _list_words(self.get_cells(column)) for column in self.columns}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of all cells, folded."""
        return frozenset().union(*self.vocabularies.values())

    @cached_property
    def headers(self) -> frozenset[str]:
        """The words of the names of all columns that the page has, folded."""
        own = (column for column in self.columns if column not in OWN_COLUMNS)
        return frozenset(word.folded for column in own for word in split_words(column))

    @cached_property
    def has_kinds(self) -> bool:
        """Whether a column after the first divides the rows into kinds: few values that repeat."""
        return self.kind == "table" and any(map(self._divides_rows, self.columns[1:]))

    def _divides_rows(self, column: str) -> bool:
        cells = [cell for row in self.rows if (cell := row.cells.get(column, "").strip())]
        kinds = set(cells)
        return 1 < len(kinds) <= len(cells) / 2 and max(len(cell.split()) for cell in kinds) <= _KIND_WORDS

    @cached_property
    def has_unknown_codes(self) -> bool:
        """Whether a column divides the rows by letters that the page does not explain: "L", "D"."""
        columns = (each for each in self.columns[1:] if each not in self.codes and self._divides_rows(each))
        return self.kind == "table" and any(map(self._holds_letters, columns))

    def _holds_letters(self, column: str) -> bool:
        cells = {cell for row in self.rows if (cell := row.cells.get(column, "").strip())}
        return not cells & _VERDICT_LETTERS and all(len(cell) == 1 and cell.isupper() for cell in cells)

    @cached_property
    def short_cells(self) -> Sequence[tuple[str, str]]:
        """The columns and cells of a table that begin with the only word before a mark: "FAIL", "PASS; slow"."""
        if self.kind != "table":
            return []
        found = ((column, _SHORT.match(cell)) for row in self.rows for column, cell in row.cells.items())
        return list(dict.fromkeys((column, match[1]) for column, match in found if match and column not in OWN_COLUMNS))

    @cached_property
    def empty_cells(self) -> Sequence[tuple[str, str]]:
        """The columns and texts of cells without content words, by which they could be bound: "w/ and w/o"."""
        return [
            (column, cell)
            for column in self.columns
            for row in self.rows
            if (cell := row.cells.get(column, "").strip()) and not any(word.is_content for word in split_words(cell))
        ]

    @cached_property
    def state_cells(self) -> Sequence[tuple[str, str]]:
        """The columns and short cells of a table, in lower case, that begin with a preposition: "off track"."""
        columns = self.columns if self.kind == "table" else ()
        cells = dict.fromkeys((column, cell.casefold()) for column in columns for cell in self.get_cells(column))
        return [(column, cell) for column, cell in cells if _is_state(split_words(cell))]

    @cached_property
    def light_values(self) -> Mapping[tuple[str, ...], Sequence[str]]:
        """The columns, after the first, of values that consist of light words, folded: "done", "in use"."""
        found: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for column in self.columns[1:] if self.kind == "table" else ():
            for cell in self.get_cells(column) if column not in OWN_COLUMNS else ():
                for value in split_values(cell):
                    found[value][column] = None
        header = {column: fold_words(column) for column in self.columns}
        return {
            value: [column for column in columns if not set(value) <= set(header[column])]
            for value, columns in found.items()
            if value and all(word.is_light for word in split_words(" ".join(value)))
        }


def _is_state(words: Sequence[Word]) -> bool:
    return 1 < len(words) <= _STATE_WORDS and words[0].folded in _BEFORE_STATE and words[-1].is_content


@cache_texts(10_000)
def split_values(cell: str) -> Sequence[tuple[str, ...]]:
    """Return the words of a cell, folded, and of each value if it has several: "US, Norway"."""
    return [fold_words(each) for each in dict.fromkeys((cell, *_BETWEEN_VALUES.split(cell)))]


@cache_texts(2_000)  # the columns of the tables of the pages that are asked about, several times a question
def _list_words(cells: tuple[str, ...]) -> frozenset[str]:
    return frozenset([word.folded for cell in cells for word in split_words(cell)])


def make_relations(evidences: Iterable[RankedEvidence]) -> list[Relation]:
    """Return the tables and lists of the evidences, and lists and inline lists in passages.

    A row of a table is taken from the table's evidence if there is one, else from the evidence of the row.
    """
    return list(_make_relations(tuple(evidences)))


@cache_texts(16)  # of the evidences of an answer, which are read up to four times
def _make_relations(evidences: tuple[RankedEvidence, ...]) -> tuple[Relation, ...]:
    ranks: dict[str, int] = {}
    for ranked in evidences:
        ranks[ranked.evidence.page_id] = min(ranked.rank, ranks.get(ranked.evidence.page_id, ranked.rank))
    blocks: dict[tuple[str, str, int], list[tuple[RankedEvidence, Structure]]] = defaultdict(list)
    for ranked in evidences:
        if ranked.evidence.structure is not None:
            kind = "list" if ranked.evidence.kind == "list" else "table"
            blocks[ranked.evidence.page_id, kind, ranked.evidence.structure.block].append(
                (ranked, ranked.evidence.structure)
            )
    pages: dict[str, list[Evidence]] = defaultdict(list)
    for ranked in evidences:
        pages[ranked.evidence.page_id].append(ranked.evidence)
    relations = [
        _add_legend(_join_pieces(pieces, ranks[page_id]), pages[page_id]) for (page_id, _, _), pieces in blocks.items()
    ]
    lines = (_make_list_of_lines(ranked, ranks[ranked.evidence.page_id]) for ranked in evidences if _has_lines(ranked))
    inline_lists = (each for ranked in evidences for each in _make_inline_lists(ranked, ranks[ranked.evidence.page_id]))
    codes: dict[str, set[str]] = defaultdict(set)
    for relation in relations:
        codes[relation.page_id].update(chain.from_iterable(relation.codes.values()))
    data = (each for each in inline_lists if not _explains_codes(each, codes[each.page_id]))
    return (*relations, *lines, *data)


def _add_legend(relation: Relation, of_page: Sequence[Evidence]) -> Relation:
    if relation.kind != "table":
        return relation
    cells = {
        column: frozenset(row.cells.get(column, "").strip() for row in relation.rows)
        for column in relation.columns
        if column not in OWN_COLUMNS
    }
    legend, codes = read_legend(of_page, relation.columns), read_codes(of_page, cells)
    return replace(relation, legend=legend, codes=codes)


def _explains_codes(inline_list: Relation, codes: Set[str]) -> bool:
    """Whether an inline list explains codes of a table on its page: "L (laptop), D (desktop)"."""
    return any(row.cells[ITEM].partition(" (")[0] in codes for row in inline_list.rows)


def _has_lines(ranked: RankedEvidence) -> bool:
    """Whether a passage is a list without bullets: lines of a few words, as names under "Attendees"."""
    evidence = ranked.evidence
    return (
        evidence.kind == "passage"
        and len(evidence.parts) >= _LEAST_LINES
        and all(len(part.split()) <= _LINE_WORDS and not part.rstrip().endswith(_LINE_ENDS) for part in evidence.parts)
    )


def _make_list_of_lines(ranked: RankedEvidence, rank: int) -> Relation:
    evidence = ranked.evidence
    rows = tuple(Row({ITEM: text.strip()}, ranked, part) for part, text in enumerate(evidence.parts))
    around = (evidence.context.title, evidence.context.heading_path, _find_introduction(evidence.context))
    return Relation("list", evidence.page_id, *around, (ITEM,), rows, len(rows), rank)


def _make_inline_lists(ranked: RankedEvidence, rank: int) -> Iterator[Relation]:
    """Yield the lists within the sentences of a passage."""
    evidence = ranked.evidence
    if evidence.kind != "passage":
        return
    for part, text in enumerate(evidence.parts):
        for introduction, items in find_inline_lists(text):
            rows = tuple(Row(_make_cells(item), ranked, part) for item in items)
            columns = tuple(dict.fromkeys(name for row in rows for name in row.cells))
            around = (evidence.context.title, evidence.context.heading_path, introduction)
            yield Relation("sentence", evidence.page_id, *around, columns, rows, len(rows), rank)


def _make_cells(item: InlineItem) -> dict[str, str]:
    return {ITEM: item.text, **item.amounts, **({VALUE: item.others} if item.others else {})}


def _join_pieces(pieces: Sequence[tuple[RankedEvidence, Structure]], rank: int) -> Relation:
    # Tables before their rows, so that a row is cited as a part of its table.
    ordered = sorted(pieces, key=lambda piece: (piece[0].evidence.kind == "table_row", piece[0].evidence.ordinal))
    evidence, structure = ordered[0][0].evidence, ordered[0][1]
    is_list = evidence.kind == "list"
    read = list(read_items(ordered)) if is_list else fill_merged_cells(split_row_headers(list(read_rows(ordered))))
    rows = tuple(read if is_list else stack_repetitions(read))
    columns = tuple(dict.fromkeys(name for row in rows for name in row.cells))
    total = len(rows) if len(read) == structure.total else structure.total
    relation = Relation(
        "list" if is_list else "table",
        evidence.page_id,
        evidence.context.title,
        evidence.context.heading_path,
        structure.caption or _find_introduction(evidence.context),
        columns,
        rows,
        total,
        rank,
    )
    if not is_list and _are_fields(rows):
        return _join_fields(relation)
    has_end = any(structure.total in piece.numbers for _, piece in pieces)
    relation = _leave_out_totals(relation, has_end)
    if is_list or len(relation.rows) < relation.total:
        return relation
    around = [ranked.evidence for ranked, _ in ordered]
    return replace(relation, rows=tuple(fill_cells(relation.rows, relation.columns, says_same_as_above(around))))


def _are_fields(rows: Sequence[Row]) -> bool:
    """Whether rows are labels with their values: each has one cell, and none the header of another.

    Labels that are explained in sentences, as in a glossary, are things.
    """
    labels = [column for row in rows for column in row.cells if column != SECTION]
    is_labelled = len(rows) > 1 and len(labels) == len(set(labels)) == len(rows)
    values = [cell for row in rows for column, cell in row.cells.items() if column != SECTION]
    return is_labelled and sum(len(value.split()) <= _LINE_WORDS for value in values) * 2 > len(values)


def _join_fields(relation: Relation) -> Relation:
    """Return the relation whose only row has all fields."""
    cells = {column: cell for row in relation.rows for column, cell in row.cells.items() if column != SECTION}
    missing = relation.total - len(relation.rows)
    [first, *_] = fields = relation.rows
    return replace(
        relation, columns=tuple(cells), rows=(replace(first, cells=cells),), total=1 + missing, fields=fields
    )


def _leave_out_totals(relation: Relation, has_end: bool) -> Relation:
    """Return the relation without the rows that are totals of the others."""
    if relation.kind == "list":
        found = find_total_item(relation.rows) if has_end else []
    else:
        context = frozenset(fold_words(" ".join((relation.context, *relation.columns))))
        found = find_totals(relation.rows, relation.columns, relation.language, has_end, context)
    if not found:
        return relation
    rows = tuple(row for at, row in enumerate(relation.rows) if at not in found)
    return replace(relation, rows=rows, total=relation.total - len(found), all_rows=relation.rows)


def join_similar_tables(relations: Iterable[Relation]) -> list[Relation]:
    """Join tables that begin with the same two columns into one with the column PAGE, to make their rows comparable.

    Its context consists of the words that all of them have: for limits of 2024 and of 2026, all but the year.
    """
    alike: dict[tuple[str, ...], list[Relation]] = defaultdict(list)
    for relation in relations:
        if relation.kind == "table" and len(relation.columns) > 1 and VALUE not in relation.columns[:2]:
            alike[relation.columns[:2]].append(relation)
    return [_join_tables(similar) for similar in alike.values() if len(similar) > 1]


def _join_tables(similar: Sequence[Relation]) -> Relation:
    rows = tuple(
        Row({PAGE: " > ".join((each.title, *each.heading_path)), **row.cells}, row.ranked, row.part)
        for each in similar
        for row in each.rows
    )
    others = [set(each.context.split()) for each in similar[1:]]
    shared = " ".join(word for word in similar[0].context.split() if all(word in other for other in others))
    return Relation(
        "table",
        similar[0].page_id,
        shared,
        (),
        "",
        (PAGE, *dict.fromkeys(name for each in similar for name in each.columns)),
        rows,
        sum(each.total for each in similar),
        min(each.rank for each in similar),
    )


def _find_introduction(context: Context) -> str:
    line = context.lines_before[-1].strip()
    return line if line.endswith(":") else ""
