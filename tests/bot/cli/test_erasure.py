"""``forget`` leaves no word of a space behind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from adapters.store.chats.turns import SqlTurnStore
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from bot.settings import load_settings
from bot.storage.data_directory import own_directory
from bot.wiring import open_application
from core.history import find_page_parts
from core.indexing.indexer import Indexer
from core.model import Provenance, Question, Suggestion, Turn
from tests.bot.cli.running import document, wikiwhy, write_documents
from tests.contracts.examples import trace

T = TypeVar("T")
MARKER = "marmaladeword"
OF_VECTORS = {"data_level0.bin", "length.bin"}


def files_with(data: Path, word: str) -> list[str]:
    """But for the vectors' files: chromadb is given no text, but writes memory there as it finds it."""
    found = []
    for path in data.rglob("*"):
        if path.is_file() and path.name not in OF_VECTORS and word.encode() in path.read_bytes().lower():
            found.append(str(path.relative_to(data)))
    return found


def test_a_forgotten_space_leaves_no_word_in_any_file(data: Path) -> None:
    asked = wikiwhy("ask", "Who cleans the kitchen on Fridays?", "--data-dir", data, "--json")
    assert MARKER in asked.out
    assert files_with(data, MARKER)
    forgotten = wikiwhy("forget", "OPS", "--data-dir", data)
    assert forgotten.code == 0
    assert forgotten.says("Removed space OPS: 1 page,")
    assert files_with(data, MARKER) == []
    assert [space["key"] for space in wikiwhy("spaces", "--data-dir", data, "--json").json["spaces"]] == ["DOC"]
    again = wikiwhy("ask", "Who cleans the kitchen on Fridays?", "--data-dir", data, "--json")
    assert MARKER not in again.out


def test_a_forget_that_was_killed_after_the_space_was_gone_is_completed_when_it_is_repeated(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(indexer: Indexer, stale: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Indexer, "drop", die)
        assert wikiwhy("forget", "OPS", "--data-dir", data).code != 0

    def load_keys() -> list[set[str]]:
        with open_application(load_settings(data_dir=data)) as application:
            return [asyncio.run(index.load_keys("OPS")) for index in (application.lexical, application.dense)]

    assert all(load_keys())
    again = wikiwhy("forget", "OPS", "--data-dir", data)
    assert again.says("There is no space OPS.")
    assert load_keys() == [set(), set()]


async def with_store(data: Path, work: Callable[[SqlTurnStore], Awaitable[T]]) -> T:
    database = Database.open(make_sqlite_url(data / "wikiwhy.db"))
    try:
        return await work(SqlTurnStore(database))
    finally:
        database.close()


def test_a_forgotten_space_leaves_no_word_in_traces_and_suggestions(data: Path) -> None:
    asked = wikiwhy("ask", "Who cleans the kitchen on Fridays?", "--data-dir", data, "--json").json
    word = "turquoiseword"

    async def as_if_a_model_had_said(turns: SqlTurnStore) -> None:
        first = await turns.load_turn(asked["turn_id"])
        assert first is not None
        suggestion = Suggestion(f"What of the {word}?", first.evidences[0].evidence.evidence_id)
        await turns.save_suggestions(first.turn_id, [suggestion])
        taken = Question(suggestion.question, f"{suggestion.question} ({word})", first.turn_id)
        taken = replace(taken, provenance=Provenance(find_page_parts(first)))
        follow_up = replace(first, turn_id="t2", question=taken, trace=trace(word), evidences=())
        await turns.add(replace(follow_up, answer=replace(first.answer, text="Nothing.", citations=())))

    async def kept(turns: SqlTurnStore) -> Turn | None:
        return await turns.load_turn("t2")

    asyncio.run(with_store(data, as_if_a_model_had_said))
    assert files_with(data, word)
    assert wikiwhy("forget", "OPS", "--data-dir", data).code == 0
    assert files_with(data, word) == []
    after = asyncio.run(with_store(data, kept))
    assert after is not None
    assert [call.milliseconds for call in after.trace.calls] == [call.milliseconds for call in trace().calls]


def test_indexes_of_evaluations_are_forgotten_too(data: Path) -> None:
    turn = {"q_en": "Who cleans?", "q_de": "Wer putzt?", "completed_q_en": "", "completed_q_de": "", "a_url": []}
    (data.parent / "qa.json").write_text(json.dumps([{"conv_id": 1, "turns": [turn]}]))
    arguments = ("--qa", data.parent / "qa.json", "--documents", data.parent / "documents", "--data-dir", data)
    evaluated = wikiwhy("evaluate", *arguments)
    assert evaluated.code == 0, evaluated.err
    (index,) = [folder for folder in (data / "evaluate").iterdir() if (folder / "wikiwhy.db").is_file()]
    assert files_with(index, MARKER)
    with own_directory(index):
        kept = wikiwhy("forget", "OPS", "--data-dir", data)
    assert kept.code == 1
    assert kept.says("in use by another process", "so nothing was forgotten")
    assert wikiwhy("forget", "NONE", "--data-dir", data).code == 1
    assert index.exists()
    assert wikiwhy("forget", "OPS", "--data-dir", data).code == 0
    assert not index.exists()
    assert files_with(data, MARKER) == []


def test_a_page_that_left_the_folder_leaves_no_word_either(data: Path) -> None:
    (data.parent / "documents" / "2.json").unlink()
    assert files_with(data, "zinnoberword")
    assert wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data).code == 0
    assert files_with(data, "zinnoberword") == []


def test_neither_does_the_old_version_of_a_changed_page(data: Path) -> None:
    write_documents(data.parent / "documents", document("2", "<p>Nothing of it is left.</p>"))
    assert wikiwhy("sync", "folder", data.parent / "documents", "--data-dir", data).code == 0
    assert files_with(data, "zinnoberword") == []
