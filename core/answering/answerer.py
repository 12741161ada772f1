"""What an answerer is, and who wrote an answer: the wiki in its own words, or a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.model import NOT_FOUND, Answer, Author, NoticeKind, RankedEvidence, Trace, Turn
from core.ports.models import TextListener
from core.trace import Tracer


class Answerer(Protocol):
    """Answers an intent-explicit question from the given evidences only, with citations."""

    @property
    def name(self) -> str:
        """Is stored in the turn's configuration."""
        ...

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, or "not found". A model calls ``on_text`` with the text so far while it writes."""
        ...


def not_found() -> Answer:
    """The answer "not found"."""
    return Answer(NOT_FOUND, answered=False, author=Author.NOBODY)


_INSTEAD = frozenset({NoticeKind.QUOTED_INSTEAD, NoticeKind.NOT_FOUND_INSTEAD})


def is_written_by_model(turn: Turn) -> bool:
    """Whether a language model wrote the answer; False where the wiki is quoted, or does not answer."""
    return turn.answer.answered and turn.answer.author is Author.MODEL


def fell_back(trace: Trace) -> bool:
    """Whether the answer of a turn with this trace is the fallback's instead of the model's."""
    return any(notice.kind in _INSTEAD for notice in trace.notices)
