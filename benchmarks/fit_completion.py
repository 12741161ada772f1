"""``python -m benchmarks.fit_completion``: fits the model that tells a new subject from a follow-up.

The weights it prints belong into core/completion/subject_change.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.table import Table

from benchmarks.corpus import SUBJECT_CHANGES, corpus
from benchmarks.fitting import console, conversations, fit, run_on_index, track
from bot.wiring import Application
from core.completion.heuristic import add_subject
from core.completion.subject_change import FEATURES, compute_subject_features
from core.model import Scope
from core.retrieval.retriever import RankedPage
from core.trace import Stopwatch
from evaluation.questions import GoldQuestion, parse_page_number

_FOLDS = 10


@dataclass(frozen=True, slots=True)
class Case:
    """A later turn: its features, whether its page differs from the previous turn's, and whether each way finds it."""

    conversation: str
    features: tuple[float, ...]
    changes: bool
    alone_right: bool
    completed_right: bool


def main() -> None:
    """Fit on ConfQuestions' development conversations and on this project's own with subject changes."""
    measured = corpus()
    if not measured.is_confquestions:
        console.print("Both question sets are about the ConfQuestions pages, which are not here.")
        return
    cases: list[Case] = []
    run_on_index(
        measured.documents, lambda application: _collect(application, cases, [measured.questions, SUBJECT_CHANGES])
    )
    features = np.array([case.features for case in cases])
    fitted = fit(FEATURES, features, [case.changes for case in cases], [1.0] * len(cases))
    fitted.show()
    _report(cases, _cross_validated(cases, features))


async def _collect(application: Application, cases: list[Case], sets: list[Path]) -> None:
    for questions in sets:
        for conversation in track(conversations(questions), questions.name, console=console):
            await _collect_conversation(
                application, cases, f"{questions.stem} {conversation[0].conversation}", conversation
            )


async def _collect_conversation(
    application: Application, cases: list[Case], name: str, conversation: list[GoldQuestion]
) -> None:
    """Return each turn after the first. The turns before it are completed as the gold pages say."""
    before: GoldQuestion | None = None
    subject = ""
    for gold in conversation:
        alone = await _pages(application, gold.as_asked)
        pages = alone
        if before is not None:
            changes = not (_numbers(gold) & _numbers(before))
            completed = await _pages(application, add_subject(gold.as_asked, before.as_asked, subject))
            features = compute_subject_features(gold.as_asked, subject, alone)
            cases.append(Case(name, features, changes, _right(gold, alone), _right(gold, completed)))
            pages = alone if changes else completed
        subject = pages[0].title if pages else subject
        before = gold


async def _pages(application: Application, question: str) -> list[RankedPage]:
    return await application.retriever.rank_pages(question, Scope(), Stopwatch(lambda: 0.0))


def _numbers(gold: GoldQuestion) -> set[str]:
    return {parse_page_number(url) for url in gold.gold_urls}


def _right(gold: GoldQuestion, pages: list[RankedPage]) -> bool:
    return bool(pages) and parse_page_number(pages[0].url) in _numbers(gold)


def _cross_validated(cases: list[Case], features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the predicted probabilities of a subject change, by models fitted on other conversations."""
    names = sorted({case.conversation for case in cases})
    fold = np.array([names.index(case.conversation) % _FOLDS for case in cases])
    chances = np.zeros(len(cases))
    for number in range(_FOLDS):
        seen = [case for case, of in zip(cases, fold, strict=True) if of != number]
        fitted = fit(FEATURES, features[fold != number], [case.changes for case in seen], [1.0] * len(seen))
        sums = features[fold == number] @ np.array(list(fitted.weights.values())) + fitted.bias
        chances[fold == number] = 1 / (1 + np.exp(-sums))
    return chances


def _report(cases: list[Case], chances: npt.NDArray[np.float64]) -> None:
    table = Table("P@1, cross-validated", "follow-ups", "changes", "all", box=None)
    for threshold in (0.4, 0.5, 0.6):
        right = [
            case.alone_right if chance > threshold else case.completed_right
            for case, chance in zip(cases, chances, strict=True)
        ]
        follow = [ok for ok, case in zip(right, cases, strict=True) if not case.changes]
        changed = [ok for ok, case in zip(right, cases, strict=True) if case.changes]
        table.add_row(f"threshold {threshold}", *(f"{np.mean(values):.3f}" for values in (follow, changed, right)))
    console.print(table)


if __name__ == "__main__":
    main()
