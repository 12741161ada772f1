"""Clocks that are wrong: of one bot, then of PostgreSQL while it runs (libfaketime)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from benchmarks.chat.bots import PlatformServer
from benchmarks.child import MeasurementFailed
from benchmarks.faults.case import Case, Options, start_case
from benchmarks.figure import Figure

_LIBRARY = "/usr/lib/*/faketime/libfaketimeMT.so.1"
_BEFORE = 10  # answers
_BOT_SECONDS = (120, -120)  # Slack's and Teams' requests are refused from five minutes on
_DATABASE_SECONDS = (15, 75, 0)
"""Bots may be removed, and end, if the database's clock is set forward by more than 20 s: only by the second one."""


def measure_wrong_clocks(platform: PlatformServer, options: Options) -> list[Figure]:
    library = next(iter(sorted(Path("/").glob(_LIBRARY.lstrip("/")))), None)
    if library is None:
        raise MeasurementFailed("there is no libfaketime: apt install libfaketime")
    with start_case("clock of a bot wrong", platform, options) as case:
        for seconds in _BOT_SECONDS:
            _restart_with_clock(case, library, seconds)
            case.await_answers(_BEFORE)
            case.bots.servers[0].kill()  # its work is taken over by the bot with the wrong clock
            case.bots.servers[0].gone()
            time.sleep(options.seconds)
            case.bots.servers[0].start()
            case.check_recovery(f", {seconds:+d} s")
        figures = case.finish()
    with start_case("clock of PostgreSQL set", platform, options) as case:
        assert case.database
        offset = case.database.folder / "offset"  # where PostgreSQL's user can read it
        _set(offset, 0)
        case.database.stop()
        case.database.command = ["env", *_format(library, {"FAKETIME_TIMESTAMP_FILE": str(offset),
                                 "FAKETIME_NO_CACHE": "1"}), *case.database.command]  # fmt: skip
        case.database.start()
        case.bots.await_ready(60)
        for seconds in _DATABASE_SECONDS:
            case.await_answers(_BEFORE)
            _set(offset, seconds)
            time.sleep(options.seconds)
            ended = [server for server in case.bots.servers if server.pid is None]
            case.check(f"bots that ended, set to {seconds:+d} s", "bots", len(ended), 2 if seconds == 75 else 0)
            for server in ended:  # as a supervisor does
                server.start()
            case.check_recovery(f", set to {seconds:+d} s")
        return [*figures, *case.finish()]


def _restart_with_clock(case: Case, library: Path, seconds: int) -> None:
    server = case.bots.servers[1]
    server.stop()
    server.environment = {**server.environment, **_fake(library, {"FAKETIME": f"{seconds:+d}s"})}
    server.start()


def _fake(library: Path, settings: Mapping[str, str]) -> dict[str, str]:
    monotonic = {"DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return {"LD_PRELOAD": str(library), **monotonic, **settings}


def _format(library: Path, settings: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in _fake(library, settings).items()]


def _set(offset: Path, seconds: int) -> None:
    offset.write_text(f"{seconds:+d}s\n", "utf-8")
    offset.chmod(0o644)
