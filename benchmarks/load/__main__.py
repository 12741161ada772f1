"""``python -m benchmarks.load``: measure throughput and latency, print a table, and draw a plot per platform.

All bots of a setup use one PostgreSQL, or one bot uses files. The wiki is ConfQuestions if it is there, else the
samples; each question is intent-explicit and begins a thread. A cell takes ``--seconds`` and a few more; a setup takes
about half a minute to start. Exit code 1 if a question was not answered.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from benchmarks.chat.bots import PlatformServer, empty, start_bots, start_postgres
from benchmarks.chat.model import TimedModel
from benchmarks.chat.wiki import Wiki
from benchmarks.child import WORK, MeasurementFailed
from benchmarks.corpus import corpus
from benchmarks.load.cells import Cell, Load, Setup
from benchmarks.load.shown import format_table, plot_cells
from benchmarks.slack.served import open_slack
from benchmarks.teams.served import open_teams
from tests.servers.postgres import PostgresServer
from tests.servers.scripted_model import ScriptedModel

PLATFORMS = {"Slack": open_slack, "Teams": open_teams}
_FOLDER = WORK / "load"
_QUICK = {"bots": [1, 2], "in_flight": [1, 20], "seconds": 10.0}


def measure(setup: Setup, wiki: Wiki, database: PostgresServer | None, given: argparse.Namespace) -> Iterator[Cell]:
    """Start the bots of a setup and measure its cells."""
    folder = empty(_FOLDER / "bots")
    with ExitStack() as stack:
        platform: PlatformServer = stack.enter_context(PLATFORMS[setup.platform]())
        settings = {}
        if setup.bots and database:
            settings["WIKIWHY_DATABASE_URL"] = stack.enter_context(wiki.open_database(database))
        else:
            wiki.copy(folder / "bot0")
        model = TimedModel(setup.model_seconds) if setup.model_seconds else None
        if model:
            settings |= _open_model(stack, model, max(given.in_flight))
        bots = stack.enter_context(start_bots(platform, folder, max(setup.bots, 1), settings))
        load = Load(setup, bots, database if setup.bots else None, model, wiki.texts)
        for in_flight in given.in_flight:
            yield load.measure(in_flight, given.warm_up, given.seconds)


def _open_model(stack: ExitStack, model: TimedModel, in_flight: int) -> Mapping[str, str]:
    """Start the model's server with as many calls at once as there are questions, each with two calls."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it logs every connection that the bot ends
    server = stack.enter_context(ScriptedModel(model.reply))
    return {"WIKIWHY_LLM_BASE_URL": server.base_url, "WIKIWHY_LLM_CONCURRENCY": str(2 * in_flight)}


def main() -> int:
    given = _read_options()
    found = corpus()
    print(f"wiki: {found.name}", file=sys.stderr)
    wiki = Wiki.make(_FOLDER / f"{found.name}-indexed", found.documents, found.questions)
    cells: list[Cell] = []
    failures: list[str] = []
    with start_postgres() as database:
        for setup in [
            Setup(platform, bots, model)
            for platform in given.platforms
            for model in given.models
            for bots in given.bots
        ]:
            try:
                for cell in measure(setup, wiki, database, given):
                    cells.append(cell)
                    print(format_table([cell]).splitlines()[-1], file=sys.stderr, flush=True)
            except MeasurementFailed as error:
                failures.append(f"{setup.platform}, {setup.name}: {error}")
    print(format_table(cells), *failures, sep="\n")
    given.json.parent.mkdir(parents=True, exist_ok=True)
    given.json.write_text(json.dumps([asdict(cell) for cell in cells], indent=2) + "\n", "utf-8")
    if given.plots:
        for platform in given.platforms:
            plot_cells(cells, platform, given.plots / f"load-{platform.lower()}.png")
    return int(bool(failures))


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.load", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--platforms", nargs="+", choices=tuple(PLATFORMS), default=[*PLATFORMS])
    parser.add_argument("--bots", nargs="+", type=int, default=[0, 1, 2, 4], help="0: one bot with files")
    parser.add_argument("--models", nargs="+", type=float, default=[0.0, 1.0], help="seconds a call; 0: no model")
    parser.add_argument("--in-flight", nargs="+", type=int, default=[1, 5, 20, 40])
    parser.add_argument("--seconds", type=float, default=30.0, help="of a cell")
    parser.add_argument("--warm-up", type=float, default=5.0, help="seconds before a cell that do not count")
    parser.add_argument("--quick", action="store_true", help="1 and 2 bots, 1 and 20 in flight, 10 seconds")
    parser.add_argument("--json", type=Path, default=WORK.parent / "load.json")
    parser.add_argument("--plots", type=Path, help="folder for load-slack.png and load-teams.png")
    given = parser.parse_args()
    if given.quick:
        for name, value in _QUICK.items():
            setattr(given, name, value)
    return given


if __name__ == "__main__":
    sys.exit(main())
