"""What a question asks of rows: an operation, the words that describe the rows, and limits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.languages import Language
from core.reading.questions.limits import Bound
from core.reading.questions.quantifier import Quantity
from core.reading.words import CONTAINERS, EMPTY_WORDS, Word, has_same_noun


class Operation(StrEnum):
    """The operation on the rows that fulfil the conditions."""

    COUNT = "count"
    LIST = "list"
    LARGEST = "largest"
    SMALLEST = "smallest"
    SUM = "sum"
    MEAN = "mean"
    COMPARE = "compare"
    CHECK = "check"
    PERSON = "person"
    CELL = "cell"

    @property
    def is_on_rows(self) -> bool:
        """Whether the rows themselves are counted or listed."""
        return self in {Operation.COUNT, Operation.LIST}


@dataclass(frozen=True, slots=True)
class Superlative:
    """A wanted largest or smallest value. ``hints``: words of columns, or units, that measure it.

    ``is_temporal``: a date or version is wanted ("latest"). ``is_specific``: the word says what is measured by itself:
    "heaviest", but not "highest".
    """

    hints: frozenset[str] = frozenset()
    is_temporal: bool = False
    is_specific: bool = False


@dataclass(frozen=True)
class RowQuestion:
    """A question that asks for rows, without the words that express the operation.

    ``subject``: the words for what is counted or listed, right after "how many" or "which"; empty for a sum, a
    comparison or a check. ``negated``: the words after "not", None without it. ``has_range``: "from X to Y".
    ``quoted``: phrases in quotation marks, which a relation has to have verbatim. ``text``: the question as asked.
    ``of_context``: words, in lower case, that the context of the relation has in another language. ``is_distinct``:
    "different X". ``counts_people``: people are counted, in whatever words. ``quantity``: of a check,
    "any", "all" or "other". ``asks_value``: "what is the X of Y", which no row answers that only has Y; of a sum or
    mean "the total X of Y", which a row for the total answers. ``choice``: of a comparison, whether the larger or the
    smaller of the two is asked for. Without slots, because ``needed`` is used for each table.
    """

    operation: Operation
    language: Language
    words: tuple[Word, ...]
    subject: tuple[Word, ...]
    superlative: Superlative = Superlative()
    bounds: tuple[Bound, ...] = ()
    negated: tuple[Word, ...] | None = None
    has_range: bool = False
    quoted: tuple[tuple[Word, ...], ...] = ()
    text: str = ""
    is_distinct: bool = False
    counts_people: bool = False
    quantity: Quantity | None = None
    of_context: frozenset[str] = frozenset()
    asks_value: bool = False
    choice: Operation | None = None

    @cached_property
    def needed(self) -> tuple[Word, ...]:
        """The words that a relation has to account for."""
        return tuple(word for word in self.words if word.is_content and not self._is_empty(word))

    def _is_empty(self, word: Word) -> bool:
        if word.is_name or (self.operation is Operation.CHECK and not self.quantity):
            return False
        is_long = len(word.folded) >= _DECLINED_LETTERS
        if word.folded in EMPTY_WORDS or (
            self.language == "de" and is_long and has_same_noun(word.folded, EMPTY_WORDS)
        ):
            return True  # German participles are declined: "die zugewiesenen"; "Runs" is no form of "run"
        return word.folded in CONTAINERS and word not in self.subject


_DECLINED_LETTERS = 5  # at least, of a participle with an ending
MOST_WORDS = 60
"""The most words that a question may have to be bound."""
