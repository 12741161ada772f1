"""The paper's baseline: an answer rests on the evidences that it is most like, without any question asked again."""

from __future__ import annotations

from collections.abc import Sequence

from core.attribution.attributor import Cluster, Counterfactual, Known, ResultListener, Subject
from core.attribution.comparison import words_only
from core.evidence.contextualise import contextualise
from core.ports import Embedder


class NaiveAttributor:
    """Likeness of answer and evidence; of a cluster, that of its most alike evidence."""

    name = "naive"
    answers_again = False

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def attribute(
        self, subject: Subject, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result a cluster, in their order; its contribution is the cosine of answer and evidence."""
        texts = [contextualise(ranked.evidence) for ranked in subject.evidences]
        vectors = await self._embedder.embed_passages([words_only(subject.answer), *texts])
        near = (vectors[1:] @ vectors[0]).tolist()
        results = [Counterfactual(cluster, max(near[index] for index in cluster)) for cluster in clusters]
        for result in results:
            on_result(result)
        return results
