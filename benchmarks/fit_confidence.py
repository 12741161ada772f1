"""Fits the model that decides whether evidences answer: ``python -m benchmarks.fit_confidence [--wikis FOLDER]``.

The weights it prints belong into core/answering/extractive/confidence.py. It fits on ConfQuestions, the samples, and
the manuals ``git`` and ``apache`` in FOLDER, as ``benchmarks.wikis.convert`` writes them; missing ones are left out. It
first prints the figures on each wiki with a fit on the others. The manual ``python`` is never used.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.child import WORK
from benchmarks.corpus import ROOT, UNANSWERABLE, corpus
from benchmarks.exam import read_questions
from benchmarks.fitting import SAMPLES, Fit, console, conversations, fit, run_on_index, track
from bot.wiring import Application
from core.answering.extractive.confidence import (
    ANSWER_THRESHOLD,
    BIAS,
    FEATURES,
    WEIGHTS,
    compute_confidence,
    compute_confidence_features,
)
from core.answering.extractive.units import list_units, score_units
from core.model import Evidence, RankedEvidence, Scope
from core.retrieval.fusion import compute_title_similarity
from core.trace import Stopwatch
from core.wording.focus import find_focus
from evaluation.questions import GoldQuestion, parse_page_number

QUESTIONS = ROOT / "benchmarks" / "questions"
FITTED_MANUALS = ("git", "apache")
GROUPS = {"answerable": 1.0, "unanswerable": 1.0, "pages taken away": 0.1}
"""The weight of each group in the fit of a wiki. Questions without their pages may be answered by other pages."""
_SIMILAR_TITLE = 0.6


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. ``is_gold``: whether an evidence is from one of its pages; None if no page answers it."""

    text: str
    is_gold: Callable[[Evidence], bool] | None


@dataclass(frozen=True, slots=True)
class Case:
    """One question with one pool of evidences."""

    wiki: str
    group: str
    features: tuple[float, ...]  # in the order of FEATURES


def main(arguments: Sequence[str]) -> int:
    """Print the share of refused questions with the current weights, with each wiki left out, and with the fit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_confidence", description=__doc__)
    parser.add_argument("--wikis", type=Path, default=ROOT / "build" / "wikis", help="the folder of the manuals")
    parser.add_argument("--data-dir", type=Path, default=WORK / "evaluate", help="where the indexes are kept")
    options = parser.parse_args(arguments)
    cases: list[Case] = []
    for wiki, documents, asked in _wikis(options.wikis):
        run_on_index(documents, partial(_collect, wiki, asked, cases), data_dir=options.data_dir)
    wikis = list(dict.fromkeys(case.wiki for case in cases))
    console.print("in use:")
    _report(cases, Fit(dict(zip(FEATURES, WEIGHTS, strict=True)), BIAS))
    if len(wikis) > 1:
        for wiki in wikis:
            console.print(f"fitted without {wiki}:")
            _report([case for case in cases if case.wiki == wiki], _fit([case for case in cases if case.wiki != wiki]))
    console.print("fitted on all:")
    fitted = _fit(cases)
    fitted.show()
    _report(cases, fitted)
    return 0


def _wikis(folder: Path) -> Iterator[tuple[str, Path, list[Asked]]]:
    measured = corpus()
    if measured.is_confquestions:
        gold = [each for path in (measured.questions, UNANSWERABLE) for each in conversations(path)]
        yield "ConfQuestions", measured.documents, [_of_conversation(each) for turns in gold for each in turns]
    yield "samples", SAMPLES / "documents", _of_exams("samples")
    for name in FITTED_MANUALS:
        if (folder / name).is_dir():
            yield name, folder / name, _of_exams(name)


def _of_conversation(gold: GoldQuestion) -> Asked:
    numbers = {parse_page_number(url) for url in gold.gold_urls}
    is_gold = (
        (lambda evidence: parse_page_number(evidence.url.partition("#")[0]) in numbers) if gold.answerable else None
    )
    return Asked(gold.human_completed, is_gold)


def _of_exams(wiki: str) -> list[Asked]:
    return [
        Asked(each.question, partial(_is_on, each.page_ids) if each.answerable else None)
        for name in (f"{wiki}.json", f"{wiki}_short.json")
        for each in read_questions(QUESTIONS / name)
    ]


def _is_on(page_ids: Sequence[str], evidence: Evidence) -> bool:
    return evidence.page_id in page_ids


async def _collect(wiki: str, asked: Sequence[Asked], cases: list[Case], application: Application) -> None:
    for each in track(asked, wiki, console=console):
        found = await application.retriever.retrieve(each.text, Scope(), Stopwatch(lambda: 0.0))
        is_gold = each.is_gold
        if is_gold is None:
            await _add(application, wiki, "unanswerable", each, found, cases)
            continue
        gold = [ranked for ranked in found if is_gold(ranked.evidence)]
        if gold:  # without an evidence there is no answer to refuse
            await _add(application, wiki, "answerable", each, found, cases)
        titles = {ranked.evidence.context.title for ranked in gold}
        others = [ranked for ranked in found if ranked not in gold and not _is_alike(ranked, titles)]
        await _add(application, wiki, "pages taken away", each, others, cases)


async def _add(
    application: Application,
    wiki: str,
    group: str,
    asked: Asked,
    evidences: Sequence[RankedEvidence],
    cases: list[Case],
) -> None:
    focus = find_focus(asked.text)
    units = await score_units(focus, list_units(evidences), application.matcher)
    if units and focus.words:
        cases.append(Case(wiki, group, compute_confidence_features(focus, units)))


def _is_alike(ranked: RankedEvidence, titles: set[str]) -> bool:
    return any(compute_title_similarity(title, ranked.evidence.context.title) > _SIMILAR_TITLE for title in titles)


def _fit(cases: Sequence[Case]) -> Fit:
    """Fit with the same weight for each wiki, and within it for each group by :data:`GROUPS`."""
    sizes = Counter((case.wiki, case.group) for case in cases)
    weights = [GROUPS[case.group] * len(cases) / sizes[case.wiki, case.group] for case in cases]
    features = np.array([case.features for case in cases])
    return fit(list(FEATURES), features, [case.group == "answerable" for case in cases], weights)


def _report(cases: Sequence[Case], fitted: Fit) -> None:
    thresholds = [
        ANSWER_THRESHOLD - 0.1,
        ANSWER_THRESHOLD - 0.05,
        ANSWER_THRESHOLD,
        ANSWER_THRESHOLD + 0.05,
        ANSWER_THRESHOLD + 0.1,
    ]
    table = Table("refused", *(f"at {threshold:.2f}" for threshold in thresholds), "questions", box=None)
    weights = [fitted.weights[name] for name in FEATURES]
    for wiki, group in dict.fromkeys((case.wiki, case.group) for case in cases):
        some = [case for case in cases if (case.wiki, case.group) == (wiki, group)]
        chances = [compute_confidence(case.features, weights, fitted.bias) for case in some]
        shares = [f"{np.mean([chance < threshold for chance in chances]):.3f}" for threshold in thresholds]
        table.add_row(f"{wiki}, {group}", *shares, str(len(chances)))
    console.print(table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
