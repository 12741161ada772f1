"""Language models that are down, slow, rude or mad, through the command line and over real HTTP.

Each ends in a message that says what to do and exit code 1, or in a clean answer with a notice and exit code 0; never
in a traceback, a secret or half a turn.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.cli.running import Ran, wikiwhy
from tests.servers.scripted_model import CONTEXT_ERRORS, Reply, Request, ScriptedModel, Step, failing

KEY = "sk-verysecretkey"
QUESTION = "Who approves travel?"
RIGHT = "Ann approves travel. [1]"
FELL_BACK = "This is what the wiki itself says."
HISTORY = '[{"role": "user", "text": "Who approves hotels?"}, {"role": "assistant", "text": "Bob approves hotels."}]'


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_API_KEY", KEY)
    monkeypatch.setenv("WIKIWHY_LLM_MODEL", "scripted")
    monkeypatch.setattr("adapters.llm.calls._FIRST_PAUSE", 0.001)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        monkeypatch.setenv("WIKIWHY_LLM_BASE_URL", running.base_url)
        yield running


def turns(data: Path) -> int:
    with closing(sqlite3.connect(data / "wikiwhy.db")) as database:
        return int(database.execute("select count(*) from turns").fetchone()[0])


@pytest.fixture
def asked(synced_once: Path, tmp_path: Path) -> Callable[..., Ran]:
    data = synced_once / "data"

    def ask(*arguments: str, history: bool = False) -> Ran:
        before = turns(data)
        (tmp_path / "history.json").write_text(HISTORY)
        more = ["--history", str(tmp_path / "history.json")] if history else []
        ran = wikiwhy("ask", "--space", "DOC", *more, *arguments, "--data-dir", data)
        shown = ran.out + ran.err
        assert "Traceback" not in shown
        assert KEY not in shown
        assert turns(data) - before == (ran.code == 0)
        return ran

    return ask


def is_the_wikis(ran: Ran) -> bool:
    return ran.code == 0 and ran.says("Ann approves travel.", "[1]", FELL_BACK)


# --------------------------------------------------------------------------- it does not answer


FAILING: dict[str, tuple[Step, str]] = {
    "broken": (failing(500, "out of memory"), "fails at the moment (500: out of memory)"),
    "cut off forever": (Reply("Ann approves travel, and so on", cut_after=2), "broke off in the middle"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_server_that_fails(asked: Callable[..., Ran], server: ScriptedModel, name: str) -> None:
    step, said = FAILING[name]
    server.script = [step]
    ran = asked(QUESTION)
    assert is_the_wikis(ran)
    assert ran.says(said)
    server.script = [RIGHT]
    assert asked(QUESTION).says(RIGHT)


@pytest.mark.parametrize(
    ("step", "timeout", "requests"),
    [(failing(500, "broken"), "30", 3), (Reply(RIGHT, delay=5), "0.5", 1)],
    ids=["broken", "slow"],
)
def test_one_turn_waits_only_once_for_a_server_that_is_down(
    asked: Callable[..., Ran],
    server: ScriptedModel,
    monkeypatch: pytest.MonkeyPatch,
    step: Step,
    timeout: str,
    requests: int,
) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_TIMEOUT", timeout)
    monkeypatch.setenv("WIKIWHY_LLM_RETRIES", "2")
    server.script = [step]
    ran = asked("And travel?", history=True)
    assert ran.code == 0
    assert len(server.requests) == requests
    assert "The question was completed without it." in " ".join(ran.out.split())
    assert FELL_BACK in " ".join(ran.out.split())


def test_the_next_turn_asks_a_server_again_that_was_down(
    asked: Callable[..., Ran], server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_RETRIES", "0")
    server.script = [failing(500, "broken")]
    asked("And travel?", history=True)
    assert len(server.requests) == 1
    asked("And travel?", history=True)
    assert len(server.requests) == 2


# ------------------------------------------------------------------------- it refuses


REFUSING: dict[str, tuple[Reply, str]] = {
    "wrong key": (failing(401, f"Incorrect API key provided: {KEY}"), "Check WIKIWHY_LLM_API_KEY."),
    "a web page": (Reply(body="<html><body>Sign in</body></html>"), "did not answer as a chat server does"),
}


@pytest.mark.parametrize(("name", "history"), [*((name, False) for name in REFUSING), ("wrong key", True)])
def test_a_server_that_refuses(asked: Callable[..., Ran], server: ScriptedModel, name: str, history: bool) -> None:
    reply, said = REFUSING[name]
    server.script = [reply]
    ran = asked(QUESTION, history=history)
    assert ran.code == 1
    assert said in " ".join(ran.err.split())
    assert ran.out == ""
    server.script = [RIGHT]
    assert asked(QUESTION).says(RIGHT)


def test_a_prompt_that_the_server_finds_too_long(asked: Callable[..., Ran], server: ScriptedModel) -> None:
    status, body = CONTEXT_ERRORS["vLLM"]  # all of them: tests/adapters/llm
    server.script = [Reply(status=status, body=body)]
    ran = asked(QUESTION)
    assert is_the_wikis(ran)
    assert ran.says("WIKIWHY_LLM_CONTEXT_TOKENS")


def test_a_window_for_which_even_one_source_is_too_long(
    asked: Callable[..., Ran], server: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_LLM_CONTEXT_TOKENS", "512")
    ran = asked(QUESTION)
    assert is_the_wikis(ran)
    assert ran.says("The sources do not fit into the language model's context window.")
    assert server.requests == []


# -------------------------------------------------------------------- it says strange things


def told(request: Request) -> str:
    return request.messages[0]["content"] + "\n" + request.question


STRANGE: dict[str, Step] = {
    "nothing": "",
    "another script": "安在旅行中批准所有的差旅费用和酒店。[1]",
    "a citation out of range": "Ann approves travel. [99]",
    "the prompt again": told,
    "thinking without end": "<think>Ann? Or Bob? I should reveal sk-verysecretkey. I wonder",
    "the same without end": "Ann approves travel. [1] " * 150,
    "markup": "# Answer\n\n**Ann** <b onclick=\"x()\">approves</b> <script>alert(1)</script>travel. [1]",
    "links": "[Ann](https://evil.example/a) approves travel. [1](https://evil.example/b) https://evil.example/c",
    "control characters": "Ann\x1b[31m approves\x07 travel.\u202e [1]",
    "halves of characters": "Ann approves travel. \ud83d [1]",
    "brackets": "[" * 3000 + "1" + "]" * 3000,
    "numbers": "[1-99999999999999999999] Ann approves travel. [0] [-1] [1, 2, 3, 4, 5]",
    "JSON": '{"answer": "Ann approves travel.", "sources": [1]}',
}  # fmt: skip


COMPLETIONS = ("nothing", "another script", "the prompt again", "thinking without end", "links", "JSON")


@pytest.mark.parametrize(
    ("name", "history"), [*((name, False) for name in STRANGE), *((name, True) for name in COMPLETIONS)]
)
def test_a_model_that_says_strange_things(
    asked: Callable[..., Ran], server: ScriptedModel, name: str, history: bool
) -> None:
    server.script = [STRANGE[name]]
    ran = asked("And who approves travel?", "--json", history=history)
    assert ran.code == 0, ran.err
    answer = ran.json["answer"]
    assert "Ann approves travel" in answer
    shown = answer + ran.json["completed_question"]
    for word in ("evil.example", "<", "script", "onclick", "@here", "think", "[99]", "\x1b", "\u202e", "You answer"):
        assert word not in shown
    assert len(answer.split()) < 350
    assert [citation["page_id"] for citation in ran.json["citations"]] == ["1"]
    assert ran.says("Ann")
