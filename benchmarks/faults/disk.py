"""The disk is full for a while: that of PostgreSQL, or that of the files of one bot. It needs root."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.chat.bots import PlatformServer, start_postgres
from benchmarks.child import MeasurementFailed
from benchmarks.faults.case import Case, Options, start_case
from benchmarks.figure import Figure

_BEFORE = 10  # answers
_MEGABYTES = 600
_AT_ONCE = 2**16


def measure_full_disk(platform: PlatformServer, options: Options) -> list[Figure]:
    """A full disk may stop PostgreSQL; then somebody starts it again when there is space."""
    with _small_disk() as disk:
        with (
            start_postgres(within=disk) as server,
            start_case("disk of PostgreSQL full", platform, options, database=server) as case,
        ):
            _fill_for_a_while(case, disk)
            if server.pid is None:
                server.stop()
                server.start()
            case.check_recovery()
            case.await_answers(_BEFORE)
            figures = case.finish()
        folder = disk / "bots"
        with start_case("disk of the files full", platform, options, bots=0, folder=folder) as case:
            _fill_for_a_while(case, disk)
            case.check_recovery()
            case.await_answers(_BEFORE)
            figures += case.finish()
        return [*figures, *_check_files(case, folder / "bot0")]


def _fill_for_a_while(case: Case, disk: Path) -> None:
    case.await_answers(_BEFORE)
    filling = disk / "filling"
    try:
        end = time.monotonic() + case.options.seconds
        with filling.open("wb", buffering=0) as file:
            while time.monotonic() < end:  # also what is released meanwhile
                try:
                    file.write(bytes(_AT_ONCE))
                except OSError:
                    time.sleep(0.05)
    finally:
        filling.unlink(missing_ok=True)


def _check_files(case: Case, data: Path) -> list[Figure]:
    """Check the databases of a bot that has ended."""
    case.figures.clear()
    for name in ("wikiwhy.db", "workflows.db", "lexical.db"):
        with closing(sqlite3.connect(data / name)) as database:
            problems = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        case.check(f"problems of {name}", "", len(problems), 0)
    return case.figures


@contextmanager
def _small_disk() -> Iterator[Path]:
    """Mount a file system of limited size in memory. Raises MeasurementFailed."""
    if os.geteuid() != 0:
        raise MeasurementFailed("only root may mount a small file system")
    folder = Path(tempfile.mkdtemp(prefix="disk"))  # PostgreSQL's user may not read the folder of the measurements
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={_MEGABYTES}m", "tmpfs", folder], check=True)  # noqa: S607
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607
        folder.rmdir()
