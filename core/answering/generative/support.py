"""Checks whether sources support the statements of an answer, and composes the answer with their citations.

Words decide where they can: a source that has a statement's content words and its numbers supports it. For a statement
in another language than its source, or in other words, the vectors of the statement and of the source's parts decide,
if the numbers agree. The thresholds were measured, see docs/answering.md.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from core.answering.answerer import UNSUPPORTED
from core.answering.generative.cleaning import strip_removal_notes
from core.answering.generative.extractive_answer import ExtractiveAnswer
from core.answering.generative.prompt_sections import EvidenceToRead, Reading
from core.answering.generative.statements import Statement
from core.languages import detect_language
from core.model import Answer, Evidence, SectionKey
from core.ports.models import Embedder
from core.text import has_digit
from core.wording.content_words import select_content_words
from core.wording.identifiers import find_unknown_identifiers
from core.wording.quotations import make_citation
from core.wording.word_matches import match_text, match_texts

COVERED_SHARE = 0.60  # share of a statement's content words from which a source supports it
PARAPHRASE_COSINE, PARAPHRASE_SHARE = 0.88, 0.40  # in other words: with a part of the source; and of the content words
TRANSLATION_COSINE = 0.875  # in another language
_BETTER = 0.15  # coverage by which a source that the model did not cite has to be better than those it cited
_MAX_CITED = 3  # of one statement
_YES, _NO = frozenset({"yes", "ja", "doch", "correct", "richtig"}), frozenset({"no", "nein"})
_ASSENT = _YES | _NO
_FIRST_WORD = re.compile(r"\W*+(\w++)(?=\s*+(?:[,.:;!–—-]|$))")  # not in "No row …"
_SMALL_NUMBER = 12  # up to this a number may be the count of a source's items
_MAX_DIGITS = 9  # longer numbers are not parsed
_SPLIT_NUMBER = re.compile(r"\d++(?:[.:,]\d++)*+")
_PART_CHARS = 500
_PARTS = 40  # of the evidences, at most embedded for one answer

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Support:
    """How far a source supports a statement.

    ``words``: share of the statement's content words that the source has; ``has_every_word``: all of them, perhaps in
    another form; ``has_added_word``: one that the statement adds to the question, or the statement adds none.
    ``cosine``: with the source's closest part, 0 if unknown.
    """

    words: float
    has_numbers: bool
    has_every_word: bool = False
    has_added_word: bool = True
    is_other_language: bool = False
    cosine: float = 0.0

    @property
    def is_enough(self) -> bool:
        """Whether the source supports the statement."""
        if not self.has_numbers:
            return False
        is_said = self.words >= COVERED_SHARE
        is_paraphrased = self.cosine >= PARAPHRASE_COSINE and self.words >= PARAPHRASE_SHARE and self.has_added_word
        is_translated = self.is_other_language and self.cosine >= TRANSLATION_COSINE
        return is_said or is_paraphrased or is_translated

    @property
    def strength(self) -> float:
        """Return the sort key of sources of one statement, rounded so that the rank decides between similar ones."""
        return round(max(self.words, self.cosine if self.is_enough else 0.0), 1) if self.has_numbers else 0.0


def measure_lexical_support(statement: str, question: str, source: str) -> Support:
    """Return the support of a statement by the words of a source. Words of the question count half."""
    return measure_lexical_supports(statement, question, [source])[0]


def measure_lexical_supports(statement: str, question: str, sources: Sequence[str]) -> list[Support]:
    """Return :func:`measure_lexical_support` of each source. Words that several sources have are compared once."""
    words = [word for word in select_content_words(strip_removal_notes(statement)) if word not in _ASSENT]
    if not words:
        return [Support(1.0, True, has_every_word=True)] * len(sources)
    asked = set(select_content_words(question))
    weights = np.array([_weigh_word(word, asked) for word in words])
    language = detect_language(statement)
    supports: list[Support] = []
    for source, shares in zip(sources, match_texts(tuple(words), sources), strict=True):
        matches = np.array(shares)
        missing = {word for word, match in zip(words, shares, strict=True) if _has_to_match(word) and not match}
        # Similarity is no support if the source lacks all words that the statement adds to the question ("Bob
        # approves …").
        added = [match for word, match in zip(words, shares, strict=True) if word not in asked]
        supports.append(
            Support(
                float(matches @ weights / weights.sum()),
                has_numbers=not missing - asked,
                has_every_word=bool(matches.all()),
                has_added_word=any(added) or not added,
                is_other_language=language != detect_language(source),
            )
        )
    return supports


def _weigh_word(word: str, asked: set[str]) -> float:
    return (2.0 if has_digit(word) else 1.0) * (0.5 if word in asked else 1.0)


def _has_to_match(word: str) -> bool:
    """Whether a source must have the word: versions, dates and amounts, but not small counts."""
    if word.isdecimal():
        return len(word) > _MAX_DIGITS or int(word) > _SMALL_NUMBER
    return bool(_SPLIT_NUMBER.fullmatch(word))


async def measure_similarities(
    statements: Sequence[str], evidences: Sequence[EvidenceToRead], embedder: Embedder
) -> Values:
    """Return the cosine of each statement with the best part of each evidence, of shape (statements, evidences)."""
    parts = [(at, part) for at, each in enumerate(evidences) for part in _split_parts(each.evidence)][:_PARTS]
    best = np.full((len(statements), len(evidences)), -1.0)
    if not statements or not parts:
        return best
    asked = await embedder.embed_queries(list(statements))
    vectors = await embedder.embed_passages([part for _, part in parts])
    cosines = np.asarray(asked @ vectors.T, dtype=float)
    for column, (at, _) in enumerate(parts):
        best[:, at] = np.maximum(best[:, at], cosines[:, column])
    return best


def _split_parts(evidence: Evidence) -> list[str]:
    title = evidence.context.title
    return [f"{title}\n{part[:_PART_CHARS]}" for part in evidence.parts if part.strip()][:8]


def choose_citations(supports: Sequence[Support], cited: Sequence[int]) -> list[int]:
    """Return the indexes of the sources to cite for a statement; none if no source supports it.

    ``supports``: one per source. ``cited``: the indexes that the model gave; the supporting ones are cited, without
    clearly weaker ones. Another source is cited if none of these supports it, or if it is clearly better.
    """
    holding = [at for at, support in enumerate(supports) if support.is_enough]
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
    """An evidence that supports a statement. ``quote``: its words, where they are known already."""

    evidence: Evidence
    quote: str = ""


async def cite_statements(
    question: str, statements: Sequence[Statement], reading: Reading, embedder: Embedder, needs_every_word: bool
) -> list[list[Cited]]:
    """Return for each statement the evidences to cite; none if nothing that the model read supports it.

    ``needs_every_word``: a source has to have every word, because a page tries to command the model.
    """
    supports = await asyncio.to_thread(_measure_all_supports, question, statements, reading)
    if needs_every_word:
        none = Support(0.0, has_numbers=False)
        cited = []
        for statement, row in zip(statements, supports, strict=True):
            has_removed = strip_removal_notes(statement.text) != statement.text
            cited.append(
                _choose(statement, [each if each.has_every_word and not has_removed else none for each in row], reading)
            )
        return cited
    undecided = [at for at, row in enumerate(supports) if not any(support.is_enough for support in row)]
    cosines = await measure_similarities([statements[at].text for at in undecided], reading.evidences, embedder)
    for at, row in zip(undecided, cosines, strict=True):
        # The computed answer, the last one, has no cosine: only words and numbers support a statement about it.
        supports[at][: len(row)] = [
            replace(held, cosine=float(near)) for held, near in zip(supports[at], row, strict=False)
        ]
    return [
        _keep_first_of_sections(_choose(statement, row, reading))
        for statement, row in zip(statements, supports, strict=True)
    ]


def _measure_all_supports(question: str, statements: Sequence[Statement], reading: Reading) -> list[list[Support]]:
    """Return for each statement the support of each source, the computed answer last. A quoted one is in the others.

    Takes up to 65 ms, so it does not run on the event loop.
    """
    texts = [each.text_with_headings for each in reading.evidences]
    unknown = _compile_unknown(question, reading)
    return [
        _make_no_supports(texts)
        if any(name.search(statement.text) for name in unknown)
        else _measure_supports(statement.text, question, texts, reading)
        for statement in statements
    ]


def _compile_unknown(question: str, reading: Reading) -> list[re.Pattern[str]]:
    """Return expressions for the names and versions of a question that nothing in the prompt has.

    What is said of one of them is said there of another one, if at all: "Rook 5", where the sources have "Rook 4".
    """
    own = reading.extractive_answer.text_with_name.casefold() if reading.extractive_answer else ""
    names = find_unknown_identifiers(question, [each.ranked for each in reading.evidences])
    return [
        re.compile(rf"(?<!\w){re.escape(name)}(?!\w|[.:/]\d)", re.IGNORECASE)  # not the one in "Rook 5.1"
        for name in names
        if name.casefold() not in own
    ]


def _make_no_supports(texts: Sequence[str]) -> list[Support]:
    """Return the supports of a statement by these sources and the computed one."""
    return [Support(0.0, has_numbers=False)] * (len(texts) + 1)


def _measure_supports(statement: str, question: str, texts: Sequence[str], reading: Reading) -> list[Support]:
    supports = measure_lexical_supports(statement, question, texts)
    if reading.extractive_answer and not reading.extractive_answer.is_quoted:
        if _contradicts_computed(statement, question, reading.extractive_answer):
            return _make_no_supports(texts)
        supports.append(measure_lexical_support(statement, question, reading.extractive_answer.text_with_name))
    if any(support.is_enough for support in supports):
        return supports
    # A statement that only a section as a whole supports is cited by the evidence that has most of it.
    of_section: dict[int, list[int]] = {}
    for at, each in enumerate(reading.evidences):
        of_section.setdefault(each.number, []).append(at)
    for together in of_section.values():
        joined = measure_lexical_support(statement, question, "\n".join(texts[at] for at in together))
        if joined.is_enough:
            most = max(together, key=lambda at: (supports[at].words, -at))
            supports[most] = joined
    return supports


def _contradicts_computed(statement: str, question: str, computed: ExtractiveAnswer) -> bool:
    """Whether a statement has the opposite verdict, or is about the computed result and has a number that it has not.

    Small numbers are in most tables by chance, so a match of them with other sources shows nothing.
    """
    first = _FIRST_WORD.match(statement.casefold())
    if first and computed.verdict is not None and first[1] in (_NO if computed.verdict else _YES):
        return True
    added = [
        word
        for word in select_content_words(strip_removal_notes(statement))
        if word not in select_content_words(question)
    ]
    numbers = tuple(word for word in added if word.isdecimal())
    others = tuple(word for word in select_content_words(statement) if word not in numbers and word not in _ASSENT)
    is_about_it = bool(others) and float(np.mean(match_text(others, computed.text_with_name))) >= COVERED_SHARE
    return is_about_it and not all(match_text(numbers, computed.text_with_name))


def _choose(statement: Statement, supports: Sequence[Support], reading: Reading) -> list[Cited]:
    numbers = [each.number for each in reading.evidences]
    if reading.extractive_answer_section:
        numbers.append(reading.extractive_answer_section.number)
    own = [at for cited in statement.cited for at, number in enumerate(numbers) if number == cited]
    chosen: list[Cited] = []
    for at in choose_citations(supports, own):
        if at < len(reading.evidences):
            chosen.append(Cited(reading.evidences[at].evidence))
        elif reading.extractive_answer:
            chosen += [Cited(evidence, quote) for evidence, quote in reading.extractive_answer.rows]
    return chosen


def _keep_first_of_sections(cited: Sequence[Cited]) -> list[Cited]:
    """Return the first evidence of each section, and each with a quote of its own.

    A row, its table and its neighbours open at the same location.
    """
    first: dict[tuple[SectionKey, str], Cited] = {}
    for each in cited:
        evidence = each.evidence
        key = evidence.section_key, evidence.evidence_id if each.quote else ""
        first.setdefault(key, each)
    return list(first.values())


def is_supported(statements: Sequence[Statement], cited: Sequence[Sequence[Cited]]) -> bool:
    """Whether sources support at least one statement, and at least half of them."""
    said = [bool(used) for statement, used in zip(statements, cited, strict=True) if not statement.introduces or used]
    return any(said) and sum(said) >= len(said) / 2


def compose_answer(statements: Sequence[Statement], cited: Sequence[Sequence[Cited]]) -> Answer:
    """Return the answer, with citations numbered in order of appearance. Statements without a source are marked.

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
    """Return the part of an evidence that has most of the words of the statements that cite it."""
    words = select_content_words(" ".join(said))
    parts = [part for part in evidence.parts if part.strip()]
    return max(parts, key=lambda part: sum(match_text(words, part)), default="") if words else ""
