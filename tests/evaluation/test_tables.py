"""``wikiwhy evaluate --table`` as a user runs it: the paper's tables on two pages of the samples."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from bot.settings import Settings
from core.evidence.contextualise import CONTEXT_MODES
from core.evidence.linearise import LINEARISERS
from evaluation import tables
from tests.evaluation.conftest import Asked, figures, run

pytestmark = pytest.mark.slow

IMAGE = b"\x89PNG"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n").split("|")]


@pytest.mark.slow
def test_table_2_has_each_context_by_type_source_and_language(few: Path, data: Path) -> None:
    target, plot = data / "2.json", data / "2.png"
    result = run(few, data, "--table", "2", "--sample", "2", "--json", str(target), "--plot", str(plot))
    assert result.exit_code == 0, result.output
    found = json.loads(target.read_text("utf-8"))
    assert [row["label"] for row in found["rows"]] == list(CONTEXT_MODES)
    assert [row["set"] for row in found["rows"]] == [[f"context={mode}"] for mode in CONTEXT_MODES]
    everything = found["rows"][-1]["figures"]
    assert {"type", "source", "language"} <= set(everything["by"])
    assert found["p_at_1"] == everything["p_at_1"] == 1.0
    lines = result.stdout.splitlines()
    header = next(line for line in lines if line.startswith("| context"))
    assert {"P@1", "EN", "DE", "table", "hit@10", "paper: literal"} <= set(cells(header))
    last = next(line for line in lines if line.startswith("| ALL"))
    assert cells(last)[1] == "1.000"
    assert cells(last)[-1] == "0.658"
    assert plot.read_bytes().startswith(IMAGE)


def test_table_3_attributes_the_answers_in_each_way_beside_the_papers_figures(few: Path, data: Path) -> None:
    plot = data / "3.png"
    target = data / "3.json"
    result = run(few, data, "--table", "3", "--plot", str(plot), "--json", str(target))
    found = json.loads(target.read_text("utf-8"))
    attribution = found["attribution"]
    assert {"naive", "counterfactual", "clustered", "questions", "calls"} <= set(attribution)
    assert 0 < attribution["questions"] <= found["answerable"]
    assert attribution["calls"] > 0
    assert 0 < attribution["clustered"] <= 1
    assert plot.read_bytes().startswith(IMAGE)
    lines = [cells(line) for line in result.stdout.splitlines() if line.startswith("| ")]
    assert lines[0][0] == "attribution"
    assert [line[-1] for line in lines[2:]] == ["0.772", "–", "0.799", "–"]


@pytest.mark.slow
def test_table_4_changes_one_part_at_a_time_and_says_what_is_not_installed(few: Path, data: Path) -> None:
    target, plot = data / "4.json", data / "4.png"
    more = ("--language", "en", "--sample", "2", "--set", "suggestions=off")
    result = run(few, data, "--table", "4", *more, "--json", str(target), "--plot", str(plot))
    assert result.exit_code == 0, result.output
    rows = {(row["group"], row["label"]): row for row in json.loads(target.read_text("utf-8"))["rows"]}
    assert {group for group, _ in rows} == {
        "turn", "corpus", "completion", "lineariser", "tables indexed", "model", "embedder", "ranking", "reranking",
    }  # fmt: skip
    own = rows["embedder", "e5-small"]["figures"]
    assert own == rows["ranking", "hybrid, min-max"]["figures"] == rows["tables indexed", "rows and tables"]["figures"]
    assert rows["ranking", "lexical"]["figures"]["questions"] == own["questions"] == 2
    assert plot.read_bytes().startswith(IMAGE)
    if importlib.util.find_spec("FlagEmbedding") is None:
        assert rows["reranking", "bge-reranker-v2-m3"]["figures"] is None
        assert "Not measured: reranking bge-reranker-v2-m3." in result.stdout
        assert "make setup-bge" in rows["embedder", "bge-m3"]["reason"]


def test_every_row_changes_settings_that_there_are() -> None:
    rows = [*tables.table_2(), *tables.table_4(turns=3, language_model=True)]
    keys = {change.partition("=")[0] for row in rows for change in row.changes}
    assert keys <= set(Settings.model_fields)
    assert len(LINEARISERS) == sum(row.group == "lineariser" for row in rows)


def test_answers_of_many_configurations_are_refused(few: Path, tmp_path: Path) -> None:
    result = run(few, tmp_path / "data", "--table", "2", "--answers", str(tmp_path / "answers.md"))
    assert result.exit_code == 1
    assert "--answers is for one configuration" in str(result.exception)


def test_an_interrupted_run_goes_on_where_it_stopped(few: Path, tmp_path: Path, asked: Asked) -> None:
    asked.interrupt_before = 3
    stopped = run(few, tmp_path, "--language", "en", "--questions", "system")
    assert stopped.exit_code == 130
    asked.interrupt_before = None
    result = run(few, tmp_path, "--language", "en", "--questions", "system", "--json", str(tmp_path / "resumed.json"))
    assert "3 questions were asked" in result.stderr
    total, asked.questions = asked.questions, 0
    whole = figures(few, tmp_path, "--language", "en", "--questions", "system")
    assert total == asked.questions == whole["questions"]
    assert {**json.loads((tmp_path / "resumed.json").read_text("utf-8")), "seconds": 0} == {**whole, "seconds": 0}


def test_a_run_can_be_begun_anew(few: Path, tmp_path: Path, asked: Asked) -> None:
    asked.interrupt_before = 3
    run(few, tmp_path, "--language", "en")
    asked.interrupt_before, asked.questions = None, 0
    assert asked.questions < figures(few, tmp_path, "--language", "en", "--anew")["questions"] == asked.questions


def test_an_interrupted_table_goes_on_with_the_rows_that_are_missing(few: Path, data: Path, asked: Asked) -> None:
    more, questions = ("--language", "en", "--sample", "2", "--table", "2"), 2
    asked.interrupt_before = 2 * questions + 1
    stopped = run(few, data, *more)
    assert stopped.exit_code == 130
    asked.interrupt_before = None
    result = run(few, data, *more)
    assert result.exit_code == 0, result.output
    assert "2 rows were measured before" in result.stderr
    assert asked.questions == len(CONTEXT_MODES) * questions


def test_what_changed_meanwhile_is_measured_anew(few: Path, tmp_path: Path, asked: Asked) -> None:
    asked.interrupt_before = 3
    run(few, tmp_path, "--language", "en")
    asked.interrupt_before, asked.questions = None, 0
    found = figures(few, tmp_path, "--language", "en", "--set", "evidences=5")
    assert asked.questions == found["questions"]
