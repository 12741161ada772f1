"""The load on bots: what is counted, and how it is shown."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
from matplotlib import image

from benchmarks.chat.flow import Flow
from benchmarks.chat.processor import read_processor_seconds
from benchmarks.chat.talk import Asked, Chat, Reply
from benchmarks.load.cells import Cell, Setup
from benchmarks.load.shown import format_table, plot_cells
from core.ports.chat import Place


@dataclass
class ScriptedChat:
    """Answers each question after a moment, except those that contain ``silent``."""

    texts: dict[str, str] = field(default_factory=dict)
    most: int = 0

    def asking(self, chance: random.Random, text: str, times: int = 1) -> Callable[[], Asked]:
        def ask() -> Asked:
            number = str(len(self.texts))
            self.texts[number] = text
            return Asked(Place("slack", "T1", "C1", number), number, time.monotonic())

        return ask

    def replies(self, asked: Asked) -> list[Reply]:
        if "silent" in self.texts[asked.message_id]:
            return []
        kind = "other" if "refused" in self.texts[asked.message_id] else "answer"
        return [Reply("1", kind, time.monotonic(), time.monotonic())]


def test_questions_are_asked_until_the_end_and_every_answer_is_awaited() -> None:
    chat = ScriptedChat()
    with Flow(cast(Chat, chat), ["plain", "refused"], in_flight=3) as flow:
        while len(flow.ended) < 10:
            time.sleep(0.01)
        flow.finish(5)
    assert flow.waiting == 0
    assert {reply.kind for reply in flow.ended.values()} == {"answer", "other"}


def test_questions_without_an_answer_are_counted_and_not_awaited_forever() -> None:
    with Flow(cast(Chat, ScriptedChat()), ["silent"], in_flight=3) as flow:
        while len(flow.asked) < 3:
            time.sleep(0.01)
        flow.finish(0.2)
    assert flow.waiting == 3


def test_questions_have_numbers_by_which_a_model_knows_them() -> None:
    chat = ScriptedChat()
    with Flow(cast(Chat, chat), ["plain"], in_flight=1, tickets=True) as flow:
        while not flow.ended:
            time.sleep(0.01)
        flow.finish(5)
    assert chat.texts["0"] == "plain ticketbaaa"
    assert min(flow.numbers.values()) == 1000


def test_a_failure_while_asking_is_raised() -> None:
    class Broken(ScriptedChat):
        def replies(self, asked: Asked) -> list[Reply]:
            raise KeyError(asked.message_id)

    with Flow(cast(Chat, Broken()), ["plain"], in_flight=1) as flow, pytest.raises(KeyError):
        flow.finish(5)


def test_the_processor_time_of_a_process_includes_its_children() -> None:
    work = "sum(number * number for number in range(3_000_000))"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}]); print(1, flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    process.stdout.readline()
    assert read_processor_seconds([process.pid, None]) > 0.05
    process.communicate(b"\n")
    assert read_processor_seconds([process.pid]) == 0.0


CELLS = [
    Cell(Setup(platform, bots, model), in_flight, 10, 0, 10.0, 1.0, 2.0, 0.5, 0.9, 80.0, 20.0, 5.0)
    for platform in ("Slack", "Teams")
    for model in (0.0, 1.0)
    for bots in (0, 2)
    for in_flight in (1, 20)
]


def test_each_cell_is_a_line_of_the_table() -> None:
    lines = format_table(CELLS).splitlines()
    assert len(lines) == 2 + len(CELLS)
    assert "| Slack | no model | files, 1 bot | 1 | 60 | 1.00 | 2.00 | 0.50 | 0.90 | 0 | 80 | 20 | 5 |" in lines
    assert any("| Teams | model of 1 s a call | PostgreSQL, 2 bots | 20 |" in line for line in lines)


def test_the_plot_of_a_platform_is_written(tmp_path: Path) -> None:
    plot_cells(CELLS, "Slack", tmp_path / "load.png")
    height, width, _ = image.imread(tmp_path / "load.png").shape
    assert width > height > 200
