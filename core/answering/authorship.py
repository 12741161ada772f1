"""Whose words an answer is in: a language model's, or the wiki's own."""

from __future__ import annotations

from core.model import Author, NoticeKind, Trace, Turn

_INSTEAD = frozenset({NoticeKind.QUOTED_INSTEAD, NoticeKind.NOT_FOUND_INSTEAD})


def is_written_by_model(turn: Turn) -> bool:
    """Whether a language model wrote the answer; False where the wiki is quoted, or does not answer."""
    return turn.answer.answered and turn.answer.author is Author.MODEL


def fell_back(trace: Trace) -> bool:
    """Whether an answer of a turn with this trace is the fallback's, not the model's."""
    return any(notice.kind in _INSTEAD for notice in trace.notices)
