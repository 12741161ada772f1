"""The JSON that ``--json`` prints. Scripts depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.schedules import parse_moment
from core.attribution.explainer import ExplainedCluster, Explanation
from core.indexing.report import SpaceReport
from core.languages import Language
from core.model import INDEXED_KINDS, ProposedCompletion, RankedEvidence, Trace, Turn
from core.ports.pages import SpaceSummary
from core.ports.wiki import PageFailure
from core.views.messages import format_stored_answer
from core.views.notices import format_notice, format_question, format_rejection

Json = dict[str, Any]


def make_turn_json(turn: Turn) -> Json:
    return {
        "turn_id": turn.turn_id,
        "question": format_question(turn.question),
        "completed_question": turn.question.intent_explicit or format_question(turn.question),
        "answer": format_stored_answer(turn),
        "answered": turn.answer.answered,
        "author": turn.answer.author.value,
        "erased": turn.answer.erased,
        "citations": [asdict(citation) for citation in turn.answer.citations],
        "evidences": [_make_evidence_json(ranked) for ranked in turn.evidences],
        "timings_ms": dict(turn.timings_ms),
        "usage": asdict(turn.usage),
        "trace": _make_trace_json(turn.trace, turn.question.language),
        "suggestions": [asdict(suggestion) for suggestion in turn.suggestions],
    }


def _make_trace_json(trace: Trace, language: Language) -> Json:
    """Return the trace without prompts and texts of models, which are long and which ``wikiwhy chat`` shows."""
    return {
        "candidates": [_make_proposed_completion_json(completion) for completion in trace.proposed_completions],
        "calls": [
            {
                "name": call.prompt.name,
                "prompt_tokens": call.usage.prompt_tokens,
                "completion_tokens": call.usage.completion_tokens,
                "milliseconds": call.milliseconds,
                "finished": call.finished,
                "error": call.error,
                "failure": call.failure,
            }
            for call in trace.calls
        ],
        "notices": [format_notice(notice, language) for notice in trace.notices],
        "notice_kinds": [asdict(notice) for notice in trace.notices],
        "plans": [asdict(plan) for plan in trace.plans],
    }


def _make_proposed_completion_json(completion: ProposedCompletion) -> Json:
    return {
        "text": completion.text,
        "rejected": format_rejection(completion),
        "rejection": completion.rejected,
        "words": list(completion.words),
    }


def _make_evidence_json(ranked: RankedEvidence) -> Json:
    evidence = ranked.evidence
    return {
        "rank": ranked.rank,
        "evidence_id": evidence.evidence_id,
        "page_id": evidence.page_id,
        "title": evidence.context.title,
        "heading": evidence.heading,
        "heading_path": list(evidence.context.heading_path),
        "url": evidence.url,
        "kind": evidence.kind,
        "text": evidence.text,
        "before": evidence.context.before,
        "after": evidence.context.after,
        "score": round(ranked.score, 6),
        "lexical_rank": ranked.lexical.rank if ranked.lexical else None,
        "dense_rank": ranked.dense.rank if ranked.dense else None,
        "fused_rank": ranked.fused.rank if ranked.fused else None,
        "rerank_rank": ranked.reranked.rank if ranked.reranked else None,
    }


def make_explanation_json(turn: Turn, explanation: Explanation) -> Json:
    """``answer``: the answer of the turn. ``compared_with``: the answer that counterfactuals were compared with."""
    return {
        "turn_id": turn.turn_id,
        "question": turn.question.intent_explicit,
        "answer": format_stored_answer(turn),
        "compared_with": explanation.compared_with,
        "clusters": [_make_cluster_json(cluster) for cluster in explanation.clusters],
        "calls": explanation.calls,
        "seconds": explanation.seconds,
        "grounded": explanation.has_effect,
        "verdicts": list(explanation.conclusions),
        "single_page": _make_page_json(explanation.single_page) if explanation.single_page else None,
        "method": explanation.method,
    }


def _make_page_json(ranked: RankedEvidence) -> Json:
    evidence = ranked.evidence
    return {"page_id": evidence.page_id, "title": evidence.context.title, "url": evidence.url.partition("#")[0]}


def _make_cluster_json(cluster: ExplainedCluster) -> Json:
    result = cluster.result
    return {
        "share": _round(cluster.share),
        "contribution": _round(result.contribution),
        "similarity": _round(result.similarity),
        "evidence_ids": [ranked.evidence.evidence_id for ranked in cluster.evidences],
        "citations": list(cluster.citations),
        "counterfactual_answers": list(result.answers),
        "error": result.error,
        "failure": result.failure,
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 9)


def sync_json(reports: Sequence[SpaceReport], unread: Iterable[PageFailure], seconds: float) -> Json:
    return {
        "spaces": [_report_json(report) for report in reports],
        "errors": [make_failure_json(failure) for failure in unread],
        "seconds": round(seconds, 3),
    }


def _report_json(report: SpaceReport) -> Json:
    return {
        "key": report.key,
        "pages": asdict(report.pages),
        "evidences": {kind: report.evidences.get(kind, 0) for kind in INDEXED_KINDS},
        "embedded": report.embedded,
        "requests": report.traffic.requests,
        "waits": report.traffic.waits,
        "seconds_waited": round(report.traffic.seconds_waited, 3),
        "seconds": round(report.seconds, 3),
        "errors": [make_failure_json(failure) for failure in report.errors],
        "warnings": [make_failure_json(failure) for failure in report.warnings],
        "people": asdict(report.people),
        "unknown_macros": report.unknown_macros,
        "repaired": report.repaired,
        "vanished": report.vanished,
        "stopped": report.refusal,
    }


def make_failure_json(failure: PageFailure) -> Json:
    """Return a page that could not be read, completely or in part."""
    return {"page_id": failure.page_id, "title": failure.title, "cause": failure.cause}


def make_space_json(summary: SpaceSummary, next_due: datetime | None, now: datetime) -> Json:
    """``next_due``: ISO 8601, now if the space is overdue, null without a schedule. ``age_seconds``: since the last
    complete sync, null if there was none.
    """
    return {
        "key": summary.key,
        "source": summary.wiki_name,
        "pages": summary.pages,
        "evidences": {kind: summary.evidences.get(kind, 0) for kind in INDEXED_KINDS},
        "synced_at": summary.synced_at,
        "last_error": summary.last_error,
        "restricted": summary.restricted,
        "age_seconds": round((now - parse_moment(summary.synced_at)).total_seconds()) if summary.synced_at else None,
        "next_due": max(next_due, now).isoformat(timespec="seconds") if next_due else None,
    }
