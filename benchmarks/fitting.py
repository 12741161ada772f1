"""Shared parts of the fits of logistic models: the corpora, and the report of a fit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track

from benchmarks.child import WORK, default_settings
from benchmarks.corpus import ROOT
from bot.cli.sync import sync_with_progress
from bot.operations.operation import LocalOperations
from bot.operations.sync import SyncSpaces
from bot.settings import load_settings
from bot.wiring import Application, open_application
from evaluation.configuration import use_documents
from evaluation.questions import GoldQuestion, read_questions

SAMPLES = ROOT / "samples"
console = Console(highlight=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """A logistic model: its weights by feature name, and the bias."""

    weights: dict[str, float]
    bias: float

    def show(self) -> None:
        weights = ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights.items())
        console.print(f"weights: {weights}, bias {self.bias:.2f}")


def fit(
    names: Sequence[str], features: npt.NDArray[np.float64], answers: Sequence[bool], sample_weights: Sequence[float]
) -> Fit:
    """Fit a logistic regression on features scaled to unit variance. The weights are for unscaled features."""
    from sklearn.linear_model import LogisticRegression

    scale = features.std(axis=0)
    scale[scale == 0] = 1.0
    model = LogisticRegression().fit(features / scale, list(answers), sample_weight=list(sample_weights))
    return Fit(dict(zip(names, (model.coef_[0] / scale).tolist(), strict=True)), float(model.intercept_[0]))


def conversations(path: Path) -> list[list[GoldQuestion]]:
    """Read the conversations of a question set in both languages."""
    return read_questions(path.read_text("utf-8"), "both")


def run_on_index(documents: Path, work: Callable[[Application], Awaitable[None]], **changes: Any) -> None:
    """Run ``work`` on the index of ``wikiwhy evaluate`` for these documents, with changed settings."""
    with default_settings():
        settings = use_documents(load_settings(**{"data_dir": WORK / "evaluate", **changes}), documents)

    async def run(application: Application) -> None:
        order = SyncSpaces("folder", str(documents), allow_mass_delete=True)
        await sync_with_progress(LocalOperations(application), order)
        await work(application)

    with open_application(settings) as application:
        asyncio.run(run(application))


__all__ = ["SAMPLES", "Fit", "console", "conversations", "fit", "run_on_index", "track"]
