"""Fewer calls: cited clusters one by one, the uncited ones together, and only where that moves the answer by halves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from core.attribution.attributor import Cluster, Counterfactual, Known, ResultListener, Subject
from core.attribution.counterfactual import CounterfactualAttributor
from core.attribution.shares import NOTHING


class FrugalAttributor:
    """Counterfactual attribution that does not ask for single clusters where a whole group moves nothing.

    Listeners also hear of groups, under all their indexes: with these, an interrupted run asks nothing twice.
    """

    name = "frugal"
    answers_again = True

    def __init__(self, full: CounterfactualAttributor) -> None:
        self._full = full

    async def attribute(
        self, subject: Subject, clusters: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        """One result a cluster, in their order; the call of a group is counted with its first cluster."""
        cited = [cluster for cluster in clusters if subject.cites(cluster)]
        uncited = [cluster for cluster in clusters if cluster not in cited]
        by_one, by_group = await asyncio.gather(
            self._full.attribute(subject, cited, known, on_result), self._halved(subject, uncited, known, on_result)
        )
        found = {result.cluster: result for result in (*by_one, *by_group)}
        return [found[cluster] for cluster in clusters]

    async def _halved(
        self, subject: Subject, group: Sequence[Cluster], known: Known, on_result: ResultListener
    ) -> list[Counterfactual]:
        if not group:
            return []
        together = await self._full.ablate(subject, union(group), known, on_result)
        if len(group) == 1:
            return [together]
        if together.contribution is None or together.contribution <= NOTHING:
            return _of_each(together, group, on_result)
        middle = len(group) // 2
        first, second = await asyncio.gather(
            self._halved(subject, group[:middle], known, on_result),
            self._halved(subject, group[middle:], known, on_result),
        )
        return [replace(first[0], calls=first[0].calls + together.calls), *first[1:], *second]


def union(clusters: Sequence[Cluster]) -> Cluster:
    """All their indexes, as one cluster."""
    return tuple(sorted(index for cluster in clusters for index in cluster))


def _of_each(together: Counterfactual, group: Sequence[Cluster], on_result: ResultListener) -> list[Counterfactual]:
    """What holds of a group that moves nothing, or could not be asked, of each cluster in it."""
    calls = [together.calls, *[0] * (len(group) - 1)]
    results = [replace(together, cluster=cluster, calls=count) for cluster, count in zip(group, calls, strict=True)]
    for result in results:
        on_result(result)
    return results
