"""Every command once through a running server: it does the same as alone."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.bot.cli.running import Ran, begin, document, wikiwhy, write_documents
from tests.bot.cli.test_interruption import write_pages
from tests.known_vectors import really_embedded
from tests.servers.serving import ServeProcess, serving

pytestmark = pytest.mark.slow

QUESTION = "Who approves travel?"
TIMES = frozenset({"timings_ms", "seconds", "seconds_waited", "age_seconds", "synced_at", "next_due"})
DIFFERS = TIMES | {"turn_id", "requests"}


@dataclass
class Both:
    """A directory that a server owns, and another one with the same content that nobody does."""

    server: ServeProcess
    served: Path
    alone: Path

    def same(self, *arguments: str | Path) -> tuple[Ran, Ran]:
        """Runs a command on each, which must do the same: exit code, and output but for times and ids."""
        through = wikiwhy(*arguments, "--data-dir", self.served)
        alone = wikiwhy(*arguments, "--data-dir", self.alone)
        assert through.code == alone.code, through.err + alone.err
        if "--json" in arguments:
            assert without_times(through.json) == without_times(alone.json)
        else:
            assert without_ages(through.out, self.served) == without_ages(alone.out, self.alone)
        assert without_ages(through.err, self.served) == without_ages(alone.err, self.alone)
        return through, alone


def without_ages(text: str, directory: Path) -> str:
    """Two runs are seconds apart ("99 seconds ago" may be 100, in a wider column), and each takes its own time.

    "8 answers compared in 2 s" may lack the time, if it is less than a second.
    """
    own = re.sub(r"(?<=compared) in \d+ s\b", "", text.replace(str(directory), ""))
    ages = re.sub(r"\b\d+(\.\d+)? (s|ms|seconds?|minutes?)\b", "AGE", own)
    return re.sub(r"([ ─])\1+", r"\1", ages)


def without_times(value: Any) -> Any:
    """The names stay, with the type of what differs: a time that only one of the two has is a difference."""
    if isinstance(value, dict):
        return {name: type(each) if name in DIFFERS else without_times(each) for name, each in value.items()}
    return [without_times(each) for each in value] if isinstance(value, list) else value


@pytest.fixture(autouse=True)
def compute_vectors() -> Iterator[None]:
    """Compute vectors as the server does: their last digits depend on the texts that are embedded together."""
    with really_embedded():
        yield


@contextmanager
def served_and_alone(pristine: Path, folder: Path) -> Iterator[Both]:
    """Copies for each of the two; the documents are beside them."""
    for name in ("served", "alone"):
        shutil.copytree(pristine / "data", folder / name)
    shutil.copytree(pristine / "documents", folder / "documents")
    with serving(folder / "served") as server:
        yield Both(server, folder / "served", folder / "alone")


@pytest.fixture(scope="module")
def both(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """For tests that change nothing but the stored answers."""
    with served_and_alone(pristine, tmp_path_factory.mktemp("through")) as found:
        yield found


@pytest.fixture
def own(pristine: Path, tmp_path: Path) -> Iterator[Both]:
    with served_and_alone(pristine, tmp_path) as found:
        yield found


def test_a_question(both: Both) -> None:
    before = both.server.metric('wikiwhy_questions_total{outcome="answered"}')
    through, _ = both.same("ask", QUESTION, "--json")
    assert through.json["answered"]
    assert both.server.metric('wikiwhy_questions_total{outcome="answered"}') == before + 1
    both.same("ask", QUESTION)
    both.same("ask", QUESTION, "--space", "DOC")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["ask", "Which planet is the largest one of all?", "--json"], 0),
        (["ask", QUESTION, "--space", "NONE"], 1),
        (["explain", "0000"], 1),
        (["spaces"], 0),
        (["spaces", "--json"], 0),
    ],
)
def test_what_changes_nothing(both: Both, command: list[str], code: int) -> None:
    assert both.same(*command)[0].code == code


def test_a_question_with_a_history(both: Both, tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text(json.dumps(["What is the hotel limit in Berlin?"]))
    through, _ = both.same("ask", "--history", tmp_path / "history.json", "And who approves it?", "--json")
    assert through.json["completed_question"] != through.json["question"]


def test_an_explanation(both: Both) -> None:
    through, alone = both.same("ask", QUESTION, "--json")
    explained = wikiwhy("explain", through.json["turn_id"], "--json", "--data-dir", both.served)
    expected = wikiwhy("explain", alone.json["turn_id"], "--json", "--data-dir", both.alone)
    assert (explained.code, without_times(explained.json)) == (0, without_times(expected.json))


def test_a_conversation(both: Both, tmp_path: Path) -> None:
    lines = ["hotel limit in Berlin?", "And who approves it?", "/sources", "/explain", "/spaces", "/new", "/nothing"]
    (tmp_path / "play.json").write_text(json.dumps({"turns": [{"question": line} for line in lines]}))
    through, _ = both.same("chat", "--play", tmp_path / "play.json")
    assert through.says("140 zinnoberword", "A new conversation.")


def test_the_doctor(both: Both) -> None:
    parts = wikiwhy("doctor", "--json", "--data-dir", both.served)
    assert parts.code == 0, parts.out
    found = {finding["part"]: finding for finding in parts.json["findings"]}
    assert found["data directory"]["found"].endswith("which runs the other commands")
    assert [finding for finding in found.values() if finding["state"] != "works"] == []
    assert found["dense index"]["found"] == "4 entries, the same as in the database"


def test_a_sync_of_a_folder(own: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = own.served.parent / "documents"
    write_documents(documents, document("2", "<p>The limit is now 150 emeraldword.</p>"))
    (documents / "broken.json").write_text("{")
    monkeypatch.chdir(own.served.parent)
    through, _ = own.same("sync", "folder", "documents", "--json")
    assert through.code == 1
    assert through.json["spaces"][0]["pages"]["updated"] == 1
    own.same("ask", "Which emeraldword limit?", "--json")
    assert own.same("sync", "folder", own.served.parent / "nowhere")[0].says("nowhere does not exist.")


def test_syncs_that_lack_a_setting(own: Both) -> None:
    assert own.same("sync", "confluence", "ENG")[0].says("To sync Confluence, also set")
    assert own.same("sync", "due")[0].says("WIKIWHY_SYNC_SCHEDULE is not set")


def test_a_space_that_is_forgotten(own: Both) -> None:
    assert own.same("forget", "NONE")[0].code == 1
    assert own.same("forget", "OPS")[0].says("Removed space OPS: 1 page,")
    own.same("spaces", "--json")
    own.same("ask", "Who are the marmaladeword people?", "--json")


def test_two_commands_at_once(own: Both) -> None:
    asks = ["ask", QUESTION, "--json", "--data-dir", str(own.served)]
    syncs = ["sync", "folder", str(own.served.parent / "documents"), "--json", "--data-dir", str(own.served)]
    children = [begin(*arguments) for arguments in (asks, syncs, asks, syncs)]
    (first, _), _, (second, _), _ = (child.communicate(timeout=60) for child in children)
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert json.loads(first)["answer"] == json.loads(second)["answer"]


def test_a_sync_whose_command_is_interrupted_ends_and_goes_on_later(own: Both) -> None:
    folder = write_pages(own.served.parent / "many", 24)
    child = begin("sync", "folder", folder, "--data-dir", own.served)
    own.server.until("wikiwhy_syncs_in_flight", 1)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Interrupted. Run the same command again" in err
    own.server.until("wikiwhy_syncs_in_flight", 0)
    assert own.server.process.poll() is None
    done = wikiwhy("sync", "folder", folder, "--json", "--data-dir", own.served)
    assert done.code == 0
    assert sum(space["pages"]["seen"] for space in done.json["spaces"]) == 24
    assert own.server.end() == 0
    assert wikiwhy("doctor", "--data-dir", own.served).says("192 entries, the same as in the database")


def test_a_server_that_ends_tells_the_command_that_waits(own: Both) -> None:
    folder = write_pages(own.served.parent / "many", 400)
    child = begin("sync", "folder", folder, "--data-dir", own.served)
    own.server.until("wikiwhy_syncs_in_flight", 1)
    assert own.server.end() == 0
    _, err = child.communicate(timeout=60)
    assert child.returncode == 1
    assert "The server was stopped. Run the command again." in err
