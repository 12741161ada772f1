"""What all faults have in common: the bots, the questions meanwhile, and the figures."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.chat import outcome
from benchmarks.chat.bots import Bots, PlatformServer, empty, start_bots, start_postgres
from benchmarks.chat.flow import Flow
from benchmarks.chat.killing import Kill
from benchmarks.chat.kills import find_unseen
from benchmarks.chat.wiki import Wiki
from benchmarks.child import WORK, MeasurementFailed
from benchmarks.figure import Figure, at_most, check_figure
from core.chat.requests import make_explain_key
from tests.servers.postgres import PostgresServer

PATIENCE = 120.0
READY_SECONDS = 60.0
FOLDER = WORK / "faults"

_QUIET = 10.0  # seconds after the last answer in which a second one would come
_RETRIES = (0.5,) * 600  # a platform's own retries take minutes


@dataclass(frozen=True, slots=True)
class Options:
    """``minutes``, ``every``: of kills; ``seconds``: that another fault lasts; ``in_flight``: questions."""

    minutes: float = 5.0
    every: float = 20.0
    seconds: float = 25.0
    in_flight: int = 8
    seed: int = 0

    @property
    def chance(self) -> random.Random:
        return random.Random(self.seed)  # noqa: S311  # no secret


@dataclass(slots=True)
class Case:
    """Bots under load. ``database``: None with files. ``url``: of the database."""

    name: str
    bots: Bots
    flow: Flow
    options: Options
    database: PostgresServer | None = None
    url: str = ""
    kills: list[Kill] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def check(self, what: str, unit: str, measured: float, most: float, note: str = "") -> None:
        """Note a figure that fails above ``most``."""
        self.figures.append(check_figure(f"{self.name}: {what}", unit, measured, at_most(most), note))

    def await_answers(self, count: int = 1, seconds: float = PATIENCE) -> float:
        """Wait for so many answers from now on, and return the seconds. Raises MeasurementFailed."""
        began = time.monotonic()
        while self.flow.answers_since(began) < count:
            if self.flow.failure:
                raise self.flow.failure
            if time.monotonic() - began > seconds:
                raise MeasurementFailed(f"{self.name}: no {count} answers within {seconds:.0f} s")
            time.sleep(0.05)
        return time.monotonic() - began

    def check_recovery(self, what: str = "") -> None:
        """Check that the bots get ready by themselves, and note the time until the next answer."""
        began = time.monotonic()
        ended = sum(server.pid is None for server in self.bots.servers)
        self.check(f"bots that ended{what}", "bots", ended, 0)
        self.bots.await_ready(PATIENCE)
        self.check(f"seconds until all bots are ready again{what}", "s", time.monotonic() - began, READY_SECONDS)
        self.await_answers()
        self.check(f"seconds until the next answer{what}", "s", time.monotonic() - began, READY_SECONDS)

    def finish(self, notices: bool = False) -> list[Figure]:
        """Wait for the rest of the answers, and return all figures. ``notices``: whether a notice is an answer too."""
        self.flow.finish(PATIENCE)
        time.sleep(_QUIET)
        flow, seed, finds = self.flow, self.options.seed, self.bots.chat.finds_messages
        replies = flow.replies()
        if notices:
            replies = {
                key: [replace(reply, kind="answer") if reply.kind == "other" else reply for reply in found]
                for key, found in replies.items()
            }
        asked = outcome.outcome(replies, "answer", self.kills, self.began, finds)
        found = outcome.figures("answers", f", {self.name}", asked, seed)
        if flow.clicking:
            shown = {
                make_explain_key(flow.asked[key].turn_id): [
                    each for each in flow.chat.replies(flow.asked[key]) if each.kind == "explanation"
                ]
                for key in flow.clicking
            }
            explained = outcome.outcome(shown, "explanation", self.kills, self.began, finds)
            unseen = find_unseen({key: [clicker] for key, clicker in flow.clicking.items()})
            orphans = [*explained.orphans, *flow.chat.find_orphans()]
            explained = replace(explained, lost=[*explained.lost, *unseen], orphans=orphans)
            found += outcome.figures("explanations", f", {self.name}", explained, seed)
            self.note_lost(explained)
        self.note_lost(asked)
        return [*found, *self.figures]

    def note_lost(self, found: outcome.Outcome) -> None:
        """Print what was lost or said twice, to find out why."""
        if found.lost or found.double or found.others:
            print(json.dumps({self.name: outcome.details(found)}, indent=1), file=sys.stderr)


Fault = Callable[[PlatformServer, Options], list[Figure]]
"""Starts a case, lets something fail, and returns the figures."""


@contextmanager
def start_case(
    name: str,
    platform: PlatformServer,
    options: Options,
    *,
    bots: int = 2,
    database: PostgresServer | None = None,
    settings: Mapping[str, str] | None = None,
    explained: float = 0.0,
    folder: Path = FOLDER / "bots",
) -> Iterator[Case]:
    """Start bots, and questions to them. ``database``: their PostgreSQL; ``bots`` 0: one bot with files.

    ``explained``: see :class:`Flow`. ``folder``: of the data directories; it is emptied.
    """
    wiki = Wiki.make(FOLDER / "indexed")
    with ExitStack() as stack:
        url, environment = "", {**platform.environment, **(settings or {})}
        empty(folder)
        if bots:
            database = database or stack.enter_context(start_postgres())
            url = stack.enter_context(wiki.open_database(database))
            environment["WIKIWHY_DATABASE_URL"] = url
        else:
            wiki.copy(folder / "bot0")
        running = stack.enter_context(start_bots(platform, folder, max(bots, 1), environment))
        platform.world.retry_delays = _RETRIES
        with Flow(running.chat, wiki.texts, options.in_flight, options.seed, 3, explained) as flow:
            yield Case(f"{platform.name}, {name}", running, flow, options, database, url)
