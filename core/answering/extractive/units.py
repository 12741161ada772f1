"""Quotable units (sentences, list items, table rows) of the ranked evidences, and their scores for a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from core.dates import MONTHS, find_date
from core.languages import CATALOGUES, NOT_LATIN, is_clearly_not_in, is_language_clear
from core.model import TEXT_KINDS, Evidence, RankedEvidence
from core.ports.models import Matrix, TextInContext, WordMatcher, WordMatches
from core.reading.questions.superlatives import find_measured
from core.reading.values import find_quantity
from core.reading.words import split_words
from core.text import split_subject
from core.wording.content_words import find_degrees, select_content_words
from core.wording.focus import Focus, find_carried_words, find_names, list_carried_words
from core.wording.list_markers import find_ancestor_items, strip_marker
from core.wording.opposites import has_opposite
from core.wording.word_matches import match_text, match_texts, split_terms

_REFERENCE = re.compile(
    r"(?i)^\W*(?:(?:it|they|he|she|its|their|also|then|es|sie|er|dann|auch)\b"
    r"|(?:(?:because of|due to|after|by|despite|for|given|under|with|aufgrund|bei|durch|für|mit|nach|trotz|wegen) )?"
    r"(?:this|that|these|those|such|dies|diese[rsmn]?)\b)"
)
_CONNECTION = re.compile(
    r"(?i)^\W*(?:(?:who|whoever|if|when|and|or|wer|wenn|falls|und|oder)\s+)?(?:otherwise|instead|nevertheless|nonetheless"
    r"|however|therefore|hence|after (?:this|that)|in (?:this|that) case|if (?:so|not|this|that|none)\b"
    r"|but|afterwards?|thereafter|from then on|trotzdem|dennoch|stattdessen|andernfalls|ansonsten|sonst|anschließend"
    r"|danach|daraufhin|seitdem|dort|dabei|dafür|dagegen|daher|deshalb"
    r"|deswegen|jedoch|hingegen|allerdings|aber|in diesem fall|wenn (?:ja|nicht)\b)\b"
)
"""The beginning of a sentence that is only understood after the one before it: "Otherwise …", "Wer trotzdem …"."""
REPLY = re.compile(
    r"(?i)\A\s*(?:(?:-|\d+\.)\s+)?(?:a(?:nswer|ntwort)?\s?[:.)]\s*)?"
    r"(?:(?P<yes>yes|yep|ja)|no(?![.:]\s?\d)|nope|nein)(?:[.,:;!]|\s[-–]|\s*\Z)\s*"
)
"""The reply with which a text answers a question before it: "A: Yes, ". Elsewhere these words begin other sentences."""
_LABEL_WORDS = 2
_MAX_NEEDED = 2  # parts; earlier parts are about something else


def is_code(part: str) -> bool:
    """Whether a part of an evidence is a block of code."""
    return part.startswith("```")


def is_image(part: str) -> bool:
    """Whether a part of an evidence is only the name of an image."""
    return part.startswith("[image: ") and part.find("]") == len(part) - 1


def find_needed_parts(parts: Sequence[str], index: int) -> list[int]:
    """Return the indexes of the parts before this one that it needs: what "it" refers to, what code does, its label."""
    needed: list[int] = []
    while index and len(needed) < _MAX_NEEDED and _is_needed(parts[index - 1], parts[index]):
        index -= 1
        needed.append(index)
    return needed


def _is_needed(before: str, part: str) -> bool:
    return is_code(part) or begins_with_reference(part) or is_label(before)


def begins_with_reference(part: str) -> bool:
    """Whether a part begins with a word for something that was named before it, such as "This"."""
    return bool(_REFERENCE.match(part))


def begins_with_connection(part: str) -> bool:
    """Whether a part begins with a word that connects it to the one before, such as "Otherwise"."""
    return bool(_CONNECTION.match(part))


def begins_with_reply(text: str) -> bool:
    """Whether a text answers a question before it with "yes" or "no"."""
    return bool(REPLY.match(text))


def is_label(part: str) -> bool:
    """Whether a part only names what the next one says, such as "Costs." in minutes."""
    return len(part.split()) <= _LABEL_WORDS and part.endswith(".") and not is_code(part)


_EVIDENCES = 8  # and all of the first one's page; in measurements lower ranks never had the answer
_UNITS = 24  # at most compared by meaning: this bounds the time of an answer
_WANTED = 8  # units compared besides, if they have what an answer needs, such as a number
_SEARCHED = 200  # best units that are searched for these: a table may have thousands
_UNIT_CHARS = 700
FEW_WORDS = 5  # content words of a question, of which each counts less
_NEARLY = 0.9  # of the best unit's score
_CLEARLY = 1.0  # in log-odds
AS_GOOD = 0.98  # of the best unit's score: the question does not tell the two apart
_AS_MANY = 0.5  # of the question's own words that the best unit has
_CARRIED = 0.5  # of the weight of a word that completion took from the question before


@dataclass(frozen=True, slots=True)
class Unit:
    """Part ``index`` of an evidence, with its text."""

    ranked: RankedEvidence
    index: int
    text: str

    @property
    def evidence(self) -> Evidence:
        """The evidence that the unit is of."""
        return self.ranked.evidence

    @property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """The cells of the row that the unit is, each with its header before it; () for a sentence or list item."""
        rows = self.evidence.rows
        return rows[self.index] if self.index < len(rows) else ()

    @property
    def key(self) -> str:
        """What names the row that the unit is: its first cell, or the header of its only one; "" for other units."""
        return self.cells[0][len(self.cells) > 1].strip() if self.cells else ""


@dataclass(frozen=True, slots=True)
class ScoredUnit(Unit):
    """A unit with its scores for the question.

    ``score``: how well the unit and its context match the question's content words by meaning, 0 to 1, see
    :class:`core.ports.models.WordMatches`. The others compare by letters. ``word_share``: the share of the question's
    words, by weight, that the unit's text has. ``missing_weight``: the weight of the heaviest word that neither the
    text nor its context has. In questions of few words it is reduced, since each word is a large part of the question
    and may be on the page in another form. Not reduced are names, except amounts, and words whose opposite the text
    has. ``rating``: the log-odds that the unit answers the question, see
    :meth:`core.ports.models.WordMatcher.rate_answers`; 0 for a unit that was not rated.
    """

    score: float
    word_share: float
    missing_weight: float
    rating: float = 0.0


def put_first(first: ScoredUnit | None, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move the given unit to the front of the units; leave their order if it is None."""
    return [first, *(unit for unit in units if unit is not first)] if first else list(units)


def put_rated_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the unit that is rated clearly higher than the best one, of those that match nearly as well.

    It gets the best one's score, to which the scores of other units are compared. A unit in another language never
    comes before one in the question's: pages of two languages may say the same of two places.
    """
    higher = [
        unit for unit in units if unit.score >= _NEARLY * units[0].score and unit.rating > units[0].rating + _CLEARLY
    ]
    if higher and not _is_in_other_language(focus, units[0]):
        higher = [unit for unit in higher if not _is_in_other_language(focus, unit)]
    if not higher:
        return list(units)
    first = max(higher, key=lambda unit: unit.rating)
    return [replace(first, score=units[0].score), *(unit for unit in units if unit is not first)]


def _is_in_other_language(focus: Focus, unit: ScoredUnit) -> bool:
    return is_clearly_not_in(unit.text, focus.language, 1)


def put_letters_first(focus: Focus, units: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Move to the front the unit with most of the question's words by letters, of those that match as well.

    Meaning does not tell these apart: a text about something else may match by .01 more. Only units of the best one's
    page are compared, and words of its title do not count, because all texts of the page are about them.
    """
    if not units or units[0].evidence.kind not in TEXT_KINDS:  # a row has few words of its own
        return list(units)
    best = units[0]
    page = [unit for unit in units if unit.evidence.page_id == best.evidence.page_id]
    words = [
        word
        for word, found in zip(focus.words, match_text(focus.words, best.evidence.context.title), strict=True)
        if not found
    ]
    matches = np.array(match_texts(tuple(words), [unit.text for unit in page])).reshape(len(page), -1)
    shares = matches @ _weigh_words(matches)
    alike = [
        at
        for at, unit in enumerate(page)
        if unit.score >= AS_GOOD * best.score
        and unit.rating >= best.rating - _CLEARLY
        and unit.evidence.kind in TEXT_KINDS
    ]
    return put_first(page[max(alike, key=lambda at: shares[at])], units)


def is_about_same(focus: Focus, unit: Unit, best: Unit) -> bool:
    """Whether a unit has at least half as many of the question's own words as the best one, by letters."""
    own = select_content_words(split_subject(focus.question)[0])
    texts = ["\n".join((*each.evidence.context.heading_path[-1:], each.text)) for each in (unit, best)]
    in_unit, in_best = map(sum, match_texts(own, texts))
    return in_unit >= _AS_MANY * in_best


def list_units(evidences: Sequence[RankedEvidence], is_wanted: Callable[[Unit], bool] = lambda _: False) -> list[Unit]:
    """Return the units of the first evidences and of the first one's page, and wanted ones of others, without facts.

    Each text of a page is listed once, since a row is also part of its table.
    """
    seen: set[tuple[str, str]] = set()
    found: list[Unit] = []
    # Rows before tables, so that a row is cited as itself.
    first = evidences[0].evidence.page_id if evidences else ""
    # Facts only answer questions about a page itself, see core.reading.pages.facts.
    read = [each for each in evidences if each.evidence.kind != "facts"]
    order = sorted(read, key=lambda ranked: ranked.evidence.kind == "table")
    for ranked in order:
        is_read = ranked.rank <= _EVIDENCES or ranked.evidence.page_id == first
        for index, part in enumerate(ranked.evidence.parts):
            key = (ranked.evidence.page_id, part)
            unit = Unit(ranked, index, part)
            if key not in seen and part.strip() and (is_read or is_wanted(unit)):
                seen.add(key)
                found.append(unit)
    return found


def list_unit_texts(evidence: Evidence) -> list[str]:
    """Return the texts of an evidence's units, as :func:`score_units` compares them; none of tables, which have rows.

    They are embedded by a sync (:mod:`core.indexing.embedding`).
    """
    if evidence.kind in {"table", "facts"}:
        return []
    units = (Unit(RankedEvidence.of(evidence), index, part) for index, part in enumerate(evidence.parts))
    return [_add_context(unit).whole for unit in units if unit.text.strip()]


async def score_units(
    focus: Focus, units: Sequence[Unit], matcher: WordMatcher, is_wanted: Callable[[Unit], bool] = lambda _: False
) -> list[ScoredUnit]:
    """Return the best units by letters and rank: at most ``_UNITS``, and ``_WANTED`` wanted ones.

    They are in the order of their scores, except that one may be first by its rating (:func:`put_rated_first`).
    """
    if not units:
        return []
    words = _match_letters(focus, units)
    order = np.argsort(-(words.word_share + 0.5 * words.with_context + _score_evidences(units)), kind="stable")
    first = [*order[:_UNITS], *islice((i for i in order[_UNITS:_SEARCHED] if is_wanted(units[i])), _WANTED)]
    matches = await matcher.match_words(focus.question, [_add_context(units[i]).whole for i in first])
    found = [
        ScoredUnit(
            *(units[i].ranked, units[i].index, units[i].text),
            *(float(score), float(words.word_share[i]), float(words.missing_weight[i])),
        )
        for i, score in zip(first, _score_content(focus, matches), strict=True)
    ]
    scored = sorted(found, key=lambda unit: (-unit.score, unit.ranked.rank, unit.index))
    return put_rated_first(focus, await _rate_units(focus, scored, matcher))


def has_clear_language(focus: Focus) -> bool:
    """Whether the language of a question is certain: few words or names look like any language with Latin letters."""
    return focus.language in NOT_LATIN or is_language_clear(focus.question, 0)


async def _rate_units(focus: Focus, units: Sequence[ScoredUnit], matcher: WordMatcher) -> list[ScoredUnit]:
    """Rate the units that match nearly as well as the best one: the others are not chosen by their rating.

    None is rated for a question that is clearly in another language than English and German, since ratings were fitted
    to few of them.
    """
    if focus.language not in CATALOGUES and has_clear_language(focus):
        return list(units)
    near = [unit for unit in units if unit.score >= _NEARLY * units[0].score]
    ratings = await matcher.rate_answers(focus.question, [_add_context(unit) for unit in near])
    rated = [replace(unit, rating=float(rating)) for unit, rating in zip(near, ratings, strict=True)]
    return [*rated, *units[len(near) :]]


def _score_content(focus: Focus, matches: WordMatches) -> Matrix:
    """Return how well the content words match, of shape (texts,).

    For a question without content words, return how well all its words match.
    """
    is_content = np.array([not focus.words or bool({*split_terms(word)} & {*focus.words}) for word in matches.words])
    weights = matches.weights * is_content if is_content.any() else matches.weights
    weights = weights * _weigh_carried(focus, matches.words)
    return np.asarray(matches.scores @ (weights / max(weights.sum(), 1e-9)))


def _weigh_carried(focus: Focus, words: Sequence[str]) -> Matrix:
    """Return a factor for each word of the question: less than 1 for those that completion took from the one before.

    See :func:`core.wording.focus.find_carried_words`.
    """
    carried = find_carried_words(focus.question)
    begin = len(split_subject(focus.question)[0].split())
    is_carried = [at >= begin and not carried.isdisjoint(split_terms(word)) for at, word in enumerate(words)]
    return np.where(is_carried, _CARRIED, 1.0)


@dataclass(frozen=True, slots=True)
class _MatchedLetters:
    """Matches by letters, each of shape (units,), see :class:`ScoredUnit`.

    ``with_context`` also counts words of the context.
    """

    word_share: Matrix
    with_context: Matrix
    missing_weight: Matrix


def _match_letters(focus: Focus, units: Sequence[Unit]) -> _MatchedLetters:
    own = np.array(match_texts(focus.words, [unit.text for unit in units])).reshape(len(units), -1)
    own = np.maximum(own, _match_measured(focus, units))
    around = np.array(match_texts(focus.words, [describe_context(unit) for unit in units])).reshape(len(units), -1)
    around = np.maximum(around, _match_months(focus, units))
    weights = _weigh_words(own)
    few = min(len(focus.words), FEW_WORDS) / FEW_WORDS
    names, degrees = find_names(focus) - find_amounts(focus.question), find_degrees(focus.question)
    carried = list_carried_words(focus.question) - find_carried_words(focus.question)  # what an ellipsis may be about
    shares = [0.0 if word in degrees else 1.0 if word in names else few for word in focus.words]
    halved = [share * (_CARRIED if word in carried else 1) for word, share in zip(focus.words, shares, strict=True)]
    needed = weights * np.array(halved)
    opposed = np.array([[has_opposite(word, unit.text) for word in focus.words] for unit in units])
    needed = np.where(opposed.reshape(own.shape), weights, needed)
    missing = np.where(np.maximum(own, around) == 0, needed, 0.0).max(axis=1, initial=0.0)
    return _MatchedLetters(own @ weights, np.maximum(own, 0.7 * around) @ weights, missing)


def _match_measured(focus: Focus, units: Sequence[Unit]) -> Matrix:
    """Return 1 for a word of what is measured and a row with a column for it: "cost" and "Price"; else 0.

    Shape (units, words of the question).
    """
    measured = find_measured(focus.question)
    is_measured = np.array([word in measured for word in focus.words], float)
    headers = [(header for header, _ in unit.cells) for unit in units] if is_measured.any() else [()] * len(units)
    having = [any(word.folded in measured for header in each for word in split_words(header)) for each in headers]
    return np.outer(having, is_measured)


def _match_months(focus: Focus, units: Sequence[Unit]) -> Matrix:
    """Return 1 for the name of a month and a unit of a page whose title has a day of it: "May" and "04.05.2026".

    Shape (units, words of the question); else 0.
    """
    asked = np.array([MONTHS.get(word, 0) for word in focus.words])
    dates = (
        {title: find_date(title) for title in {unit.evidence.context.title for unit in units}} if asked.any() else {}
    )
    found = [dates.get(unit.evidence.context.title) for unit in units]
    months = np.array([date.day.month if date else -1 for date in found])
    return np.asarray(months[:, None] == asked, np.float64)


_CLOCK_TIME = re.compile(r"(?i)\b\d{1,2}(?:(?:[:.]\d\d)? ?(?:[ap]\.?m\b|o['’]?clock|uhr\b)|:\d\d\b)")
_AMOUNT = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+){0,6}[ -]?(?P<unit>[^\W\d_]+|[€$£])")
_COMPARED = frozenset(["duration", "months", "€", "$", "£"])


def find_amounts(question: str) -> frozenset[str]:
    """Return the words of a question's times of day, durations and sums of money, lower-cased.

    They name nothing: asked for 3 am or 2 days, a text says "between 23:00 and 06:00" or "from the fourth day".
    """
    spans = [found[0] for found in _CLOCK_TIME.finditer(question)]
    spans += [found[0] for found in _AMOUNT.finditer(question) if find_quantity(found["unit"]) in _COMPARED]
    return frozenset(word for span in spans for word in split_terms(span))


def _weigh_words(matches: Matrix) -> Matrix:
    """Return the weights of the words, with sum 1: a word that most units have distinguishes them the least."""
    if not matches.size:
        return np.zeros(matches.shape[1])
    having = (matches > 0).sum(axis=0)
    weights = np.log(1 + len(matches) / (1 + having)) + 0.1
    return np.asarray(weights / weights.sum())


def describe_context(unit: Unit) -> str:
    """Return the text that says what a unit is about: title, headings, and the text before it."""
    evidence = unit.ranked.evidence
    context = evidence.context
    before = " ".join((find_needed_text(unit), context.before if evidence.kind != "passage" else "")).strip()
    return " ".join((context.title, *context.heading_path, before))


def find_needed_text(unit: Unit) -> str:
    """Return the sentences before a sentence without which it is not understood, or the items that an item is in."""
    kind, parts = unit.ranked.evidence.kind, unit.ranked.evidence.parts
    if kind == "list":
        return " ".join(strip_marker(parts[index]) for index in reversed(find_ancestor_items(parts, unit.index)))
    if kind != "passage":
        return ""
    return " ".join(parts[index] for index in reversed(find_needed_parts(parts, unit.index)))


def _score_evidences(units: Sequence[Unit]) -> Matrix:
    best = max(unit.ranked.score for unit in units)
    return np.array([unit.ranked.score / best if best > 0 else 0.0 for unit in units])


def _add_context(unit: Unit) -> TextInContext:
    """Return a unit with the title, the last heading and the sentences that it needs."""
    context = unit.ranked.evidence.context
    lines = (context.title, *context.heading_path[-1:], find_needed_text(unit)[-_UNIT_CHARS:])
    return TextInContext.of(lines, unit.text[:_UNIT_CHARS])
