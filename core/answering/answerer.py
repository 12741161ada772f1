"""The Answerer protocol, the listeners to its work, who wrote an answer (the wiki or a language model), citations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from core.model import NOT_FOUND, Answer, Author, NoticeKind, Question, RankedEvidence, Trace, Turn
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


@dataclass(frozen=True, slots=True)
class Listeners:
    """What is called while a question is answered.

    ``on_text`` gets the text so far while a model writes, before its statements are checked and its citations numbered;
    ``on_part`` the beginning that is checked. ``on_question`` gets the completed question, and ``on_evidences`` the
    evidences that were collected, before a model writes, or when an answer without one is made. Evidences are
    collected again if the question is retried as it was asked.
    """

    on_text: TextListener | None = None
    on_question: Callable[[Question], None] | None = None
    on_evidences: Callable[[Sequence[RankedEvidence]], None] | None = None
    on_part: PartListener | None = None

    def note_question(self, question: Question) -> None:
        if self.on_question:
            self.on_question(question)

    def note_evidences(self, evidences: Sequence[RankedEvidence]) -> None:
        if self.on_evidences:
            self.on_evidences(evidences)


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
