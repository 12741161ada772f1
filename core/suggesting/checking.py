"""Whether a question may be suggested: it is new, it finds its evidence, and the evidence answers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.answering.extractive.answerer import is_supported
from core.answering.extractive.units import score_units, units_of
from core.answering.focus import focus_of
from core.answering.generative.cleaning import addresses_in
from core.answering.instructions import talks_to_a_model
from core.model import RankedEvidence, Scope, Turn
from core.ports import Embedder
from core.retrieval.retriever import Retriever
from core.suggesting.vocabulary import INVITES
from core.text import STOPWORDS, fold, words
from core.timing import Stopwatch

_FIRST = 3  # places of the result, of which one has to be the evidence
_MAX_CHARS = 200
_ALIKE = 0.8  # share of telling words, from which two questions are one


class Checker:
    """Checks questions for one turn. The retriever should be quick: it has no need of a reranker."""

    def __init__(self, retriever: Retriever, embedder: Embedder) -> None:
        self._retriever = retriever
        self._embedder = embedder

    async def retrieve(self, question: str, scope: Scope) -> Sequence[RankedEvidence]:
        """What the question finds. Raises EmbedderUnavailable."""
        return await self._retriever.retrieve(question, scope, Stopwatch(lambda: 0.0))

    async def answers(self, question: str, evidences: Sequence[RankedEvidence]) -> bool:
        """Whether the evidences answer the question, as the extractive answerer decides it."""
        focus = focus_of(question)
        units = await score_units(focus, units_of(evidences), self._embedder)
        return is_supported(focus, units)


def leads_to(found: Sequence[RankedEvidence], evidence_id: str) -> bool:
    """Whether a result has this evidence in front: among the first, on the page of the very first."""
    page_id = found[0].evidence.page_id if found else ""
    return any(
        ranked.evidence.evidence_id == evidence_id and ranked.evidence.page_id == page_id for ranked in found[:_FIRST]
    )


def may_be_shown(question: str) -> bool:
    """Whether a question is short, plain and asks for nothing but words: no address, no click, no order to a model."""
    return (
        len(question) <= _MAX_CHARS
        and any(character.isalpha() for character in question)
        and not addresses_in(question)
        and not INVITES.search(question)
        and not talks_to_a_model(question)
        and not set(question) & set("<>[]{}|`\n")
    )


def is_repeated(question: str, others: Iterable[str]) -> bool:
    """Whether a question is one of the others, in the same or nearly the same words."""
    said = _telling(question)
    return any(_alike(said, _telling(other)) for other in others)


def list_earlier_questions(turn: Turn, earlier: Sequence[str]) -> list[str]:
    """All questions of the conversation so far, as asked and as understood."""
    return [*earlier, turn.question.as_asked, turn.question.intent_explicit]


def _telling(text: str) -> frozenset[str]:
    said = [fold(word) for word in words(text)]
    return frozenset(word for word in said if word not in STOPWORDS) or frozenset(said)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * max(len(one), len(other), 1)
