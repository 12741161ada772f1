"""Converting turns to rows of the tables and back.

A trace is stored in three columns. ``calls`` has names and numbers of the model calls, ``notices`` has kinds and
numbers; both are kept for good. ``trace_texts`` has everything that may contain text of a page, and is NULL once all of
that was erased.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import RowMapping, Text, cast

from adapters.store.schema import turn_evidences
from adapters.store.statements import Row, now
from adapters.store.wiki.page_rows import MOST_PARSED, read_evidence, serialise_snapshot
from core.model import (
    AblationResult,
    Answer,
    Author,
    Citation,
    ClosestUnit,
    Cluster,
    Evidence,
    Failure,
    ModelCall,
    NoticeKind,
    PagePart,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Provenance,
    Question,
    RankedEvidence,
    Ranking,
    Rejection,
    Scope,
    Suggestion,
    Trace,
    TracedPlan,
    TraceNotice,
    Turn,
    Usage,
)
from core.text_caches import cache_texts

NO_PROMPT: Row = {"messages": [], "text": "", "error": ""}
NO_HISTORY: Row = {"candidates": [], "plans": []}
"""Replaces the parts of ``trace_texts`` that may contain text of earlier turns."""
_WITH_HISTORY = frozenset({"complete", "suggest"})
"""Names of the calls whose prompts contain earlier turns. Only old versions stored those for suggestions."""
_RANKINGS = {"lexical": "lexical", "dense": "dense", "fused": "fused", "reranked": "reranked", "for_reading": "read"}
"""The names in the column ``rankings``, by the names of the fields."""
_OF_EVIDENCE = ("evidence_id", "page_id", "space", "kind", "ordinal", "url", "thread", "origin")


def make_turn_row(turn: Turn) -> Row:
    """Return the row of ``turns``."""
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
        "calls": _serialise_calls(turn.trace),
        "trace_texts": _serialise_trace_texts(turn.trace),
        "notices": [asdict(notice) for notice in turn.trace.notices],
        "suggestions": serialise_suggestions(
            turn.suggestions, {ranked.evidence.evidence_id for ranked in turn.evidences}
        ),
        "asker": turn.asker,
    }


def read_turn(
    row: RowMapping, evidences: Sequence[RankedEvidence], citations: Sequence[Citation], provenance: Provenance
) -> Turn:
    """Return a turn from its row, its evidences and citations, both in order, and its provenance."""
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
            provenance=provenance,
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
        trace=_read_trace(row),
        suggestions=tuple(Suggestion(**suggestion) for suggestion in row["suggestions"]),
        erased=row["erased"],
        asker=row["asker"],
    )


def make_ranked_evidence_row(turn_id: str, position: int, ranked: RankedEvidence) -> Row:
    """Return a row of ``turn_evidences``."""
    rankings = {stored: getattr(ranked, name) for name, stored in _RANKINGS.items()}
    return {
        "turn_id": turn_id,
        "position": position,
        "rank": ranked.rank,
        "score": ranked.score,
        "rankings": {name: [found.rank, found.score] for name, found in rankings.items() if found is not None},
        **{name: getattr(ranked.evidence, name) for name in _OF_EVIDENCE},
        "snapshot": serialise_snapshot(ranked.evidence),
    }


RANKED_COLUMNS = (
    *(column for column in turn_evidences.c if column.name != "snapshot"),
    cast(turn_evidences.c.snapshot, Text).label("snapshot"),
)
"""The columns that :func:`read_ranked_evidence` needs."""


def read_ranked_evidence(row: RowMapping) -> RankedEvidence:
    """Return the ranked evidence of a row."""
    evidence = parse_snapshot(row["snapshot"], *(row[name] for name in _OF_EVIDENCE))
    found = row["rankings"]
    rankings = {name: Ranking(*found[stored]) for name, stored in _RANKINGS.items() if stored in found}
    return RankedEvidence(evidence, row["rank"], row["score"], **rankings)


@cache_texts(MOST_PARSED)  # a turn is read several times before its answer is posted
def parse_snapshot(snapshot: str, *values: Any) -> Evidence:
    """Return an evidence from the text of a snapshot, and the values of the columns ``_OF_EVIDENCE``."""
    return read_evidence({**dict(zip(_OF_EVIDENCE, values, strict=True)), **json.loads(snapshot)})


def make_provenance_rows(turn: Turn) -> list[Row]:
    """Return the rows of ``turn_question_sources``."""
    provenance = turn.question.provenance
    return [
        {"turn_id": turn.turn_id, **part._asdict(), "asked": asked}
        for asked, of_kind in ((True, provenance.suggestion), (False, provenance.history))
        for part in of_kind
    ]


def read_provenance(rows: Iterable[RowMapping]) -> Provenance:
    """Return the provenance of one turn's question."""
    of_kind: dict[bool, set[PagePart]] = {True: set(), False: set()}
    for row in rows:
        of_kind[row["asked"]].add(PagePart(row["page_id"], row["thread"]))
    return Provenance(frozenset(of_kind[True]), frozenset(of_kind[False]))


def make_citation_row(turn_id: str, position: int, citation: Citation) -> Row:
    """Return a row of ``turn_citations``."""
    return {"turn_id": turn_id, "position": position, **asdict(citation)}


def make_counterfactual_row(turn_id: str, result: AblationResult) -> Row:
    """Return a row of ``counterfactuals``."""
    return {
        "turn_id": turn_id,
        "cluster": ",".join(map(str, result.cluster)),
        "contribution": result.contribution,
        "similarity": result.similarity,
        "answers": list(result.answers),
        "answered": list(result.answered),
        "calls": result.calls,
        "error": result.error,
        "kept_at": now(),
    }


def read_ablation_result(row: RowMapping) -> AblationResult:
    """Return the counterfactual result of a row."""
    cluster: Cluster = tuple(int(index) for index in row["cluster"].split(",") if index)
    answers, answered = tuple(row["answers"]), tuple(row["answered"])
    return AblationResult(
        cluster, row["contribution"], row["similarity"], answers, row["calls"], row["error"], answered=answered
    )


def _serialise_calls(trace: Trace) -> list[Row]:
    """Return the column ``calls``: names and numbers of the calls, in order."""
    return [
        {
            "name": call.prompt.name,
            "usage": asdict(call.usage),
            "milliseconds": call.milliseconds,
            "finished": call.finished,
            "failure": call.failure,
        }
        for call in trace.calls
    ]


def _serialise_trace_texts(trace: Trace) -> Row:
    """Return the column ``trace_texts``. ``prompts`` has one entry for each call."""
    return {
        "prompts": [
            {"messages": [asdict(message) for message in call.prompt.messages], "text": call.text, "error": call.error}
            for call in trace.calls
        ],
        "candidates": [asdict(candidate) for candidate in trace.proposed_completions],
        "plans": [asdict(plan) for plan in trace.plans],
        "closest": [asdict(unit) for unit in trace.closest],
    }


def blank_history(texts: Row, calls: Sequence[Row]) -> Row:
    """Return ``trace_texts`` without text of earlier turns."""
    prompts = [
        NO_PROMPT if call["name"] in _WITH_HISTORY else texts
        for call, texts in zip(calls, texts["prompts"], strict=True)
    ]
    return {**texts, "prompts": prompts, **NO_HISTORY}


def _read_trace(row: RowMapping) -> Trace:
    """Return a trace from its columns. After an erasure it has calls and notices, but no text."""
    texts = row["trace_texts"] or {"prompts": [NO_PROMPT] * len(row["calls"]), "candidates": []}
    return Trace(
        tuple(_read_proposed_completion(candidate) for candidate in texts["candidates"]),
        tuple(_read_call(call, said) for call, said in zip(row["calls"], texts["prompts"], strict=True)),
        tuple(_read_notice(notice) for notice in row["notices"]),
        tuple(_read_plan(plan) for plan in texts.get("plans", ())),  # older versions stored no plans
        tuple(ClosestUnit(**unit) for unit in texts.get("closest", ())),  # nor these
    )


def _read_call(call: Row, said: Row) -> ModelCall:
    messages = tuple(PromptMessage(**message) for message in said["messages"])
    return ModelCall(
        Prompt(call["name"], messages),
        said["text"],
        Usage(**call["usage"]),
        call["milliseconds"],
        call["finished"],
        said["error"],
        Failure(call["failure"]) if call["failure"] else None,
    )


def _read_proposed_completion(candidate: Row) -> ProposedCompletion:
    rejected = candidate["rejected"]
    return ProposedCompletion(candidate["text"], Rejection(rejected) if rejected else None, tuple(candidate["words"]))


def _read_plan(plan: Row) -> TracedPlan:
    return TracedPlan(**{**plan, "conditions": tuple(plan["conditions"]), "columns": tuple(plan["columns"])})


def _read_notice(notice: Row) -> TraceNotice:
    failure = notice["failure"]
    return TraceNotice(
        NoticeKind(notice["kind"]),
        Failure(failure) if failure else None,
        notice["count"],
        notice["total"],
        notice.get("language", ""),  # older notices have none
    )


def serialise_suggestions(suggestions: Iterable[Suggestion], evidence_ids: Collection[str]) -> list[Row]:
    """Return the column ``suggestions``, with the suggestions of these evidences of the turn only.

    Erasing the page of another evidence would not find the turn.
    """
    return [asdict(suggestion) for suggestion in suggestions if suggestion.evidence_id in evidence_ids]
