"""What the answers without a cluster are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.answering.answerer import Answerer
from core.attribution.comparison import words_only
from core.errors import NotExplainable
from core.model import Turn
from core.trace import Tracer

Reference = Literal["kept", "repeated", "own"]
"""kept: the turn's answer, by a model that need not say the same twice. repeated: the same, by an answerer that always
says the same, which is checked. own: what the answerer says itself, since another one gave the turn's answer:
comparing across models would count their difference as the sources'."""


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """The answer to compare with, and how often an answerer was asked for it."""

    text: str
    calls: int


async def reference_answer(turn: Turn, reference: Reference, answerer: Answerer) -> ReferenceAnswer:
    """The answer to compare with.

    Raises :class:`core.errors.NotExplainable` where the answerer has another one, or none; and what it raises itself.
    """
    if reference == "kept":
        return ReferenceAnswer(turn.answer.text, 0)
    again = await answerer.answer(turn.question.intent_explicit, turn.evidences, Tracer(lambda: 0.0))
    if reference == "own":
        if not again.answered:
            raise NotExplainable(
                f"{answerer.name} finds no answer in the sources that this answer was made from, so it cannot explain "
                "it. Unset WIKIWHY_EXPLAIN_MODEL, or set it to the model that gave the answer."
            )
        return ReferenceAnswer(again.text, 1)
    if words_only(again.text) != words_only(turn.answer.text):
        raise NotExplainable(
            "This answer cannot be explained any more: its question, asked of the same sources, is answered otherwise "
            "now (another version or embedder, or words of its conversation were erased). Ask the question again, "
            "and explain that answer."
        )
    return ReferenceAnswer(turn.answer.text, 1)
