"""Fewer calls: cited clusters one by one, the uncited ones together, and only where that moves the answer by halves."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from core.attribution.attributor import Cluster, Counterfactual, ResultListener, Subject
from core.attribution.counterfactual import CounterfactualAttributor
from core.attribution.shares import NOTHING


class FrugalAttributor:
    """Counterfactual attribution that does not ask again for clusters of which a whole group moves nothing."""

    name = "frugal"

    def __init__(self, full: CounterfactualAttributor, cited: Collection[str]) -> None:
        """``cited``: the ids of the evidences that the answer cites."""
        self._full = full
        self._cited = frozenset(cited)

    async def attribute(
        self,
        subject: Subject,
        clusters: Sequence[Cluster],
        known: Mapping[Cluster, Counterfactual],
        on_result: ResultListener,
    ) -> list[Counterfactual]:
        """One result a cluster, in their order; the calls of a group are counted with its first cluster."""
        cited = [cluster for cluster in clusters if self._is_cited(subject, cluster)]
        asked = [cluster for cluster in clusters if cluster not in cited and cluster not in known]
        own = self._full.attribute(subject, cited, known, on_result)
        results, others = await asyncio.gather(own, self._of_group(subject, asked, on_result))
        found = {**known, **{result.cluster: result for result in (*results, *others)}}
        return [found[cluster] for cluster in clusters]

    def _is_cited(self, subject: Subject, cluster: Cluster) -> bool:
        return any(subject.evidences[index].evidence.evidence_id in self._cited for index in cluster)

    async def _of_group(
        self, subject: Subject, group: Sequence[Cluster], on_result: ResultListener
    ) -> list[Counterfactual]:
        if not group:
            return []
        together = await self._full.ablate(subject, tuple(sorted(index for cluster in group for index in cluster)))
        if len(group) == 1 or together.contribution is None or together.contribution <= NOTHING:
            return self._shared(together, group, on_result)
        middle = len(group) // 2
        halves = await asyncio.gather(
            self._of_group(subject, group[:middle], on_result), self._of_group(subject, group[middle:], on_result)
        )
        results = [result for half in halves for result in half]
        return [replace(results[0], calls=results[0].calls + together.calls), *results[1:]]

    def _shared(
        self, together: Counterfactual, group: Sequence[Cluster], on_result: ResultListener
    ) -> list[Counterfactual]:
        """What holds of a group that moves nothing, or could not be asked, of each cluster in it."""
        results = [
            replace(together, cluster=cluster, calls=together.calls if place == 0 else 0)
            for place, cluster in enumerate(group)
        ]
        for result in results:
            on_result(result)
        return results
