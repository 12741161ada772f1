"""Explain on the command line: by the extractive answerer, and by a model behind real HTTP."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bot.cli.running import Ran, document, wikiwhy, write_documents
from tests.servers.scoring_server import ScoringServer
from tests.servers.scripted_model import Reply, Request, ScriptedModel, failing

KEYS = ["turn_id", "answer", "clusters", "calls", "seconds", "grounded"]
CLUSTER_KEYS = ["share", "contribution", "similarity", "evidence_ids", "citations", "counterfactual_answers"]
QUESTION = "Who approves travel?"
MODEL_SAYS = "Ann approves travel. [1]"

Serve = Callable[[object], ScriptedModel]


def asked(data: Path, question: str = QUESTION) -> dict[str, object]:
    ran = wikiwhy("ask", "--json", question, "--data-dir", data)
    assert ran.code == 0, ran.err
    return dict(ran.json)


def explained(data: Path, turn: dict[str, object], *options: str) -> Ran:
    return wikiwhy("explain", *options, str(turn["turn_id"]), "--data-dir", data)


def says_who_approves(request: Request) -> str:
    return MODEL_SAYS if "Ann approves" in str(request.messages) else "Nobody knows that. [1]"


@pytest.fixture
def scoring() -> ScoringServer:
    return ScoringServer()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, scoring: ScoringServer) -> Iterator[ScriptedModel]:
    """A server that answers from the pages, and scores as llama.cpp does; configured, without retries."""
    with ScriptedModel(says_who_approves, routes=scoring.llama_cpp()) as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("WIKIWHY_LLM_RETRIES", "0")
        monkeypatch.setenv("WIKIWHY_COMPLETER", "heuristic")
        yield server


# --------------------------------------------------------------------------------------------- extractive


def test_json_has_the_shares_of_the_sources(synced_once: Path) -> None:
    turn = asked(synced_once / "data")
    ran = explained(synced_once / "data", turn, "--json")
    assert (ran.code, ran.err) == (0, "")
    shown = ran.json
    assert set(KEYS) <= set(shown)
    assert all(set(CLUSTER_KEYS) <= set(cluster) for cluster in shown["clusters"])
    assert (shown["turn_id"], shown["answer"]) == (turn["turn_id"], turn["answer"])
    shares = [cluster["share"] for cluster in shown["clusters"]]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0)
    assert shown["grounded"] is True
    assert shown["clusters"][0]["citations"] == [1]
    assert len(shown["clusters"][0]["counterfactual_answers"]) == 1
    ids = [evidence_id for cluster in shown["clusters"] for evidence_id in cluster["evidence_ids"]]
    assert sorted(ids) == sorted(item["evidence_id"] for item in turn["evidences"])  # type: ignore[attr-defined]


def test_people_see_bars_sources_and_a_verdict(synced_once: Path) -> None:
    ran = explained(synced_once / "data", asked(synced_once / "data"))
    assert ran.code == 0, ran.err
    assert ran.says("› Who approves travel?", "What this answer rests on", "100%")
    assert ran.says("[1] Travel [bold]policy[/bold] › Approval (passage)", "https://wiki.example/DOC/1")
    assert ran.says(
        "This answer rests on a single page, “Travel [bold]policy[/bold]”: without it, the wiki does not answer."
    )
    assert ran.says("Without the first source the answer would be: I could not find that in the wiki.")


def test_chat_explains_its_last_answer(synced_once: Path, tmp_path: Path) -> None:
    play = {"turns": [{"explain": True}, {"question": QUESTION}, {"explain": True}, {"question": "/help"}]}
    (tmp_path / "play.json").write_text(json.dumps(play))
    ran = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", synced_once / "data")
    assert ran.code == 0, ran.err
    assert ran.says("› /explain Ask something first.", "What this answer rests on", "/explain which of them")


def test_not_found_is_explained_as_such(synced_once: Path) -> None:
    turn = asked(synced_once / "data", "What does a gym membership in Antarctica cost?")
    assert turn["answered"] is False
    shown = explained(synced_once / "data", turn, "--json").json
    assert (shown["clusters"], shown["grounded"], shown["verdicts"]) == ([], False, ["not_found"])
    assert explained(synced_once / "data", turn).says("The wiki did not answer this question")


def test_the_explanation_is_in_the_language_of_the_question(synced_once: Path) -> None:
    turn = asked(synced_once / "data", "Wann wird die Küche (kitchen) cleaned, und von wem?")
    ran = explained(synced_once / "data", turn)
    assert ran.says("Worauf diese Antwort beruht") or ran.says("Das Wiki hat diese Frage nicht beantwortet")


@pytest.mark.parametrize("turn_id", ["nothing", "", "[bold]x[/]\x1b[31m", "'; DROP TABLE turns"])
def test_an_unknown_answer_is_said_to_be_unknown(synced_once: Path, turn_id: str) -> None:
    ran = wikiwhy("explain", turn_id, "--data-dir", synced_once / "data")
    assert ran.code == 1
    assert ran.says("There is no answer", "ask --json")
    assert "\x1b" not in ran.err


def test_an_answer_of_a_hidden_conversation_is_unknown(data: Path) -> None:
    turn = asked(data)
    with sqlite3.connect(data / "wikiwhy.db") as connection:
        connection.execute("UPDATE conversations SET hidden = 1")
    hidden = explained(data, turn)
    assert hidden.code == 1
    assert hidden.says("There is no answer")


def test_an_answer_for_some_only_is_not_explained_to_everyone(data: Path) -> None:
    turn = asked(data)
    with sqlite3.connect(data / "wikiwhy.db") as connection:
        connection.execute("UPDATE turns SET scope = ?", ('{"spaces": null, "principals": ["user:ann"]}',))
    ran = explained(data, turn)
    assert ran.code == 1
    assert ran.says("only some may read")
    assert not ran.says("Travel")


def test_a_removed_page_is_said_and_its_words_are_nowhere(data: Path) -> None:
    turn = asked(data)
    (data.parent / "documents" / "1.json").unlink()
    assert wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data).code == 0
    ran = explained(data, turn)
    assert ran.code == 1
    assert ran.says("cannot be explained any more", "removed from the wiki")
    assert "Ann approves" not in ran.out + ran.err


def test_a_page_that_changed_is_explained_as_it_was(data: Path) -> None:
    turn = asked(data)
    changed = document("1", "<h2>Approval</h2><p>Carla approves everything.</p>", title="Travel [bold]policy[/bold]")
    write_documents(data.parent / "documents", changed)
    assert wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data).code == 0
    assert explained(data, turn).says("Ann approves travel.", "rests on a single page")


# ------------------------------------------------------------------------------------------------ a model


def test_a_generated_answer_is_explained_by_its_model(data: Path, model: ScriptedModel) -> None:
    turn = asked(data)
    assert turn["answer"] == MODEL_SAYS
    before = len(model.requests)
    shown = explained(data, turn, "--json").json
    assert shown["clusters"][0]["counterfactual_answers"] == ["Nobody knows that. [?]"]
    assert shown["compared_with"] == MODEL_SAYS
    assert len(model.requests) - before == shown["calls"]


def test_without_a_model_a_generated_answer_cannot_be_explained(
    data: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(data)
    monkeypatch.delenv("WIKIWHY_LLM_BASE_URL")
    ran = explained(data, turn)
    assert ran.code == 1
    assert ran.says("language model (scripted)", "none is configured", "WIKIWHY_LLM_BASE_URL")


def test_an_extractive_answer_is_explained_without_asking_the_model_that_came_later(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(data)
    with ScriptedModel("Something else. [1]") as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        assert explained(data, turn).says("rests on a single page")
        assert server.requests == []


def test_an_answer_that_fell_back_is_explained_by_what_answered(data: Path, model: ScriptedModel) -> None:
    model.script = [failing(500, "down")]
    turn = asked(data)
    assert turn["answered"]
    before = len(model.requests)
    assert explained(data, turn).says("rests on a single page")
    assert len(model.requests) == before


def test_another_model_explains_by_its_own_answer(
    data: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_SUGGESTIONS", "off")
    turn = asked(data)
    monkeypatch.setenv("WIKIWHY_EXPLAIN_MODEL", "another")

    def says(request: Request) -> str:
        return "It is Ann who approves travel. [1]" if "Ann approves" in str(request.messages) else "Nobody does. [1]"

    model.script = [says]
    ran = explained(data, turn)
    assert ran.says("from the same sources its own answer is: It is Ann who approves")
    assert {request.body["model"] for request in model.requests[1:]} == {"another"}


def test_failures_of_the_model_are_unknown_and_the_rest_is_shown(data: Path, model: ScriptedModel) -> None:
    turn = asked(data)
    count = len(turn["evidences"])  # type: ignore[arg-type]

    def says(request: Request) -> str | Reply:
        if "kitchen" not in str(request.messages):
            return failing(500, "down [bold]there[/]")
        return MODEL_SAYS if "Ann approves" in str(request.messages) else "Nobody knows that. [1]"

    model.script = [says]
    shown = explained(data, turn, "--json").json
    assert [cluster["share"] for cluster in shown["clusters"]].count(None) == 1 < count
    assert shown["clusters"][0]["share"] == pytest.approx(1.0)
    assert explained(data, turn).says("Unknown, because the answer", "Kitchen")


def test_a_model_that_takes_too_long_for_one_source_leaves_that_unknown(
    data: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(data)
    monkeypatch.setenv("WIKIWHY_LLM_TIMEOUT", "1")

    def says(request: Request) -> str | Reply:
        said = MODEL_SAYS if "Ann approves" in str(request.messages) else "Nobody knows that. [1]"
        return Reply(said, delay=0.0 if "kitchen" in str(request.messages) else 30.0)

    model.script = [says]
    assert explained(data, turn).says("Unknown, because the answer", "did not finish within 1 s", "100%")


def test_a_model_that_is_down_explains_nothing_and_says_so(data: Path, model: ScriptedModel) -> None:
    turn = asked(data)
    model.script = [failing(500, "down")]
    ran = explained(data, turn)
    assert ran.code == 0
    assert ran.says("Too much failed to say what this answer rests on")
    shown = explained(data, turn, "--json").json
    assert {cluster["share"] for cluster in shown["clusters"]} == {None}
    assert shown["grounded"] is False


def test_ablations_run_together_whatever_answers_may(
    data: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_CONCURRENCY", "1")
    monkeypatch.setenv("WIKIWHY_EXPLAIN_EPSILON", "0.000001")
    turn = asked(data)
    model.script = [Reply(MODEL_SAYS, delay=0.3)]
    shown = explained(data, turn, "--json").json
    assert model.at_once == shown["calls"] == len(shown["clusters"]) > 2


# ----------------------------------------------------------------------------------------- by likelihood


@pytest.fixture
def by_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_EXPLAIN_METHOD", "likelihood")


@pytest.mark.usefixtures("by_likelihood")
def test_by_likelihood_shares_come_from_scores_and_the_answer_without_the_top_source_from_the_model(
    data: Path, model: ScriptedModel, scoring: ScoringServer
) -> None:
    turn = asked(data)
    before = len(model.requests)
    shown = explained(data, turn, "--json").json
    assert shown["method"] == "likelihood"
    top, *others = shown["clusters"]
    assert (top["share"], top["citations"]) == (pytest.approx(1.0), [1])
    assert top["counterfactual_answers"] == ["Nobody knows that. [?]"]
    assert [(cluster["share"], cluster["counterfactual_answers"]) for cluster in others] == [(0.0, [])] * len(others)
    scored = scoring.at("/completion")[1:]  # the first is the trial
    assert len(scored) == 1 + len(shown["clusters"])
    assert len(model.requests) - before + len(scored) == shown["calls"]
    # What is scored is what the answerer asked, and its words without numbers.
    assert scored[0].body["prompt"].count(model.requests[0].question) == 1
    assert scoring.at("/tokenize")[-1].body["content"] == "Ann approves travel."


@pytest.mark.usefixtures("by_likelihood", "model")
def test_people_are_told_that_shares_are_by_likelihood(data: Path) -> None:
    ran = explained(data, asked(data))
    assert ran.code == 0, ran.err
    assert ran.says("100%", "Shares by likelihood", "model calls in", "The answer is as likely without:")
    assert ran.says("Without the first source the answer would be: Nobody knows that.")


@pytest.mark.usefixtures("by_likelihood")
def test_an_extractive_answer_is_explained_counterfactually_whatever_is_set(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(data)
    assert explained(data, turn, "--json").json["method"] == "counterfactual"
    with ScriptedModel("Something else. [1]") as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        assert explained(data, turn, "--json").json["method"] == "counterfactual"
        assert server.requests == []


@pytest.mark.usefixtures("by_likelihood")
def test_a_server_that_cannot_score_is_said_to_be_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedModel(says_who_approves) as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("WIKIWHY_COMPLETER", "heuristic")
        turn = asked(data)
        before = len(server.requests)
        ran = explained(data, turn)
        assert ran.code == 1
        assert ran.says("cannot score a text", "WIKIWHY_EXPLAIN_METHOD=counterfactual")
        assert len(server.requests) == before


@pytest.mark.usefixtures("by_likelihood")
def test_scores_that_fail_are_unknown_and_the_rest_is_shown(
    data: Path, model: ScriptedModel, scoring: ScoringServer
) -> None:
    turn = asked(data)

    def instead(request: Request) -> Reply | None:
        prompt = request.body["prompt"]
        trial = "Question" not in prompt
        return None if trial or "kitchen" in prompt else failing(500, "down")

    scoring.instead["/completion"] = instead
    shown = explained(data, turn, "--json").json
    assert [cluster["share"] for cluster in shown["clusters"]].count(None) == 1
    assert shown["clusters"][0]["share"] == pytest.approx(1.0)
    assert "down" in shown["clusters"][-1]["error"]
