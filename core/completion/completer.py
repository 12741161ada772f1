"""What makes follow-ups intent-explicit: a heuristic (the embedded default), or a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.model import Message, Question, Scope
from core.trace import Tracer


class Completer(Protocol):
    """Makes a question intent-explicit: to be understood without the conversation (RAGonite, section 4)."""

    @property
    def name(self) -> str:
        """For the turn's configuration."""
        ...

    async def complete(self, question: str, history: Sequence[Message], scope: Scope, tracer: Tracer) -> Question: ...
