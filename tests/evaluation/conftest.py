"""Two pages with the questions about one of them, and ``wikiwhy evaluate`` run on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bot import wiring
from bot.cli.app import app
from core.conversation import Assistant
from core.indexing.report import SpaceReport
from tests.conftest import SAMPLES

QUESTIONS = SAMPLES / "questions.json"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages and the questions about one of them: quick, and whole in what it goes through."""
    folder = tmp_path_factory.mktemp("few")
    (folder / "documents").mkdir()
    for name in ("travel-and-expenses-policy-2026", "eng-getting-started"):
        text = (SAMPLES / "documents" / f"{name}.json").read_text("utf-8")
        (folder / "documents" / f"{name}.json").write_text(text, "utf-8")
    conversation = json.loads(QUESTIONS.read_text("utf-8"))[0]
    conversation["turns"] = [turn for turn in conversation["turns"] if "2097217" in turn["a_url"][0]]
    unknown = {**conversation["turns"][0], "a_url": [], "a": ""}
    for name in ("q_en", "completed_q_en"):
        unknown[name] = "What is the capital of France?"
    for name in ("q_de", "completed_q_de"):
        unknown[name] = "Was ist die Hauptstadt von Frankreich?"
    other = {"conv_id": "x", "turns": [unknown]}
    (folder / "questions.json").write_text(json.dumps([conversation, other]), "utf-8")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that tests share whose outcome does not depend on what is in it."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[SpaceReport]:
    """What each space's sync reported, in the order of the runs."""
    seen: list[SpaceReport] = []
    real = wiring.Synchroniser.sync_all

    async def noting(self: Any, *arguments: Any) -> list[SpaceReport]:
        reports = await real(self, *arguments)
        seen.extend(reports)
        return reports

    monkeypatch.setattr(wiring.Synchroniser, "sync_all", noting)
    return seen


class Asked:
    """Counts the questions that are asked, and interrupts before one of them."""

    def __init__(self) -> None:
        self.questions = 0
        self.interrupt_before: int | None = None


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    counted, real = Asked(), Assistant.answer_question

    async def ask(self: Any, *arguments: Any) -> Any:
        if counted.questions == counted.interrupt_before:
            raise KeyboardInterrupt
        counted.questions += 1
        return await real(self, *arguments)

    monkeypatch.setattr(Assistant, "answer_question", ask)
    return counted


def run(few: Path, data: Path, *more: str, qa: Path | None = None) -> Result:
    """``wikiwhy evaluate`` in this process."""
    arguments = ["--data-dir", str(data), "evaluate", "--qa", str(qa or few / "questions.json")]
    return CliRunner().invoke(app, [*arguments, "--documents", str(few / "documents"), *more])


def figures(few: Path, data: Path, *more: str) -> dict[str, Any]:
    """What a run that succeeds writes as JSON."""
    target = data / "figures.json"
    result = run(few, data, "--json", str(target), *more)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(target.read_text("utf-8"))
    return found
