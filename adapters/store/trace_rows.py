"""Columns of ``turns``: how traces and suggestions are written and read back.

A trace stands in two columns, so that erasing its words is one UPDATE: ``calls`` has the numbers of the model
calls, ``trace_texts`` everything that can hold words of a page. ``trace_texts`` is NULL once it was erased.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict

from sqlalchemy import RowMapping

from adapters.store.rows import Row
from core.model import Candidate, ModelCall, Prompt, PromptMessage, Suggestion, Trace, Usage

NO_TEXTS: Row = {"prompts": [], "candidates": [], "notices": []}


def calls_json(trace: Trace) -> list[Row]:
    """The numbers of each call, in order."""
    return [
        {
            "name": call.prompt.name,
            "usage": asdict(call.usage),
            "milliseconds": call.milliseconds,
            "finished": call.finished,
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
        "notices": list(trace.notices),
    }


def trace_of(row: RowMapping) -> Trace:
    """A trace from its columns; one that was erased has its calls, but no word."""
    texts = row["trace_texts"] or NO_TEXTS
    prompts = texts["prompts"] or [{"messages": [], "text": "", "error": ""}] * len(row["calls"])
    return Trace(
        candidates=tuple(Candidate(**candidate) for candidate in texts["candidates"]),
        calls=tuple(_call_of(numbers, words) for numbers, words in zip(row["calls"], prompts, strict=True)),
        notices=tuple(texts["notices"]),
    )


def _call_of(numbers: Row, words: Row) -> ModelCall:
    return ModelCall(
        prompt=Prompt(numbers["name"], tuple(PromptMessage(**message) for message in words["messages"])),
        text=words["text"],
        usage=Usage(**numbers["usage"]),
        milliseconds=numbers["milliseconds"],
        finished=numbers["finished"],
        error=words["error"],
    )


def suggestions_json(suggestions: Iterable[Suggestion], evidence_ids: Collection[str]) -> list[Row]:
    """The suggestions that these evidences of the turn answer: erasing the page of another would not find the turn."""
    return [asdict(suggestion) for suggestion in suggestions if suggestion.evidence_id in evidence_ids]


def suggestions_of(row: RowMapping) -> tuple[Suggestion, ...]:
    """Suggestions from their column."""
    return tuple(Suggestion(**suggestion) for suggestion in row["suggestions"])
