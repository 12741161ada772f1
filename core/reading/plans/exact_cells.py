"""Conditions for cells that a question has verbatim (names of things by their form, and cells without content words).

And for codes, of which the question has the meaning that the page gives them: "laptops" for "L".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from core.reading.plans.conditions import Condition, find_span
from core.reading.questions.limits import Comparison
from core.reading.questions.ranges import find_range
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import SECTION
from core.reading.words import Word, fold_words, is_related, split_words

CERTAIN = 1.0
"""Strength of a condition that is a whole cell, or whose column is named."""


def find_exact_row(question: RowQuestion, relation: Relation, context: Set[str]) -> list[Condition]:
    """Return the condition that the first cell is the name that the question has verbatim, if it has exactly one."""
    if relation.kind != "table" or question.operation is Operation.COMPARE or question.has_range:
        return []
    first = relation.columns[0]
    names = find_exact_names(question.text, (row.cells.get(first, "").strip() for row in relation.rows))
    words = [word.folded for word in split_words(names[0])] if len(names) == 1 else []
    at = find_span([word.folded for word in question.words], words) if words else None
    if at is None or context >= set(words):
        return []
    return [Condition(first, names[0], Comparison.IS, CERTAIN, at=at)]


def find_row_of_range(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition that the first cell is the range with the only quantity of the question."""
    if relation.kind != "table" or question.operation is Operation.COMPARE or question.has_range or question.bounds:
        return []
    first = relation.columns[0]
    found = find_range(question.text, relation.get_cells(first), first)
    said = fold_words(found[1]) if found else ()
    at = find_span([word.folded for word in question.words], said) if said else None
    if found is None or at is None:
        return []
    return [Condition(first, found[0], Comparison.IS, CERTAIN, at=at, length=len(said))]


def find_unknown_composite(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition that a cell is the name "web-us" of the question, see :func:`list_unknown_composites`.

    No row fulfils it. Without it, the part of the name would select the rows of other things.
    """
    folded = [word.folded for word in question.words]
    for column in relation.columns if relation.kind == "table" and _COMPOSITE.search(question.text) else ():
        for name in list_unknown_composites(question.text, relation.get_cells(column)):
            at = find_span(folded, [word.folded for word in split_words(name)])
            if at is not None:
                return [Condition(column, name, Comparison.IS, CERTAIN, at=at)]
    return []


def find_literal(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition of a cell that the question has verbatim, though its words say nothing: "w/ and w/o"."""
    is_possible = relation.kind == "table" and question.operation.is_on_rows
    found = _find_literal_cell(question.text, relation) if is_possible else None
    if found is None:
        return []
    column, cell = found
    at = find_span([word.folded for word in question.words], [word.folded for word in split_words(cell)])
    return [] if at is None else [Condition(column, cell, Comparison.IS, CERTAIN, at=at)]


def find_coded(question: RowQuestion, relation: Relation, context: Set[str]) -> Iterator[Condition]:
    """Yield the conditions for codes whose meaning, or a form of it, is in the question."""
    for column, codes in relation.codes.items():
        for code, meaning in codes.items():
            words = split_words(meaning)
            at = _find_forms(question.words, words) if words else None
            if at is not None and not {word.folded for word in words} <= context:
                yield Condition(column, code, Comparison.IS, CERTAIN, at=at, length=len(words))


def _find_forms(asked_words: Sequence[Word], wanted: Sequence[Word]) -> int | None:
    """Return the index of words in sequence that are forms of the wanted ones; None if there are none."""
    starts = range(len(asked_words) - len(wanted) + 1)
    alike = (
        at
        for at in starts
        if all(is_related(asked_words[at + step].folded, word.folded) for step, word in enumerate(wanted))
    )
    return next(alike, None)


def find_states(question: RowQuestion, relation: Relation) -> Iterator[Condition]:
    """Yield the conditions for states of several words that the question has: "off track", "in progress"."""
    asked_words = [word.folded for word in question.words]
    for column, cell in relation.state_cells if question.operation.is_on_rows else ():
        at = find_span(asked_words, fold_words(cell))
        if at is not None:
            yield Condition(column, cell, strength=CERTAIN, at=at)


def find_grade(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition of a letter in the only column of letters: "how many suppliers got an A?".

    A capital within a question is no article, "I" a pronoun. A letter that belongs to a noun ("Plant A", "A parts") or
    is compared ("below A") is no grade.
    """
    asked = [match["letter"] for match in _ASKED_GRADE.finditer(question.text)]
    letters = {word.text: at for at, word in enumerate(question.words) if word.text in asked}
    if not letters or not question.operation.is_on_rows:
        return []
    columns = {column: {cell.strip() for cell in relation.get_cells(column)} - {""} for column in relation.columns[1:]}
    graded = [
        (column, letters.keys() & cells)
        for column, cells in columns.items()
        if len(cells) > 1 and all(map(_GRADE.fullmatch, cells)) and letters.keys() & cells
    ]
    if len(graded) != 1 or len(graded[0][1]) != 1:
        return []
    [(column, [letter])] = graded
    return [Condition(column, letter, Comparison.IS, CERTAIN, at=letters[letter], length=1)]


def find_section(question: RowQuestion, relation: Relation) -> list[Condition]:
    """Return the condition that rows are below a heading, or in an item, that the question has in full."""
    asked_words = [word.folded for word in question.words]
    names = dict.fromkeys(name for row in relation.rows for name in row.cells.get(SECTION, "").split(" > ") if name)
    found = []
    for name in names:
        words = [word.folded for word in split_words(name)]
        at = find_span(asked_words, words) if len(words) > 1 and not relation.title.startswith(name) else None
        if at is not None:
            found.append(Condition(SECTION, name, strength=CERTAIN, at=at, length=len(words)))
    meant = max(found, key=lambda each: each.length, default=None)
    is_some = meant and not all(meant.holds(row.cells.get(SECTION, "")) for row in relation.rows)
    return [meant] if meant and is_some else []


_LETTER = re.compile(r"[^\W\d_]")
_GRADE = re.compile(r"[A-HJ-Z]")
_ASKED_GRADE = re.compile(
    r"(?:\b(?i:an?|ein|eine|einem|grade|graded|rated|rating|note|of|mit|with|are|is|have|has|got|get) )"
    r"(?P<letter>[A-HJ-Z])(?=[ ]?[?.!,]|$| (?i:rating|grade|and|or|und|oder|have|haben|in|at)\b)"
)
_COMPOSITE = re.compile(r"(?<![\w./-])\w+(?:[-_]\w+)+")
_EXACT = re.compile(r"\w[._/:@+~#-]+\w|\d")


def find_exact_names(text: str, cells: Iterable[str]) -> list[str]:
    """Return the cells that a text has verbatim and that name one thing by their form, such as "config.patch".

    A cell that stands only as a part of a longer one is left out.
    """
    folded = " ".join(text.casefold().split())
    names = {cell: " ".join(cell.casefold().split()) for cell in dict.fromkeys(cells)}
    spans = {
        match.span(): cell
        for cell, name in names.items()
        if name in folded and _LETTER.search(name) and _EXACT.search(name)
        for match in re.finditer(rf"(?<![\w./-]){re.escape(name)}(?![\w/-]|\.\w)", folded)
    }
    whole = [cell for span, cell in spans.items() if not any(_is_within(span, other) for other in spans)]
    return list(dict.fromkeys(whole))


def list_unknown_composites(text: str, cells: Iterable[str]) -> list[str]:
    """Return the names of a text with a hyphen, "web-us", that no cell is, though cells are "web" and "web-eu"."""
    names = {" ".join(cell.casefold().split()) for cell in cells}
    return [match[0] for match in _COMPOSITE.finditer(text) if _is_unknown_composite(match[0].casefold(), names)]


def _is_unknown_composite(name: str, names: set[str]) -> bool:
    parts = [name[: joint.end()] for joint in re.finditer("[-_]", name)]
    return name not in names and any(
        part[:-1] in names and any(each.startswith(part) for each in names) for part in parts
    )


def _find_literal_cell(text: str, relation: Relation) -> tuple[str, str] | None:
    """Return the column and the cell without content words that a text has verbatim; None if not exactly one."""
    cells = relation.empty_cells
    names = find_exact_names(text, (cell for _, cell in cells))
    columns = {column for column, cell in cells if cell in names}
    return (columns.pop(), names[0]) if len(names) == len(columns) == 1 else None


def _is_within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    return span != other and other[0] <= span[0] and span[1] <= other[1]
