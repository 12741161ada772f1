"""``python -m benchmarks.faults [NAME …]``: let something fail under load, and count what is lost or said twice.

Exit code 1 if a promise of docs/operations.md or docs/postgresql.md is broken. Only ``disk`` needs root, to mount a
small file system, and only ``clock`` needs libfaketime (``apt install libfaketime``); without it, a line says so.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import traceback
from collections.abc import Mapping
from dataclasses import asdict

from rich.console import Console

from benchmarks.child import MeasurementFailed
from benchmarks.corpus import ROOT
from benchmarks.faults.backup import measure_backup
from benchmarks.faults.case import Fault, Options
from benchmarks.faults.clock import measure_wrong_clocks
from benchmarks.faults.disk import measure_full_disk
from benchmarks.faults.kills import measure_kills
from benchmarks.faults.outages import measure_failing_model, measure_stopped_database
from benchmarks.figure import Figure
from benchmarks.report import table
from benchmarks.slack.served import open_slack
from benchmarks.teams.served import open_teams

FAULTS: Mapping[str, Fault] = {
    "kills": measure_kills,
    "database": measure_stopped_database,
    "model": measure_failing_model,
    "disk": measure_full_disk,
    "clock": measure_wrong_clocks,
    "backup": measure_backup,
}
_WIDTH = 170
PLATFORMS = {"slack": open_slack, "teams": open_teams}


def measure(name: str, platform: str, options: Options) -> list[Figure]:
    """Return the figures of a fault, or one figure with the error if it could not be measured."""
    try:
        with PLATFORMS[platform]() as server:
            return FAULTS[name](server, options)
    except MeasurementFailed as error:
        return [Figure(f"{name}, {platform}", "", None, note=str(error), failed=True)]
    except Exception as error:  # the other faults are measured all the same
        traceback.print_exc()
        return [Figure(f"{name}, {platform}", "", None, note=repr(error), failed=True)]


def main() -> int:
    usual = Options()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("faults", nargs="*", metavar="NAME", help=f"some of {', '.join(FAULTS)}; default: all")
    parser.add_argument("--platforms", nargs="+", choices=tuple(PLATFORMS), default=[*PLATFORMS])
    parser.add_argument("--minutes", type=float, default=usual.minutes, help="of kills")
    parser.add_argument("--every", type=float, default=usual.every, help="seconds from a kill to the next")
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="of each other fault")
    parser.add_argument("--in-flight", type=int, default=usual.in_flight, help="questions")
    parser.add_argument("--seed", type=int, default=usual.seed)
    given = parser.parse_args()
    if unknown := {*given.faults} - {*FAULTS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    options = Options(given.minutes, given.every, given.seconds, given.in_flight, given.seed)
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it logs every connection that a kill ends
    figures = []
    for name in given.faults or FAULTS:
        for platform in given.platforms:
            found = measure(name, platform, options)
            Console(highlight=False, width=_WIDTH).print(table(found))
            figures += found
    written = ROOT / "build" / "faults.json"
    written.parent.mkdir(exist_ok=True)
    written.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n", "utf-8")
    return int(any(figure.failed for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
