"""Explain on the command line: by the extractive answerer, and by a model behind real HTTP."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model import NOT_FOUND
from tests.bot.cli.running import Ran, document, wikiwhy, write_documents
from tests.servers.scoring_server import ScoringServer
from tests.servers.scripted_model import Reply, Request, ScriptedModel, failing

KEYS = {"turn_id", "answer", "clusters", "calls", "seconds", "grounded"}
CLUSTER_KEYS = {"share", "contribution", "similarity", "evidence_ids", "citations", "counterfactual_answers"}
QUESTION = "Who approves travel?"
KNOWS = "Ann approves travel"
MODEL_SAYS = f"{KNOWS}. [1]"
SUBJECTS = ("kitchen", "garden", "parking", "laptops", "badges", "printers", "library", "gym", "archive")


def asked(data: Path, question: str = QUESTION) -> dict[str, object]:
    ran = wikiwhy("ask", "--json", question, "--data-dir", data)
    assert ran.code == 0, ran.err
    return dict(ran.json)


def explained(data: Path, turn: dict[str, object], *options: str) -> Ran:
    return wikiwhy("explain", *options, str(turn["turn_id"]), "--data-dir", data)


def shares(ran: Ran) -> list[float | None]:
    return [cluster["share"] for cluster in ran.json["clusters"]]


# --------------------------------------------------------------------------------------------- extractive


def test_json_has_the_shares_of_the_sources(synced_once: Path) -> None:
    turn = asked(synced_once / "data")
    ran = explained(synced_once / "data", turn, "--json")
    assert (ran.code, ran.err) == (0, "")
    shown = ran.json
    assert set(shown) >= KEYS
    assert all(set(cluster) >= CLUSTER_KEYS for cluster in shown["clusters"])
    assert (shown["turn_id"], shown["answer"]) == (turn["turn_id"], turn["answer"])
    assert shares(ran) == sorted(shares(ran), reverse=True)
    assert sum(shares(ran)) == pytest.approx(1.0)
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
    assert ran.says("› /explain Ask something first.", "What this answer rests on", "/explain show which of them")


def test_not_found_is_explained_as_such(synced_once: Path) -> None:
    turn = asked(synced_once / "data", "What does a gym membership in Antarctica cost?")
    assert turn["answered"] is False
    shown = explained(synced_once / "data", turn, "--json").json
    assert (shown["clusters"], shown["grounded"], shown["verdicts"]) == ([], False, ["not_found"])
    assert explained(synced_once / "data", turn).says("did not answer this question, so there is nothing to explain.")


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
    ran = explained(data, turn, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.says("restricted pages", "in the chat where the question was asked")
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


@pytest.mark.parametrize("method", ["counterfactual", "likelihood"])
def test_an_extractive_answer_is_explained_without_asking_the_model_that_came_later(
    synced_once: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    monkeypatch.setenv("WIKIWHY_EXPLAIN_METHOD", method)
    turn = asked(synced_once / "data")
    with ScriptedModel("Something else. [1]") as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        assert explained(synced_once / "data", turn, "--json").json["method"] == "counterfactual"
        assert server.requests == []


# ------------------------------------------------------------------------------------------------ a model


@pytest.fixture(scope="module")
def ten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with ten pages of one evidence each, one of which knows who approves travel."""
    folder = tmp_path_factory.mktemp("ten")
    others = [
        document(str(at), f"<p>The {name} has approved rules number {at}.</p>", title=name.title())
        for at, name in enumerate(SUBJECTS, start=2)
    ]
    write_documents(folder / "documents", document("1", f"<p>{KNOWS}.</p>", title="Travel"), *others)
    ran = wikiwhy("sync", "folder", folder / "documents", "--data-dir", folder / "data")
    assert ran.code == 0, ran.err
    return folder / "data"


@pytest.fixture
def scoring() -> ScoringServer:
    return ScoringServer()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, scoring: ScoringServer) -> Iterator[ScriptedModel]:
    """Answers from the pages, and scores as llama.cpp does; configured, without retries, each evidence a cluster."""
    with ScriptedModel(from_sources, routes=scoring.llama_cpp()) as server:
        given = {
            "LLM_BASE_URL": server.base_url, "LLM_RETRIES": "0", "LLM_TIMEOUT": "30", "COMPLETER": "heuristic",
            "SUGGESTIONS": "off", "EXPLAIN_EPSILON": "0.000001",
        }  # fmt: skip
        for name, value in given.items():
            monkeypatch.setenv(f"WIKIWHY_{name}", value)
        yield server


def from_sources(request: Request) -> str:
    """What a model says that keeps to its sources."""
    return MODEL_SAYS if KNOWS in str(request.messages) else NOT_FOUND


def test_a_generated_answer_is_explained_by_its_model_asked_once_a_source_and_all_together(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_CONCURRENCY", "1")  # for answers
    turn = asked(ten)
    assert turn["answer"] == MODEL_SAYS
    before = len(model.requests)
    model.script = [lambda request: Reply(from_sources(request), delay=0.6)]
    shown = explained(ten, turn, "--json").json
    assert shown["clusters"][0]["counterfactual_answers"] == [NOT_FOUND]
    assert shown["compared_with"] == MODEL_SAYS
    assert len(model.requests) - before == shown["calls"] == model.at_once
    assert shown["calls"] == len(shown["clusters"]) + len(shown["verdicts"])  # of pages with facts
    assert sum(len(cluster["evidence_ids"]) for cluster in shown["clusters"]) >= 10


def test_without_a_model_a_generated_answer_cannot_be_explained(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(ten)
    monkeypatch.delenv("WIKIWHY_LLM_BASE_URL")
    ran = explained(ten, turn)
    assert ran.code == 1
    assert ran.says("language model (scripted)", "none is configured", "WIKIWHY_LLM_BASE_URL")


def test_an_answer_that_fell_back_is_explained_by_what_answered(ten: Path, model: ScriptedModel) -> None:
    model.script = [failing(500, "down")]
    turn = asked(ten)
    assert turn["answered"]
    before = len(model.requests)
    assert explained(ten, turn).says("rests on a single page")
    assert len(model.requests) == before


def test_another_model_explains_by_its_own_answer(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(ten)
    monkeypatch.setenv("WIKIWHY_EXPLAIN_MODEL", "another")
    model.script = [lambda request: f"It is Ann: {from_sources(request)}"]
    ran = explained(ten, turn)
    assert ran.says("Its own answer from the same sources: It is Ann: Ann approves travel.")
    assert {request.body["model"] for request in model.requests[1:]} == {"another"}


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (failing(401, "Incorrect API key"), "refuses (401: Incorrect API key). Check WIKIWHY_LLM_API"),
        (failing(500, "down"), "fails at the moment (500: down). Try again later."),
        (Reply(MODEL_SAYS, delay=30.0), "did not finish within 1 s. Try again later, or raise WIKIWHY_LLM_TIMEOUT."),
        ("", "The language model gave no answer."),
    ],
)
def test_where_all_fails_the_whole_cause_and_no_share_is_shown(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, reply: str | Reply, advice: str
) -> None:
    turn = asked(ten)
    monkeypatch.setenv("WIKIWHY_LLM_TIMEOUT", "1")
    model.script = [reply]
    ran = explained(ten, turn)
    assert (ran.code, "%" in ran.out) == (0, False)
    assert ran.says(advice, "Too many model calls failed, so I can't tell what this answer rests on.")
    shown = explained(ten, turn, "--json")
    assert set(shares(shown)) == {None}
    assert (shown.json["verdicts"], shown.json["grounded"]) == (["unknown"], False)


# ----------------------------------------------------------------------------------------- by likelihood


def test_by_likelihood_shares_come_from_scores_and_the_answer_without_the_top_source_from_the_model(
    ten: Path, model: ScriptedModel, scoring: ScoringServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_EXPLAIN_METHOD", "likelihood")
    turn = asked(ten)
    before = len(model.requests)
    shown = explained(ten, turn, "--json").json
    assert shown["method"] == "likelihood"
    top, *others = shown["clusters"]
    assert (top["share"], top["citations"]) == (pytest.approx(1.0), [1])
    assert top["counterfactual_answers"] == [NOT_FOUND]
    assert [(cluster["share"], cluster["counterfactual_answers"]) for cluster in others] == [(0.0, [])] * len(others)
    scored = scoring.at("/completion")[1:]  # the first is the trial
    assert len(scored) == 1 + len(shown["clusters"])
    assert len(model.requests) - before + len(scored) == shown["calls"]
    # What is scored is what the answerer asked, and its words without numbers.
    assert scored[0].body["prompt"].count(model.requests[0].question) == 1
    assert scoring.at("/tokenize")[-1].body["content"] == "Ann approves travel."
