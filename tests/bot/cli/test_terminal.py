"""``wikiwhy`` at a terminal: answers come as they are written, and a wait for input hears Ctrl-C."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest

from tests.bot.cli.terminal import Terminal
from tests.servers.scripted_model import Reply, ScriptedModel

pytestmark = pytest.mark.slow

BERLIN = "hotel limit in Berlin?"
PROMPT = "\x1b[?2004h"  # a terminal is told to mark what is pasted: the prompt is there
ANSWER = "In Berlin the limit is 140 zinnoberword."


def model(server: ScriptedModel) -> dict[str, str]:
    return {"WIKIWHY_LLM_BASE_URL": server.base_url, "WIKIWHY_LLM_MODEL": "scripted"}


def plain(written: str) -> str:
    return " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written).split())


def test_an_answer_is_shown_while_it_is_written_and_then_checked(synced_once: Path) -> None:
    script = [Reply(f"{ANSWER} [1]", pause=0.15), Reply("1. Who approves travel?\n2. See https://evil.example ok?")]
    with (
        ScriptedModel(script) as server,
        Terminal("chat", "--data-dir", synced_once / "data", settings=model(server)) as terminal,
    ):
        terminal.read_until(PROMPT)
        terminal.type(f"{BERLIN}\r")
        drafted = terminal.read_until("the limit")
        assert "zinnoberword" not in plain(drafted)
        final = plain(terminal.read_until("Who approves travel?"))
        assert f"{ANSWER} [1]" in final
        assert "You could also ask: 1. Who approves travel?" in final
        assert "evil" not in terminal.written
        time.sleep(0.5)  # until the prompt listens again below the suggestions
        terminal.type("\x04")
        assert terminal.exit_code() == 0


def test_the_prompt_does_not_wait_for_suggestions(synced_once: Path) -> None:
    slow = Reply("1. Who approves travel?", delay=30)
    with (
        ScriptedModel([f"{ANSWER} [1]", slow, f"{ANSWER} [1]"]) as server,
        Terminal("chat", "--data-dir", synced_once / "data", settings=model(server)) as terminal,
    ):
        terminal.read_until(PROMPT)
        terminal.type(f"{BERLIN}\r")
        terminal.read_until("[1]")
        terminal.read_until(PROMPT)
        terminal.type("/quit\r")
        assert terminal.exit_code() == 0
        assert "Traceback" not in terminal.written


def test_ask_at_a_terminal_streams_too_and_json_does_not(synced_once: Path) -> None:
    for arguments, streams in ((("ask", BERLIN), True), (("ask", BERLIN, "--json"), False)):
        with (
            ScriptedModel([Reply(f"{ANSWER} [1]", pause=0.15), "Who approves travel?"]) as server,
            Terminal(*arguments, "--data-dir", synced_once / "data", settings=model(server)) as terminal,
        ):
            assert terminal.exit_code() == 0
            before, _, _ = terminal.written.partition("{" if not streams else "zinnoberword")
            assert ("In Berlin" in before) == streams
            assert "Who approves travel?" in terminal.written


def test_sigint_at_the_prompt_leaves_the_chat(synced_once: Path) -> None:
    with Terminal("chat", "--data-dir", synced_once / "data") as terminal:
        terminal.read_until(PROMPT)
        time.sleep(0.3)  # until it listens
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.exit_code() == 0
        assert "Traceback" not in terminal.written
