"""``python -m benchmarks.fit_support``: fits the model that decides whether evidences answer.

The weights it prints belong into core/answering/extractive/answerer.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from adapters.embedding.cached import CachedEmbedder
from benchmarks.corpus import UNANSWERABLE, corpus
from benchmarks.fitting import SAMPLES, console, conversations, fit, over, track
from bot.wiring import Application
from core.answering.extractive.answerer import BIAS, FEATURES, THRESHOLD, WEIGHTS, support_features, support_probability
from core.answering.extractive.units import score_units, units_of
from core.answering.focus import focus_of
from core.model import RankedEvidence, Scope
from core.ports.models import Embedder
from core.retrieval.retriever import title_similarity
from core.timing import Stopwatch
from evaluation.questions import GoldQuestion, page_number

# How much each set counts in the fit, all its questions together. Some questions without their pages are
# answered by other pages all the same, so these count less.
SETS = {"answerable": 1.0, "pages taken away": 0.3, "unanswerable, tune": 1.0, "unanswerable, held out": 0.0}
SAMPLES_SHARE = 0.2
_SIMILAR_TITLE = 0.6


@dataclass(frozen=True, slots=True)
class Case:
    """One question over one pool of evidences."""

    wiki: str
    group: str
    features: tuple[float, ...]  # as FEATURES names them


def main() -> None:
    """Fits on ConfQuestions' pages and the samples, and prints the share of refused questions by set."""
    cases: list[Case] = []
    measured = corpus()
    if measured.is_confquestions:
        over(
            measured.documents,
            lambda application: _collect(application, "conf", cases, [measured.questions, UNANSWERABLE]),
        )
    over(
        SAMPLES / "documents", lambda application: _collect(application, "samples", cases, [SAMPLES / "questions.json"])
    )
    console.print("in use:")
    _report(cases, WEIGHTS, BIAS)
    sizes = {(case.wiki, case.group): 0 for case in cases}
    for case in cases:
        sizes[case.wiki, case.group] += 1
    weights = [_weight(case) * len(cases) / sizes[case.wiki, case.group] for case in cases]
    features = np.array([case.features for case in cases])
    fitted = fit(list(FEATURES), features, [case.group == "answerable" for case in cases], weights)
    console.print("fitted:")
    fitted.show()
    _report(cases, [fitted.weights[name] for name in FEATURES], fitted.bias)


def _weight(case: Case) -> float:
    return SETS[case.group] * (1.0 if case.wiki == "conf" else SAMPLES_SHARE)


async def _collect(application: Application, wiki: str, cases: list[Case], sets: list[Path]) -> None:
    embedder = CachedEmbedder(application.embedder, most=math.inf)
    for questions in sets:
        for conversation in track(conversations(questions), f"{wiki}: {questions.name}", console=console):
            for gold in conversation:
                await _collect_question(application, embedder, wiki, cases, gold)


async def _collect_question(
    application: Application, embedder: Embedder, wiki: str, cases: list[Case], gold: GoldQuestion
) -> None:
    retriever = application.retriever
    wide = await retriever.retrieve(gold.human_completed, Scope(), Stopwatch(lambda: 0.0))
    numbers = {page_number(url) for url in gold.gold_urls}

    async def add(group: str, keep: Callable[[RankedEvidence], bool]) -> None:
        kept = [ranked for ranked in wide if keep(ranked)]
        focus = focus_of(gold.human_completed)
        units = await score_units(focus, units_of(kept), embedder)
        if units and focus.words:
            cases.append(Case(wiki, group, support_features(focus, units)))

    if not gold.answerable:
        split = dict(gold.labels).get("split", "tune").replace("_", " ")
        await add(f"unanswerable, {split}", lambda ranked: True)
        return
    await add("answerable", lambda ranked: True)
    titles = {ranked.evidence.context.title for ranked in wide if _number(ranked) in numbers}
    await add("pages taken away", lambda ranked: _number(ranked) not in numbers and not _alike(ranked, titles))


def _number(ranked: RankedEvidence) -> str:
    return page_number(ranked.evidence.url.partition("#")[0])


def _alike(ranked: RankedEvidence, titles: set[str]) -> bool:
    return any(title_similarity(title, ranked.evidence.context.title) > _SIMILAR_TITLE for title in titles)


def _report(cases: list[Case], weights: Sequence[float], bias: float) -> None:
    thresholds = [0.35, 0.4, THRESHOLD, 0.5, 0.55]
    table = Table("refused", *(f"at {threshold}" for threshold in thresholds), "questions", box=None)
    for wiki, group in dict.fromkeys((case.wiki, case.group) for case in cases):
        some = [case for case in cases if (case.wiki, case.group) == (wiki, group)]
        chances = [support_probability(case.features, weights, bias) for case in some]
        shares = [f"{np.mean([chance < threshold for chance in chances]):.3f}" for threshold in thresholds]
        table.add_row(f"{wiki}, {group}", *shares, str(len(chances)))
    console.print(table)


if __name__ == "__main__":
    main()
