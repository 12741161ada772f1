"""Figures as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT, Corpus, corpus
from benchmarks.figure import Figure, format_number

# Set before a measurement in this process loads OpenMP, as in bot/wiring.py.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

Measure = Callable[[Corpus], list[Figure]]

_STYLE = {"ok": "green", "short": "red", "no target": "dim", "left out": "dim", "failed": "bold red"}


def main(*groups: Measure, written: Path | None = None) -> None:
    """Measure, print and optionally write figures. Exit code 1 if a measurement failed, but not for a missed target."""
    console, progress = Console(highlight=False), Console(stderr=True, highlight=False)
    if not console.is_terminal:
        console.width = 140  # for logs, which have no width
    measured_on = corpus()
    if not measured_on.is_confquestions:
        console.print(
            "The ConfQuestions pages are not at hand, so the samples are measured, which have no targets. Put the "
            "pages into ../shared/confquestions or name their folder in WIKIWHY_CONFQUESTIONS."
        )
    figures: list[Figure] = []
    for measure in groups:
        with progress.status(f"measuring {group_name(measure)} …"):
            figures += measure_safely(measure, measured_on)
    console.print(table(figures))
    if written:
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(as_json(figures, measured_on), indent=2) + "\n", "utf-8")
        console.print(f"Written to {written.relative_to(ROOT)}.")
    sys.exit(1 if any(figure.failed for figure in figures) else 0)


def measure_safely(measure: Measure, on: Corpus) -> list[Figure]:
    """Return a group's figures, or one figure with the error if its measurement failed."""
    try:
        return measure(on)
    except MeasurementFailed as error:
        return [Figure(group_name(measure), "", None, note=str(error), failed=True)]


def group_name(measure: Measure) -> str:
    if measure.__module__ == "__main__":
        return Path(sys.argv[0]).stem
    return measure.__module__.rpartition(".")[2]


def table(figures: Sequence[Figure]) -> Table:
    """Return a table with one line per figure."""
    view = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("figure", "measured", "unit", "required", "verdict", "note"):
        view.add_column(name, justify="right" if name == "measured" else "left", no_wrap=name != "note")
    for figure in figures:
        value = "–" if figure.measured is None else format_number(figure.measured)
        verdict = f"[{_STYLE[figure.verdict]}]{figure.verdict}[/]"
        view.add_row(figure.name, value, figure.unit, str(figure.required or ""), verdict, figure.note)
    return view


def as_json(figures: Sequence[Figure], on: Corpus) -> dict[str, Any]:
    """Return the figures as JSON, with the corpus and the machine."""
    return {
        "corpus": on.name,
        "machine": {"python": platform.python_version(), "system": platform.platform(), "cpus": os.cpu_count()},
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "figures": [_figure_json(figure) for figure in figures],
    }


def _figure_json(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name,
        "unit": figure.unit,
        "measured": figure.measured,
        "required": str(figure.required) if figure.required else None,
        "verdict": figure.verdict,
        "note": figure.note,
    }
