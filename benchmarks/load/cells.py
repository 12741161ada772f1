"""One cell of the table: so many questions in flight, for a number of seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.chat.bots import Bots
from benchmarks.chat.flow import Flow
from benchmarks.chat.model import TimedModel
from benchmarks.chat.processor import read_processor_seconds
from benchmarks.child import MeasurementFailed
from tests.servers.postgres import PostgresServer

_PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Setup:
    """A combination that is measured. ``bots`` 0: one bot with files. ``model_seconds`` 0: no language model."""

    platform: str
    bots: int
    model_seconds: float

    @property
    def name(self) -> str:
        return "files, 1 bot" if not self.bots else f"PostgreSQL, {self.bots} bot{'s' if self.bots > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Cell:
    """Questions answered in ``seconds`` with ``in_flight`` in flight.

    ``notices``: questions that got a notice instead of an answer. ``median``, ``p95``: seconds to the answer, ``own_…``
    without the model's. ``bots_ms``, ``database_ms``, ``generator_ms``: processor milliseconds per question.
    """

    setup: Setup
    in_flight: int
    answers: int
    notices: int
    seconds: float
    median: float
    p95: float
    own_median: float
    own_p95: float
    bots_ms: float
    database_ms: float
    generator_ms: float

    @property
    def per_minute(self) -> float:
        return 60 * self.answers / self.seconds


@dataclass(frozen=True, slots=True)
class Meters:
    """Processor seconds so far."""

    bots: float
    database: float
    generator: float

    @classmethod
    def read(cls, bots: Bots, database: PostgresServer | None) -> Meters:
        own = os.times()
        return cls(
            read_processor_seconds(server.pid for server in bots.servers),
            read_processor_seconds([database.pid] if database else []),
            own.user + own.system,
        )


@dataclass(frozen=True, slots=True)
class Load:
    """What all cells of a setup have in common."""

    setup: Setup
    bots: Bots
    database: PostgresServer | None
    model: TimedModel | None
    texts: Sequence[str]

    def measure(self, in_flight: int, warm_up: float, seconds: float) -> Cell:
        """Raises MeasurementFailed if a question is not answered."""
        flow = Flow(self.bots.chat, self.texts, in_flight, seed=in_flight, tickets=self.model is not None)
        with flow:
            time.sleep(warm_up)
            before, began = Meters.read(self.bots, self.database), time.monotonic()
            time.sleep(seconds)
            after, ended = Meters.read(self.bots, self.database), time.monotonic()
            flow.finish(_PATIENCE)
        if flow.waiting:
            raise MeasurementFailed(f"{flow.waiting} of {len(flow.asked)} questions are not answered")
        replies = {key: reply for key, reply in flow.ended.items() if began < reply.at <= ended}
        answers = {key: reply for key, reply in replies.items() if reply.kind == "answer"}
        if not answers:
            raise MeasurementFailed(f"no question was answered within {seconds:g} s")
        waits = {key: reply.shown_at - flow.asked[key].at for key, reply in answers.items()}
        own = [wait - self._count_model_seconds(flow, key, answers[key].shown_at) for key, wait in waits.items()]
        per_question = 1000 / len(replies)
        median, p95 = np.percentile([*waits.values()], (50, 95)).tolist()
        own_median, own_p95 = np.percentile(own, (50, 95)).tolist()
        return Cell(
            setup=self.setup,
            in_flight=in_flight,
            answers=len(answers),
            notices=len(replies) - len(answers),
            seconds=ended - began,
            median=median,
            p95=p95,
            own_median=own_median,
            own_p95=own_p95,
            bots_ms=per_question * (after.bots - before.bots),
            database_ms=per_question * (after.database - before.database),
            generator_ms=per_question * (after.generator - before.generator),
        )

    def _count_model_seconds(self, flow: Flow, key: str, until: float) -> float:
        return self.model.seconds([flow.numbers[key]], flow.asked[key].at, until) if self.model else 0.0
