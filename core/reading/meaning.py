"""Matches a question with tables and lists by meaning: the one that it means, and words in another language.

"How many machines" has no word of a table "Platform, BIOS". The tables and lists of the best page are compared with the
question by late interaction, each by its heading, its columns and its first rows. One is meant if it matches clearly
better than the others, and if the question names its heading or what is counted matches it too. The second condition is
needed because a question about something else also has a best table.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.answering.focus import match_text
from core.languages import detect_language
from core.model import RankedEvidence
from core.ports.models import WordMatcher
from core.reading.cell import read_cell_question
from core.reading.question import Operation, RowQuestion, read_question
from core.reading.relation import OWN_COLUMNS, Relation
from core.reading.words import Word, is_same_noun, split_words

_MOST_RELATIONS = 24  # of a page that are compared
_ROWS, _CELLS, _CELL_CHARS, _COLUMNS, _CHARS = 4, 2, 60, 4, 400


@dataclass(frozen=True, slots=True)
class Meanings:
    """How well relations match a question, 0 to 1, by :attr:`Relation.key`; ``clear``: the key of the one meant."""

    scores: Mapping[tuple[object, ...], float]
    clear: tuple[object, ...] | None = None


NO_MEANINGS = Meanings({})

_LEAST = 0.35  # match of a relation that is meant
_MARGIN = 0.05
_COUNTED = 0.5  # match of what is counted and the relation; other words reach .3 to .45
_BETWEEN_WORDS = 4
_NUMBERS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve zwei drei vier fünf sechs sieben acht neun zehn
    elf zwölf""".split()  # noqa: SIM905
)


async def match_relations(
    asked: RowQuestion, relations: Sequence[Relation], evidences: Sequence[RankedEvidence], matcher: WordMatcher
) -> Meanings:
    """Match the tables and lists of the best page with a question that counts.

    Return NO_MEANINGS for any other question, and if a sentence states the number. Raises
    :class:`core.errors.EmbedderUnavailable`.
    """
    if asked.operation is not Operation.COUNT or not relations or _is_stated(asked, evidences):
        return NO_MEANINGS
    best = min(relation.rank for relation in relations)
    first = [relation for relation in relations if relation.rank == best and relation.total > 1][:_MOST_RELATIONS]
    if not first:
        return NO_MEANINGS
    said = " ".join(word.text for word in asked.words)
    totals = (await matcher.match_words(said, [_describe(each) for each in first])).totals.tolist()
    scores = {relation.key: score for relation, score in zip(first, totals, strict=True)}
    ordered = sorted(scores, key=lambda key: -scores[key])
    other = scores[ordered[1]] if len(ordered) > 1 else 0.0
    is_clear = scores[ordered[0]] >= max(_LEAST, other + _MARGIN)
    meant = next(relation for relation in first if relation.key == ordered[0])
    if not is_clear or not (_is_named(asked, meant) or await _is_counted(asked, meant, matcher)):
        return Meanings(scores)
    return Meanings(scores, meant.key)


def _is_named(asked: RowQuestion, relation: Relation) -> bool:
    """Whether the question has a word of the relation's own heading or introduction, other than those of the title."""
    own = split_words(" ".join((*relation.heading_path[-1:], relation.introduction)))
    named = {word.folded for word in own if word.is_content} - {word.folded for word in split_words(relation.title)}
    return any(word.folded in named for word in asked.needed)


async def _is_counted(asked: RowQuestion, relation: Relation, matcher: WordMatcher) -> bool:
    """Whether the relation has what is counted, in other words."""
    counted = " ".join(word.text for word in asked.subject)
    matches = await matcher.match_words(counted, [_describe(relation)])
    return bool(matches.totals[0] >= _COUNTED)


def _is_stated(asked: RowQuestion, evidences: Sequence[RankedEvidence]) -> bool:
    """Whether a sentence states a number of what is counted: "defines 31 cipher suites"."""
    counted = asked.subject[-1].folded
    passages = (ranked.evidence.text for ranked in evidences if ranked.evidence.kind == "passage")
    return any(_has_number_of(counted, split_words(text)) for text in passages)


def _has_number_of(counted: str, words: Sequence[Word]) -> bool:
    numbers = [at for at, word in enumerate(words) if word.text.isdigit() or word.folded in _NUMBERS]
    return any(
        any(is_same_noun(counted, word.folded) for word in words[at + 1 : at + 1 + _BETWEEN_WORDS]) for at in numbers
    )


def _describe(relation: Relation) -> str:
    columns = [column for column in relation.columns if column not in OWN_COLUMNS][:_COLUMNS]
    rows = (" ".join(list(row.cells.values())[:_CELLS])[:_CELL_CHARS] for row in relation.rows[:_ROWS])
    named = relation.heading_path[-1] if relation.heading_path else relation.title
    parts = (named, relation.introduction, " | ".join(columns), " | ".join(rows))
    return " : ".join(part for part in parts if part)[:_CHARS]


# ---------------------------------------------------------------------------------- other languages


Translations = Mapping[str, frozenset[str]]
"""A word in lower case, and the headers and headings that it means."""

NO_TRANSLATIONS: Translations = {}

_CLEAR = 0.55  # similarity of a word and a header; words of another meaning reach .5
_AS_GOOD = 0.05
_BY_LETTERS = 0.4
_MOST_TERMS, _TERM_CHARS, _MOST_WORDS = 60, 60, 6


async def find_translations(question: str, relations: Sequence[Relation], matcher: WordMatcher) -> Translations:
    """Return what words of the question mean in tables in the other language; empty if all are bound by letters.

    Raises :class:`core.errors.EmbedderUnavailable`.
    """
    words, terms = await asyncio.to_thread(_find_unknown, question, relations)
    found: dict[str, frozenset[str]] = {}
    for word in words if terms else ():
        scores = (await matcher.match_words(word.text, terms)).totals
        if meant := _choose_terms(dict(zip(terms, scores.tolist(), strict=True))):
            found[word.folded] = meant
    return found


def _find_unknown(question: str, relations: Sequence[Relation]) -> tuple[list[Word], list[str]]:
    """Return the words that no table has by letters, and the headers and headings that they could mean."""
    asked = read_question(question) or read_cell_question(question)
    if asked is None or asked.operation is Operation.CHECK or asked.negated is not None:
        return [], []
    foreign = [each for each in relations if _detect_language(each) != asked.language]
    best = min((relation.rank for relation in foreign), default=0)
    first = [relation for relation in foreign if relation.rank == best]  # of the best page
    on_rows = asked.operation.is_on_rows
    named = [term for relation in first for term in (_list_terms(relation) if on_rows else _list_columns(relation))]
    terms = list(dict.fromkeys(named))[:_MOST_TERMS]
    known = " ".join((*terms, *(relation.place for relation in foreign)))
    wanted = [word for word in (asked.subject if on_rows else asked.needed) if word.is_content and not word.is_name]
    words = [word for word in wanted if match_text((word.folded,), known)[0] < _BY_LETTERS]
    return list(dict.fromkeys(words))[:_MOST_WORDS], terms


def _detect_language(relation: Relation) -> str:
    return detect_language(" ".join((relation.place, *relation.columns)))


def _list_terms(relation: Relation) -> list[str]:
    """Return the names of a relation: its columns, and its last heading or title."""
    named = relation.heading_path[-1] if relation.heading_path else relation.title
    return [*_list_columns(relation), named] if 0 < len(named) <= _TERM_CHARS else _list_columns(relation)


def _list_columns(relation: Relation) -> list[str]:
    """Return the columns that most rows have. Columns of a list of definitions, one per row, name single rows."""
    used = Counter(column for row in relation.rows for column in row.cells)
    usual = [column for column in relation.columns if 2 * used[column] >= len(relation.rows)]
    return [column for column in usual if column not in OWN_COLUMNS and len(column) <= _TERM_CHARS]


def _choose_terms(scores: Mapping[str, float]) -> frozenset[str]:
    """Return the terms that match best; none if others with another meaning match nearly as well."""
    best = max(scores, key=lambda term: scores[term])
    other = max((score for term, score in scores.items() if not _has_shared_noun(term, best)), default=0.0)
    if scores[best] < _CLEAR or scores[best] - other <= _AS_GOOD:
        return frozenset()
    return frozenset(term for term, score in scores.items() if score >= scores[best] - _AS_GOOD)


def _has_shared_noun(term: str, other: str) -> bool:
    return any(
        is_same_noun(one.folded, two.folded)
        for one in split_words(term)
        for two in split_words(other)
        if one.is_content and two.is_content
    )


def translate(question: RowQuestion, relation: Relation, translations: Translations) -> RowQuestion:
    """Return the question with words replaced by the relation's headers and headings that they mean."""
    if not translations:
        return question
    terms = _list_terms(relation)
    known = {name: term for name, meant in translations.items() for term in terms if term in meant}
    if not known:
        return question
    return replace(question, words=_replace(question.words, known), subject=_replace(question.subject, known))


def _replace(words: Sequence[Word], known: Mapping[str, str]) -> tuple[Word, ...]:
    replaced = ((split_words(known[word.folded]) if word.folded in known else (word,)) for word in words)
    return tuple(word for some in replaced for word in some)
