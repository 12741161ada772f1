"""Words of a question that a table has in another language, found by meaning.

Letters cannot bind "Testfälle" to a column "Test cases". Only words for what is counted or listed, or for the column
that is compared or added up, are looked up, and only among headers and headings: a value in another language would be
lost as a condition if it were taken for a header. A header is chosen where it matches clearly better than the others;
the table still has to account for the question as a whole.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.answering.focus import match_text
from core.languages import detect_language
from core.model import RankedEvidence
from core.ports.models import Excerpt, WordMatcher
from core.reading.cell import read_cell
from core.reading.question import Operation, RowQuestion, read_question
from core.reading.relation import OWN_COLUMNS, Relation, make_relations
from core.reading.words import Word, is_same_noun, words_of

Translations = Mapping[str, frozenset[str]]
"""A word in small letters, and the headers and headings that it means."""

NO_TRANSLATIONS: Translations = {}

_CLEAR = 0.55  # of the similarity of a word and a header; of words that mean something else it reaches .5
_AS_GOOD = 0.05
_BY_LETTERS = 0.4
_MOST_TERMS, _TERM_CHARS, _MOST_WORDS = 60, 60, 6


async def find_translations(question: str, evidences: Sequence[RankedEvidence], matcher: WordMatcher) -> Translations:
    """What words of the question mean in the tables that are in the other language; empty where letters bind all.

    Raises :class:`core.errors.EmbedderUnavailable`.
    """
    words, terms = await asyncio.to_thread(_find_unknown, question, evidences)
    found: dict[str, frozenset[str]] = {}
    excerpts = [Excerpt.whole(term) for term in terms]
    for word in words if terms else ():
        scores = (await matcher.match_words(word.text, excerpts)).totals
        if meant := _choose(dict(zip(terms, scores.tolist(), strict=True))):
            found[word.folded] = meant
    return found


def _find_unknown(question: str, evidences: Sequence[RankedEvidence]) -> tuple[list[Word], list[str]]:
    """The words that no table has by letters, and the headers and headings that they could mean."""
    asked = read_question(question) or read_cell(question)
    if asked is None or asked.operation is Operation.CHECK or asked.negated is not None:
        return [], []
    foreign = [each for each in make_relations(evidences) if _language(each) != asked.language]
    best = min((relation.rank for relation in foreign), default=0)
    first = [relation for relation in foreign if relation.rank == best]  # those of the page that fits best
    on_rows = asked.operation.is_on_rows
    named = [term for relation in first for term in (_terms(relation) if on_rows else _columns(relation))]
    terms = list(dict.fromkeys(named))[:_MOST_TERMS]
    known = " ".join((*terms, *(relation.place for relation in foreign)))
    wanted = [word for word in (asked.subject if on_rows else asked.needed) if word.is_content and not word.is_name]
    words = [word for word in wanted if match_text((word.folded,), known)[0] < _BY_LETTERS]
    return list(dict.fromkeys(words))[:_MOST_WORDS], terms


def _language(relation: Relation) -> str:
    return detect_language(" ".join((relation.place, *relation.columns)))


def _terms(relation: Relation) -> list[str]:
    """What a relation is called: its columns, and its last heading or title."""
    named = relation.heading_path[-1] if relation.heading_path else relation.title
    return [*_columns(relation), named] if 0 < len(named) <= _TERM_CHARS else _columns(relation)


def _columns(relation: Relation) -> list[str]:
    """The columns that most rows have. Those of a list of definitions, one of a row, name single rows."""
    used = Counter(column for row in relation.rows for column in row.cells)
    usual = [column for column in relation.columns if 2 * used[column] >= len(relation.rows)]
    return [column for column in usual if column not in OWN_COLUMNS and len(column) <= _TERM_CHARS]


def _choose(scores: Mapping[str, float]) -> frozenset[str]:
    """The terms that match best; none where others that say something else match nearly as well."""
    best = max(scores, key=lambda term: scores[term])
    other = max((score for term, score in scores.items() if not _share_noun(term, best)), default=0.0)
    if scores[best] < _CLEAR or scores[best] - other <= _AS_GOOD:
        return frozenset()
    return frozenset(term for term, score in scores.items() if score >= scores[best] - _AS_GOOD)


def _share_noun(term: str, other: str) -> bool:
    return any(
        is_same_noun(one.folded, two.folded)
        for one in words_of(term)
        for two in words_of(other)
        if one.is_content and two.is_content
    )


def translate(question: RowQuestion, relation: Relation, translations: Translations) -> RowQuestion:
    """The question with the words of the relation's headers and headings for those that mean them."""
    if not translations:
        return question
    terms = _terms(relation)
    known = {name: term for name, meant in translations.items() for term in terms if term in meant}
    if not known:
        return question
    return replace(question, words=_replace(question.words, known), subject=_replace(question.subject, known))


def _replace(words: Sequence[Word], known: Mapping[str, str]) -> tuple[Word, ...]:
    replaced = ((words_of(known[word.folded]) if word.folded in known else (word,)) for word in words)
    return tuple(word for some in replaced for word in some)
