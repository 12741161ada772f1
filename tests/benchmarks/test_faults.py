"""Faults under load: what is counted as broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest

from adapters.store.bots import SqlBots
from adapters.store.database import Database
from benchmarks.chat.bots import Bots
from benchmarks.chat.flow import Flow
from benchmarks.chat.left import BEFORE_TURN, read_shared_state
from benchmarks.child import MeasurementFailed
from benchmarks.faults import case as cases
from benchmarks.faults.case import Case, Options


@dataclass
class ScriptedServer:
    pid: int | None = 1


@dataclass
class ScriptedBots:
    """Bots that are ready at the second look."""

    servers: list[ScriptedServer]
    looks: int = 0

    def await_ready(self, seconds: float) -> float:
        return 0.1


@dataclass
class ScriptedFlow:
    failure: BaseException | None = None
    answers: int = 1
    asked: dict[str, Any] = field(default_factory=dict)

    def answers_since(self, at: float) -> int:
        return self.answers


def make_case(pid: int | None, answers: int = 1) -> Case:
    bots, flow = ScriptedBots([ScriptedServer(1), ScriptedServer(pid)]), ScriptedFlow(answers=answers)
    return Case("here", cast(Bots, bots), cast(Flow, flow), Options())


@pytest.mark.parametrize(("pid", "failed"), [(1, False), (None, True)])
def test_a_bot_that_ended_by_itself_fails(pid: int | None, failed: bool) -> None:
    case = make_case(pid)
    case.check_recovery()
    assert [figure.failed for figure in case.figures] == [failed, False, False]


def test_bots_that_answer_nothing_afterwards_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "PATIENCE", 0.1)
    with pytest.raises(MeasurementFailed, match="no 1 answers"):
        make_case(1, answers=0).await_answers(seconds=0.1)


def test_the_work_of_the_killed_bot_is_told_from_that_of_the_others(postgres_url: str, tmp_path: Path) -> None:
    database = Database.open_shared(postgres_url)
    for name in ("one", "two"):
        SqlBots(database, name, home=f"machine:{tmp_path / name}:1234").join()
    database.close()
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS dbos")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS dbos.workflow_status (workflow_uuid text, status text, executor_id text)"
        )
        for key, bot in (("ask:1", "one"), ("ask:2", "two")):
            connection.execute("INSERT INTO dbos.workflow_status VALUES (%s, 'PENDING', %s)", (key, bot))
    left = read_shared_state(postgres_url, tmp_path / "two")
    assert left.started == left.unfinished == {"ask:2"}
    assert left.moment("ask:2", "turn", posted=False) == BEFORE_TURN
