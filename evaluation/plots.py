"""Plots of evaluations, and of the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.attribution import WAYS
from evaluation.markdown import PAPER_ATTRIBUTION
from evaluation.tables import TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
_SHOWN = ("language", "source", "type", "subject_change", "turn")
_DARK, _LIGHT, _PAPER = "#2f5d9b", "#b7c9e2", "#c0392b"
SERIES = (_DARK, "#e08e0b", "#5a9e6f", "#8e5ea2")


def plot_evaluation(figures: dict[str, Any], path: Path) -> None:
    """Plot P@1 and hit@10 for all questions and by breakdown, as horizontal bars."""
    groups = [("all", {**figures, "questions": figures["answerable"]})] + [
        (f"{name} {value}", group) for name in _SHOWN for value, group in figures["by"].get(name, {}).items()
    ]
    labels = [f"{label} (n={group['questions']})" for label, group in groups]
    title = f"Retrieval by page, questions {figures['settings']['questions']}-completed"
    with save_figure(path, 0.36 * len(groups) + 1.4) as [axes]:
        _plot_hit_and_p(axes, [group for _, group in groups], labels)
        axes.set_title(title, fontsize=10)


def plot_contexts(rows: Sequence[TableRow], path: Path) -> None:
    """Plot table 2: P@1 by context, for all questions and by type, source and language."""
    measured = [(row.row.label, row.figures) for row in rows if row.figures]
    breakdowns = ("", "type", "source", "language")
    places = range(len(measured))
    with save_figure(path, 0.42 * len(measured) + 1.7, width=11, columns=len(breakdowns)) as panels:
        for panel, name in zip(panels, breakdowns, strict=True):
            if not name:
                bars = panel.barh(places, [figures["p_at_1"] for _, figures in measured], 0.6, color=_DARK)
                panel.bar_label(bars, fmt="%.3f", padding=2, fontsize=8)
            values = dict.fromkeys(value for _, figures in measured for value in figures["by"].get(name, {}))
            for value, colour in zip(values, SERIES, strict=False):
                shares = [figures["by"][name][value]["p_at_1"] for _, figures in measured]
                panel.plot(shares, places, "o-", color=colour, label=value, linewidth=1, markersize=5)
            panel.set_yticks(list(places), [label for label, _ in measured], fontsize=9)
            panel.set_xlim(0, 1.12 if not name else 1.02)
            panel.set_title(f"P@1 by {name}" if name else "P@1, all questions", fontsize=10)
            panel.grid(axis="x", color="#e6e6e6")
            panel.set_axisbelow(True)
            if values:
                panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False, fontsize=8)
        panels[0].invert_yaxis()


def plot_attribution(attribution: dict[str, Any], path: Path) -> None:
    """Plot table 3: attribution accuracy by way, with the paper's accuracy."""
    ways = [way for way in (*WAYS, "likelihood") if way in attribution]
    languages = attribution["by"]["language"]
    series = {"all": attribution, **(languages if len(languages) > 1 else {})}
    height = 0.8 / len(series)
    with save_figure(path, 0.3 * len(ways) * len(series) + 1.4) as [axes]:
        for number, (name, figures) in enumerate(series.items()):
            places = [place + (number - (len(series) - 1) / 2) * height for place in range(len(ways))]
            label = f"{name if name == 'all' else name.upper()} (n={figures['questions']})"
            shares = [figures[way] for way in ways]
            bars = axes.barh(places, shares, height * 0.92, color=SERIES[number % len(SERIES)], label=label)
            axes.bar_label(bars, fmt="%.3f", padding=2, fontsize=8)
        known = [(place, PAPER_ATTRIBUTION[way]) for place, way in enumerate(ways) if way in PAPER_ATTRIBUTION]
        for place, share in known:
            label = "the paper, on all of ConfQuestions" if place == known[0][0] else "_"
            axes.plot([share, share], [place - 0.46, place + 0.46], color=_PAPER, linewidth=1.5, label=label)
        axes.set_yticks(range(len(ways)), ways, fontsize=9)
        _finish(axes, "share of answers whose top cluster has the gold page")


def plot_parts(rows: Sequence[TableRow], path: Path) -> None:
    """Plot table 4: P@1 and hit@10 of each row, by group."""
    measured = [row for row in rows if row.figures]
    labels = [f"{row.row.group}: {row.row.label}" for row in measured]
    with save_figure(path, 0.3 * len(measured) + 1.4) as [axes]:
        _plot_hit_and_p(axes, [row.figures for row in measured if row.figures], labels)
        for place, (above, below) in enumerate(pairwise(measured)):
            if above.row.group != below.row.group:
                axes.axhline(place + 0.5, color="#d0d0d0", linewidth=0.8)


def _plot_hit_and_p(axes: Axes, groups: Sequence[dict[str, Any]], labels: Sequence[str]) -> None:
    places = range(len(groups))
    hits, first = [group["hit_at_10"] for group in groups], [group["p_at_1"] for group in groups]
    axes.barh([place - 0.2 for place in places], hits, 0.38, color=_LIGHT, label="hit@10")
    bars = axes.barh([place + 0.2 for place in places], first, 0.38, color=_DARK, label="P@1")
    axes.bar_label(bars, fmt="%.3f", padding=2, fontsize=8)
    axes.margins(y=0.5 / max(1, len(groups)))
    axes.set_yticks(list(places), list(labels), fontsize=9)
    _finish(axes, "share of questions")


def _finish(axes: Axes, of_what: str) -> None:
    axes.invert_yaxis()
    axes.set_xlim(0, 1.08)
    axes.set_xlabel(of_what)
    axes.figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)


@contextmanager
def save_figure(
    path: Path, height: float, width: float = 8, columns: int = 1, share_y: bool = True
) -> Iterator[list[Axes]]:
    """Yield the panels of a figure, side by side, and save it after the block."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, columns, figsize=(width, height), layout="constrained", sharey=share_y, squeeze=False
    )
    for panel in panels[0]:
        panel.spines[["top", "right"]].set_visible(False)
    yield list(panels[0])
    figure.savefig(path, dpi=140)
    pyplot.close(figure)
