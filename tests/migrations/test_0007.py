"""Migrating all kinds of rows from before revision 0007, whose sentences become data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import text

from adapters.store import migrate
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from core.model import Author, Failure, NoticeKind, Rejection, TraceNotice, Turn
from tests.adapters.store.opened import stores_of

MODEL, WIKI = "generative: qwen: 7b", "extractive"
REMOVED = "The source of this answer has been removed from the wiki."
TAKEN = "(a suggested question, removed with its page)"
QUOTED = "This is what the wiki itself says."
ANSWERED = {"name": "answer", "usage": {"calls": 1, "prompt_tokens": 9, "completion_tokens": 2}, "milliseconds": 1.0}


def words(*notices: str, error: str = "", rejected: str = "") -> dict[str, Any]:
    """Return the column ``trace_texts`` of a trace with one call, in the old format."""
    return {
        "prompts": [{"messages": [{"role": "user", "text": "So?"}], "text": "" if error else "It is.", "error": error}],
        "candidates": [{"text": "What then?", "rejected": rejected}],
        "notices": list(notices),
    }


class Before:
    """A database at revision 0005, for adding old rows."""

    def __init__(self, path: Path) -> None:
        self._url = make_sqlite_url(path)
        self._database = Database.open_unmigrated(self._url)
        self._count = 0
        with self._database.write() as connection:
            config = migrate.make_config()
            config.attributes["connection"] = connection
            command.upgrade(config, "0005")
            connection.execute(text("INSERT INTO conversations VALUES ('c', '2026', 0)"))

    def add(
        self,
        answer: str = "It is. [1]",
        answerer: str = MODEL,
        trace: dict[str, Any] | None = None,
        *,
        question: str = "So?",
        answered: bool = True,
        finished: bool = True,
        quote: str = "",
        snapshot: str = "It is.",
        suggestions: tuple[str, ...] = (),
    ) -> str:
        """Add a turn, and return its id."""
        self._count += 1
        turn_id = f"t{self._count}"
        calls = [{**ANSWERED, "finished": finished}] if answerer == MODEL or trace else []
        context = {"title": "", "heading_path": [], "before": "", "after": ""}
        turn = {
            "turn_id": turn_id, "conversation_id": "c", "asked_at": "2026", "question_as_asked": question,
            "question_intent_explicit": question, "answer": answer, "answered": answered, "usage": ANSWERED["usage"],
            "scope": {"spaces": None, "principals": []}, "configuration": {"answerer": answerer}, "timings_ms": {},
            "calls": calls, "trace_texts": trace,
            "suggestions": [{"question": each, "evidence_id": "e"} for each in suggestions],
        }  # fmt: skip
        with self._database.write() as connection:

            def insert(table: str, *values: Any, columns: str = "") -> None:
                stored = [json.dumps(value) if isinstance(value, dict | list) else value for value in values]
                marks = ", ".join("?" * len(stored))
                connection.exec_driver_sql(f"INSERT INTO {table} {columns} VALUES ({marks})", tuple(stored))

            insert("turns", *turn.values(), columns=f"({', '.join(turn)})")
            kept = {"text": snapshot, "context": context, "parts": [], "rows": []}
            insert("turn_evidences", turn_id, 0, 1, 1.0, {}, "e", "p", "DOC", "passage", 0, "", kept)
            if quote:
                insert("turn_citations", turn_id, 0, 1, "e", "p", "", "", "", "passage", quote)
            insert("counterfactuals", turn_id, "0", 0.5, 0.5, [NOT_FOUND, "Else."], 2, "", "2026")
        return turn_id

    def upgraded(self) -> Database:
        self._database.close()
        return Database.open(self._url)


NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."


@pytest.fixture
def before(tmp_path: Path) -> Before:
    return Before(tmp_path / "w.db")


async def turn_after(before: Before, turn_id: str) -> Turn:
    database = before.upgraded()
    found = await stores_of(database).turns.load_turn(turn_id)
    database.close()
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("row", "author", "model"),
    [
        ({"trace": words()}, Author.MODEL, "qwen: 7b"),
        ({"trace": words(f"The model is down. {QUOTED}")}, Author.WIKI, ""),
        ({"answerer": WIKI, "trace": words()}, Author.WIKI, ""),
        ({"answer": NOT_FOUND, "answered": False, "trace": words()}, Author.NOBODY, ""),
        ({"finished": False}, Author.WIKI, ""),  # the trace was erased, and no call returned an answer
        ({"answer": "The *bell* rings. [1]", "quote": "The *bell* rings."}, Author.WIKI, ""),
        ({"answer": "A bell rings. [1]", "quote": "The *bell* rings."}, Author.MODEL, "qwen: 7b"),
        ({"answer": REMOVED}, Author.MODEL, "qwen: 7b"),
    ],
)
async def test_who_wrote_an_answer_is_found_out_once(
    before: Before, row: dict[str, Any], author: Author, model: str
) -> None:
    answer = (await turn_after(before, before.add(**row))).answer
    assert (answer.author, answer.model) == (author, model)


async def test_what_was_erased_is_no_sentence_any_more(before: Before) -> None:
    found = await turn_after(before, before.add(REMOVED, question=TAKEN, snapshot=""))
    assert (found.answer.text, found.answer.erased, found.answer.answered) == ("", True, True)
    assert (found.question.as_asked, found.question.intent_explicit, found.question.erased) == ("", "", True)
    assert found.erased


async def test_what_was_not_erased_stays(before: Before) -> None:
    found = await turn_after(before, before.add(trace=words()))
    assert (found.answer.text, found.answer.erased, found.question.erased, found.erased) == ("It is. [1]", *[False] * 3)
    assert found.trace.calls[0].prompt.messages[0].text == "So?"


@pytest.mark.parametrize(
    ("sentence", "notice"),
    [
        (f"The language model gave no answer. {QUOTED}", TraceNotice(NoticeKind.QUOTED_INSTEAD, Failure.EMPTY)),
        (
            "The language model at http://10.0.0.5/v1 cannot be reached: refused. See to it that the server runs. "
            "The wiki itself, word for word, does not say it either.",
            TraceNotice(NoticeKind.NOT_FOUND_INSTEAD, Failure.UNAVAILABLE),
        ),
        (
            "The language model was not asked again. The question was completed without it.",
            TraceNotice(NoticeKind.COMPLETED_WITHOUT_MODEL, Failure.NOT_ASKED_AGAIN),
        ),
        (
            "The language model at http://x refuses (401). Check WIKIWHY_LLM_API_KEY. "
            "The follow-up questions were made without it.",
            TraceNotice(NoticeKind.SUGGESTED_WITHOUT_MODEL, Failure.REJECTED),
        ),
        (
            "3 of 10 evidences were left out: more do not fit into the language model's window.",
            TraceNotice(NoticeKind.EVIDENCES_LEFT_OUT, count=3, total=10),
        ),
        (
            "1 sentence of the pages talked to a language model instead of to people, or followed one that did, and "
            "were not used.",
            TraceNotice(NoticeKind.INSTRUCTIONS_LEFT_OUT, count=1),
        ),
        ("No follow-up questions: The index is damaged.", TraceNotice(NoticeKind.NO_SUGGESTIONS, Failure.OTHER)),
        ("Something of an older version.", TraceNotice(NoticeKind.OTHER)),
    ],
)
async def test_notices_become_kinds_and_numbers(before: Before, sentence: str, notice: TraceNotice) -> None:
    assert (await turn_after(before, before.add(trace=words(sentence)))).trace.notices == (notice,)


async def test_failures_and_rejections_become_kinds(before: Before) -> None:
    trace = words(error="The server refuses.", rejected="it drops the question's own words: germany, limit")
    found = (await turn_after(before, before.add(trace=trace))).trace
    assert (found.calls[0].failure, found.calls[0].error) == (Failure.REJECTED, "The server refuses.")
    assert (found.proposed_completions[0].rejected, found.proposed_completions[0].words) == (
        Rejection.DROPS_WORDS,
        ("germany", "limit"),
    )


async def test_a_question_with_the_words_of_an_earlier_suggestion_was_taken_from_it(before: Before) -> None:
    suggesting = before.add(trace=words(), suggestions=("And  the bell?",))
    taking, typing = before.add(question="And the bell?"), before.add(question="And the tower?")
    database = before.upgraded()
    turns = {turn.turn_id: turn for turn in await stores_of(database).turns.load_newest("c", 1_000)}
    database.close()
    assert [turns[turn_id].question.suggested_in for turn_id in (suggesting, taking, typing)] == ["", suggesting, ""]


async def test_kept_results_of_explanations_say_which_answers_are_none(before: Before) -> None:
    turn_id = before.add(trace=words())
    database = before.upgraded()
    known = await stores_of(database).counterfactuals.load_known(turn_id)
    database.close()
    assert known[0,].answered == (False, True)
