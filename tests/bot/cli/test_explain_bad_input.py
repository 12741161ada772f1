"""Explain where something is missing, fails or is forbidden, as a person and as a program see it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.model import NOT_FOUND
from tests.bot.cli.running import command, document, environment, wikiwhy, write_documents
from tests.bot.cli.test_explain import MODEL_SAYS, QUESTION, asked, explained
from tests.servers.scripted_model import Reply, Request, ScriptedModel, failing

KNOWS = "Ann approves travel"
SUBJECTS = ("kitchen", "garden", "parking", "laptops", "badges", "printers", "library", "gym", "archive")


def from_sources(request: Request) -> str:
    """What a model says that keeps to its sources."""
    return MODEL_SAYS if KNOWS in str(request.messages) else NOT_FOUND


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
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    """A server that answers from the pages; configured, without retries, each evidence a cluster of its own."""
    with ScriptedModel(from_sources) as server:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("WIKIWHY_LLM_RETRIES", "0")
        monkeypatch.setenv("WIKIWHY_COMPLETER", "heuristic")
        monkeypatch.setenv("WIKIWHY_SUGGESTIONS", "off")
        monkeypatch.setenv("WIKIWHY_EXPLAIN_EPSILON", "0.000001")
        yield server


# --------------------------------------------------------------------------------------------- the answer


def test_an_answer_without_citations_has_shares_without_numbers(ten: Path, model: ScriptedModel) -> None:
    turn = asked(ten)
    with sqlite3.connect(ten / "wikiwhy.db") as connection:
        connection.execute("DELETE FROM turn_citations WHERE turn_id = ?", (turn["turn_id"],))
        connection.execute("UPDATE turns SET answer = ? WHERE turn_id = ?", (f"{KNOWS}.", turn["turn_id"]))
    shown = explained(ten, turn, "--json").json
    assert shown["clusters"][0]["share"] == pytest.approx(1.0)
    assert [cluster["citations"] for cluster in shown["clusters"]] == [[]] * 10
    assert shown["verdicts"] == []
    ran = explained(ten, turn)
    assert ran.says("100%", "Travel (passage)", "rests on the first source: without it, the wiki does not answer.")
    assert "[1]" not in ran.out


def test_a_model_that_found_nothing_is_not_asked_again(ten: Path, model: ScriptedModel) -> None:
    model.script = [NOT_FOUND]
    turn = asked(ten)
    assert turn["answered"] is False
    before = len(model.requests)
    shown = explained(ten, turn, "--json").json
    assert (shown["clusters"], shown["verdicts"], shown["calls"]) == ([], ["not_found"], 0)
    ran = explained(ten, turn)
    assert ran.out == f"› {QUESTION}\n\nThe wiki did not answer this question, so there is nothing to explain.\n"
    assert len(model.requests) == before


def test_chat_explains_not_found_as_such(ten: Path, model: ScriptedModel, tmp_path: Path) -> None:
    model.script = [NOT_FOUND]
    (tmp_path / "play.json").write_text(json.dumps({"turns": [{"question": QUESTION}, {"explain": True}]}))
    ran = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", ten)
    assert (ran.code, len(model.requests)) == (0, 1)
    assert ran.says("The wiki did not answer this question, so there is nothing to explain.")
    assert "%" not in ran.out


def test_of_one_evidence_only_it_is_said_that_there_is_no_other(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_EVIDENCES", "1")
    turn = asked(ten)
    before = len(model.requests)
    ran = explained(ten, turn)
    assert ran.says("100%", "There was no other source: without it nothing is left to answer from.")
    assert not ran.says("would be")
    assert len(model.requests) == before
    shown = explained(ten, turn, "--json").json
    assert [(cluster["share"], cluster["citations"]) for cluster in shown["clusters"]] == [(1.0, [1])]


def test_all_evidences_in_one_cluster_are_said_to_be_alike(
    ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = asked(ten)
    monkeypatch.setenv("WIKIWHY_EXPLAIN_EPSILON", "1")
    shown = explained(ten, turn, "--json").json
    assert [len(cluster["evidence_ids"]) for cluster in shown["clusters"]] == [10]
    ran = explained(ten, turn)
    assert ran.says("so similar that they are left out together", "This answer rests on a single page")


# ---------------------------------------------------------------------------------------------- the model


def failing_thrice(request: Request) -> str | Reply:
    lost = [name for name in SUBJECTS[:3] if f"The {name} has" not in str(request.messages)]
    return failing(500, "out of memory") if lost else from_sources(request)


def test_three_failures_of_ten_are_unknown_and_seven_are_not(ten: Path, model: ScriptedModel) -> None:
    turn = asked(ten)
    model.script = [failing_thrice]
    shown = explained(ten, turn, "--json").json
    shares = [cluster["share"] for cluster in shown["clusters"]]
    assert (shares.count(None), len(shares)) == (3, 10)
    assert shares[0] == pytest.approx(1.0)
    assert {cluster["contribution"] for cluster in shown["clusters"][7:]} == {None}
    assert all("out of memory" in cluster["error"] for cluster in shown["clusters"][7:])
    assert shown["verdicts"] == ["single_page"]


def test_chat_shows_what_failed_and_why_and_the_shares_of_the_rest(
    ten: Path, model: ScriptedModel, tmp_path: Path
) -> None:
    model.script = [from_sources, failing_thrice]
    (tmp_path / "play.json").write_text(json.dumps({"turns": [{"question": QUESTION}, {"explain": True}]}))
    ran = wikiwhy("chat", "--play", tmp_path / "play.json", "--data-dir", ten)
    assert ran.code == 0
    unknown = ran.out[ran.out.index("Unknown, because the answer") :]
    assert ran.says("100%", "rests on a single page")
    assert all(name.title() in unknown for name in SUBJECTS[:3])
    assert "Library" not in unknown
    assert unknown.count("out of memory") == 1


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (
            failing(401, "Incorrect API key provided"),
            "refuses (401: Incorrect API key provided). Check WIKIWHY_LLM_API",
        ),
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
    assert ran.says(
        advice, "Too much failed to say what this answer rests on. Explain it again when the model answers."
    )
    assert "%" not in ran.out
    shown = explained(ten, turn, "--json").json
    assert {cluster["share"] for cluster in shown["clusters"]} == {None}
    assert (shown["verdicts"], shown["grounded"]) == (["unknown"], False)


def test_a_server_that_is_gone_is_said_to_be(ten: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = asked(ten)
    monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    ran = explained(ten, turn, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.says("cannot be reached", "correct WIKIWHY_LLM_BASE_URL.")
    monkeypatch.setenv("WIKIWHY_LLM_MODEL", "scripted")  # so that the server need not be asked for it
    assert explained(ten, turn).says("cannot be reached", "correct WIKIWHY_LLM_BASE_URL.", "Too much failed")


# ------------------------------------------------------------------------------------------------ who asks


@pytest.mark.parametrize("scope", ['{"spaces": null, "principals": ["user:ann"]}', None])
def test_a_program_is_told_nothing_of_an_answer_that_it_may_not_see(
    ten: Path, model: ScriptedModel, scope: str | None
) -> None:
    turn = asked(ten)
    with sqlite3.connect(ten / "wikiwhy.db") as connection:
        if scope:
            connection.execute("UPDATE turns SET scope = ? WHERE turn_id = ?", (scope, turn["turn_id"]))
        else:
            connection.execute("DELETE FROM turns WHERE turn_id = ?", (turn["turn_id"],))
    before = len(model.requests)
    ran = explained(ten, turn, "--json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.says("explained only where it was asked" if scope else "There is no answer")
    assert "Travel" not in ran.err
    assert len(model.requests) == before


@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_says_that_nothing_is_kept(ten: Path, model: ScriptedModel) -> None:
    turn = asked(ten)
    model.script = [Reply(MODEL_SAYS, delay=60.0)]
    before = len(model.requests)
    settings = {name: value for name, value in os.environ.items() if name.startswith("WIKIWHY_")}
    child = subprocess.Popen(
        command("explain", str(turn["turn_id"]), "--data-dir", ten),
        env=environment() | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # As in front: a shell gives its background jobs an ignored SIGINT, which children inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while len(model.requests) == before and child.poll() is None:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    assert "interrupted; what was found out is not kept" in err
    assert "Traceback" not in err
    model.script = [from_sources]
    assert explained(ten, turn).says("rests on a single page")
