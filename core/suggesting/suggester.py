"""Suggests follow-up questions: the protocol, the checks of each question, and a suggester without a language model."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from core.answering.extractive.confidence import SUGGESTION_THRESHOLD, estimate_confidence
from core.answering.extractive.units import list_units, score_units
from core.answering.generative.cleaning import find_addresses
from core.errors import WikiWhyError
from core.languages import LanguageCode
from core.model import Evidence, NoticeKind, RankedEvidence, Scope, Suggestion, TraceNotice, Turn
from core.ports.models import WordMatcher
from core.retrieval.retriever import Retriever
from core.suggesting.phrasing import phrase_questions
from core.text import STOPWORDS, fold, list_words
from core.timing import Clock
from core.trace import Stopwatch, Tracer
from core.wording.content_words import select_content_words
from core.wording.focus import find_focus
from core.wording.instructions import is_instruction, strip_evidences
from core.wording.word_matches import match_text

logger = logging.getLogger(__name__)

MAX_SUGGESTIONS = 3
_FIRST = 3  # results of a question that have to contain its evidence
_MAX_CHARS = 200
_ALIKE = 0.8  # share of content words from which two questions are the same
_INVITES = re.compile(
    r"(?i)\b(?:click\w*|\w*klick\w*|visit|besuche|besuchen sie|subscribe|abonnier\w*|download now|sign up|tap here|"
    r"(?:enter|send|type|share|give)\b.{0,30}\b(?:password|code|token|credentials)|"
    r"(?:pass|kenn)wort (?:ein|an)?geb\w*)\b"
)


class Suggester(Protocol):
    """Suggests questions to ask after a turn."""

    async def suggest(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> tuple[Suggestion, ...]:
        """Return up to three questions, each of which retrieves an evidence of the turn within the turn's scope.

        ``earlier``: the earlier questions of the conversation, none of which is suggested again. Raises the errors of
        retrieval.
        """
        ...


async def add_suggestions(suggester: Suggester, turn: Turn, earlier: Sequence[str], clock: Clock) -> Turn:
    """Return the turn with suggestions; their calls, notices and time (``suggest``) are added to those of the turn.

    If suggesting fails, the turn has a notice with the reason instead.
    """
    tracer, stopwatch = Tracer(clock), Stopwatch(clock)
    suggestions: tuple[Suggestion, ...] = ()
    evidences, _ = await asyncio.to_thread(strip_evidences, turn.evidences)
    with stopwatch.measure_stage("suggest"):
        try:
            suggestions = await suggester.suggest(replace(turn, evidences=tuple(evidences)), earlier, tracer)
        except WikiWhyError as error:
            logger.warning("No follow-up questions could be made: %s", error)
            tracer.record_notice(TraceNotice(NoticeKind.NO_SUGGESTIONS, error.failure))
    return replace(
        turn,
        suggestions=suggestions,
        timings_ms={**turn.timings_ms, **stopwatch.timings_ms},
        usage=turn.usage + tracer.usage,
        trace=turn.trace + tracer.trace,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Checker:
    """Checks questions that may be suggested. Its retriever needs no reranker."""

    retriever: Retriever
    matcher: WordMatcher

    async def retrieve(self, question: str, scope: Scope) -> Sequence[RankedEvidence]:
        """Return the evidences that the question retrieves. Raises EmbedderUnavailable."""
        return await self.retriever.retrieve(question, scope, Stopwatch(lambda: 0.0))

    async def answers(self, question: str, evidences: Sequence[RankedEvidence]) -> bool:
        """Whether the evidences answer the question, as the extractive answerer decides."""
        focus = find_focus(question)
        units = await score_units(focus, list_units(evidences), self.matcher)
        return estimate_confidence(focus, units) >= SUGGESTION_THRESHOLD


def is_retrieved(found: Sequence[RankedEvidence], evidence_id: str) -> bool:
    """Whether an evidence is among the first results, and on the page of the first one."""
    page_id = found[0].evidence.page_id if found else ""
    return any(
        ranked.evidence.evidence_id == evidence_id and ranked.evidence.page_id == page_id for ranked in found[:_FIRST]
    )


def may_be_shown(question: str) -> bool:
    """Whether a question is short and plain: without addresses, requests to click, and instructions to a model."""
    return (
        len(question) <= _MAX_CHARS
        and any(character.isalpha() for character in question)
        and not find_addresses(question)
        and not _INVITES.search(question)
        and not is_instruction(question)
        and not set(question) & set("<>[]{}|`\n")
    )


def is_repeated(question: str, others: Iterable[str]) -> bool:
    """Whether a question is one of the others, in the same or nearly the same words."""
    said = _list_content_words(question)
    return any(_is_alike(said, _list_content_words(other)) for other in others)


def list_earlier_questions(turn: Turn, earlier: Sequence[str]) -> list[str]:
    """Return all questions of the conversation so far; the last one as asked and as completed."""
    return [*earlier, turn.question.as_asked, turn.question.intent_explicit]


def _list_content_words(text: str) -> frozenset[str]:
    said = [fold(word) for word in list_words(text)]
    return frozenset(word for word in said if word not in STOPWORDS) or frozenset(said)


def _is_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * max(len(one), len(other), 1)


_MAX_CHECKED = 8  # questions to retrieve for, which bounds the time
_SHARED = 3  # words that title and heading of an evidence on another page have to share with question and answer
_SAME_WORD = 0.7  # share of a word's 4-grams


@dataclass(frozen=True, slots=True, eq=False)
class HeadingSuggester:
    """Phrases questions from headings and rows, and keeps those that retrieve their evidence."""

    checker: Checker

    async def suggest(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> tuple[Suggestion, ...]:
        """See :class:`core.suggesting.suggester.Suggester`. After "not found" the closest evidences are used."""
        kept: list[Suggestion] = []
        asked = list_earlier_questions(turn, earlier)
        checked = 0
        for evidence, question in _list_candidates(turn, turn.question.asked_language):
            if len(kept) == MAX_SUGGESTIONS or checked == _MAX_CHECKED:
                break
            used = {suggestion.evidence_id for suggestion in kept}
            others = [*asked, *(suggestion.question for suggestion in kept)]
            if evidence.evidence_id in used or is_repeated(question, others) or not may_be_shown(question):
                continue
            checked += 1
            found = await self.checker.retrieve(question, turn.scope)
            if is_retrieved(found, evidence.evidence_id) and not _is_ambiguous(found, evidence):
                kept.append(Suggestion(question, evidence.evidence_id))
        return tuple(kept)


def _list_candidates(turn: Turn, wanted: LanguageCode) -> Iterator[tuple[Evidence, str]]:
    """Yield evidences with a question each, those of the answer's pages first; one per section."""
    cited = {citation.evidence_id for citation in turn.answer.citations}
    done = {ranked.evidence.section_key for ranked in turn.evidences if ranked.evidence.evidence_id in cited}
    for ranked in _order_evidences(turn):
        evidence = ranked.evidence
        section = evidence.section_key
        if evidence.evidence_id in cited or (section in done and evidence.kind != "table_row"):
            continue
        for question in phrase_questions(evidence, wanted, _join_nearby_text(evidence)):
            if _is_new(question, evidence, turn):
                done.add(section)
                yield evidence, question


def _order_evidences(turn: Turn) -> list[RankedEvidence]:
    """Return the evidences on the answer's pages, then others that share words with question and answer."""
    pages = {citation.page_id for citation in turn.answer.citations}
    first = {ranked.evidence.page_id for ranked in turn.evidences[:1]}
    about = select_content_words(
        " ".join((turn.question.intent_explicit, *(each.title for each in turn.answer.citations)))
    )
    near = [
        ranked
        for ranked in turn.evidences
        if ranked.evidence.page_id in pages
        or _count_shared_words(ranked.evidence, about) >= (1 if ranked.evidence.page_id in first else _SHARED)
    ]
    return sorted(near, key=lambda ranked: ranked.evidence.page_id not in pages)


def _count_shared_words(evidence: Evidence, about: tuple[str, ...]) -> int:
    """Return the number of words of an evidence's title and last heading that match these words."""
    around = select_content_words(" ".join((evidence.context.title, *evidence.context.heading_path[-1:])))
    return sum(match >= _SAME_WORD for match in match_text(around, " ".join(about)))


def _is_new(question: str, evidence: Evidence, turn: Turn) -> bool:
    """Whether a question has words beyond the page's title and the question just asked."""
    said = set(select_content_words(question)) - set(select_content_words(evidence.context.title))
    return not said <= set(select_content_words(turn.question.intent_explicit))


def _is_ambiguous(found: Sequence[RankedEvidence], evidence: Evidence) -> bool:
    """Whether other retrieved rows of the page have the same first cell, so that the question fits several."""
    if evidence.kind != "table_row" or not evidence.rows:
        return False
    subject = evidence.rows[0][0][1]
    rows = [ranked.evidence for ranked in found if ranked.evidence.kind == "table_row" and ranked.evidence.rows]
    return sum(row.page_id == evidence.page_id and row.rows[0][0][1] == subject for row in rows) > 1


def _join_nearby_text(evidence: Evidence) -> str:
    return " ".join((evidence.context.before, evidence.text, evidence.context.after))
