"""Scoring: how likely a model finds a text that is there already, without writing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from core.model import Prompt


@dataclass(frozen=True, slots=True)
class Score:
    """``log_likelihood``: of all ``tokens`` of a text together, natural logarithm (nats), finite and at most 0."""

    log_likelihood: float
    tokens: int


class AnswerScorer(Protocol):
    """Scores fixed texts. Calls may run concurrently; the implementation limits how many do."""

    async def score(self, prompt: Prompt, answer: str) -> Score:
        """How likely the model is to begin its answer to this prompt with this text, word for word.

        Whether it would end there does not count. An empty text has no tokens, and log-likelihood 0.

        Raises :class:`core.errors.ScoringUnsupported` if the model's server cannot score a text, and otherwise what
        :meth:`core.ports.LanguageModel.generate` raises.
        """
        ...
