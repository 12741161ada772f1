"""Ctrl-C while a command works: it ends at once, says what is kept, and leaves everything whole."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.bot.cli.running import begin, document, environment, wikiwhy, write_documents
from tests.servers.scripted_model import Reply, ScriptedModel

pytestmark = pytest.mark.slow

BERLIN = "hotel limit in Berlin?"


def write_pages(folder: Path, count: int) -> Path:
    """Pages of eight evidences in the spaces S0 and S1."""

    def page(number: int) -> dict[str, str]:
        rows = "".join(f"<tr><td>row {row} of {number}</td><td>{row * number}</td></tr>" for row in range(6))
        content = f"<h2>Page {number}</h2><p>The page {number}.</p><table>{rows}</table>"
        return document(str(number), content, space=f"S{number % 2}")

    return write_documents(folder, *map(page, range(count)))


def vectors_in(data: Path) -> int:
    if not (data / "wikiwhy.db").exists():
        return 0
    with closing(sqlite3.connect(data / "wikiwhy.db")) as database:
        try:
            return int(database.execute("SELECT count(*) FROM vectors").fetchone()[0])
        except sqlite3.OperationalError:  # before the first table
            return 0


def test_a_sync_says_how_to_go_on_and_embeds_nothing_twice(tmp_path: Path) -> None:
    folder, data = write_pages(tmp_path / "documents", 96), tmp_path / "data"
    child = begin("sync", "folder", folder, "--data-dir", data, "--json")
    while child.poll() is None and not vectors_in(data):
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130, err
    assert "Interrupted. Run the same command again to continue where it stopped." in err
    assert "Traceback" not in err
    assert not (data / "owner.json").exists()
    kept = vectors_in(data)
    last = wikiwhy("sync", "folder", folder, "--data-dir", data, "--json")
    assert last.code == 0, last.err
    assert sum(report["embedded"] for report in last.json["spaces"]) <= 96 * 8 - kept
    assert wikiwhy("doctor", "--data-dir", data).code == 0


def test_an_explanation_says_that_nothing_is_kept(data: Path) -> None:
    with ScriptedModel("Ann approves travel. [1]") as server:
        settings = {"WIKIWHY_LLM_BASE_URL": server.base_url, "WIKIWHY_SUGGESTIONS": "off"}
        with pytest.MonkeyPatch.context() as patch:
            for name, value in settings.items():
                patch.setenv(name, value)
            turn = wikiwhy("ask", "Who approves travel?", "--json", "--data-dir", data).json
        server.script = [Reply("Ann approves travel. [1]", delay=60.0)]
        before = len(server.requests)
        child = begin("explain", turn["turn_id"], "--data-dir", data, settings=settings)
        while len(server.requests) == before and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out) == (130, "")
    assert "Interrupted. Nothing was stored" in err
    assert "Traceback" not in err


def test_a_chat_that_waits_for_piped_questions_ends(synced_once: Path) -> None:
    child = begin("chat", "--data-dir", synced_once / "data")
    assert child.stdin
    assert child.stdout
    child.stdin.write(f"{BERLIN}\n")
    child.stdin.flush()
    while "[1]" not in child.stdout.readline():
        pass
    time.sleep(1)  # through with suggestions, and waiting
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert (child.returncode, err.strip()) == (130, "Interrupted.")


@pytest.mark.parametrize("after", [0.4, 0.8])
def test_a_command_that_starts_shows_no_traceback(synced_once: Path, after: float) -> None:
    child = begin("chat", "--data-dir", synced_once / "data")
    time.sleep(after)
    for _ in range(3):  # libraries that catch every exception while they are imported may drop one
        child.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            child.wait(10)
            break
    _, err = child.communicate(timeout=20)
    assert child.returncode in {130, -signal.SIGINT}  # both are 130 to a shell
    assert "Traceback" not in err


def test_ctrl_c_in_a_callback_whose_exceptions_python_drops_ends_the_command() -> None:
    """Such as those of the import system, while a command starts."""
    program = """
import os, signal, sys, time, types

class Object:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass

def run():
    Object()
    print("went on")

sys.modules["bot.cli.app"] = types.SimpleNamespace(main=run)
from bot.__main__ import main
main()
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "Interrupted.\n")
