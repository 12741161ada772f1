"""What a question asks of a table or list: an operation, and conditions that are bound to columns.

The words of a question are bound to what stands in a relation: values to cells, names of columns to headers, the rest
to the place (title, headings, introduction). A condition's value stands in the question and in the column, so a plan
has no value that neither has. Words that cannot be bound are named, so that a plan can be declined for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import dropwhile, takewhile

from core.answering.focus import LIGHT_WORDS, word_matches
from core.reading.relation import DONE, ITEM, SECTION, VALUE, Relation, Row
from core.text import STOPWORDS


class Operation(StrEnum):
    """What is done with the rows that fulfil the conditions."""

    COUNT = "count"
    LIST = "list"


_COUNT = re.compile(r"(?i)\b(?:how many|number of|count (?:of|the)|wie ?viele?n?|anzahl)\b")
_OTHERWISE = re.compile(
    r"(?i)\b(?:not|never|without|except|nor|neither|no|nicht|nie|ohne|außer|kein(?:e[rsnm]?)?"  # what is not so
    r"|than|vs|versus|compared|difference|gegenüber|verglichen|unterschied|mehr|weniger"  # compared
    r"|most|least|(?:larg|small|high|low|long|short|new|old|lat|earli|bigg|fast|slow)est"
    r"|meisten|wenigsten|(?:größ|klein|höch|niedrig|läng|kürz|neu|ält|spät|früh|schnell|langsam)s?te[nrsm]?)\b|n['’]t\b"
)
_LIST = re.compile(r"(?i)\b(?:which|what|list|name|welche[rnms]?|was für|liste|nenne|zähle?)\b")
_TERM = re.compile(r"\d+(?:[.:/-]\d+)+|[^\W_]+")
_OWN_COLUMNS = frozenset({ITEM, VALUE, SECTION, DONE})
_BETWEEN = frozenset("of the all are other der die das den alle aller sind andere anderen me mir".split())  # noqa: SIM905
_MOST_WORDS = 60  # of a question that is bound; a longer one is a story
_MOST_CELLS = 50_000  # of all relations that a question is bound to; what is larger is not read
_SPAN_WORDS = 5  # of a value in a question
_CELL_WORDS = 12  # a longer cell describes; a single word of it is no value
_NAMED_CELL_WORDS = 40
_LEAST_SHARE = 0.3  # of a cell's words that a single ordinary word has to be
_BOUND = 0.4  # a word that matches less is not bound
_COMPLETE = 0.5  # of its rows that a relation needs: those of other tables are there in part
_RANK_WEIGHT = 0.4
_HEAVY = 2.0  # the weight of names, and of what is counted or listed


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is written, and in small letters."""

    text: str
    folded: str

    @property
    def is_name(self) -> bool:
        """Whether it names something exactly: it has a digit, or is in capitals."""
        return any(character.isdigit() for character in self.text) or (self.text.isupper() and self.text not in "AI")

    @property
    def is_content(self) -> bool:
        return self.is_name or not (self.folded in STOPWORDS | LIGHT_WORDS or len(self.folded) == 1)


@dataclass(frozen=True, slots=True)
class Condition:
    """The words that a column has to have, one after the other. ``whole``: it has to have no others, in this case."""

    column: str
    value: str
    whole: bool
    strength: float = 0.0

    def holds(self, cell: str) -> bool:
        """Whether a cell fulfils it."""
        words = words_of(cell)
        if self.whole:
            return [word.text for word in words] == [word.text for word in words_of(self.value)]
        return _contains([word.folded for word in words], [word.folded for word in words_of(self.value)])


@dataclass(frozen=True, slots=True)
class Plan:
    """An operation on the rows of a relation.

    ``columns``: those that the question names. ``fit``: the share of the question's words, by weight, that the relation
    accounts for, 0 to 1; ``unbound``: the words that it does not account for. ``subject``: the words that say what is
    counted or listed, right after "how many" or "which".
    """

    operation: Operation
    relation: Relation
    conditions: tuple[Condition, ...]
    columns: tuple[str, ...]
    fit: float
    unbound: tuple[Word, ...]
    subject: tuple[Word, ...]

    def find_rows(self) -> list[Row]:
        """The rows that fulfil all conditions, in their order."""
        return [row for row in self.relation.rows if _fulfils(row, self.conditions)]


def operation_of(question: str) -> Operation | None:
    """The operation that a question asks for; None for none of these, for what is *not* so, and for comparisons."""
    if _OTHERWISE.search(question):
        return None
    if _COUNT.search(question):
        return Operation.COUNT
    return Operation.LIST if _LIST.search(question) else None


@dataclass(frozen=True, slots=True)
class RowQuestion:
    """A question that asks for rows. ``subject``: see :class:`Plan`; never empty."""

    operation: Operation
    words: tuple[Word, ...]
    subject: tuple[Word, ...]


def read_question(question: str) -> RowQuestion | None:
    """What a question asks of rows; None where it asks for none, so that no table need be read."""
    operation, words = operation_of(question), words_of(question)
    if operation is None or len(words) > _MOST_WORDS:
        return None
    subject = _subject(operation, question)
    return RowQuestion(operation, words, subject) if subject else None


@lru_cache(maxsize=5_000)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text; numbers with dots, colons or dashes in them are one word."""
    return tuple(Word(found, found.lower()) for found in _TERM.findall(text))


def plan_question(question: str, relations: Sequence[Relation]) -> Plan | None:
    """The plan that accounts for most of the question; None if none is asked for, or no relation is complete enough."""
    asked = read_question(question)
    if asked is None:
        return None
    usable = _limit_cells([each for each in relations if len(each.rows) >= _COMPLETE * each.total])
    if not usable:
        return None
    weights = _weights(asked.words, asked.subject)
    plans = [_bind(asked, weights, relation) for relation in usable]
    return max(plans, key=lambda plan: plan.fit + _RANK_WEIGHT / plan.relation.rank)


def _limit_cells(relations: Sequence[Relation]) -> list[Relation]:
    """The first relations by rank that together have no more cells than can be read while somebody waits."""
    kept: list[Relation] = []
    cells = 0
    for relation in sorted(relations, key=lambda relation: relation.rank):
        size = sum(len(row.cells) for row in relation.rows)
        if cells + size <= _MOST_CELLS:
            cells += size
            kept.append(relation)
    return kept


def _subject(operation: Operation, question: str) -> tuple[Word, ...]:
    match = (_COUNT if operation is Operation.COUNT else _LIST).search(question)
    following = words_of(question[match.end() :]) if match else ()
    if operation is Operation.LIST:  # "what do I do", "which is": no rows are asked for
        following = tuple(dropwhile(lambda word: word.folded in _BETWEEN, following))
    else:
        following = tuple(dropwhile(lambda word: not word.is_content, following))
    return tuple(takewhile(lambda word: word.is_content, following))


def _weights(asked: Sequence[Word], subject: Sequence[Word]) -> dict[str, float]:
    """The weights of the content words, with sum 1. They depend on the question alone.

    So a plan is the same whatever other tables are there, as when sources are taken away for an explanation.
    """
    heavy = {word.folded for word in asked if word.is_name or word in subject}
    raw = {word.folded: _HEAVY if word.folded in heavy else 1.0 for word in asked if word.is_content}
    total = sum(raw.values()) or 1.0
    return {name: weight / total for name, weight in raw.items()}


def _bind(question: RowQuestion, weights: dict[str, float], relation: Relation) -> Plan:
    asked = question.words
    place = {word.folded for word in words_of(relation.place)}
    conditions = list(_find_conditions(asked, relation, place))
    while conditions and not any(_fulfils(row, conditions) for row in relation.rows):
        conditions.remove(min(conditions, key=lambda condition: condition.strength))
    in_conditions = {word.folded for condition in conditions for word in words_of(condition.value)}
    columns = [column for column in relation.columns if column not in _OWN_COLUMNS]
    named = tuple(column for column in columns if _names(column, asked, in_conditions))
    bound: dict[str, float] = {}
    for name in weights:
        if name in in_conditions or name in place:
            bound[name] = 1.0
        else:
            header = max((word_matches((name,), column)[0] for column in columns), default=0.0)
            bound[name] = max(0.8 * word_matches((name,), relation.place)[0], 0.9 * header)
    fit = sum(weight * bound[name] for name, weight in weights.items())
    unbound = tuple(word for word in asked if word.is_content and bound[word.folded] < _BOUND)
    return Plan(question.operation, relation, tuple(conditions), named, fit, unbound, question.subject)


def _names(column: str, asked: Sequence[Word], taken: set[str]) -> bool:
    """Whether the question has all content words of a header."""
    words = [word.folded for word in words_of(column) if word.is_content]
    question = tuple(word.folded for word in asked if word.folded not in taken)
    return bool(words) and all(max(word_matches((word,), " ".join(question))) >= 0.75 for word in words)


def _fulfils(row: Row, conditions: Sequence[Condition]) -> bool:
    return all(condition.holds(row.cells.get(condition.column, "")) for condition in conditions)


def _find_conditions(asked: Sequence[Word], relation: Relation, place: set[str]) -> Iterator[Condition]:
    """The longest spans of the question that are values of a column, from left to right."""
    vocabularies = {
        column: {word.folded for row in relation.rows for word in words_of(row.cells.get(column, ""))}
        for column in relation.columns
    }
    at = 0
    while at < len(asked):
        for length in range(min(_SPAN_WORDS, len(asked) - at), 0, -1):
            span = asked[at : at + length]
            if (
                span[0].is_content
                and span[-1].is_content
                and (found := _bind_span(span, asked, relation, place, vocabularies))
            ):
                yield found
                at += length
                break
        else:
            at += 1


def _bind_span(
    span: Sequence[Word],
    asked: Sequence[Word],
    relation: Relation,
    place: set[str],
    vocabularies: Mapping[str, set[str]],
) -> Condition | None:
    """The column that has the span as a value in some of the rows; None if it is a part of the place."""
    names = [word.folded for word in span]
    if all(name in place for name in names):
        return None
    found = (
        _bind_to_column(span, asked, relation, column)
        for column, vocabulary in vocabularies.items()
        if vocabulary.issuperset(names)
    )
    return max((condition for condition in found if condition), key=lambda each: each.strength, default=None)


def _bind_to_column(span: Sequence[Word], asked: Sequence[Word], relation: Relation, column: str) -> Condition | None:
    names = [word.folded for word in span]
    header = {word.folded for word in words_of(column)}
    is_name = any(word.is_name for word in span)
    if len(span) == 1 and not is_name and names[0] in header:
        return None
    whole = len(span) == 1 and len(names[0]) <= 2
    condition = Condition(column, " ".join(word.text for word in span), whole)
    shares = []
    filled = 0
    for row in relation.rows:
        words = words_of(row.cells.get(column, ""))
        filled += bool(words)
        longest = _NAMED_CELL_WORDS if is_name else _CELL_WORDS
        if words and len(words) <= longest and condition.holds(row.cells[column]):
            shares.append(len(names) / len(words))
    if not shares or len(shares) == filled == len(relation.rows) > 1:
        return None
    share = sum(shares) / len(shares)
    if len(span) == 1 and not is_name and share < _LEAST_SHARE:
        return None
    is_named = any(word.folded in header and word.is_content and word not in span for word in asked)
    strength = share + 0.5 * is_named + 0.2 * (len(shares) > 1) + 0.2 * is_name
    return Condition(column, condition.value, whole, strength)


def _contains(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(list(words[at : at + len(wanted)]) == list(wanted) for at in range(len(words) - len(wanted) + 1))
