"""Conditions on columns: words of a question that are values of a column, and limits.

A condition's value is both in the question and in the column ("UK" also for "United Kingdom"), so no condition has an
invented value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal

from core.reading.questions.limits import Comparison, is_within_limit
from core.reading.relations.marks import is_absent, read_verdict, says_none
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, Row
from core.reading.values import Value, ValueKind, find_quantity, read_column, read_value
from core.reading.words import Word, fold_words, has_same_noun, is_derived, is_related, split_words
from core.text_caches import cache_texts
from core.wording.word_matches import list_shorter_numbers

_SPAN_WORDS = 5  # of a value in a question
_CELL_WORDS = 12  # a longer cell is a description: a single word of it is no value
_NAMED_CELL_WORDS = 40
_OF_AMOUNT, _OF_FORM = 1.2, 0.8  # strengths
_HAS_DIGIT = re.compile(r"\D{0,10}\d")
_BETWEEN_VALUES = re.compile(r",\s|;|\n| / ")  # not the comma of "1,775", nor the sign of "P/F"
_LEAST_SHARE = 0.3  # of a cell's words, that a single ordinary word has to be

NOT = frozenset("not no non never nicht kein keine keinen nie without ohne".split())
"""Words that negate the word after them."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What the cell of a column has to be. ``value``: as the question writes it; ``limit``: its value, if it is one.

    ``values``: the column's cells as values, for a limit. ``at``: the index of its first word in the question.
    ``openings``: words of which the cell has to begin with one; then the value is only what the question says.
    ``length``: the number of the question's words that it binds, if they are not its value: "laptops" for the code "L".
    """

    column: str
    value: str
    comparison: Comparison = Comparison.HAS
    strength: float = 0.0
    limit: Value | None = None
    values: Mapping[str, Value] | None = None
    is_negated: bool = False
    at: int = 0
    openings: frozenset[str] = frozenset()
    length: int = 0

    @property
    def bound(self) -> range:
        """The indexes of the question's words that it binds."""
        return range(self.at, self.at + (self.length or len(split_words(self.value)) - self.is_denial))

    @property
    def is_on_dates(self) -> bool:
        """Whether it limits a column of dates."""
        return any(value.kind is ValueKind.DATE for value in (self.values or {}).values())

    def holds(self, cell: str) -> bool:
        """Whether a cell fulfils the condition."""
        return self._holds(cell) is not self.is_negated

    def _holds(self, cell: str) -> bool:
        if self.openings:
            return _find_opening(cell) in self.openings
        if self.comparison is Comparison.POSITIVE or self.comparison is Comparison.NEGATIVE:
            return read_verdict(cell) is (self.comparison is Comparison.POSITIVE)
        if self.comparison is Comparison.MISSING:
            return is_absent(cell) or says_none(cell)
        if self.limit is not None:
            found = (self.values or {}).get(cell)
            return found is not None and is_within_limit(found, self.comparison, self.limit)
        if self.comparison is Comparison.IS:
            return _has_same_words(cell, self.value)
        if self.comparison is Comparison.LISTS:
            return _has_same_words(cell, self.value) or _contains_value(cell, self.value)
        return _has_affirmed(fold_words(cell), fold_words(self.value))

    @property
    def is_denial(self) -> bool:
        """Whether its value is a denial as cells write it: "not started"."""
        return self.comparison is Comparison.HAS and self.value.lower().startswith(tuple(f"{word} " for word in NOT))


def _has_same_words(text: str, other: str) -> bool:
    """Whether two texts have the same words, in the same case."""
    return [word.text for word in split_words(text)] == [word.text for word in split_words(other)]


def _contains_value(cell: str, value: str) -> bool:
    """Whether one of several values of a cell is this one."""
    values = _BETWEEN_VALUES.split(cell)
    return len(values) > 1 and any(_has_same_words(each, value) for each in values)


def fulfils(row: Row, conditions: Sequence[Condition]) -> bool:
    """Whether a row's cells fulfil all conditions."""
    return all(condition.holds(row.cells.get(condition.column, "")) for condition in conditions)


# ------------------------------------------------------------------------------------ binding of words


def find_conditions(
    asked_words: Sequence[Word], relation: Relation, context: Set[str], taken: Set[int] = frozenset()
) -> Iterator[Condition]:
    """Yield the longest spans of the question that are values of a column, from left to right.

    ``taken``: the indexes of words that are bound already.
    """
    at = 0
    while at < len(asked_words):
        is_free = (asked_words[at].is_content or asked_words[at].folded.isdigit()) and at not in taken
        if is_free and (amount := _bind_amount(at, asked_words, relation)) and taken.isdisjoint(amount.bound):
            yield amount
            at += amount.length
            continue
        for length in range(_count_known(asked_words[at : at + _SPAN_WORDS], relation) if is_free else 0, 0, -1):
            if (
                asked_words[at + length - 1].is_content
                and taken.isdisjoint(range(at, at + length))
                and (found := _bind_span(at, length, asked_words, relation, context))
            ):
                yield found
                at += length
                break
        else:
            if is_free and (form := _bind_form(at, asked_words, relation, context)):
                yield form
            at += 1


def _bind_amount(at: int, asked_words: Sequence[Word], relation: Relation) -> Condition | None:
    """Return the condition for a number with a unit, on the only column that has it: "16GB" also for "16 GB"."""
    for length in (2, 1) if asked_words[at].folded[0].isdigit() else ():
        text = " ".join(word.folded for word in asked_words[at : at + length])
        amount = read_value(text)
        if amount.kind is not ValueKind.NUMBER or not find_quantity(amount.unit):
            continue
        columns = {column: _find_amounts(relation, column, amount) for column in relation.columns}
        having = [column for column, values in columns.items() if any(value == amount.key for _, value in values)]
        said = {word.folded for word in asked_words}
        named = [each for each in having if not said.isdisjoint(word.folded for word in split_words(each))] or having
        if len(named) == 1:
            values = {cell: replace(amount, key=key) for cell, key in columns[named[0]]}
            written = " ".join(word.text for word in asked_words[at : at + length])
            return Condition(named[0], written, Comparison.DURING, _OF_AMOUNT, amount, values, at=at, length=length)
    return None


def _find_amounts(relation: Relation, column: str, amount: Value) -> list[tuple[str, tuple[Decimal, ...]]]:
    """Return the cells of a column that are amounts of the same measure."""
    cells = [cell for cell in {row.cells.get(column, "") for row in relation.rows} if _HAS_DIGIT.match(cell)]
    values = zip(cells, read_column(cells, relation.language), strict=True)
    return [(cell, value.key) for cell, value in values if value.is_comparable(amount) and not value.other]


def _bind_form(at: int, asked_words: Sequence[Word], relation: Relation, context: Set[str]) -> Condition | None:
    """Return the condition for a cell of one word in another form: "failed" for "FAIL"; None if several fit."""
    word = asked_words[at]
    if word.is_name:
        return _bind_shorter_number(at, word, relation, context)
    if word.folded in context or has_same_noun(word.folded, relation.headers):
        return None
    forms = [(column, cell) for column, cell in relation.short_cells if is_related(word.folded, cell.lower())]
    if len({(column, cell.lower()) for column, cell in forms}) != 1:
        return None
    column, cell = forms[0]
    return Condition(column, cell, strength=_OF_FORM, at=at, length=1)


def _bind_shorter_number(at: int, word: Word, relation: Relation, context: Set[str]) -> Condition | None:
    """Return the condition for the versions of a column that continue a number: "7.4" for "7.4.2"; else None."""
    if "." not in word.folded or word.folded in context:
        return None
    longer = {
        column: frozenset(each for each in vocabulary if word.folded in list_shorter_numbers(each))
        for column, vocabulary in relation.vocabularies.items()
    }
    columns = [column for column, found in longer.items() if found]
    if len(columns) != 1:
        return None
    condition = Condition(columns[0], word.text, strength=1.0, at=at, openings=longer[columns[0]])
    return condition if any(condition.holds(cell) for cell in relation.get_cells(columns[0])) else None


def _count_known(asked_words: Sequence[Word], relation: Relation) -> int:
    """Return the number of words up to the first that no cell has. Initials count as one, as they may be of a cell."""
    for at, word in enumerate(asked_words):
        if word.folded not in relation.vocabulary:
            return at or int(is_short_form(word))
    return len(asked_words)


def _bind_span(
    at: int, length: int, asked_words: Sequence[Word], relation: Relation, context: Set[str]
) -> Condition | None:
    """Return the condition on the column in which some rows have the span; None if the context has it."""
    span = asked_words[at : at + length]
    names = [word.folded for word in span]
    if all(name in context for name in names):
        return None
    found = [
        _bind_to_column(at, span, asked_words, relation, column)
        for column, vocabulary in relation.vocabularies.items()
        if names[0] in vocabulary and vocabulary.issuperset(names)
    ]
    if not found and length == 1 and is_short_form(span[0]):
        found = [_bind_short_form(at, span[0], relation, column) for column in relation.columns]
    return max((condition for condition in found if condition), key=lambda each: each.strength, default=None)


def _bind_to_column(
    at: int, span: Sequence[Word], asked_words: Sequence[Word], relation: Relation, column: str
) -> Condition | None:
    names = [word.folded for word in span]
    header = {word.folded for word in split_words(column)}
    is_name = any(word.is_name for word in span)
    if len(span) == 1 and not is_name and (names[0] in header or names[0].isdigit()):
        return None
    if len(span) == 1 and not is_name and column != relation.columns[0] and _names_rows(span[0], relation):
        return None  # "which servers", beside a column with "Windows Server"
    comparison = Comparison.IS if len(span) == 1 and len(names[0]) <= 2 else Comparison.HAS
    value = " ".join(word.text for word in span)
    if comparison is Comparison.IS and (code := _find_code(span[0], relation, column)):
        value = code
    if comparison is Comparison.IS and any(_contains_value(cell, value) for cell in relation.get_cells(column)):
        comparison = Comparison.LISTS
    condition = Condition(column, value, comparison)
    is_phrase = sum(word.is_content for word in span) > 1
    shares = []
    filled = 0
    for row in relation.rows:
        words = split_words(row.cells.get(column, ""))
        filled += bool(words)
        longest = _NAMED_CELL_WORDS if is_name or is_phrase else _CELL_WORDS
        if words and len(words) <= longest and condition.holds(row.cells[column]):
            shares.append(len(names) / len(words))
    if not shares or len(shares) == filled == len(relation.rows) > 1:
        return None
    share = sum(shares) / len(shares)
    if len(span) == 1 and not is_name and share < _LEAST_SHARE:
        return None
    is_named = any(word.is_content and word not in span and has_same_noun(word.folded, header) for word in asked_words)
    said = {word.folded for word in asked_words if word not in span}
    is_named_whole = len(header) > 1 and all(has_same_noun(name, said) for name in header)  # "OS boot", not "Host boot"
    strength = share + 0.5 * is_named + 0.1 * is_named_whole + 0.2 * (len(shares) > 1) + 0.2 * is_name
    return Condition(column, condition.value, comparison, strength, at=at)


def _find_code(word: Word, relation: Relation, column: str) -> str:
    """Return the cell of a column that is a short code as people type it in lower case: "K1" of "k1"; else ""."""
    if not word.is_content or word.text.isupper():
        return ""
    cells = {cell.strip() for cell in relation.get_cells(column)}
    return next((cell for cell in cells if cell.isupper() and cell.lower() == word.text), "")


def _names_rows(word: Word, relation: Relation) -> bool:
    """Whether a word is the header of the first column of a table, and so what each row is."""
    first = fold_words(relation.columns[0])
    return relation.kind == "table" and len(first) == 1 and has_same_noun(word.folded, first)


def find_openings(asked_words: Sequence[Word], relation: Relation, skipped: Set[int]) -> Iterator[Condition]:
    """Yield the words of the question with which some items of a list begin, also in another form.

    "Verification" and "verifiability" for "Verified launch of guests": an item is usually named by how it begins.
    """
    openings = {_find_opening(row.cells.get(ITEM, "")) for row in relation.rows} - {""}
    for at, word in enumerate(asked_words):
        if at in skipped or not word.is_content or word.is_name or len(word.folded) < _OPENING_LETTERS:
            continue
        forms = frozenset(each for each in openings if is_derived(word.folded, each))
        found = Condition(ITEM, word.text, strength=_OPENING_STRENGTH, at=at, openings=forms)
        if forms and not all(found.holds(row.cells.get(ITEM, "")) for row in relation.rows):
            yield found


def _find_opening(item: str) -> str:
    """Return the first word of an item, in lower case; "" if it is none that says anything."""
    first = next(iter(split_words(item)), None)
    return first.folded if first and first.is_content else ""


_OPENING_STRENGTH = 0.75  # with other unbound words, it may not be what selects the items
_OPENING_LETTERS = 7  # at least: shorter words are in many other ones


def is_short_form(word: Word) -> bool:
    """Whether a word can be the initials of others: "UK"."""
    return 2 <= len(word.text) <= 5 and word.text.isalpha() and word.text.isupper()


@cache_texts(5_000)
def find_initials(text: str) -> str:
    """Return the initials of a name, in capitals: "UK" of "United Kingdom"."""
    return "".join(word.text[0] for word in split_words(text)).upper()


def _bind_short_form(at: int, word: Word, relation: Relation, column: str) -> Condition | None:
    cells = {row.cells[column] for row in relation.rows if column in row.cells}
    meant = [cell for cell in cells if find_initials(cell) == word.text]
    return Condition(column, meant[0], strength=1.0, at=at, length=1) if len(meant) == 1 else None


def find_common_words(relation: Relation) -> set[str]:
    """Return the words that all rows have in one column, which select no rows: "6.0.0" of all release candidates."""
    found: set[str] = set()
    for column in relation.columns if len(relation.rows) > 1 else ():
        found |= _find_shared_words(relation.get_cells(column))
    return found


@cache_texts(2_000)
def _find_shared_words(cells: tuple[str, ...]) -> frozenset[str]:
    words = [split_words(cell) for cell in cells]
    if sum(map(len, words)) > _CELL_WORDS * len(words):
        return frozenset()
    return frozenset.intersection(*(frozenset(word.folded for word in cell if word.is_content) for cell in words))


def _has_affirmed(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether words contain others in sequence, without a negation right before them."""
    if wanted and wanted[0] not in words:
        return False
    return any(at == 0 or words[at - 1] not in NOT for at in _find_spans(words, wanted))


def find_denial(asked_words: Sequence[Word], begin: int, relation: Relation) -> Condition | None:
    """Return the words after "not" as a condition on the only column that has them as a denial: "Not started"."""
    for length in range(min(_SPAN_WORDS, len(asked_words) - begin), 0, -1):
        span = [word.folded for word in asked_words[begin : begin + length]]
        found = {
            (column, denial.lower()): denial
            for column in relation.columns
            for row in relation.rows
            if (denial := _find_denied(split_words(row.cells.get(column, "")), span))
        }
        if len(found) == 1:
            [((column, _), denial)] = found.items()
            return Condition(column, denial, strength=1.0, at=begin)
    return None


def _find_denied(words: Sequence[Word], span: Sequence[str]) -> str:
    """Return the words of a short cell that are a negation and the span; "" if there are none."""
    size = len(span) + 1
    for at in range(len(words) - size + 1 if len(words) <= _CELL_WORDS else 0):
        if words[at].folded in NOT and [word.folded for word in words[at + 1 : at + size]] == list(span):
            return " ".join(word.text for word in words[at : at + size])
    return ""


def has_span(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether words contain others in sequence."""
    return find_span(words, wanted) is not None


def find_span(words: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the index at which words first contain others in sequence, None if they do not."""
    return next(_find_spans(words, wanted), None)


def _find_spans(words: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    """Return the indexes at which words contain others in sequence."""
    listed, size = tuple(wanted), len(wanted)
    return (at for at in range(len(words) - size + 1) if tuple(words[at : at + size]) == listed)
