"""Whether sources say what a statement says, which of them to cite for it, and the answer with these citations.

Words decide where they can: a source that has a statement's content words and its numbers supports it. For a statement
in another language than its source, or in other words, the vectors of the statement and of the source's parts decide,
if the numbers agree. The thresholds were measured: see docs/answering.md.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.answering.answerer import UNSUPPORTED, citation
from core.answering.focus import content_words, word_matches
from core.answering.generative.cleaning import without_removed
from core.answering.generative.statements import Statement
from core.languages import detect_language
from core.model import Answer
from core.ports.models import Embedder
from core.prompts import Source

COVERED = 0.60  # share of a statement's content words from which on a source supports it
CLOSE, CLOSE_WORDS = 0.88, 0.40  # in other words: cosine with a part of the source, and share of the words
CLOSE_TRANSLATED = 0.875  # in another language: cosine
_BETTER = 0.15  # coverage by which an uncited source has to be better than the model's own
_MAX_CITED = 3  # of one statement
_ASSENT = frozenset("yes no ja nein doch correct richtig".split())  # noqa: SIM905
_SMALL_NUMBER = 12  # up to this it may be the count of a source's items
_MAX_DIGITS = 9  # longer ones are not parsed
_SPLIT_NUMBER = re.compile(r"\d++(?:[.:,]\d++)*+")
_PART_CHARS = 500
_PARTS = 40  # of the sources, embedded at most for one answer

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Support:
    """How far a source says what a statement says.

    ``words``: share of the statement's content words that the source has; ``numbers``: whether it has all numbers;
    ``whole``: whether it has every word, perhaps in another form; ``own``: whether it has any word that is not in the
    question; ``translated``: whether the languages differ; ``cosine``: with the source's closest part, 0 if unknown.
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
        """Orders the sources of one statement; rounded, so that the rank decides between similar ones."""
        return round(max(self.words, self.cosine if self.holds else 0.0), 1) if self.numbers else 0.0


def lexical_support(statement: str, question: str, source: Source) -> Support:
    """Support by words alone. Words of the question count half."""
    words = [word for word in content_words(without_removed(statement)) if word not in _ASSENT]
    if not words:
        return Support(1.0, True, whole=True)
    asked = set(content_words(question))
    weights = np.array([_weight(word, asked) for word in words])
    matches = np.array(word_matches(tuple(words), source.whole))
    missing = [word for word, match in zip(words, matches, strict=True) if _is_number(word) and not match]
    translated = detect_language(statement) != detect_language(source.whole)
    has_numbers = not set(missing) - asked
    # If the source has nothing that a statement adds to the question ("Bob approves travel"), similarity means nothing.
    added = [match for word, match in zip(words, matches, strict=True) if word not in asked]
    own = any(added) or not added
    return Support(float(matches @ weights / weights.sum()), has_numbers, bool(matches.all()), own, translated)


def _weight(word: str, asked: set[str]) -> float:
    return (2.0 if any(character.isdigit() for character in word) else 1.0) * (0.5 if word in asked else 1.0)


def _is_number(word: str) -> bool:
    """Whether a source must have it: versions, dates, amounts, but not small counts."""
    if word.isdecimal():
        return len(word) > _MAX_DIGITS or int(word) > _SMALL_NUMBER
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

    ``supports``: one per source. ``cited``: the indexes that the model gave: those that hold are cited, without clearly
    weaker ones. Another source is cited if none of these holds, or if it is clearly better.
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


async def cite_statements(
    question: str, statements: Sequence[Statement], sources: Sequence[Source], embedder: Embedder, word_for_word: bool
) -> list[list[Source]]:
    """For each statement the sources to cite; none if no source supports it.

    ``word_for_word``: a source has to have every word, because a page tries to command the model.
    """
    supports = await asyncio.to_thread(_lexical_supports, question, statements, sources)
    if word_for_word:
        none = Support(0.0, numbers=False)
        cited = []
        for statement, row in zip(statements, supports, strict=True):
            has_removed = without_removed(statement.text) != statement.text
            chosen = _choose(statement, [each if each.whole and not has_removed else none for each in row])
            cited.append([sources[at] for at in chosen])
        return cited
    undecided = [at for at, row in enumerate(supports) if not any(support.holds for support in row)]
    cosines = await similarities([statements[at].text for at in undecided], sources, embedder)
    for at, row in zip(undecided, cosines, strict=True):
        supports[at] = [replace(held, cosine=float(near)) for held, near in zip(supports[at], row, strict=True)]
    return [
        _first_of_sections([sources[at] for at in _choose(statement, row)])
        for statement, row in zip(statements, supports, strict=True)
    ]


def _lexical_supports(question: str, statements: Sequence[Statement], sources: Sequence[Source]) -> list[list[Support]]:
    """Shape (statements, sources). Takes up to 65 ms, so it does not run on the event loop."""
    return [[lexical_support(statement.text, question, source) for source in sources] for statement in statements]


def _choose(statement: Statement, supports: Sequence[Support]) -> list[int]:
    return choose_citations(supports, [number - 1 for number in statement.cited if 1 <= number <= len(supports)])


def _first_of_sections(sources: Sequence[Source]) -> list[Source]:
    """The first source of each section: a row, its table and its neighbours open at the same place."""
    first: dict[tuple[str, tuple[str, ...]], Source] = {}
    for source in sources:
        first.setdefault((source.evidence.page_id, source.evidence.context.heading_path), source)
    return list(first.values())


def is_supported(statements: Sequence[Statement], cited: Sequence[Sequence[Source]]) -> bool:
    """Whether sources support at least one statement, and at least half of them."""
    said = [bool(used) for statement, used in zip(statements, cited, strict=True) if not statement.introduces or used]
    return any(said) and sum(said) >= len(said) / 2


def compose_answer(
    statements: Sequence[Statement], cited: Sequence[Sequence[Source]], sources: Sequence[Source]
) -> Answer:
    """The answer, its citations numbered in order of appearance. Statements without a source are marked.

    ``cited``: for each statement the sources to cite.
    """
    numbers: dict[int, int] = {}
    quotes: dict[int, list[str]] = {}
    text = ""
    for statement, used in zip(statements, cited, strict=True):
        shown = statement.text
        if not statement.introduces:
            for source in used:
                numbers.setdefault(source.number, len(numbers) + 1)
                quotes.setdefault(source.number, []).append(statement.text)
            marks = "".join(f"[{numbers[source.number]}]" for source in used) or UNSUPPORTED
            if statement.is_row:
                shown = f"{shown[:-1].rstrip()} {marks} |"
            else:
                shown += ("\n" if shown.endswith("```") else " ") + marks
        text += (statement.lead if text else "") + shown
    by_number = {source.number: source for source in sources}
    citations = tuple(
        citation(number, by_number[of].evidence, _quote(by_number[of], quotes[of])) for of, number in numbers.items()
    )
    return Answer(text, answered=True, citations=citations)


def _quote(source: Source, said: Sequence[str]) -> str:
    """The part of a source that has most of the words of the statements that cite it."""
    words = content_words(" ".join(said))
    parts = [part for part in source.evidence.parts if part.strip()]
    return max(parts, key=lambda part: sum(word_matches(words, part)), default="") if words else ""
