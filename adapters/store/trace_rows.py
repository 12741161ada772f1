"""Columns of ``turns``: how traces and suggestions are written and read back.

A trace stands in three columns. ``calls`` has the names and numbers of the model calls, ``notices`` kinds and numbers:
both stay. ``trace_texts`` has everything that can hold words of a page, and is NULL once all of that was erased.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict

from sqlalchemy import RowMapping

from adapters.store.rows import Row
from core.model import (
    Candidate,
    Failure,
    ModelCall,
    NoticeKind,
    Prompt,
    PromptMessage,
    Rejection,
    Suggestion,
    Trace,
    TraceNotice,
    Usage,
)

NO_PROMPT: Row = {"messages": [], "text": "", "error": ""}


def calls_json(trace: Trace) -> list[Row]:
    """The numbers of each call, in order."""
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


def trace_texts_json(trace: Trace) -> Row:
    """The words of a trace; ``prompts`` has one entry a call."""
    return {
        "prompts": [
            {"messages": [asdict(message) for message in call.prompt.messages], "text": call.text, "error": call.error}
            for call in trace.calls
        ],
        "candidates": [asdict(candidate) for candidate in trace.candidates],
    }


def without_calls(texts: Row, calls: Sequence[Row], names: Collection[str]) -> Row:
    """The words of a trace (``trace_texts``) less those of the ``calls`` with these names."""
    prompts = [
        NO_PROMPT if call["name"] in names else texts for call, texts in zip(calls, texts["prompts"], strict=True)
    ]
    return {**texts, "prompts": prompts}


def notices_json(trace: Trace) -> list[Row]:
    """The notices, in order."""
    return [asdict(notice) for notice in trace.notices]


def trace_of(row: RowMapping) -> Trace:
    """A trace from its columns; one whose words were erased has its calls and notices, but no word."""
    texts = row["trace_texts"] or {"prompts": [NO_PROMPT] * len(row["calls"]), "candidates": []}
    return Trace(
        tuple(_candidate_of(candidate) for candidate in texts["candidates"]),
        tuple(_call_of(call, said) for call, said in zip(row["calls"], texts["prompts"], strict=True)),
        tuple(_notice_of(notice) for notice in row["notices"]),
    )


def _call_of(call: Row, said: Row) -> ModelCall:
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


def _candidate_of(candidate: Row) -> Candidate:
    rejected = candidate["rejected"]
    return Candidate(candidate["text"], Rejection(rejected) if rejected else None, tuple(candidate["words"]))


def _notice_of(notice: Row) -> TraceNotice:
    failure = notice["failure"]
    return TraceNotice(
        NoticeKind(notice["kind"]), Failure(failure) if failure else None, notice["count"], notice["total"]
    )


def suggestions_json(suggestions: Iterable[Suggestion], evidence_ids: Collection[str]) -> list[Row]:
    """The suggestions that these evidences of the turn answer: erasing the page of another would not find the turn."""
    return [asdict(suggestion) for suggestion in suggestions if suggestion.evidence_id in evidence_ids]


def suggestions_of(row: RowMapping) -> tuple[Suggestion, ...]:
    """Suggestions from their column."""
    return tuple(Suggestion(**suggestion) for suggestion in row["suggestions"])
