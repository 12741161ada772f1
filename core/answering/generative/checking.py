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

from core.answering.answerer import UNSUPPORTED, make_citation
from core.answering.focus import match_text, select_content_words
from core.answering.generative.cleaning import without_removed
from core.answering.generative.sources import Reading, Source
from core.answering.generative.statements import Statement
from core.languages import detect_language
from core.model import Answer, Evidence
from core.ports.models import Embedder

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


def lexical_support(statement: str, question: str, source: str) -> Support:
    """Support of a source's text by words alone. Words of the question count half."""
    words = [word for word in select_content_words(without_removed(statement)) if word not in _ASSENT]
    if not words:
        return Support(1.0, True, whole=True)
    asked = set(select_content_words(question))
    weights = np.array([_weight(word, asked) for word in words])
    matches = np.array(match_text(tuple(words), source))
    missing = [word for word, match in zip(words, matches, strict=True) if _is_number(word) and not match]
    translated = detect_language(statement) != detect_language(source)
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
    title = source.evidence.context.title
    return [f"{title}\n{part[:_PART_CHARS]}" for part in source.evidence.parts if part.strip()][:8]


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


@dataclass(frozen=True, slots=True)
class Cited:
    """An evidence that a statement rests on. ``quote``: its words, where they are known already."""

    evidence: Evidence
    quote: str = ""


async def cite_statements(
    question: str, statements: Sequence[Statement], reading: Reading, embedder: Embedder, word_for_word: bool
) -> list[list[Cited]]:
    """For each statement the evidences to cite; none if nothing that the model read supports it.

    ``word_for_word``: a source has to have every word, because a page tries to command the model.
    """
    supports = await asyncio.to_thread(_lexical_supports, question, statements, reading)
    if word_for_word:
        none = Support(0.0, numbers=False)
        cited = []
        for statement, row in zip(statements, supports, strict=True):
            has_removed = without_removed(statement.text) != statement.text
            cited.append(
                _choose(statement, [each if each.whole and not has_removed else none for each in row], reading)
            )
        return cited
    undecided = [at for at, row in enumerate(supports) if not any(support.holds for support in row)]
    cosines = await similarities([statements[at].text for at in undecided], reading.sources, embedder)
    for at, row in zip(undecided, cosines, strict=True):
        # What was computed has no cosine: only its own words and numbers say it.
        supports[at][: len(row)] = [
            replace(held, cosine=float(near)) for held, near in zip(supports[at], row, strict=False)
        ]
    return [
        _first_of_sections(_choose(statement, row, reading))
        for statement, row in zip(statements, supports, strict=True)
    ]


def _lexical_supports(question: str, statements: Sequence[Statement], reading: Reading) -> list[list[Support]]:
    """For each statement those of the sources, and of what was computed, if anything was.

    Takes up to 65 ms, so it does not run on the event loop.
    """
    texts = [source.whole for source in reading.sources]
    return [_supports_of(statement.text, question, texts, reading) for statement in statements]


def _supports_of(statement: str, question: str, texts: Sequence[str], reading: Reading) -> list[Support]:
    supports = [lexical_support(statement, question, text) for text in texts]
    if reading.computed:
        if _says_another_number(statement, question, reading.computed.whole):
            return [Support(0.0, numbers=False)] * (len(texts) + 1)
        supports.append(lexical_support(statement, question, reading.computed.whole))
    if any(support.holds for support in supports):
        return supports
    # What the evidences of a section only say together is cited by the one that says most of it.
    of_section: dict[int, list[int]] = {}
    for at, source in enumerate(reading.sources):
        of_section.setdefault(source.number, []).append(at)
    for together in of_section.values():
        joined = lexical_support(statement, question, "\n".join(texts[at] for at in together))
        if joined.holds:
            most = max(together, key=lambda at: (supports[at].words, -at))
            supports[most] = joined
    return supports


def _says_another_number(statement: str, question: str, computed: str) -> bool:
    """Whether a statement is about what was computed, but with a number that the result does not have.

    Small numbers stand in most tables by chance, so there they show nothing.
    """
    added = [
        word for word in select_content_words(without_removed(statement)) if word not in select_content_words(question)
    ]
    numbers = tuple(word for word in added if word.isdecimal())
    others = tuple(word for word in select_content_words(statement) if word not in numbers and word not in _ASSENT)
    is_about_it = bool(others) and float(np.mean(match_text(others, computed))) >= COVERED
    return is_about_it and not all(match_text(numbers, computed))


def _choose(statement: Statement, supports: Sequence[Support], reading: Reading) -> list[Cited]:
    numbers = [source.number for source in reading.sources]
    if reading.computed_section:
        numbers.append(reading.computed_section.number)
    own = [at for cited in statement.cited for at, number in enumerate(numbers) if number == cited]
    chosen: list[Cited] = []
    for at in choose_citations(supports, own):
        if at < len(reading.sources):
            chosen.append(Cited(reading.sources[at].evidence))
        elif reading.computed:
            chosen += [Cited(evidence, quote) for evidence, quote in reading.computed.rows]
    return chosen


def _first_of_sections(cited: Sequence[Cited]) -> list[Cited]:
    """The first evidence of each section, and each with words of its own.

    A row, its table and its neighbours open at the same place.
    """
    first: dict[tuple[str, tuple[str, ...], str], Cited] = {}
    for each in cited:
        evidence = each.evidence
        key = (evidence.page_id, evidence.context.heading_path, evidence.evidence_id if each.quote else "")
        first.setdefault(key, each)
    return list(first.values())


def is_supported(statements: Sequence[Statement], cited: Sequence[Sequence[Cited]]) -> bool:
    """Whether sources support at least one statement, and at least half of them."""
    said = [bool(used) for statement, used in zip(statements, cited, strict=True) if not statement.introduces or used]
    return any(said) and sum(said) >= len(said) / 2


def compose_answer(statements: Sequence[Statement], cited: Sequence[Sequence[Cited]]) -> Answer:
    """The answer, its citations numbered in order of appearance. Statements without a source are marked.

    ``cited``: for each statement the evidences to cite.
    """
    numbers: dict[str, int] = {}
    evidences: dict[str, Evidence] = {}
    quotes: dict[str, str] = {}
    said: dict[str, list[str]] = {}
    text = ""
    for statement, used in zip(statements, cited, strict=True):
        shown = statement.text
        if not statement.introduces:
            for each in used:
                key = each.evidence.evidence_id
                numbers.setdefault(key, len(numbers) + 1)
                evidences[key] = each.evidence
                said.setdefault(key, []).append(statement.text)
                if each.quote:
                    quotes[key] = each.quote
            marks = "".join(f"[{numbers[each.evidence.evidence_id]}]" for each in used) or UNSUPPORTED
            if statement.is_row:
                shown = f"{shown[:-1].rstrip()} {marks} |"
            else:
                shown += ("\n" if shown.endswith("```") else " ") + marks
        text += (statement.lead if text else "") + shown
    citations = tuple(
        make_citation(number, evidences[key], quotes.get(key) or _quote(evidences[key], said[key]))
        for key, number in numbers.items()
    )
    return Answer(text, answered=True, citations=citations)


def _quote(evidence: Evidence, said: Sequence[str]) -> str:
    """The part of an evidence that has most of the words of the statements that cite it."""
    words = select_content_words(" ".join(said))
    parts = [part for part in evidence.parts if part.strip()]
    return max(parts, key=lambda part: sum(match_text(words, part)), default="") if words else ""
