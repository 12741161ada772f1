"""Plots of evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

FORMATS = (".png", ".svg", ".pdf")
_SHOWN = ("language", "source", "type", "subject_change", "turn")


def plot_evaluation(figures: dict[str, Any], path: Path) -> None:
    """P@1 and hit@10 for all questions and by breakdown, as horizontal bars."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    groups = [("all", {**figures, "questions": figures["answerable"]})] + [
        (f"{name} {value}", group) for name in _SHOWN for value, group in figures["by"].get(name, {}).items()
    ]
    labels = [f"{label} (n={group['questions']})" for label, group in groups]
    places = range(len(groups))
    figure, axes = pyplot.subplots(figsize=(8, 0.36 * len(groups) + 1.4), layout="constrained")
    axes.barh(
        [place - 0.2 for place in places],
        [group["hit_at_10"] for _, group in groups],
        0.38,
        color="#b7c9e2",
        label="hit@10",
    )
    bars = axes.barh(
        [place + 0.2 for place in places], [group["p_at_1"] for _, group in groups], 0.38, color="#2f5d9b", label="P@1"
    )
    axes.bar_label(bars, fmt="%.2f", padding=2, fontsize=8)
    axes.set_yticks(list(places), labels, fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.08)
    axes.set_xlabel("share of questions")
    axes.set_title(f"Retrieval by page, questions {figures['settings']['questions']}-completed", fontsize=10)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2, frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=140)
    pyplot.close(figure)
