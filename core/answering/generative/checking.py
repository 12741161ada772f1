"""Whether sources say what a statement says, and which of them to cite for it.

Words decide where they can: a source that has a statement's telling words, and its numbers, supports it. Where they
cannot (a statement in another language than its source, or in other words), the vectors of the statement and of the
source's parts do, as long as the numbers agree. The thresholds were measured: see docs/answering.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.answering.focus import content_words, word_matches
from core.answering.generative.addresses import without_removed
from core.answering.generative.sources import Source
from core.ports import Embedder
from core.text import language

COVERED = 0.60  # share of a statement's telling words, from which a source supports it
CLOSE, CLOSE_WORDS = 0.88, 0.40  # in other words: cosine with a part of the source, and share of the words
CLOSE_TRANSLATED = 0.875  # in another language: cosine
_BETTER = 0.15  # coverage by which an uncited source has to be better than the model's own
_MAX_CITED = 3  # of one statement
_ASSENT = frozenset("yes no ja nein doch correct richtig".split())  # noqa: SIM905
_SMALL_NUMBER = 12  # counts that a source's list shows without naming
_MOST_DIGITS = 9  # that are read as a number
_SPLIT_NUMBER = re.compile(r"\d++(?:[.:,]\d++)*+")
_PART_CHARS = 500
_PARTS = 40  # of the sources, embedded at most for one answer

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Support:
    """How far a source says what a statement says.

    ``words``: share of its telling words; ``numbers``: whether it has them all; ``whole``: whether it has every word,
    if in another form; ``own``: whether it has any that the question does not have; ``translated``: whether both are
    in different languages; ``cosine``: with the source's closest part, 0 while it has not been needed.
    """

    words: float
    numbers: bool
    whole: bool = False
    own: bool = True
    translated: bool = False
    cosine: float = 0.0

    @property
    def holds(self) -> bool:
        if not self.numbers:
            return False
        in_other_words = self.cosine >= CLOSE and self.words >= CLOSE_WORDS and self.own
        return self.words >= COVERED or in_other_words or (self.translated and self.cosine >= CLOSE_TRANSLATED)

    @property
    def strength(self) -> float:
        """To compare sources of one statement with; alike ones are equal, so that their rank decides."""
        return round(max(self.words, self.cosine if self.holds else 0.0), 1) if self.numbers else 0.0


def lexical_support(statement: str, question: str, source: Source) -> Support:
    """Support by words alone. What the question says itself need not be in the source, but tells less."""
    words = [word for word in content_words(without_removed(statement)) if word not in _ASSENT]
    if not words:
        return Support(1.0, True, whole=True)
    asked = set(content_words(question))
    weights = np.array([_weight(word, asked) for word in words])
    matches = np.array(word_matches(tuple(words), source.whole))
    missing = [word for word, match in zip(words, matches, strict=True) if _is_number(word) and not match]
    translated = language(statement) != language(source.whole)
    has_numbers = not set(missing) - asked
    # Where all that a statement adds to the question is missing ("Bob approves travel"), likeness shows nothing.
    added = [match for word, match in zip(words, matches, strict=True) if word not in asked]
    own = any(added) or not added
    return Support(float(matches @ weights / weights.sum()), has_numbers, bool(matches.all()), own, translated)


def _weight(word: str, asked: set[str]) -> float:
    return (2.0 if any(character.isdigit() for character in word) else 1.0) * (0.5 if word in asked else 1.0)


def _is_number(word: str) -> bool:
    """Whether a source must have it: versions, dates, amounts; not the count of things that it lists."""
    if word.isdecimal():
        return len(word) > _MOST_DIGITS or int(word) > _SMALL_NUMBER
    return bool(_SPLIT_NUMBER.fullmatch(word))


async def similarities(statements: Sequence[str], sources: Sequence[Source], embedder: Embedder) -> Values:
    """Cosine of each statement with the best part of each source. Shape (statements, sources)."""
    parts = [(at, part) for at, source in enumerate(sources) for part in _parts(source)][:_PARTS]
    best = np.full((len(statements), len(sources)), -1.0)
    if not statements or not parts:
        return best
    asked = await embedder.embed_queries(list(statements))
    vectors = await embedder.embed_passages([part for _, part in parts])
    cosines = np.asarray(asked @ vectors.T, dtype=float)
    for column, (at, _) in enumerate(parts):
        best[:, at] = np.maximum(best[:, at], cosines[:, column])
    return best


def _parts(source: Source) -> list[str]:
    return [f"{source.title}\n{part[:_PART_CHARS]}" for part in source.evidence.parts if part.strip()][:8]


def choose_citations(supports: Sequence[Support], cited: Sequence[int]) -> list[int]:
    """The indexes of the sources to cite for a statement; none if no source supports it.

    ``supports``: one a source; ``cited``: indexes that the model gave, which count where they hold; of several, the
    clearly weaker ones are left out. Another source is cited where none of these holds, or it is clearly better.
    """
    holding = [at for at, support in enumerate(supports) if support.holds]
    if not holding:
        return []
    own = [at for at in cited if at in holding]
    best = max(holding, key=lambda at: (supports[at].strength, -at))
    if not own or supports[best].words > max(supports[at].words for at in own) + _BETTER:
        return [best]
    strongest = max(supports[at].strength for at in own)
    return [at for at in own if supports[at].strength >= strongest][:_MAX_CITED]


def word_for_word(supports: Sequence[Support]) -> list[Support]:
    """The same where only a source that has every word may support, as beside a page that commands the model."""
    return [support if support.whole else Support(0.0, numbers=False) for support in supports]
