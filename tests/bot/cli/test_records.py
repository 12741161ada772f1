"""``wikiwhy feedback``, ``wikiwhy person`` and ``wikiwhy audit``, alone and through a running server."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.settings import load_settings
from bot.wiring import open_application
from core.model import Question, Scope
from core.ports.chat import ThreadMessage
from core.ports.chat_stores import Feedback
from tests.bot.cli.running import Ran, document, wikiwhy, write_documents
from tests.contracts.examples import add_provenance, indexed_page, turn
from tests.servers.serving import serving

ADA, BEN = "slack:T1:UADA", "slack:T1:UBEN"


def filled(data: Path) -> Path:
    async def fill() -> None:
        with open_application(load_settings(data_dir=data)) as application:
            open_page, secret = (
                indexed_page("7"),
                indexed_page("8", ("Secret words.",), "DOC", (frozenset({"group:x"}),)),
            )
            await application.pages.replace([open_page, secret])
            for at, (asker, page) in enumerate(((ADA, open_page), (ADA, secret), (BEN, open_page))):
                made = turn(f"t{at}", f"c{at}", used=(page,), cited=(page,), answer=f"answer{at}", scope=Scope())
                await application.turns.add(replace(made, asker=asker, question=Question(f"asked{at}", f"asked{at}")))
            await application.feedback.save(Feedback("t0", ADA, "bad", "reasonada", "2026-01-01T00:00:00+00:00"))
            await application.threads.add("slack:T1:C1:1.0", [ThreadMessage("1.0", "UADA", "Ada", "saidada")])

    asyncio.run(fill())
    return data


def run(*arguments: str, data: Path) -> Ran:
    return wikiwhy(*arguments, "--data-dir", data)


def raw(data: Path) -> bytes:
    return b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())


def test_an_export_has_what_is_the_persons_and_withholds_what_they_may_not_read(tmp_path: Path) -> None:
    ran = run("person", "export", ADA, data=filled(tmp_path))
    assert ran.code == 0, ran.err
    first, second = ran.json["turns"]
    assert (first["question"], first["answer"], first["withheld"]) == ("asked0", "answer0", False)
    assert (second["question"], second["answer"], second["withheld"]) == ("asked1", "", True)
    assert first["citations"][0]["title"]
    assert "title" not in second["citations"][0]
    assert "Secret" not in ran.out
    assert "asked2" not in ran.out
    assert ran.json["feedback"][0]["reason"] == "reasonada"
    assert ran.json["messages"][0]["text"] == "saidada"


def test_an_export_has_no_words_of_a_suggestion_from_a_page_that_the_person_may_not_read(tmp_path: Path) -> None:
    async def ask_suggestion() -> None:
        with open_application(load_settings(data_dir=tmp_path)) as application:
            asked = replace(turn("t3", "c3"), asker=ADA, question=Question("Why Secret?", "Why Secret?", "t1"))
            await application.turns.add(add_provenance(asked, suggestion=("8",)))

    filled(tmp_path)
    asyncio.run(ask_suggestion())
    ran = run("person", "export", ADA, data=tmp_path)
    assert [each["question"] for each in ran.json["turns"]] == ["asked0", "asked1", ""]
    assert "Secret" not in ran.out


def test_who_is_forgotten_is_gone_from_the_files_and_the_log_says_that_somebody_was(tmp_path: Path) -> None:
    data = filled(tmp_path)
    ran = run("person", "forget", ADA, "--yes", data=data)
    assert ran.code == 0, ran.err
    assert ran.says("Removed: 2 questions, 1 message, feedback on 1 answer", "are not removed")
    assert [word for word in (b"asked0", b"asked1", b"reasonada", b"saidada", b"UADA") if word in raw(data)] == []
    assert b"asked2" in raw(data)
    empty = run("person", "export", ADA, data=data).json
    assert not any(empty[name] for name in ("turns", "messages", "feedback", "posts", "work"))
    log = run("audit", "--json", data=data).json["entries"]
    assert [(entry["action"], entry["outcome"]) for entry in log] == [
        ("forget_person", "done"),
        ("export_person", "done"),
    ]
    assert log[0]["actor"].startswith("cli:")
    assert log[0]["object"].startswith("forgotten:")


@pytest.mark.slow
def test_through_a_server_it_is_the_same(tmp_path: Path) -> None:
    data = filled(tmp_path / "data")
    feedback = run("feedback", "export", data=data)
    assert "reasonada" in feedback.out
    with serving(data, ready=False):
        assert run("feedback", "export", data=data).out == feedback.out
        export = run("person", "export", ADA, data=data)
        assert [each["question"] for each in export.json["turns"]] == ["asked0", "asked1"]
        ran = run("person", "forget", ADA, "--yes", data=data)
        assert ran.code == 0, ran.err
        assert ran.says("Removed: 2 questions, 1 message, feedback on 1 answer")
        log = run("audit", "--json", data=data).json["entries"]
        assert ("forget_person", "done") in [(entry["action"], entry["outcome"]) for entry in log]
        assert log[1]["action"] == "change_settings"
        assert [word for word in (b"asked0", b"reasonada", b"saidada", b"UADA") if word in raw(data)] == []


def test_the_log_tells_of_syncs_forgotten_spaces_and_exports(tmp_path: Path) -> None:
    data, documents = tmp_path / "data", write_documents(tmp_path / "documents", document("1", "<p>Ann approves.</p>"))
    assert run("sync", "folder", str(documents), data=data).code == 0
    assert run("feedback", "export", data=data).code == 0
    assert run("forget", "DOC", data=data).code == 0
    assert run("db", "rebuild-index", data=data).code == 0
    assert run("db", "upgrade", data=data).code == 0
    log = run("audit", "--json", data=data).json["entries"]
    assert [entry["action"] for entry in log] == [
        "sync",
        "export_feedback",
        "forget_space",
        "rebuild_indexes",
        "upgrade_database",
    ]
    assert {entry["outcome"] for entry in log} == {"done"}
    assert run("audit", "--since", "2999-01-01", data=data).says("The audit log has no entries since 2999-01-01")
    assert run("audit", "--since", "2020-01-01", data=data).says("forget_space", "DOC")


def test_what_is_no_id_of_a_person_is_refused(tmp_path: Path) -> None:
    ran = run("person", "forget", "ada", "--yes", data=tmp_path)
    assert ran.code == 1
    assert ran.says("'ada' is no id of a person", "slack:TEAM:USER")


def with_feedback(data: Path) -> Path:
    async def fill() -> None:
        with open_application(load_settings(data_dir=data)) as application:
            page = indexed_page("7", ("Ann approves travel.",))
            await application.turns.add(turn(used=(page,), cited=(page,), answer="Ann ü. [1]"))
            await application.feedback.save(Feedback("t1", "slack:T1:U1", "bad", "Zu alt", "2026-01-02T00:00:00+00:00"))
            await application.feedback.save(Feedback("gone", "slack:T1:U2", "good", "", "2026-01-01T00:00:00+00:00"))

    asyncio.run(fill())
    return data


def test_all_feedback_is_printed_a_line_each_oldest_first_with_its_question(tmp_path: Path) -> None:
    ran = wikiwhy("feedback", "export", "--data-dir", with_feedback(tmp_path / "data"))
    assert ran.code == 0
    gone, kept = map(json.loads, ran.out.splitlines())
    assert gone.keys() == {"at", "person", "reaction", "reason", "turn_id"}
    assert (gone["turn_id"], gone["reaction"]) == ("gone", "good")
    assert (kept["reason"], kept["question"], kept["answer"], kept["answered"]) == (
        "Zu alt",
        "And then?",
        "Ann ü. [1]",
        True,
    )
    assert kept["pages"] == [{"page_id": "7", "title": "Title of 7", "url": "https://wiki/7"}]


def test_a_file_is_written_instead_or_it_is_said_why_not(tmp_path: Path) -> None:
    data = with_feedback(tmp_path / "data")
    alone = wikiwhy("feedback", "export", "--data-dir", data)
    ran = wikiwhy("feedback", "export", "--output", tmp_path / "out.jsonl", "--data-dir", data)
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "out.jsonl").read_text("utf-8") == alone.out
    ran = wikiwhy("feedback", "export", "--output", tmp_path / "no" / "out.jsonl", "--data-dir", data)
    assert ran.code == 1
    assert ran.says("cannot be written", "Name another file")
