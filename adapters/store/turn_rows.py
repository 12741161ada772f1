"""Rows and columns: how turns are written to the tables and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import RowMapping

from adapters.store.rows import Row, context_json, evidence_of
from adapters.store.trace_rows import (
    calls_json,
    notices_json,
    suggestions_json,
    suggestions_of,
    trace_of,
    trace_texts_json,
)
from core.model import Answer, Author, Citation, Question, RankedEvidence, Ranking, Scope, Turn, Usage

RANKINGS = ("lexical", "dense", "fused", "reranked")
_OF_EVIDENCE = ("evidence_id", "page_id", "space", "kind", "ordinal", "url")


def turn_row(turn: Turn) -> Row:
    """The columns of ``turns``."""
    spaces = turn.scope.spaces
    return {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "asked_at": turn.asked_at,
        "question_as_asked": turn.question.as_asked,
        "question_intent_explicit": turn.question.intent_explicit,
        "answer": turn.answer.text,
        "answered": turn.answer.answered,
        "author": turn.answer.author.value,
        "model": turn.answer.model,
        "answer_erased": turn.answer.erased,
        "question_suggested_in": turn.question.suggested_in,
        "question_erased": turn.question.erased,
        "question_language": turn.question.kept_language or "",
        "erased": turn.erased,
        "usage": asdict(turn.usage),
        "scope": {
            "spaces": None if spaces is None else sorted(spaces),
            "principals": sorted(turn.scope.principals),
        },
        "configuration": dict(turn.configuration),
        "timings_ms": dict(turn.timings_ms),
        "calls": calls_json(turn.trace),
        "trace_texts": trace_texts_json(turn.trace),
        "notices": notices_json(turn.trace),
        "suggestions": suggestions_json(turn.suggestions, {ranked.evidence.evidence_id for ranked in turn.evidences}),
        "asker": turn.asker,
    }


def turn_of(row: RowMapping, evidences: Sequence[RankedEvidence], citations: Sequence[Citation]) -> Turn:
    """A turn from its row, its evidences and its citations, both in order."""
    spaces = row["scope"]["spaces"]
    return Turn(
        turn_id=row["turn_id"],
        conversation_id=row["conversation_id"],
        asked_at=row["asked_at"],
        question=Question(
            row["question_as_asked"],
            row["question_intent_explicit"],
            row["question_suggested_in"],
            row["question_erased"],
            row["question_language"] or None,
        ),
        evidences=tuple(evidences),
        answer=Answer(
            row["answer"],
            row["answered"],
            tuple(citations),
            Author(row["author"]),
            row["model"],
            row["answer_erased"],
        ),
        scope=Scope(None if spaces is None else frozenset(spaces), frozenset(row["scope"]["principals"])),
        configuration=row["configuration"],
        timings_ms=row["timings_ms"],
        usage=Usage(**row["usage"]),
        trace=trace_of(row),
        suggestions=suggestions_of(row),
        erased=row["erased"],
        asker=row["asker"],
    )


def make_ranked_evidence_row(turn_id: str, position: int, ranked: RankedEvidence) -> Row:
    """The columns of ``turn_evidences``."""
    evidence = ranked.evidence
    rankings = {name: getattr(ranked, name) for name in RANKINGS}
    return {
        "turn_id": turn_id,
        "position": position,
        "rank": ranked.rank,
        "score": ranked.score,
        "rankings": {name: [place.rank, place.score] for name, place in rankings.items() if place is not None},
        "evidence_id": evidence.evidence_id,
        "page_id": evidence.page_id,
        "space": evidence.space,
        "kind": evidence.kind,
        "ordinal": evidence.ordinal,
        "url": evidence.url,
        "snapshot": {
            "text": evidence.text,
            "context": context_json(evidence.context),
            "parts": list(evidence.parts),
            "rows": evidence.rows,
        },
    }


def read_ranked_evidence(row: RowMapping) -> RankedEvidence:
    """A ranked evidence from its row."""
    evidence = evidence_of({**{name: row[name] for name in _OF_EVIDENCE}, **row["snapshot"]})
    rankings = {name: Ranking(*place) for name, place in row["rankings"].items()}
    return RankedEvidence(evidence, row["rank"], row["score"], **rankings)


def citation_row(turn_id: str, position: int, citation: Citation) -> Row:
    """The columns of ``turn_citations``."""
    return {"turn_id": turn_id, "position": position, **asdict(citation)}


def citation_of(row: RowMapping) -> Citation:
    """A citation from its row."""
    return Citation(**{name: row[name] for name in Citation.__dataclass_fields__})
