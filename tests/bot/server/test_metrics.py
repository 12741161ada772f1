"""What the metrics show of questions, spaces, workflows, hints and bots."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.durable import Durable, UnfinishedWorkflow
from bot.server.hints import HintQueue
from bot.server.metrics import Metrics
from bot.server.sampling import Sampling
from bot.settings import load_settings
from bot.wiring import open_application
from core.indexing.page_refresh import Hint
from core.model import Answer, Question, Scope, Turn, Usage

DOCS = Path(__file__).parents[3] / "docs" / "operations.md"


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(f"wikiwhy_{name}", labels)


def test_the_stages_that_a_question_needed_are_measured() -> None:
    metrics = Metrics()
    timings = {"complete": 2.0, "embed": 30.0, "rerank": 0.0, "total": 40.0}
    with metrics.count_question() as outcome:
        outcome.turn = Turn("1", "2", "", Question("q", "q"), (), Answer("a", True), Scope(), {}, timings, Usage())
    assert value(metrics, "stage_seconds_sum", stage="embed") == pytest.approx(0.03)
    assert value(metrics, "stage_seconds_count", stage="rerank") is None
    assert value(metrics, "stage_seconds_count", stage="total") is None


class Work:
    """Of durable work, what the metrics ask for."""

    def __init__(self, *unfinished: UnfinishedWorkflow) -> None:
        self.unfinished = list(unfinished)

    async def list_unfinished(self) -> list[UnfinishedWorkflow]:
        return self.unfinished


async def test_spaces_grow_older_and_unfinished_work_is_counted(data: Path, embedder: E5Embedder) -> None:
    metrics = Metrics()
    work = Work(
        UnfinishedWorkflow("ask", time.time() - 60),
        UnfinishedWorkflow("ask", time.time() - 5),
        UnfinishedWorkflow("sync", 2e9),
    )
    with open_application(load_settings(data_dir=data)) as application:
        sampling = Sampling(application, work, metrics)  # type: ignore[arg-type]
        await sampling.sample()
        space = min(metrics.spaces.synced_at)
        first = value(metrics, "space_age_seconds", space=space)
        await asyncio.sleep(0.01)
        second = value(metrics, "space_age_seconds", space=space)
        assert first is not None
        assert second is not None
        assert 0 < first < second
        assert value(metrics, "workflows_unfinished", workflow="ask") == 2
        assert value(metrics, "workflows_unfinished", workflow="explain") == 0
        assert value(metrics, "workflow_oldest_seconds") == pytest.approx(60, abs=5)
        assert (value(metrics, "bots"), value(metrics, "leader")) == (1, 1)
        work.unfinished.clear()
        await sampling.sample()
        assert value(metrics, "workflow_oldest_seconds") == 0


def test_no_metric_names_the_person_of_a_personal_space() -> None:
    metrics, now = Metrics(), time.time()
    metrics.spaces.synced_at = {"OPS": now - 10, "~712020:ada": now - 900, "~712020:ben": now - 300}

    assert value(metrics, "space_age_seconds", space="OPS") == pytest.approx(10, abs=5)
    assert value(metrics, "space_age_seconds", space="personal") == pytest.approx(900, abs=5)
    assert value(metrics, "space_age_seconds", space="~712020:ada") is None


async def test_work_that_was_not_launched_has_no_queue(tmp_path: Path) -> None:
    assert await Durable(f"sqlite:///{tmp_path / 'workflows.db'}").list_unfinished() == []


async def test_hints_wait_until_they_are_taken() -> None:
    queue = HintQueue(most=1, settling=0)
    for page in ("1", "1", "2"):
        await queue.note_hint(Hint("ENG", page))
    assert queue.count_waiting() == 2
    await queue.take_all()
    assert queue.count_waiting() == 0


def test_the_documentation_names_each_metric_and_no_other() -> None:
    families = {family.name for family in Metrics().registry.collect() if not family.name.startswith("process_")}
    table = DOCS.read_text("utf-8").split("## Metrics")[1].split("\n## ")[0]
    named = {name.removesuffix("_total") for name in re.findall(r"`(wikiwhy_\w+)`", table)}
    assert named == families
