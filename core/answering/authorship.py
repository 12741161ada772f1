"""Whose words an answer is in: a language model's, or the wiki's own."""

from __future__ import annotations

from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import fell_back
from core.model import Turn


def written_by_model(turn: Turn) -> bool:
    """Whether a language model wrote the answer; False where the wiki is quoted, or does not answer."""
    extractive = turn.configuration.get("answerer", "") == ExtractiveAnswerer.name
    return turn.answer.answered and not extractive and not fell_back(turn.trace)
