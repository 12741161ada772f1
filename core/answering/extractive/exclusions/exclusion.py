"""Leaves out table rows and list items that share the words of a question and are about something else.

Scores cannot tell them apart: a row about "old-config.patch" has most words of a question about "config.patch", and a
row that says "closed" has those of a question about what is not closed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from core.answering.extractive.exclusions.dated_titles import leave_out_other_dates
from core.answering.extractive.exclusions.other_headings import leave_out_other_headings
from core.answering.extractive.exclusions.other_periods import leave_out_other_periods
from core.answering.extractive.units import Unit
from core.languages import detect_language
from core.model import TABLE_KINDS
from core.reading.plans.conditions import NOT
from core.reading.plans.exact_cells import find_exact_names, list_unknown_composites
from core.reading.questions.ranges import find_range
from core.reading.words import DENIALS, EMPTY_WORDS, Word, is_same_noun, split_words
from core.text import has_digit

_BLOCKS = TABLE_KINDS | {"list"}
_NEAR = 3  # words after "not" within which a row denies something
_MOST_DENIED = 3  # words
_TOKEN = re.compile(
    r"(?i)(?P<asks>\b(?:which|what|who|how many|that|those|welche[rsnm]?|wer|was|wie ?viele?)\b"
    r"|, ?(?:die|der|das|den|denen)\b)"
    r"|(?P<ends>[?.;,]|\b(?:if|when|because|unless|wenn|falls|weil|als|ob)\b)"
    rf"|(?P<denies>\b(?:{DENIALS}|never|nie)\b)"
)
_CLAUSE = re.compile(r"[^?.;,]+")

_Column = tuple[str, int, str]
"""Page, block and header of a first column. Rows with headers of their own, as in a list of facts, are not compared."""


def leave_out_others(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without other rows, pages of other dates, other periods and headings, and opposites."""
    same_date = leave_out_other_dates(question, _leave_out_other_rows(question, units))
    same_heading = leave_out_other_headings(question, leave_out_other_periods(question, same_date))
    return _leave_out_opposites(question, same_heading)


# ------------------------------------------------------------------------------------------ other rows


def _leave_out_other_rows(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Leave out the other rows of a table of which the question names one by its first cell.

    It names the row if it has the cell verbatim, or if the cell is a range that has its only quantity. If no cell is
    the name in the question, but one is a part of it, all rows are left out. A row is kept for a number that only its
    first cell has: "4.1 release" in "what is in 4.1, what in 4.2 nightly?".
    """
    asked = _list_numbers(question)
    keys = [_find_key(unit) for unit in units]
    cells: dict[_Column, set[str]] = defaultdict(set)
    for column, cell in filter(None, keys):
        cells[column].add(cell)
    meant = {
        column: [
            *find_exact_names(question, names),
            *list_unknown_composites(question, names),
            *((found[0],) if (found := find_range(question, names, column[2])) else ()),
        ]
        for column, names in cells.items()
    }
    other_numbers = {column: asked - _list_numbers(" ".join(names)) for column, names in meant.items()}
    return [
        unit
        for unit, key in zip(units, keys, strict=True)
        if key is None
        or not meant[key[0]]
        or key[1] in meant[key[0]]
        or not other_numbers[key[0]].isdisjoint(_list_numbers(key[1]))
    ]


def _list_numbers(text: str) -> set[str]:
    return {word.folded for word in split_words(text) if has_digit(word.folded)}


def _find_key(unit: Unit) -> tuple[_Column, str] | None:
    """Return the first cell of a row with its column, None for other units."""
    evidence = unit.evidence
    if evidence.kind not in TABLE_KINDS or evidence.structure is None or not unit.cells:
        return None
    header, value = unit.cells[0]
    return (*evidence.table_key, header), value.strip()


# ------------------------------------------------------------------------------------------ opposites


def _leave_out_opposites(question: str, units: Sequence[Unit]) -> list[Unit]:
    """Return the units without the rows and items that state what the question denies.

    If rows deny it in the question's words ("not closed"), other rows with these words state the opposite. Else rows
    with the whole phrase do, or with a cell that is denied: "diesel" for "do not run on diesel". Of table rows in
    another language only those with a negation are kept.
    """
    clause = split_words(_find_denied_clause(question))
    denied = [word for word in clause if word.is_content]
    if not denied:
        return list(units)
    rows = [unit for unit in units if unit.evidence.kind in _BLOCKS]
    words = {id(unit): split_words(unit.text) for unit in rows}
    in_words = {word.folded for unit in rows for word in _find_denied(words[id(unit)], denied)}
    phrase = _find_phrase(clause)
    language = detect_language(question)
    kept: list[Unit] = []
    for unit in units:
        said = words.get(id(unit))
        if said is None or _find_denied(said, denied):
            kept.append(unit)
        elif in_words:
            kept += [] if _has_any(said, in_words) else [unit]
        elif unit.evidence.kind in TABLE_KINDS and detect_language(_write_with_headings(unit)) != language:
            kept += [unit] if any(word.folded in NOT for word in said) else []
        elif not _has_all(said, phrase) and not _has_denied_cell(unit, denied):
            kept.append(unit)
    return kept


def _find_denied_clause(question: str) -> str:
    """Return what follows "not" in a clause that begins with a question word or a relative pronoun; else ""."""
    is_asked = False
    for token in _TOKEN.finditer(question):
        if not token["denies"]:
            is_asked = token["asks"] is not None
        elif is_asked and (clause := _CLAUSE.match(question, token.end())):
            return clause[0]
    return ""


def _find_denied(said: Sequence[Word], denied: Sequence[Word]) -> list[Word]:
    """Return the words after a "not" that the question denies too."""
    near = [said[at + 1 : at + 1 + _NEAR] for at, word in enumerate(said) if word.folded in NOT]
    return [word for words in near for word in words if any(is_same_noun(word.folded, one.folded) for one in denied)]


def _find_phrase(said: Sequence[Word]) -> list[Word]:
    """Return the first words that say what is denied: "black screen" of "result in a black screen during"."""
    return list(takewhile(_has_meaning, dropwhile(lambda word: not _has_meaning(word), said)))[:_MOST_DENIED]


def _has_meaning(word: Word) -> bool:
    return word.is_content and word.folded not in EMPTY_WORDS


def _has_any(said: Sequence[Word], names: set[str]) -> bool:
    return any(is_same_noun(word.folded, name) for word in said for name in names)


def _has_all(said: Sequence[Word], phrase: Sequence[Word]) -> bool:
    return bool(phrase) and all(any(is_same_noun(word.folded, one.folded) for word in said) for one in phrase)


def _has_denied_cell(unit: Unit, denied: Sequence[Word]) -> bool:
    """Whether all content words of a cell are denied; not of the first one, which names the row."""
    cells = ([word for word in split_words(value) if word.is_content] for _, value in unit.cells[1:])
    return any(words and all(_has_any([word], {one.folded for one in denied}) for word in words) for words in cells)


def _write_with_headings(unit: Unit) -> str:
    context = unit.evidence.context
    return " ".join((context.title, *context.heading_path, unit.text))
