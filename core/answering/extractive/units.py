"""The quotable units of ranked evidences (sentences, list items, table rows), scored for a question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.answering.focus import Focus, has_type, word_matches
from core.model import RankedEvidence
from core.ports.models import Embedder, Vectors

_REFERS_BACK = re.compile(
    r"(?i)^\W*(it|this|that|these|those|they|he|she|its|their|such|also|then|dies|diese[rsmn]?|es|sie|er|dann|auch)\b"
)
_MARKER = re.compile(r"^\s*(?:-|(?:\d+\.)+\d*|\[[ x]\]) ")
_LABEL_WORDS = 2
_MAX_NEEDED = 2  # parts; earlier ones are about something else


def is_code(part: str) -> bool:
    """Whether a part is a block of code."""
    return part.startswith("```")


def without_marker(text: str) -> str:
    """A list item or a heading without its bullet, box or number."""
    return _MARKER.sub("", text)


def find_needed_parts(parts: Sequence[str], index: int) -> list[int]:
    """The parts before this one without which it is not understood: what "it" is, what code does, its label."""
    needed: list[int] = []
    while index and len(needed) < _MAX_NEEDED and _needs(parts[index - 1], parts[index]):
        index -= 1
        needed.append(index)
    return needed


def _needs(before: str, part: str) -> bool:
    return is_code(part) or bool(_REFERS_BACK.match(part)) or is_label(before)


def is_label(part: str) -> bool:
    """Whether a part only names what the next one says ("Costs." as people write minutes)."""
    return len(part.split()) <= _LABEL_WORDS and part.endswith(".") and not is_code(part)


Values = npt.NDArray[np.float64]

_EVIDENCES = 8  # lower ranks have not had an answer
_UNITS = 48  # embedded at most, the lexically best ones: this bounds the time of an answer
_UNIT_CHARS = 700


@dataclass(frozen=True, slots=True)
class Unit:
    """Part ``index`` of an evidence."""

    ranked: RankedEvidence
    index: int
    text: str


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit with its score for the question.

    ``own``: share of the question's words, by weight, that its text has; ``coverage``: that its text or its place
    has; ``missing``: weight of the heaviest word that neither has; ``similarity``: cosine with the question.
    """

    unit: Unit
    score: float
    own: float
    coverage: float
    missing: float
    similarity: float


def units_of(evidences: Sequence[RankedEvidence]) -> list[Unit]:
    """All units, each text of a page once (a row is also part of its table)."""
    seen: set[tuple[str, str]] = set()
    found: list[Unit] = []
    # Rows before tables, so that a row is cited as itself.
    order = sorted(evidences[:_EVIDENCES], key=lambda ranked: ranked.evidence.kind == "table")
    for ranked in order:
        for index, part in enumerate(ranked.evidence.parts):
            place = (ranked.evidence.page_id, part)
            if place not in seen and part.strip():
                seen.add(place)
                found.append(Unit(ranked, index, part))
    return found


async def score_units(focus: Focus, units: Sequence[Unit], embedder: Embedder) -> list[ScoredUnit]:
    """The units by falling score. Only the lexically best ones are embedded and returned."""
    if not units:
        return []
    words = _matched_words(focus, units)
    base = _evidence_scores(units)
    first = np.argsort(-(words.own + 0.5 * words.with_place + base), kind="stable")[:_UNITS]
    similarity = await _similarities(focus.question, [units[i] for i in first], embedder)
    found = [
        ScoredUnit(
            unit=units[i],
            score=_fit(focus, units[i], words.own[i], words.with_place[i], base[i], near),
            own=float(words.own[i]),
            coverage=float(words.coverage[i]),
            missing=float(words.missing[i]),
            similarity=float(cosine),
        )
        for i, near, cosine in zip(first, _scale(similarity), similarity, strict=True)
    ]
    return sorted(found, key=lambda unit: (-unit.score, unit.unit.ranked.rank, unit.unit.index))


@dataclass(frozen=True, slots=True)
class _MatchedWords:
    """Each of shape (units,), see :class:`ScoredUnit`; in ``with_place`` a word of the place counts for less."""

    own: Values
    with_place: Values
    coverage: Values
    missing: Values


def _matched_words(focus: Focus, units: Sequence[Unit]) -> _MatchedWords:
    own = np.array([word_matches(focus.words, unit.text) for unit in units]).reshape(len(units), -1)
    around = np.array([word_matches(focus.words, place_of(unit)) for unit in units]).reshape(len(units), -1)
    weights = _weights(own)
    either = np.maximum(own, around)
    missing = np.where(either == 0, weights, 0.0).max(axis=1, initial=0.0)
    return _MatchedWords(own @ weights, np.maximum(own, 0.7 * around) @ weights, either @ weights, missing)


OWN_WEIGHT, PLACE_WEIGHT, SIMILARITY_WEIGHT, EVIDENCE_WEIGHT, TYPE_WEIGHT = 0.30, 0.15, 0.30, 0.20, 0.08


def _fit(focus: Focus, unit: Unit, own: float, share: float, base: float, near: float) -> float:
    return float(
        OWN_WEIGHT * own
        + PLACE_WEIGHT * share
        + SIMILARITY_WEIGHT * near
        + EVIDENCE_WEIGHT * base
        + TYPE_WEIGHT * has_type(focus.answer_type, unit.text)
    )


def _weights(matches: Values) -> Values:
    """The weights of the words, with sum 1: a word that most units have distinguishes them the least."""
    if not matches.size:
        return np.zeros(matches.shape[1])
    having = (matches > 0).sum(axis=0)
    weights = np.log(1 + len(matches) / (1 + having)) + 0.1
    return np.asarray(weights / weights.sum())


def place_of(unit: Unit) -> str:
    """The words around a unit that say what it is about: title, headings, and what stands before it."""
    evidence = unit.ranked.evidence
    context = evidence.context
    before = _before(unit) or (context.before if evidence.kind != "passage" else "")
    return " ".join((context.title, *context.heading_path, before))


def _before(unit: Unit) -> str:
    """The sentences before a sentence without which it is not understood."""
    if unit.ranked.evidence.kind != "passage":
        return ""
    parts = unit.ranked.evidence.parts
    return " ".join(parts[index] for index in reversed(find_needed_parts(parts, unit.index)))


def _evidence_scores(units: Sequence[Unit]) -> Values:
    best = max(unit.ranked.score for unit in units)
    return np.array([unit.ranked.score / best if best > 0 else 0.0 for unit in units])


async def _similarities(question: str, units: Sequence[Unit], embedder: Embedder) -> Values:
    """Cosine of the question with each unit in its place (title, last heading and the sentences that it needs)."""
    asked: Vectors = await embedder.embed_queries([question])
    vectors = await embedder.embed_passages([_in_place(unit) for unit in units])
    return np.asarray(vectors @ asked[0], dtype=float)


def _in_place(unit: Unit) -> str:
    context = unit.ranked.evidence.context
    lines = (context.title, *context.heading_path[-1:], _before(unit)[-_UNIT_CHARS:], unit.text[:_UNIT_CHARS])
    return "\n".join(line for line in lines if line)


def _scale(values: Values) -> Values:
    low, high = float(values.min()), float(values.max())
    return np.ones_like(values) if math.isclose(low, high) else (values - low) / (high - low)
