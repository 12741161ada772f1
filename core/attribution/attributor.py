"""The input and the output of attribution, and the protocols of what attributes and of what stores results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.model import Failure, RankedEvidence, Turn

Cluster = tuple[int, ...]
"""Rising indexes into the evidences of a turn. The evidences of a cluster are removed together."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The effect of removing one cluster.

    ``contribution``: how far the answer moved, 0 if not at all; None if that is unknown: then ``error`` says why, and
    ``failure`` gives the kind of error. ``similarity``: of the answer with the answers without the cluster, 1 if they
    are the same, mean over the repetitions. ``answered``: for each of ``answers``, False if it is "not found".
    ``calls``: how often a model or an answerer was asked.
    """

    cluster: Cluster
    contribution: float | None
    similarity: float | None = None
    answers: tuple[str, ...] = ()
    calls: int = 0
    error: str = ""
    failure: Failure | None = None
    answered: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerToExplain:
    """An intent-explicit question, its answer, the evidences it was made from, and the ids of those that it cites."""

    question: str
    answer: str
    evidences: Sequence[RankedEvidence]
    cited: tuple[str, ...] = ()

    @classmethod
    def of(cls, turn: Turn) -> AnswerToExplain:
        cited = tuple(citation.evidence_id for citation in turn.answer.citations)
        return cls(turn.question.intent_explicit, turn.answer.text, turn.evidences, cited)

    def cites(self, cluster: Cluster) -> bool:
        """Whether the answer cites an evidence of this cluster."""
        return any(self.evidences[index].evidence.evidence_id in self.cited for index in cluster)

    def find_cited_pages(self) -> list[Cluster]:
        """For each cited page, in the order of the citations, the indexes of its evidences."""
        page_of = {ranked.evidence.evidence_id: ranked.evidence.page_id for ranked in self.evidences}
        pages = dict.fromkeys(page_of[evidence_id] for evidence_id in self.cited if evidence_id in page_of)
        indexed = list(enumerate(ranked.evidence.page_id for ranked in self.evidences))
        return [tuple(index for index, page in indexed if page == cited) for cited in pages]


ResultListener = Callable[[Counterfactual], None]
"""Is called with each result as soon as it is there, so that it can be stored and shown."""

Known = Mapping[Cluster, Counterfactual]
"""The results of an interrupted run, by cluster. They are used as they are."""


class Attributor(Protocol):
    """Finds how much of an answer rests on each cluster."""

    @property
    def name(self) -> str: ...

    async def attribute(
        self, answer: AnswerToExplain, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result per cluster, in the order of the clusters."""
        ...


class CounterfactualStore(Protocol):
    """Stores the results of an explanation one by one, so that an interrupted one continues.

    The results of a turn are deleted with the text of any page that the turn used, see
    :meth:`core.ports.store.PageStore.remove`.
    """

    async def keep(self, turn_id: str, result: Counterfactual) -> None:
        """Stores a result and replaces an earlier one of the same cluster.

        Does nothing if the turn is unknown or has lost text meanwhile: the answers may repeat that text.
        """
        ...

    async def load_known(self, turn_id: str) -> Known:
        """The stored results, without those that failed."""
        ...
