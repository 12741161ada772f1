"""Binds words of a question to a table or list in another language, by meaning.

Three kinds of words are bound, those that letters do not bind already:

- Names: "Maschinen" is the column "Machine", "Anwendungsfälle" the list under "Current use cases".
- Values: "schwarzer Bildschirm" is the cell "Black screen", "Schutz" the items that begin with "Protection". Values of
  one column mean similar things ("red" and "green"), so a value needs a much better match than any other one.
- Words of the context: "Projekt" in a title with "project". They select nothing, but the question is accounted for.

Words of another meaning match with up to .5, translations usually with .55 to .85. Nothing is fitted to a language.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

from core.ports.models import WordMatcher
from core.reading.plans.conditions import is_short_form
from core.reading.questions.cell_question import read_cell_question
from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS
from core.reading.words import Word, has_same_noun, is_derived, is_same_noun, list_capitals, split_words
from core.text import has_digit
from core.wording.word_matches import match_text

_CLEAR = 0.55  # match of a word and a name; words of another meaning reach .5
_CLEAR_IF_FAR, _FAR = 0.5, 0.1  # if no other name comes near
_AS_GOOD = 0.05
_OF_CONTEXT = 0.6  # match of a word that may select rows and its context: "Austria" and "country" reach .57
_BY_LETTERS = 0.4
_MOST_NAMES, _MOST_VALUES, _TERM_CHARS, _MOST_WORDS = 60, 40, 60, 6
_VALUE, _VALUE_MARGIN = 0.64, 0.14
_OF_KIND, _OF_KIND_MARGIN = 0.7, 0.1  # a country that the column has not reaches .64 with another one, by .09 more
_OPENING, _OPENING_MARGIN = 0.58, 0.07  # the items are shown, so that a wrong choice is seen
_VALUE_WORDS = 4
_HEADING_WORDS = 2  # with content, of a heading or title that names rows
_PHRASE_WORDS = 4
_MOST_OTHERS = 3  # words besides the subject; with more, not all of them can be bound, and nothing is computed
_MOST_SELECTING = 2  # of them, that may be values
_MOST_MISSED = 1  # other word that a relation need not have in the same form, if its values are looked at


Phrase = tuple[str, ...]
"""Words in lower case."""


@dataclass(frozen=True, slots=True)
class Translations:
    """What words of a question, in lower case, mean in tables and lists. ``context``: those that the context has."""

    names: Mapping[Phrase, frozenset[str]] = field(default_factory=dict)
    values: Mapping[Phrase, str] = field(default_factory=dict)
    context: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.names or self.values or self.context)


NO_TRANSLATIONS = Translations()


async def find_translations(question: str, relations: Sequence[Relation], matcher: WordMatcher) -> Translations:
    """Return what words of the question mean in tables in the other language; none if all are bound by letters.

    Raises :class:`core.errors.EmbedderUnavailable`.
    """
    unknown = await asyncio.to_thread(_find_unknown, question, relations)
    if unknown is None:
        return NO_TRANSLATIONS
    names = await _find_name_of_subject(unknown, matcher)
    values: dict[Phrase, str] = {}
    context: dict[str, frozenset[str]] = {}
    terms = _remove_duplicates((*unknown.names, *unknown.context))
    for word in unknown.words:
        if any(word.folded in known for known in names):
            continue
        scores = await _match(word.text, terms, matcher)
        of_names = {name: scores[name] for name in unknown.names if name not in unknown.long_names}
        if meant := _choose_names(of_names, is_subject=word in unknown.subject):
            if value := await _find_value_under(word, meant, max(map(scores.__getitem__, meant)), unknown, matcher):
                values[(word.folded,)] = value
            else:
                names[(word.folded,)] = meant
        elif of_context := frozenset(each for each in unknown.context if scores[each] >= _OF_CONTEXT):
            context[word.folded] = of_context
    left = [word for word in unknown.words if word.folded not in {*chain(*names), *chain(*values), *context}]
    return Translations(names, values | await _find_values(left, unknown, names, matcher), context)


async def _find_value_under(
    word: Word, columns: Set[str], score: float, unknown: _Unknown, matcher: WordMatcher
) -> str:
    """Return the value of the columns that a word means, if it matches that better than their names; "" if it does not.

    "Deutschland" matches the column "Country", but it is the value "Germany" there.
    """
    rows = (row for relation in unknown.relations for row in relation.rows)
    cells = (row.cells.get(column, "").strip() for row in rows for column in columns)
    values = _remove_duplicates(filter(_is_value, cells))
    if not values or len(values) > _MOST_VALUES:
        return ""
    scores = await _match(word.text, values, matcher)
    value = _choose_value(scores, _OF_KIND, _OF_KIND_MARGIN)
    return value if value and scores[value] > score else ""


async def _find_name_of_subject(unknown: _Unknown, matcher: WordMatcher) -> dict[Phrase, frozenset[str]]:
    """Return the names that all words for what is asked for mean together: "Gast-VMs" is "Guest VM OSs"."""
    subject = unknown.asked.subject
    if not 1 < len(subject) <= _PHRASE_WORDS or not any(word in subject for word in unknown.words):
        return {}
    scores = await _match(" ".join(word.text for word in subject), unknown.names, matcher)
    required = {word.folded for word in subject if word.is_name}
    meant = {each for each in _choose_names(scores, False) if required <= {word.folded for word in split_words(each)}}
    return {tuple(word.folded for word in subject): frozenset(meant)} if meant else {}


async def _match(text: str, terms: Sequence[str], matcher: WordMatcher) -> dict[str, float]:
    if not terms:
        return {}
    return dict(zip(terms, (await matcher.match_words(text, terms)).totals.tolist(), strict=True))


# ---------------------------------------------------------------------------- what may be translated


@dataclass(frozen=True, slots=True)
class _Unknown:
    """The words that no table of the best page has by letters, and what they could mean there."""

    asked: RowQuestion
    words: Sequence[Word]
    relations: Sequence[Relation]
    names: Sequence[str]
    context: Sequence[str]

    @property
    def long_names(self) -> frozenset[str]:
        """Return the headings and titles that a single word may match by a word that does not name the rows.

        "Wie viele Autos" matches the title "Lexicon of electric cars".
        """
        columns = {column for relation in self.relations for column in _list_columns(relation)}
        counts = {name: sum(word.is_content for word in split_words(name)) for name in self.names}
        return frozenset(name for name, count in counts.items() if count > _HEADING_WORDS and name not in columns)

    @property
    def subject(self) -> Sequence[Word]:
        """Return the words that name what is asked for, and select no rows."""
        return self.asked.subject if _is_on_rows(self.asked) else self.words


def _find_unknown(question: str, relations: Sequence[Relation]) -> _Unknown | None:
    row_question = read_question(question) or read_cell_question(question)
    if row_question is None or (row_question.operation is Operation.CHECK and not row_question.quantity):
        return None
    foreign = [each for each in relations if each.language != row_question.language]
    best = min((relation.rank for relation in foreign), default=0)
    first = [each for each in foreign if each.rank == best and each.kind != "sentence"]  # of the best page
    on_rows = _is_on_rows(row_question)
    if on_rows and not any(_has_names(row_question, each) for each in first):
        return None  # safety declines a plan without them
    names = _remove_duplicates(
        term for each in first for term in (_list_names(each) if on_rows else _list_columns(each))
    )
    chosen = _choose_relations(row_question, first, {}) if on_rows else first
    context = _remove_duplicates(term for each in chosen for term in _list_context(each))
    known = " ".join((*names, *(relation.context for relation in chosen)))
    cells = {
        word.folded for each in first for row in each.rows for cell in row.cells.values() for word in split_words(cell)
    }
    wanted = [word for word in row_question.needed if word.is_content and not word.is_name]
    words = [
        word
        for word in wanted
        if not has_same_noun(word.folded, cells) and match_text((word.folded,), known)[0] < _BY_LETTERS
    ]
    words = list(dict.fromkeys(words))[:_MOST_WORDS]
    others = [word for word in words if word not in row_question.subject]
    if on_rows and len(others) > _MOST_OTHERS:
        words = [word for word in words if word in row_question.subject]
    if not on_rows or not others or len(others) > _MOST_OTHERS:
        context = []
    return _Unknown(row_question, words, first, names[:_MOST_NAMES], context[:_MOST_NAMES]) if words and names else None


def _remove_duplicates(terms: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(terms))


def _list_names(relation: Relation) -> list[str]:
    """Return the names of a relation: its columns, and its last heading or title."""
    named = relation.heading_path[-1] if relation.heading_path else relation.title
    return [*_list_columns(relation), named] if 0 < len(named) <= _TERM_CHARS else _list_columns(relation)


def _list_columns(relation: Relation) -> list[str]:
    """Return the columns that most rows have. Columns of a list of definitions, one per row, name single rows."""
    used = Counter(column for row in relation.rows for column in row.cells)
    usual = [column for column in relation.columns if 2 * used[column] >= len(relation.rows)]
    return [column for column in usual if column not in OWN_COLUMNS and len(column) <= _TERM_CHARS]


def _list_context(relation: Relation) -> list[str]:
    texts = (relation.title, *relation.heading_path, relation.introduction, *relation.legend.values())
    return [text for text in texts if 0 < len(text) <= 2 * _TERM_CHARS]


def _list_values(relation: Relation) -> list[str]:
    """Return the short values of a table, or the words with which the items of a list begin, and its short items."""
    if relation.kind != "table":
        items = [row.cells.get(ITEM, "").strip(" .;:,") for row in relation.rows]
        openings = (words[0].text for item in items if (words := split_words(item)) and words[0].is_content)
        return _remove_duplicates((*openings, *filter(_is_value, items)))
    return _remove_duplicates(filter(_is_value, map(str.strip, _list_cells(relation))))


def _list_cells(relation: Relation) -> Iterator[str]:
    return (cell for row in relation.rows for cell in row.cells.values())


def _is_value(text: str) -> bool:
    """Whether a text is a value in words: short, and without numbers, as in names of things and versions."""
    words = split_words(text)
    if not 0 < len(words) <= _VALUE_WORDS or is_blank(text) or has_digit(text):
        return False
    return any(word.is_content and not word.is_name for word in words)


def _is_on_rows(row_question: RowQuestion) -> bool:
    """Whether rows or values are what is asked for, and not one cell or a calculation."""
    return row_question.operation.is_on_rows or row_question.quantity is not None


# ------------------------------------------------------------------------------------------- choices


def _choose_names(scores: Mapping[str, float], is_subject: bool) -> frozenset[str]:
    """Return the terms that match best; none if others with another meaning match nearly as well.

    What does not name the subject may select rows, so that it needs a better match.
    """
    if not scores:
        return frozenset()
    best = max(scores, key=lambda term: scores[term])
    other = max((score for term, score in scores.items() if not _has_shared_noun(term, best)), default=0.0)
    margin = scores[best] - other
    is_clear = margin > _AS_GOOD and scores[best] >= (_CLEAR if is_subject else _OF_CONTEXT)
    if not is_clear and not (is_subject and margin >= _FAR and scores[best] >= _CLEAR_IF_FAR):
        return frozenset()
    return frozenset(term for term, score in scores.items() if score >= scores[best] - _AS_GOOD)


def _has_shared_noun(term: str, other: str) -> bool:
    return any(
        is_same_noun(one.folded, two.folded) or is_derived(one.folded, two.folded)
        for one in split_words(term)
        for two in split_words(other)
        if one.is_content and two.is_content
    )


# -------------------------------------------------------------------------------------------- values


async def _find_values(
    left: Sequence[Word], unknown: _Unknown, names: Mapping[Phrase, frozenset[str]], matcher: WordMatcher
) -> dict[Phrase, str]:
    """Return the values of the tables and lists that words mean, of those that the question names best."""
    subject = unknown.asked.subject
    others = [word for word in left if word not in subject]
    may_select = left and len(others) <= _MOST_SELECTING and (names or _is_on_rows(unknown.asked))
    needed = {word.folded for word in unknown.asked.needed}
    least = len(needed) - len(left) - _MOST_MISSED
    relations = _choose_relations(unknown.asked, unknown.relations, names, least) if may_select else []
    is_bound = any(word not in left for word in subject)
    tables = [each for each in relations if each.kind == "table" and (others or is_bound)]
    of_tables = _remove_duplicates(value for each in tables for value in _list_values(each))
    of_lists = _remove_duplicates(value for each in relations if each.kind != "table" for value in _list_values(each))
    terms = _remove_duplicates((*of_tables, *of_lists))
    found: dict[Phrase, str] = {}
    for phrase in _list_phrases(left, unknown.asked) if len(terms) <= _MOST_VALUES else ():
        said = tuple(word.folded for word in phrase)
        if any(set(said) <= set(known) for known in found):
            continue
        scores = await _match(" ".join(word.text for word in phrase), terms, matcher)
        chosen = [
            _choose_value({value: scores[value] for value in values}, *limits)
            for values, limits in ((of_tables, (_VALUE, _VALUE_MARGIN)), (of_lists, (_OPENING, _OPENING_MARGIN)))
        ]
        if meant := max(filter(None, chosen), key=lambda value: scores[value], default=""):
            found[said] = meant
    return found


def _choose_relations(
    row_question: RowQuestion, relations: Sequence[Relation], names: Mapping[Phrase, frozenset[str]], least: int = 1
) -> list[Relation]:
    """Return the relations that have most words of the question, and at least so many."""
    needed = {word.folded for word in row_question.needed}
    counts = [_count_bound(needed, each, names) for each in relations]
    most = max(counts, default=0)
    return [each for each, count in zip(relations, counts, strict=True) if count == most >= max(least, 1)]


def _count_bound(needed: Iterable[str], relation: Relation, names: Mapping[Phrase, frozenset[str]]) -> int:
    having = _list_words(relation)
    own = set(_list_names(relation))
    translated = {word for phrase, meant in names.items() for word in phrase if not own.isdisjoint(meant)}
    return sum(has_same_noun(word, having) or word in translated for word in needed)


def _list_words(relation: Relation) -> set[str]:
    texts = (relation.context, *relation.columns, *_list_cells(relation))
    return {word.folded for text in texts for word in split_words(text)} | list_capitals(relation.context)


def _has_names(row_question: RowQuestion, relation: Relation) -> bool:
    """Whether a relation has all names of the question; those in capitals may be initials."""
    names = {word.folded for word in row_question.needed if word.is_name and not is_short_form(word)}
    return names <= _list_words(relation)


def _list_phrases(left: Sequence[Word], row_question: RowQuestion) -> Iterator[tuple[Word, ...]]:
    """Yield pairs of words that follow each other in the question, then single words."""
    wanted = {word.folded for word in left}
    yield from (pair for pair in pairwise(row_question.words) if all(word.folded in wanted for word in pair))
    yield from ((word,) for word in left)


def _choose_value(scores: Mapping[str, float], least: float, margin: float) -> str:
    """Return the term that matches clearly best; "" if there is none."""
    if not scores:
        return ""
    best = max(scores, key=lambda term: scores[term])
    other = max((score for term, score in scores.items() if not _has_shared_noun(term, best)), default=0.0)
    if scores[best] < least or scores[best] - other < margin:
        return ""
    return min((term for term, score in scores.items() if score >= scores[best] - _AS_GOOD), key=len)


# ----------------------------------------------------------------------------------------- the question


def translate(question: RowQuestion, relation: Relation, translations: Translations) -> RowQuestion:
    """Return the question with words replaced by the headers, headings and values of the relation that they mean."""
    if not translations:
        return question
    terms = _list_names(relation)
    known: dict[Phrase, str] = {
        name: term for name, meant in translations.names.items() for term in terms if term in meant
    }
    if translations.values:
        values = set(_list_values(relation))
        known |= {said: value for said, value in translations.values.items() if value in values}
    context = set(_list_context(relation))
    of_context = {name for name, texts in translations.context.items() if not context.isdisjoint(texts)}
    if not known and not of_context:
        return question
    return replace(replace_phrases(question, known), of_context=frozenset(of_context))


def replace_phrases(question: RowQuestion, known: Mapping[Phrase, str]) -> RowQuestion:
    """Return the question with known phrases, folded, replaced by the text for each."""
    replaced = (_replace(words, known) for words in (question.words, question.subject, question.negated or ()))
    words, subject, negated = replaced
    return replace(question, words=words, subject=subject, negated=None if question.negated is None else negated)


def _replace(words: Sequence[Word], known: Mapping[Phrase, str]) -> tuple[Word, ...]:
    """Return the words with known ones, and known pairs of them, replaced."""
    replaced: list[Word] = []
    at = 0
    while at < len(words):
        for length in range(min(_PHRASE_WORDS, len(words) - at), 0, -1):
            if (said := tuple(word.folded for word in words[at : at + length])) in known:
                replaced += split_words(known[said])
                at += length
                break
        else:
            replaced.append(words[at])
            at += 1
    return tuple(replaced)
