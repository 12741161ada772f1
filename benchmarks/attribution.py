"""``python -m benchmarks.attribution``: Explain on the gold questions, without a language model (RAGonite, Table 3).

An answer is attributed right if its top cluster has an evidence of a gold page, over the answered questions whose gold
page is among their evidences. Where the ways differ is written to ``build/attribution.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.corpus import ROOT, Corpus
from benchmarks.figure import Figure, at_least, at_most
from benchmarks.fitting import conversations, over, track
from benchmarks.report import main
from bot.wiring import Application
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.attribution.attributor import Attributor, Cluster, Counterfactual, Subject
from core.attribution.clusters import clustered
from core.attribution.counterfactual import CounterfactualAttributor
from core.attribution.frugal import FrugalAttributor
from core.attribution.naive import NaiveAttributor
from core.attribution.remembering import RememberingEmbedder
from core.attribution.shares import NOTHING
from core.evaluation.measures import mean
from core.evaluation.questions import GoldQuestion, page_number
from core.evidence.contextualise import contextualised
from core.model import RankedEvidence, Scope
from core.timing import Stopwatch
from core.trace import Tracer

WAYS = ("naive", "counterfactual", "clustered")
_MANY_CLUSTERS = 8  # of a turn, from which fewer calls are worth measuring


@dataclass(frozen=True, slots=True)
class Case:
    """One answered question. ``right``: by way, whether the gold page is in the top cluster."""

    gold: GoldQuestion
    right: dict[str, bool]
    top: float  # contribution of the top cluster
    others: float  # mean contribution of the other clusters
    calls: int
    frugal_calls: int
    same_top: bool
    clusters: int


def measure(corpus: Corpus) -> list[Figure]:
    """Attribution accuracy by way and language, the deletion test, and what fewer calls cost."""
    cases: list[Case] = []

    async def work(application: Application) -> None:
        for conversation in track(conversations(corpus.questions), "explaining"):
            for gold in conversation:
                if found := await _case(application, gold):
                    cases.append(found)

    over(corpus.documents, work)
    _write_differences(cases)
    return [*_accuracy(cases, corpus), *_deletion(cases, corpus), *_fewer_calls(cases, corpus)]


async def _case(application: Application, gold: GoldQuestion) -> Case | None:
    """None where there is nothing to attribute: the answer is "not found", or no gold page was retrieved."""
    question, embedder = gold.human_completed, RememberingEmbedder(application.embedder)
    evidences = await application.retriever.retrieve(question, Scope(), Stopwatch(lambda: 0.0))
    numbers = {page_number(url) for url in gold.gold_urls}
    is_gold = [page_number(ranked.evidence.url.partition("#")[0]) in numbers for ranked in evidences]
    answerer = ExtractiveAnswerer(embedder)
    answer = await answerer.answer(question, evidences, Tracer(lambda: 0.0))
    if not answer.answered or not any(is_gold):
        return None
    subject = Subject(question, answer.text, evidences, frozenset(cited.evidence_id for cited in answer.citations))
    full = CounterfactualAttributor(lambda repetition: answerer, embedder)
    singles: list[Cluster] = [(index,) for index in range(len(evidences))]
    clusters = await _clusters(evidences, embedder)
    results = {
        "naive": await _attributed(NaiveAttributor(embedder), subject, singles),
        "counterfactual": await _attributed(full, subject, singles),
        "clustered": await _attributed(full, subject, clusters),
    }
    frugal = await _attributed(FrugalAttributor(full), subject, clusters)
    best = _top(results["clustered"])
    return Case(
        gold,
        {way: _is_right(_top(found), is_gold) for way, found in results.items()},
        _contribution(best),
        mean([_contribution(result) for result in results["clustered"] if result is not best]),
        sum(result.calls for result in results["clustered"]),
        sum(result.calls for result in frugal),
        _top(frugal).cluster == best.cluster,
        len(clusters),
    )


async def _clusters(evidences: Sequence[RankedEvidence], embedder: RememberingEmbedder) -> list[Cluster]:
    return clustered(await embedder.embed_passages([contextualised(ranked.evidence) for ranked in evidences]))


async def _attributed(attributor: Attributor, subject: Subject, clusters: Sequence[Cluster]) -> list[Counterfactual]:
    return await attributor.attribute(subject, clusters, {}, lambda result: None)


def _top(results: Sequence[Counterfactual]) -> Counterfactual:
    return max(results, key=_contribution)


def _contribution(result: Counterfactual) -> float:
    return result.contribution or 0.0


def _is_right(top: Counterfactual, is_gold: Sequence[bool]) -> bool:
    return _contribution(top) > NOTHING and any(is_gold[index] for index in top.cluster)


# ------------------------------------------------------------------------------------------- figures


def _accuracy(cases: Sequence[Case], corpus: Corpus) -> list[Figure]:
    figures: list[Figure] = []
    for language in ("en", "de"):
        own = [case for case in cases if case.gold.language == language]
        accuracy = {way: mean([case.right[way] for case in own]) for way in WAYS}
        for way in WAYS:
            required = at_least(max(0.85, accuracy["naive"] - 0.01)) if way == "clustered" else None
            name = f"attribution accuracy, {way}, {language.upper()}"
            bound = corpus.required(required) if required else None
            figures.append(Figure(name, "", accuracy[way], bound, f"{len(own)} answers"))
    return figures


def _deletion(cases: Sequence[Case], corpus: Corpus) -> list[Figure]:
    top, others = mean([case.top for case in cases]), mean([case.others for case in cases])
    note = f"similarity falls by {top:.3f} without the top cluster, by {others:.4f} without another one"
    ratio = top / others if others else None
    return [Figure("deletion: top cluster's fall over another's", "times", ratio, corpus.required(at_least(3)), note)]


def _fewer_calls(cases: Sequence[Case], corpus: Corpus) -> list[Figure]:
    many = [case for case in cases if case.clusters >= _MANY_CLUSTERS]
    calls, frugal = sum(case.calls for case in many), sum(case.frugal_calls for case in many)
    note = f"{frugal} instead of {calls}, {len(many)} turns with at least {_MANY_CLUSTERS} clusters"
    share = frugal / calls if calls else None
    same = mean([case.same_top for case in many])
    return [
        Figure("calls of the frugal method, share", "", share, corpus.required(at_most(0.75)), note),
        Figure("frugal, same top cluster", "", same, corpus.required(at_least(0.95)), f"{len(many)} turns"),
    ]


def _write_differences(cases: Sequence[Case]) -> None:
    """The questions on which naive and clustered attribution differ, to be read by people."""
    lines = ["# Where naive and clustered attribution differ", ""]
    for case in cases:
        if case.right["naive"] != case.right["clustered"]:
            better = "clustered" if case.right["clustered"] else "naive"
            place = f"conversation {case.gold.conversation}, turn {case.gold.turn}, {case.gold.language}"
            lines.append(f"- {better} is right: {case.gold.human_completed} ({place})")
    path = ROOT / "build" / "attribution.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(measure)
