"""Suggests without a language model: from the headings and rows of the evidences that the answer does not cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.answering.focus import content_words, word_matches
from core.model import Evidence, RankedEvidence, Suggestion, Turn
from core.suggesting.phrasing import questions_for
from core.suggesting.suggester import (
    MAX_SUGGESTIONS,
    Checker,
    is_repeated,
    leads_to,
    list_earlier_questions,
    may_be_shown,
)
from core.text import Language
from core.trace import Tracer

_MAX_CHECKED = 8  # questions that are retrieved for, which bounds the time
_SHARED = 3  # words that title and heading of an evidence on another page have to share with question and answer
_SAME_WORD = 0.7  # share of a word's 4-grams


@dataclass(frozen=True, slots=True, eq=False)
class HeadingSuggester:
    """Makes questions of headings and rows, and keeps those that find their evidence."""

    name = "headings"

    checker: Checker

    async def suggest(self, turn: Turn, earlier: Sequence[str], tracer: Tracer) -> tuple[Suggestion, ...]:
        """See :class:`core.suggesting.suggester.Suggester`. After "not found": from the closest evidences."""
        kept: list[Suggestion] = []
        asked = list_earlier_questions(turn, earlier)
        checked = 0
        for evidence, question in _candidates(turn, turn.question.language):
            if len(kept) == MAX_SUGGESTIONS or checked == _MAX_CHECKED:
                break
            used = {suggestion.evidence_id for suggestion in kept}
            others = [*asked, *(suggestion.question for suggestion in kept)]
            if evidence.evidence_id in used or is_repeated(question, others) or not may_be_shown(question):
                continue
            checked += 1
            found = await self.checker.retrieve(question, turn.scope)
            if leads_to(found, evidence.evidence_id) and not _is_ambiguous(found, evidence):
                kept.append(Suggestion(question, evidence.evidence_id))
        return tuple(kept)


def _candidates(turn: Turn, wanted: Language) -> Iterator[tuple[Evidence, str]]:
    """Evidences with a question each, those of the answer's pages first; one per section."""
    cited = {citation.evidence_id for citation in turn.answer.citations}
    done = {_section(ranked.evidence) for ranked in turn.evidences if ranked.evidence.evidence_id in cited}
    for ranked in _in_order(turn):
        evidence = ranked.evidence
        section = _section(evidence)
        if evidence.evidence_id in cited or (section in done and evidence.kind != "table_row"):
            continue
        for question in questions_for(evidence, wanted, _near(evidence)):
            if _is_new(question, evidence, turn):
                done.add(section)
                yield evidence, question


def _in_order(turn: Turn) -> list[RankedEvidence]:
    """The evidences on the answer's pages, then others that share words with question and answer."""
    pages = {citation.page_id for citation in turn.answer.citations}
    first = {ranked.evidence.page_id for ranked in turn.evidences[:1]}
    about = content_words(" ".join((turn.question.intent_explicit, *(each.title for each in turn.answer.citations))))
    near = [
        ranked
        for ranked in turn.evidences
        if ranked.evidence.page_id in pages
        or _shared_words(ranked.evidence, about) >= (1 if ranked.evidence.page_id in first else _SHARED)
    ]
    return sorted(near, key=lambda ranked: ranked.evidence.page_id not in pages)


def _shared_words(evidence: Evidence, about: tuple[str, ...]) -> int:
    """The number of words of an evidence's title and last heading that match these words."""
    place = content_words(" ".join((evidence.context.title, *evidence.context.heading_path[-1:])))
    return sum(match >= _SAME_WORD for match in word_matches(place, " ".join(about)))


def _is_new(question: str, evidence: Evidence, turn: Turn) -> bool:
    """Whether a question has words beyond the page's title and the question just asked."""
    said = set(content_words(question)) - set(content_words(evidence.context.title))
    return not said <= set(content_words(turn.question.intent_explicit))


def _is_ambiguous(found: Sequence[RankedEvidence], evidence: Evidence) -> bool:
    """Whether other found rows of the page have the same first cell: the question would not distinguish them."""
    if evidence.kind != "table_row" or not evidence.rows:
        return False
    subject = evidence.rows[0][0][1]
    rows = [ranked.evidence for ranked in found if ranked.evidence.kind == "table_row" and ranked.evidence.rows]
    return sum(row.page_id == evidence.page_id and row.rows[0][0][1] == subject for row in rows) > 1


def _section(evidence: Evidence) -> tuple[str, ...]:
    return (evidence.page_id, *evidence.context.heading_path)


def _near(evidence: Evidence) -> str:
    return " ".join((evidence.context.before, evidence.text, evidence.context.after))
