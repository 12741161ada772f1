"""The Answerer protocol, who wrote an answer (the wiki in its own words, or a language model), and citations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

from core.model import NOT_FOUND, Answer, Author, NoticeKind, RankedEvidence, Trace, Turn
from core.ports.models import TextListener
from core.trace import Tracer


class PartListener(Protocol):
    """Shows the beginning of an answer while a model writes the rest."""

    @property
    def delay(self) -> float:
        """Seconds of writing after which the beginning is wanted: a fast answer is shown as a whole."""
        ...

    @property
    def pause(self) -> float:
        """Seconds between two parts."""
        ...

    async def show(self, part: Answer) -> bool:
        """Show the beginning of the answer, which contains every part shown before.

        Returns whether people may see it now, so that the answer has to begin with it. Never raises.
        """
        ...


class Answerer(Protocol):
    """Answers an intent-explicit question from the given evidences only, with citations."""

    @property
    def name(self) -> str:
        """The answerer's name as it is stored in the turn's configuration."""
        ...

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
        on_part: PartListener | None = None,
        day: date | None = None,
    ) -> Answer:
        """Return the answer, or "not found". ``day``: on which the question was asked, for "this week".

        While a model writes, ``on_text`` is called with the text so far, and ``on_part`` with its checked beginning.
        """
        ...


def make_refusal() -> Answer:
    """Return the answer "not found"."""
    return Answer(NOT_FOUND, answered=False, author=Author.NOBODY)


_INSTEAD = frozenset({NoticeKind.QUOTED_INSTEAD, NoticeKind.NOT_FOUND_INSTEAD})


def is_written_by_model(turn: Turn) -> bool:
    """Whether a language model wrote the answer; False where the wiki is quoted, or nothing was found."""
    return turn.answer.answered and turn.answer.author is Author.MODEL


def is_answered_without_model(trace: Trace) -> bool:
    """Whether the fallback answered instead of the model in the turn with this trace."""
    return any(notice.kind in _INSTEAD for notice in trace.notices)


UNSUPPORTED = "[?]"
"""Marks a statement that no source supports."""
