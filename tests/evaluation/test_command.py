"""``wikiwhy evaluate`` as a user runs it, on the sample wiki."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from bot.cli.app import app
from bot.settings import Settings
from core.errors import WikiWhyError
from core.indexing.report import SpaceReport
from evaluation import command
from evaluation.configuration import use_documents
from evaluation.plots import plot_evaluation
from tests.evaluation.conftest import QUESTIONS, figures, run
from tests.servers.scripted_model import Reply, Request, ScriptedModel, failing


def test_the_figures_are_those_of_the_contract(few: Path, data: Path) -> None:
    plot = data / "plots" / "figure.png"
    found = figures(few, data, "--plot", str(plot))
    assert {"questions", "p_at_1", "p_at_1_literal", "hit_at_10", "mrr_at_10", "by", "answer", "seconds"} <= set(found)
    assert set(found["by"]) >= {"language", "source", "type", "turn"}
    assert {"questions", "p_at_1", "hit_at_10"} <= set(found["by"]["language"]["en"])
    assert found["by"]["turn"]["1"]["questions"] == 2
    assert found["questions"] == found["by"]["language"]["en"]["questions"] * 2 + 2
    assert found["answerable"] == found["questions"] - 2
    assert found["errors"] == []
    assert found["p_at_1"] == found["p_at_1_literal"] == found["hit_at_10"] == found["mrr_at_10"] == 1.0
    assert found["answer"]["unanswerable"] == {
        "questions": 2,
        "refused": 1.0,
        "by": found["answer"]["unanswerable"]["by"],
    }
    assert found["attribution"] is None  # that is table 3
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_without_the_extra_it_says_how_to_install_it(few: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    error = run(few, data).exception
    assert isinstance(error, command.ExtraMissing)
    assert "pip install 'wikiwhy[evaluation]'" in str(error)


def test_the_table_has_the_same_figures(few: Path, data: Path) -> None:
    result = run(few, data, "--language", "en")
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert "questions P@1 hit@10 refused" in lines
    assert any(line.startswith("all 4 1.000 1.000") for line in lines)
    assert any(line.startswith("not in the wiki 1 1.000") for line in lines)


def test_an_index_is_made_once_for_each_configuration_of_the_evidence_with_the_same_vectors(
    few: Path, tmp_path: Path, reports: list[SpaceReport]
) -> None:
    first = figures(few, tmp_path, "--language", "en")
    whole = sum(sum(report.evidences.values()) for report in reports)
    assert sum(report.embedded for report in reports) > 0
    reports.clear()
    second = figures(few, tmp_path, "--language", "en")
    assert sum(report.embedded for report in reports) == 0
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    reports.clear()
    figures(few, tmp_path, "--language", "en", "--set", "index_rows=false")
    assert sum(report.evidences.get("table_row", 0) for report in reports) == 0
    assert 0 < sum(sum(report.evidences.values()) for report in reports) < whole
    assert sum(report.pages.added for report in reports) > 0
    assert sum(report.embedded for report in reports) == 0
    assert len(list((tmp_path / "evaluate").glob("*/wikiwhy.db"))) == 2
    assert not (tmp_path / "wikiwhy.db").exists(), "the user's own wiki stays as it is"


def test_a_setting_of_retrieval_takes_effect_on_the_same_index(few: Path, data: Path) -> None:
    answer = figures(few, data, "--language", "en")["answer"]
    assert 0 < answer["token_f1"] < 1
    assert answer["citation_precision"] == 1.0
    assert answer["unsupported_statements"] == 0.0
    assert answer["fell_back"] == 0
    assert "judge" not in answer
    there = set((data / "evaluate").iterdir())
    found = figures(few, data, "--language", "en", "--set", "evidences=1", "--set", "WIKIWHY_RETRIEVAL=lexical")
    assert found["hit_at_10"] == found["p_at_1"]
    assert found["settings"]["set"] == ["evidences=1", "WIKIWHY_RETRIEVAL=lexical"]
    assert set((data / "evaluate").iterdir()) == there


def test_questions_as_asked_are_completed_from_their_conversation(few: Path, data: Path, tmp_path: Path) -> None:
    understood = {}
    for questions in ("system", "raw"):
        answers = tmp_path / f"{questions}.md"
        found = figures(few, data, "--language", "en", "--questions", questions, "--answers", str(answers))
        assert found["settings"]["questions"] == questions
        understood[questions] = re.findall(r"\*\*Understood as:\*\* (.*)", answers.read_text("utf-8"))
    completed = "What is the hotel limit per night in Germany for a trip in 2026? (Travel and expenses policy 2026)"
    assert understood["system"][0] == completed
    assert understood["raw"] == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--set", "colour=blue"], "--set colour=blue is invalid. Give KEY=VALUE with one of these keys: "),
        (["--set", "context"], "--set context is invalid. Give KEY=VALUE"),
        (["--set", "context=SOME"], "context"),
        (["--set", "evidences=0"], "evidences"),
    ],
)
def test_a_setting_that_cannot_be_made_is_named(few: Path, tmp_path: Path, more: list[str], told: str) -> None:
    result = run(few, tmp_path, *more)
    assert result.exit_code in {1, 2}
    assert isinstance(result.exception, WikiWhyError)
    assert told in str(result.exception)


def test_a_document_that_cannot_be_read_is_no_success(few: Path, tmp_path: Path) -> None:
    documents = shutil.copytree(few / "documents", tmp_path / "documents")
    shutil.copy(few / "questions.json", tmp_path)
    (documents / "broken.json").write_text("{")
    result = run(tmp_path, tmp_path / "data", "--language", "en", "--json", str(tmp_path / "figures.json"))
    assert result.exit_code == 1
    assert "all" in result.output
    (failure,) = json.loads((tmp_path / "figures.json").read_text("utf-8"))["errors"]
    assert set(failure) == {"page_id", "title", "cause"}
    assert failure["title"] == "broken.json"


@pytest.mark.parametrize(
    ("option", "name", "told"),
    [
        ("--json", "folder", "is a folder"),
        ("--json", "file/below.json", "cannot be written"),
        ("--plot", "folder", "ends in .png"),
        ("--plot", "figure.docx", "ends in .png"),
        ("--plot", "file/below.png", "cannot be written"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_before_the_run(
    few: Path, tmp_path: Path, option: str, name: str, told: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("precious")
    result = run(few, tmp_path / "data", option, str(tmp_path / name))
    assert result.exit_code == 1
    assert isinstance(result.exception, WikiWhyError)
    assert told in str(result.exception)
    assert not (tmp_path / "data").exists()


def test_the_plot_counts_the_questions_that_its_bars_are_of(tmp_path: Path) -> None:
    group = {"p_at_1": 0.5, "hit_at_10": 1.0}
    plot_evaluation(
        {**group, "questions": 7, "answerable": 4, "by": {}, "settings": {"questions": "human"}}, tmp_path / "plot.svg"
    )
    assert "all (n=4)" in (tmp_path / "plot.svg").read_text("utf-8")


def test_a_missing_folder_or_file_is_named(few: Path, tmp_path: Path) -> None:
    missing = run(few, tmp_path, qa=tmp_path / "none.json")
    assert "none.json cannot be read" in str(missing.exception)
    arguments = ["evaluate", "--qa", str(QUESTIONS), "--documents", str(tmp_path / "nowhere")]
    nowhere = CliRunner().invoke(app, ["--data-dir", str(tmp_path), *arguments])
    assert "nowhere is not a folder" in str(nowhere.exception)


def test_a_file_that_holds_no_questions_is_refused(few: Path, tmp_path: Path) -> None:
    (tmp_path / "qa.json").write_text('{"questions": []}')
    result = run(few, tmp_path, qa=tmp_path / "qa.json")
    assert result.exit_code == 1
    assert "JSON list of conversations" in str(result.exception)


def scripted(judge: str | Reply) -> ScriptedModel:
    """Answers every question alike, and judges every answer as told."""

    def reply(request: Request) -> str | Reply:
        return judge if "Right answer:" in request.question else "The hotel limit is 120 euros per night. [1]"

    return ScriptedModel(reply)


def judged_with(few: Path, data: Path, server: ScriptedModel, *more: str) -> Result:
    return run(few, data, "--set", f"llm_base_url={server.base_url}", "--set", "llm_retries=0", "--judge", *more)


def test_a_judge_scores_every_answer_to_what_the_wiki_answers(few: Path, data: Path) -> None:
    target = data / "judged.json"
    with scripted("Score: 0.5") as server:
        result = judged_with(few, data, server, "--json", str(target), "--set", "answerer=extractive")
        judging = [request for request in server.requests if "Right answer:" in request.question]
        limit, url = server.at_once, server.base_url
    assert result.exit_code == 0, result.output
    found = json.loads(target.read_text("utf-8"))
    judge = found["answer"]["judge"]
    refused = round(found["answer"]["refused"] * found["answerable"])
    assert len(judging) == found["answerable"] - refused == len(server.requests)
    assert limit <= Settings().llm_concurrency
    assert judge["judged"] == found["answerable"]
    assert judge["unjudged"] == 0
    assert judge["mean"] == pytest.approx(0.5 * len(judging) / found["answerable"], abs=1e-3)
    assert judge["by"]["language"]["en"]["judged"] == found["by"]["language"]["en"]["questions"]
    assert found["settings"]["judge"] == "scripted"
    assert found["settings"]["answerer"] == "extractive"
    assert "judged relevance" in result.output
    assert url not in target.read_text("utf-8")


@pytest.mark.parametrize(
    ("judge", "told"), [("It depends.", "The judge wrote no score"), (failing(503, "busy"), "503: busy")]
)
def test_what_was_not_judged_is_said_and_is_not_0(few: Path, data: Path, judge: str | Reply, told: str) -> None:
    target = data / "judged.json"
    with scripted(judge) as server:
        more = ("--json", str(target), "--sample", "2", "--language", "en", "--set", "answerer=extractive")
        result = judged_with(few, data, server, *more)
    found = json.loads(target.read_text("utf-8"))["answer"]["judge"]
    assert found["mean"] is None
    assert found["judged"] == 0
    assert found["unjudged"] > 0
    assert len(found["reasons"]) == 1
    assert "could not be judged" in result.output
    assert result.exit_code == 1
    assert told in next(iter(found["reasons"])) or told in result.output


def test_judging_without_a_language_model_is_refused_before_the_run(few: Path, tmp_path: Path) -> None:
    result = run(few, tmp_path / "data", "--judge")
    assert result.exit_code == 1
    assert "--judge needs a language model. Set WIKIWHY_LLM_BASE_URL" in str(result.exception)
    assert not (tmp_path / "data").exists()


def test_turns_that_the_model_failed_are_counted_and_said(few: Path, data: Path) -> None:
    target = data / "fell-back.json"
    with ScriptedModel(failing(503, "busy")) as server:
        settings = ("--set", f"llm_base_url={server.base_url}", "--set", "llm_model=m", "--set", "llm_retries=0")
        result = run(few, data, *settings, "--sample", "2", "--language", "en", "--json", str(target))
    assert result.exit_code == 0, result.output
    assert json.loads(target.read_text("utf-8"))["answer"]["fell_back"] == 2
    assert "the language model failed in 2 turns" in result.output


def test_a_sample_is_measured_in_its_conversations(few: Path, data: Path) -> None:
    everything = figures(few, data, "--language", "en", "--questions", "system")
    found = figures(few, data, "--language", "en", "--questions", "system", "--sample", "2")
    assert everything["questions"] > found["questions"] == 2
    assert found["settings"]["sample"] == 2
    assert figures(few, data, "--language", "en", "--questions", "system", "--sample", "2") | {"seconds": 0} == {
        **found,
        "seconds": 0,
    }


def test_the_answers_can_be_read(few: Path, data: Path) -> None:
    target = data / "answers" / "read.md"
    with scripted("1") as server:
        more = ("--answers", str(target), "--questions", "system", "--language", "en", "--set", "answerer=extractive")
        result = judged_with(few, data, server, *more, "--set", "completer=heuristic")
    assert result.exit_code == 0, result.output
    text = target.read_text("utf-8")
    gold = json.loads((few / "questions.json").read_text("utf-8"))[0]["turns"]
    for turn in gold:
        assert f"**Question:** {turn['q_en']}" in text
        assert f"**Gold answer:** {turn['a']}" in text
    assert "**Understood as:**" in text
    assert "- [1] gold: Travel and expenses policy 2026" in text
    assert "**Judged:** 1" in text
    assert "**Gold answer:** not in the wiki" in text


def test_the_index_does_not_depend_on_the_language_model(few: Path, tmp_path: Path) -> None:
    plain = Settings(data_dir=tmp_path)
    model = {"llm_base_url": "http://localhost:1/v1", "llm_model": "m", "llm_context_tokens": 4096, "answerer": "auto"}
    with_model = plain.model_copy(update=model)
    assert use_documents(plain, few).data_dir == use_documents(with_model, few).data_dir
    assert use_documents(plain, few).data_dir != use_documents(Settings(data_dir=tmp_path, max_chars=900), few).data_dir
