"""What a collector of traces gets, and what it never gets."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.durable import Durable
from bot.operations.operation import LocalOperations
from bot.operations.questions import AskQuestion, BeginConversation, ExplainAnswer
from bot.server import logs
from bot.server.metrics import Metrics
from bot.settings import load_settings
from bot.tracing import describe, export_traces, trace, work_on
from bot.wiring import open_application
from bot.workflow import RunStep
from tests.servers.collector import collecting

pytestmark = pytest.mark.usefixtures("no_settings_from_outside")


def test_spans_are_nested_and_of_an_error_there_is_its_type_only() -> None:
    with collecting() as collector:
        with export_traces(collector.url), trace("outer"):
            describe(turn="t1", pages=3)
            with pytest.raises(ValueError, match="secret"), trace("inner"):
                raise ValueError("secret words of a page")
        outer, inner = collector.named("outer"), collector.named("inner")
    assert (inner.parent, inner.trace, outer.parent) == (outer.span, outer.trace, b"")
    assert outer.attributes == {"wikiwhy.turn": "t1", "wikiwhy.pages": 3}
    assert (inner.error, inner.events) == ("ValueError", 0)
    assert b"secret" not in collector.raw
    assert collector.services == {"wikiwhy"}


def test_without_a_collector_nothing_is_traced() -> None:
    with export_traces(""), trace("outer"):
        describe(turn="t1")


def test_a_collector_that_is_away_fails_nothing() -> None:
    with export_traces("http://127.0.0.1:9"), trace("outer"):
        pass


async def test_a_question_and_its_explanation_have_counts_and_durations_but_no_words(
    data: Path, embedder: E5Embedder
) -> None:
    metrics = Metrics()
    with (
        collecting() as collector,
        export_traces(collector.url),
        open_application(load_settings(data_dir=data)) as application,
    ):
        application.__dict__["embedder"] = embedder
        operations = LocalOperations(application)
        conversation = await operations.execute(BeginConversation())
        with metrics.count_question() as outcome:
            turn = await operations.execute(AskQuestion(conversation, "Who cleans the kitchen on Fridays?"))
            outcome.turn = turn
        with metrics.count_explanation():
            await operations.execute(ExplainAnswer(turn.turn_id))
    spans = {span.name: span for span in collector.spans}
    question = spans["question"].attributes
    assert question["wikiwhy.turn"] == spans["explanation"].attributes["wikiwhy.turn"] == turn.turn_id
    assert question["wikiwhy.evidences"] == len(turn.evidences) > 0
    assert question["wikiwhy.embed_ms"] == turn.timings_ms["embed"]
    for word in (b"kitchen", b"Kitchen", b"marmalade", b"Friday"):
        assert word not in collector.raw


@dataclass(frozen=True)
class Work:
    """A request of a test."""

    workflow: ClassVar[str] = "ask"
    key: str
    turn_id: str

    def to_json(self) -> dict[str, Any]:
        return {"key": self.key, "turn_id": self.turn_id}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**stored)


class Steps:
    """A workflow of one step, which fails once."""

    def __init__(self) -> None:
        self.tries = 0

    async def run(self, request: Work, step: RunStep) -> None:
        await step("answer", self._answer)

    async def _answer(self) -> None:
        logging.getLogger("bot.test").warning("It is tried.")
        self.tries += 1
        if self.tries == 1:
            raise ValueError("at first")

    async def report_failure(self, request: Work) -> None: ...


async def test_a_workflow_is_a_trace_and_its_turn_is_in_each_line_of_the_log(tmp_path: Path) -> None:
    stream, root = io.StringIO(), logging.getLogger()
    before, level = root.handlers[:], root.level
    logs.log_to(stream, load_settings(log_format="json"), "INFO")
    try:
        with collecting() as collector:
            with export_traces(collector.url):
                durable = Durable(f"sqlite:///{tmp_path / 'workflows.db'}", first_pause=0.01)
                durable.add(Work, Steps())
                await durable.launch()
                await durable.run_to_end(Work("ask:1", "t1"))
                await durable.close(0)
            workflow, steps = collector.named("ask"), [span for span in collector.spans if span.name == "step answer"]
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        logging.captureWarnings(False)
    assert workflow.attributes == {"wikiwhy.turn": "t1"}
    assert [(step.parent, step.error) for step in steps] == [(workflow.span, "ValueError"), (workflow.span, None)]
    assert [line["turn"] for line in lines if line["message"] == "It is tried."] == ["t1", "t1"]


def test_the_text_log_names_the_turn_too() -> None:
    record = logging.makeLogRecord({"msg": "Hello.", "levelno": logging.INFO, "levelname": "INFO"})
    with work_on("t1"):
        logs._TurnName().filter(record)
    assert logs._TextFormatter().format(record).endswith("Hello. (turn t1)")
