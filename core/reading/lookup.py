"""Looks up in a table what a sentence about an event leaves out: "Which firmware was it when the door jammed?".

The sentence names a thing ("On the B7, the door jammed"), and a table of its page has the column that is asked for, and
the thing in another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.i18n import Message, message, plural
from core.languages import Language, detect_catalogue
from core.model import Evidence, RankedEvidence, Scope, append_evidences
from core.ports.store import EvidenceStore
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation, make_relations
from core.reading.relations.rows import OWN_COLUMNS, Row
from core.reading.words import Word, has_same_noun, split_words
from core.text import has_digit, split_subject
from core.wording.quotations import BETWEEN_CELLS, Quotation, write_header

_EVENT = re.compile(
    r"(?i)^\W*(?:(?:so|and|also|und),? )?(?:what|which|was|welche[rnms]?)\b(?P<asked>[^?.;]{2,80}?),? "
    r"(?:when|als)\b(?P<event>[^?]+)"
)
_MOST_VALUES = 5
_MOST_NAME_WORDS = 4  # of a cell that names a thing
_LEAST_NAME = 3  # characters of a name with a digit: "B7" may stand for many things


@dataclass(frozen=True, slots=True)
class Lookup:
    """A question for the value of a column at an event. ``asked``: the words before the event."""

    asked: tuple[Word, ...]
    language: Language


def read_lookup(question: str) -> Lookup | None:
    """Return the question for a value at an event; None for any other."""
    found = _EVENT.search(split_subject(question)[0])
    return Lookup(split_words(found["asked"]), detect_catalogue(question)) if found else None


async def add_tables_for_lookup(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by the tables of the first page that have the column that the question names."""
    lookup = read_lookup(question)
    if lookup is None or not evidences:
        return list(evidences)
    blocks = await store.load_tables_and_lists([evidences[0].evidence.page_id], scope)
    tables = make_relations(RankedEvidence.of(each) for each in blocks if each.kind == "table")
    named = {row.ranked.evidence.evidence_id for each in tables if _find_column(lookup, each) for row in each.rows}
    return append_evidences(evidences, (each for each in blocks if each.evidence_id in named))


def leave_out_tables_for_lookup(question: str, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """Return the evidences without the tables that :func:`add_tables_for_lookup` has added, which are not quoted."""
    if read_lookup(question) is None:
        return list(evidences)
    return [each for each in evidences if each.evidence.kind != "table" or each.is_retrieved]


def look_up(question: str, quotations: Sequence[Quotation], evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """If the first quotation is a sentence, put before it what the table says about the thing that it names.

    Rows of the table that are about other things are left out.
    """
    lookup = read_lookup(question)
    if lookup is None or not quotations or quotations[0].evidence.rows:
        return list(quotations)
    page_id = quotations[0].evidence.page_id
    own = [each for each in evidences if each.evidence.page_id == page_id]
    tables = [each for each in make_relations(own) if each.kind == "table" and len(each.rows) == each.total]
    found = [answer for table in tables if (answer := _look_up(lookup, quotations[0].quote, table))]
    if len(found) != 1:
        return list(quotations)
    others = [each for each in quotations if not each.evidence.rows or each.evidence.page_id != page_id]
    return [*found[0], *others]


def _look_up(lookup: Lookup, sentence: str, table: Relation) -> list[Quotation]:
    """Return the values of the asked column for the thing that a sentence names; [] if it names none or several."""
    target = _find_column(lookup, table)
    said = {word.folded for word in split_words(sentence)}
    if not target:
        return []
    things = {(column, cell.casefold()): cell for column, cell in _list_things(table, target, said)}
    if len(things) != 1:
        return []
    [((column, folded), thing)] = things.items()
    rows = [row for row in table.rows if row.cells.get(column, "").casefold() == folded]
    values: dict[str, Row] = {}
    for row in rows:
        if not is_blank(value := row.cells.get(target, "")):
            values.setdefault(" ".join(value.split()), row)
    if not 0 < len(values) <= _MOST_VALUES:
        return []
    headline = _write_headline(table, target, column, thing, list(values)).render(lookup.language)
    return list(_cite(headline, values, target))


def _write_headline(table: Relation, target: str, column: str, thing: str, values: Sequence[str]) -> Message:
    if len(values) == 1:
        return message("{row}, {column}: {value}", row=thing, column=write_header(target), value=values[0])
    return plural(
        "{count} value of “{column}” in “{place}” for {conditions}: {values}",
        "{count} different values of “{column}” in “{place}” for {conditions}: {values}",
        len(values),
        column=write_header(target),
        place=table.name,
        conditions=f"{column}: {thing}",
        values=", ".join(values),
    )


def _cite(headline: str, values: dict[str, Row], target: str) -> Iterator[Quotation]:
    """Yield the headline with the evidence of the first value, and the values of each other evidence."""
    by_evidence: dict[str, tuple[Evidence, dict[str, str]]] = {}
    for value, row in values.items():
        evidence = row.ranked.evidence
        by_evidence.setdefault(evidence.evidence_id, (evidence, {}))[1][value] = evidence.parts[row.part]
    for at, (evidence, parts) in enumerate(by_evidence.values()):
        text = headline if at == 0 else BETWEEN_CELLS.join(f"{target}: {value}" for value in parts)
        yield Quotation(text, evidence, "\n".join(parts.values()))


def _find_column(lookup: Lookup, table: Relation) -> str:
    """Return the column whose header the question has in full before the event, of several the longest; else ""."""
    said = {word.folded for word in lookup.asked}
    headers = {
        column: split_words(column.rpartition(" > ")[2]) for column in table.columns if column not in OWN_COLUMNS
    }
    named = [
        (len(words), column)
        for column, words in headers.items()
        if words and all(has_same_noun(word.folded, said) for word in words)
    ]
    longest = [column for length, column in named if length == max(named)[0]]
    return longest[0] if len(longest) == 1 else ""


def _list_things(table: Relation, target: str, said: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the columns and short cells whose names with digits are all in the sentence, at least one of them."""
    for row in table.rows:
        for column, cell in row.cells.items():
            words = split_words(cell)
            names = [word.folded for word in words if has_digit(word.text)]
            is_short = column not in {target, *OWN_COLUMNS} and len(words) <= _MOST_NAME_WORDS
            if is_short and said.issuperset(names) and any(len(name) >= _LEAST_NAME for name in names):
                yield column, cell
