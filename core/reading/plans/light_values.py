"""Conditions for cells whose words say nothing elsewhere in a question: "Done", "Go", "US", "In use".

Such a word selects rows only where a question states a value: as its predicate ("are done"), after a preposition
("written in go"), before the noun ("the done projects") or after the name of the column ("state done"). Elsewhere it
may be meant or not ("does it own", "made by us"), so it stays unbound.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from core.reading.plans.conditions import NOT, Condition
from core.reading.plans.exact_cells import CERTAIN
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation, split_values
from core.reading.words import ARTICLES, PREPOSITIONS, STATE_ADVERBS, Word, fold_words, has_same_noun

_SPAN_WORDS = 4
_NOT_SELECTING = frozenset({Operation.COMPARE, Operation.CHECK, Operation.PERSON, Operation.CELL})
_BEFORE_VALUE = PREPOSITIONS | frozenset("on to as into auf als zu zum zur".split())
_COPULAS = frozenset("is are was were be been ist sind war waren sei seien".split())
_BEFORE_PREDICATE = STATE_ADVERBS | {"not", "nicht"}
_DETERMINERS = ARTICLES | frozenset(
    "all any each every these those this alle aller allen jede jeder jedes diese dieser".split()
)
_PRONOUNS = frozenset(
    "i it he she we us me him her them they you es er sie ihm ihn ihr ihnen wir uns mir mich dir dich".split()
)
_NEVER_VALUES = _COPULAS | frozenset(
    """do does did have has had can could may might must shall should will would what which who whom whose when where
    why how there haben hat hatte hatten kann können muss müssen soll sollen wird werden wurde wurden was welche welcher
    welches welchen wer wen wem wann wo warum wie""".split()
)
"""Interrogatives and auxiliaries."""


@dataclass(frozen=True, slots=True)
class LightValues:
    """``conditions``: for the words that state a value. ``unclear``: words that are a value, but may not be meant."""

    conditions: tuple[Condition, ...] = ()
    unclear: tuple[Word, ...] = ()


def find_light_values(
    question: RowQuestion, relation: Relation, context: Set[str], taken: Set[int] = frozenset()
) -> LightValues:
    """Return the cells of light words that the question has. ``taken``: indexes of words that are bound already."""
    if question.operation in _NOT_SELECTING or not relation.light_values:
        return LightValues()
    conditions: list[Condition] = []
    unclear: list[Word] = []
    lists = question.operation is Operation.LIST and question.subject
    at = question.words.index(question.subject[0]) if lists else 0
    while at < len(question.words):
        length, columns = _find_span(question.words, at, relation)
        span = range(at, at + length)
        at += max(length, 1)
        if not columns or not taken.isdisjoint(span):
            continue
        condition = _bind(question, span, columns, relation, context)
        if condition:
            conditions.append(condition)
        elif not _is_ordinary(question.words, span):
            unclear += question.words[span.start : span.stop]
    return LightValues(tuple(conditions), tuple(unclear))


def _find_span(asked_words: Sequence[Word], at: int, relation: Relation) -> tuple[int, Sequence[str]]:
    """Return the length of the longest value that begins at an index, and its columns."""
    for length in range(min(_SPAN_WORDS, len(asked_words) - at), 0, -1):
        words = asked_words[at : at + length]
        folded = tuple(word.folded for word in words)
        is_free = NOT.isdisjoint(folded) and not any(word.is_name for word in words)
        if is_free and (columns := relation.light_values.get(folded)):
            return length, columns
    return 0, ()


def _bind(
    question: RowQuestion, span: range, columns: Sequence[str], relation: Relation, context: Set[str]
) -> Condition | None:
    """Return the condition if the words state a value of one column, and no cell has them beside others."""
    asked_words = question.words
    before = asked_words[span.start - 1] if span.start else None
    named = [each for each in columns if before and has_same_noun(before.folded, fold_words(each))]
    meant = named or list(columns)
    if len(meant) != 1 or not (named or _is_stated_value(question, span, relation.headers | context)):
        return None
    words = asked_words[span.start : span.stop]
    condition = Condition(
        meant[0], " ".join(word.text for word in words), strength=CERTAIN, at=span.start, length=len(words)
    )
    having = (cell for cell in relation.get_cells(meant[0]) if condition.holds(cell))
    return condition if all(tuple(word.folded for word in words) in split_values(cell) for cell in having) else None


def _is_stated_value(question: RowQuestion, span: range, nouns: Set[str]) -> bool:
    asked_words, first = question.words, question.words[span.start].folded
    following = next((word for word in asked_words[span.stop :] if word.folded not in STATE_ADVERBS), None)
    before = [word.folded for word in asked_words[: span.start]]
    is_single = len(span) == 1
    if following and following.is_content:  # "the done projects"
        opens = not before or before[-1] in _DETERMINERS | _BEFORE_VALUE
        is_noun = following in question.subject or has_same_noun(following.folded, nouns)
        return opens and is_noun and not (is_single and first in _DETERMINERS | _BEFORE_VALUE)
    has_article = bool(before) and before[-1] in ARTICLES
    while before and before[-1] in ARTICLES:
        before.pop()
    if before and before[-1] in _BEFORE_VALUE:  # "in the us"; "by us" may be people
        return has_article or not (is_single and first in _PRONOUNS)
    while before and before[-1] in _BEFORE_PREDICATE:
        before.pop()
    ends = following is None or not (is_single and first in _BEFORE_VALUE)
    return bool(before) and before[-1] in _COPULAS and ends and not (is_single and first in _PRONOUNS)


def _is_ordinary(asked_words: Sequence[Word], span: range) -> bool:
    """Whether words say only what they mean elsewhere: an auxiliary, an article, or a preposition before its noun."""
    [first, *others] = asked_words[span.start : span.stop]
    leads = span.stop < len(asked_words) and first.folded in _BEFORE_VALUE | _DETERMINERS
    return not others and (leads or first.folded in _NEVER_VALUES)
