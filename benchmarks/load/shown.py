"""The cells as a table in Markdown and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.load.cells import Cell
from evaluation.plots import SERIES, save_figure

_COLUMNS = (
    "platform", "model", "store and bots", "in flight", "answers a minute", "median s", "p95 s", "own median s",
    "own p95 s", "notices", "processor ms a question: bots", "PostgreSQL", "generator",
)  # fmt: skip


def format_table(cells: Sequence[Cell]) -> str:
    lines = [" | ".join(_COLUMNS), " | ".join("---" if number < 3 else "---:" for number in range(len(_COLUMNS)))]
    return "\n".join(f"| {line} |" for line in [*lines, *(" | ".join(_format_cell(cell)) for cell in cells)])


def _format_cell(cell: Cell) -> list[str]:
    seconds = [f"{value:.2f}" for value in (cell.median, cell.p95, cell.own_median, cell.own_p95)]
    processor = [f"{value:.0f}" for value in (cell.bots_ms, cell.database_ms, cell.generator_ms)]
    setup = cell.setup
    return [
        setup.platform, _name_model(setup.model_seconds), setup.name, str(cell.in_flight), f"{cell.per_minute:.0f}",
        *seconds, str(cell.notices), *processor,
    ]  # fmt: skip


def plot_cells(cells: Sequence[Cell], platform: str, path: Path) -> None:
    """Plot throughput and the 95th percentile of the bot's own share by questions in flight, one line per setup."""
    setups = [*dict.fromkeys(cell.setup for cell in cells if cell.setup.platform == platform)]
    models = [*dict.fromkeys(setup.model_seconds for setup in setups)]
    names = [*dict.fromkeys(setup.name for setup in setups)]
    lines = [(setup, [cell for cell in cells if cell.setup == setup]) for setup in setups]
    with save_figure(path, 3.4, width=3.0 * 2 * len(models), columns=2 * len(models), share_y=False) as panels:
        for number, model in enumerate(models):
            throughput, latency = panels[2 * number : 2 * number + 2]
            for setup, found in lines:
                if setup.model_seconds != model:
                    continue
                colour, label = SERIES[names.index(setup.name) % len(SERIES)], setup.name if number == 0 else "_"
                at = [cell.in_flight for cell in found]
                throughput.plot(at, [cell.per_minute for cell in found], "o-", color=colour, label=label, markersize=4)
                latency.plot(at, [cell.own_p95 for cell in found], "o-", color=colour, markersize=4)
            for panel, what in ((throughput, "answers a minute"), (latency, "own share of the time, p95, s")):
                panel.set_title(f"{what}\n{_name_model(model)}", fontsize=10)
                panel.set_xlabel("questions in flight", fontsize=9)
                panel.set_xticks(sorted({cell.in_flight for cell in cells}))
                panel.set_ylim(bottom=0)
                panel.grid(color="#e6e6e6")
                panel.set_axisbelow(True)
        panels[0].figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=9)


def _name_model(seconds: float) -> str:
    return f"model of {seconds:g} s a call" if seconds else "no model"
