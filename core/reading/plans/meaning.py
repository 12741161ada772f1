"""Matches a question that counts with tables and lists by meaning: which one it means.

"How many machines" has no word of a table "Platform, BIOS". The tables and lists of the best page are compared with the
question by late interaction, each by its heading, its columns and its first rows. One is meant if it matches clearly
better than the others, and if the question names its heading or what is counted matches it too. The second condition is
needed because a question about something else also has a best table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.model import RankedEvidence
from core.ports.models import WordMatcher
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.relation import Relation
from core.reading.relations.rows import OWN_COLUMNS
from core.reading.words import Word, is_same_noun, split_words

_MOST_RELATIONS = 24  # of a page that are compared
_ROWS, _CELLS, _CELL_CHARS, _COLUMNS, _CHARS = 4, 2, 60, 4, 400


@dataclass(frozen=True, slots=True)
class Meanings:
    """How well relations match a question, 0 to 1, by :attr:`Relation.key`; ``meant_key``: that of the one meant."""

    scores: Mapping[tuple[object, ...], float]
    meant_key: tuple[object, ...] | None = None


NO_MEANINGS = Meanings({})

_LEAST = 0.35  # match of a relation that is meant
_MARGIN = 0.05
_COUNTED = 0.5  # match of what is counted and the relation; other words reach .3 to .45
_BETWEEN_WORDS = 4


async def match_relations(
    row_question: RowQuestion, relations: Sequence[Relation], evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> Meanings:
    """Match the tables and lists of the best page with a question that counts.

    Return NO_MEANINGS for any other question, and if a sentence states the number. Raises
    :class:`core.errors.EmbedderUnavailable`.
    """
    if row_question.operation is not Operation.COUNT or not relations or _is_stated(row_question, evidences):
        return NO_MEANINGS
    best = min(relation.rank for relation in relations)
    first = [relation for relation in relations if relation.rank == best and relation.total > 1][:_MOST_RELATIONS]
    if not first:
        return NO_MEANINGS
    said = " ".join(word.text for word in row_question.words)
    totals = (await matcher.match_words(said, [_describe(each) for each in first])).totals.tolist()
    scores = {relation.key: score for relation, score in zip(first, totals, strict=True)}
    ordered = sorted(scores, key=lambda key: -scores[key])
    other = scores[ordered[1]] if len(ordered) > 1 else 0.0
    is_clear = scores[ordered[0]] >= max(_LEAST, other + _MARGIN)
    meant = next(relation for relation in first if relation.key == ordered[0])
    if not is_clear or not (_is_named(row_question, meant) or await _is_counted(row_question, meant, matcher)):
        return Meanings(scores)
    return Meanings(scores, meant.key)


def _is_named(row_question: RowQuestion, relation: Relation) -> bool:
    """Whether the question has a word of the relation's own heading or introduction, other than those of the title."""
    own = split_words(" ".join((*relation.heading_path[-1:], relation.introduction)))
    named = {word.folded for word in own if word.is_content} - {word.folded for word in split_words(relation.title)}
    return any(word.folded in named for word in row_question.needed)


async def _is_counted(row_question: RowQuestion, relation: Relation, matcher: WordMatcher) -> bool:
    """Whether the relation has what is counted, in other words."""
    counted = " ".join(word.text for word in row_question.subject)
    matches = await matcher.match_words(counted, [_describe(relation)])
    return bool(matches.totals[0] >= _COUNTED)


def _is_stated(row_question: RowQuestion, evidences: Sequence[RankedEvidence]) -> bool:
    """Whether a sentence states a number of what is counted: "defines 31 cipher suites"."""
    counted = row_question.subject[-1].folded
    passages = (ranked.evidence.text for ranked in evidences if ranked.evidence.kind == "passage")
    return any(_has_number_of(counted, split_words(text)) for text in passages)


def _has_number_of(counted: str, words: Sequence[Word]) -> bool:
    numbers = [at for at, word in enumerate(words) if word.folded.isdigit()]
    return any(
        any(is_same_noun(counted, word.folded) for word in words[at + 1 : at + 1 + _BETWEEN_WORDS]) for at in numbers
    )


def _describe(relation: Relation) -> str:
    columns = [column for column in relation.columns if column not in OWN_COLUMNS][:_COLUMNS]
    rows = (" ".join(list(row.cells.values())[:_CELLS])[:_CELL_CHARS] for row in relation.rows[:_ROWS])
    named = relation.heading_path[-1] if relation.heading_path else relation.title
    parts = (named, relation.introduction, " | ".join(columns), " | ".join(rows))
    return " : ".join(part for part in parts if part)[:_CHARS]
