"""What answers: extractive (the embedded default), or a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.model import NOT_FOUND, Answer, Author, RankedEvidence
from core.ports import TextListener
from core.trace import Tracer


class Answerer(Protocol):
    """Answers an intent-explicit question from these evidences only, with citations."""

    @property
    def name(self) -> str:
        """For the turn's configuration."""
        ...

    async def answer(
        self,
        question: str,
        evidences: Sequence[RankedEvidence],
        tracer: Tracer,
        on_text: TextListener | None = None,
    ) -> Answer:
        """The answer, or "not found". ``on_text`` hears it while it is being written, where it is."""
        ...


def not_found() -> Answer:
    """The answer that says there is none."""
    return Answer(NOT_FOUND, answered=False, author=Author.NOBODY)
