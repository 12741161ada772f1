"""A real sync, killed or interrupted at any moment: the next one ends where an undisturbed one ends."""

from __future__ import annotations

import asyncio
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from bot.settings import load_settings
from bot.wiring import Application, open_application
from tests.bot.cli.running import command, document, environment, process, write_documents

pytestmark = pytest.mark.slow

PAGES = 24
EMBEDDED_AT_ONCE = 64


def page(number: int, version: str) -> dict[str, str]:
    rows = "".join(f"<tr><td>{version} row {row} of {number}</td><td>{row * number}</td></tr>" for row in range(6))
    content = f"<h2>{version} {number}</h2><p>The {version} page {number}.</p><table>{rows}</table>"
    return document(str(number), content, space=f"S{number % 2}", title=f"Page {number}")


def write(folder: Path, version: str, pages: int = PAGES) -> Path:
    return write_documents(folder, *(page(number, version) for number in range(pages)))


def state_of(data: Path) -> dict[str, Any]:
    """Every key in store and indexes, with what a crash could have left."""

    async def collect(application: Application) -> dict[str, Any]:
        state: dict[str, Any] = {"stale": await application.stale.list_entries()}
        for space in ("S0", "S1"):
            entries = await application.pages.entries(space)
            state[space] = {entry.entry.key for entry in entries}
            state[f"versions {space}"] = {(entry.evidence.page_id, entry.evidence.text.split()[0]) for entry in entries}
            assert await application.lexical.keys(space) == state[space]
            assert await application.dense.keys(space) == state[space]
        return state

    with open_application(load_settings(data_dir=data)) as application:
        return asyncio.run(collect(application))


def whole_pages(data: Path, versions: Iterable[str]) -> None:
    """Every stored page is wholly one version."""
    database = sqlite3.connect(data / "wikiwhy.db")
    texts: dict[str, str] = {}
    for page_id, text in database.execute("SELECT page_id, text FROM evidences"):
        texts[page_id] = texts.get(page_id, "") + text
    counts = dict(database.execute("SELECT page_id, count(*) FROM evidences GROUP BY page_id"))
    for page_id, text in texts.items():
        assert sum(version in text for version in versions) == 1
        assert counts[page_id] == 8
    database.close()


def vectors_in(data: Path) -> int:
    if not (data / "wikiwhy.db").exists():
        return 0
    database = sqlite3.connect(data / "wikiwhy.db")
    try:
        return int(database.execute("SELECT count(*) FROM vectors").fetchone()[0])
    except sqlite3.OperationalError:  # killed before the first table
        return 0
    finally:
        database.close()


def disturbed(folder: Path, data: Path, disturbance: signal.Signals, after: float) -> subprocess.CompletedProcess[str]:
    """Starts a sync and sends it a signal so many seconds after it has kept its first vectors."""
    kept = vectors_in(data)
    child = subprocess.Popen(
        command("sync", "folder", folder, "--data-dir", data, "--json"),
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    # A shell gives its background jobs an ignored SIGINT, which children inherit; Ctrl-C is for those in front.
    while child.poll() is None and vectors_in(data) == kept:
        time.sleep(0.02)
    time.sleep(after)
    child.send_signal(disturbance)
    out, err = child.communicate(timeout=30)
    return subprocess.CompletedProcess(child.args, child.returncode, out, err)


def test_a_killed_sync_is_finished_by_the_next_one(tmp_path: Path) -> None:
    folder, data = tmp_path / "documents", tmp_path / "data"
    chance = random.Random()
    write(folder, "old")
    undisturbed = process("sync", "folder", folder, "--data-dir", data, "--json")
    assert undisturbed.code == 0
    write(folder, "new")
    kept = 0
    for _ in range(3):
        disturbed(folder, data, signal.SIGKILL, after=chance.uniform(0, 0.6))
        whole_pages(data, ["old", "new"])
        kept = vectors_in(data)
    before = sum(report["embedded"] for report in undisturbed.json["spaces"])
    last = process("sync", "folder", folder, "--data-dir", data, "--json")
    assert last.code == 0, last.err
    reference = tmp_path / "reference"
    fresh = process("sync", "folder", folder, "--data-dir", reference, "--json")
    texts = sum(report["embedded"] for report in fresh.json["spaces"])
    embedded = sum(report["embedded"] for report in last.json["spaces"])
    if embedded:  # else a killed one was already through, and has dropped the old vectors
        assert embedded == texts - (kept - before)
    state = state_of(data)
    assert state == state_of(reference)
    assert state["stale"] == []
    assert len(state["versions S0"] | state["versions S1"]) >= PAGES
    whole_pages(data, ["new"])


def test_ctrl_c_says_how_to_go_on_and_leaves_everything_whole(tmp_path: Path) -> None:
    folder, data = tmp_path / "documents", tmp_path / "data"
    write(folder, "old", pages=4 * PAGES)  # enough that the signal comes while there is work to do
    interrupted = disturbed(folder, data, signal.SIGINT, after=0.1)
    assert interrupted.returncode == 130, interrupted.stderr
    assert "interrupted; run the same command again, it goes on where it stopped" in interrupted.stderr
    assert "Traceback" not in interrupted.stderr
    assert not (data / "owner.json").exists()
    kept = vectors_in(data)
    last = process("sync", "folder", folder, "--data-dir", data, "--json")
    assert last.code == 0, last.err
    total = sum(len(keys) for name, keys in state_of(data).items() if name in {"S0", "S1"})
    assert sum(report["embedded"] for report in last.json["spaces"]) <= total - kept
