"""Store authors, erasures and notices as data, and fill them in from the sentences of older answers.

The sentences of the earlier versions are copied here, because no other code reads them any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | None = None
depends_on: str | None = None

Row = dict[str, Any]


def _columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("question_suggested_in", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.Column("question_erased", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("question_language", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.Column("author", sa.String(), nullable=False, server_default=sa.text("'wiki'")),
        sa.Column("model", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("answer_erased", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("notices", sa.JSON(), nullable=False, server_default=sa.text("'[]'")),
        sa.Column("erased", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("erased_at", sa.String(), nullable=False, server_default=sa.text("''")),
    ]


_TURNS = sa.table(
    "turns",
    *(sa.column(name, sa.String()) for name in ("turn_id", "conversation_id", "question_as_asked", "answer")),
    sa.column("question_intent_explicit", sa.Text()),
    sa.column("number", sa.Integer()),
    sa.column("answered", sa.Boolean()),
    sa.column("configuration", sa.JSON()),
    sa.column("calls", sa.JSON()),
    sa.column("trace_texts", sa.JSON(none_as_null=True)),
    sa.column("suggestions", sa.JSON()),
    *(sa.column(column.name, column.type) for column in _columns()),
)
_CITATIONS = sa.table("turn_citations", *(sa.column(name, sa.Text()) for name in ("turn_id", "quote")))
_EVIDENCES = sa.table("turn_evidences", sa.column("turn_id", sa.String()), sa.column("snapshot", sa.JSON()))
_COUNTERFACTUALS = sa.table(
    "counterfactuals",
    *(sa.column(name, sa.String()) for name in ("turn_id", "cluster")),
    sa.column("answers", sa.JSON()),
    sa.column("answered", sa.JSON()),
)

_NOT_FOUND = "The desired information cannot be found in the retrieved pool of evidence."
_SOURCE_REMOVED = "The source of this answer has been removed from the wiki."
_SUGGESTION_REMOVED = "(a suggested question, removed with its page)"
_ENDINGS = {
    "This is what the wiki itself says.": "quoted_instead",
    "The wiki itself, word for word, does not say it either.": "not_found_instead",
    "The question was completed without it.": "completed_without_model",
    "The follow-up questions were made without it.": "suggested_without_model",
}
_FAILURES = {
    "The language model gave no answer.": "empty",
    "The language model answered in another language.": "other_language",
    "The language model's answer is not in the sources.": "unsupported",
    "The language model was not asked again.": "not_asked_again",
    "Not even one source fits": "context_too_long",
    "does not fit into its window": "context_too_long",
    " refuses": "rejected",
    " redirects": "rejected",
    " has no quota left": "rejected",
    "did not answer as a chat server does": "rejected",
}
_REJECTIONS = {
    "it is not one question": "not_one_question",
    "it repeats an earlier question": "repeats",
    "it is in another language": "other_language",
    "it brings in words that nobody said": "invents_words",
    "it drops the question's own words": "drops_words",
}
_INSTRUCTIONS = re.compile(r"(\d+) sentences? of the pages talked to a language model")
_LEFT_OUT = re.compile(r"(\d+) of (\d+) evidences were left out")
_CITED = re.compile(r"\[\d{1,3}\]")
_AT_ONCE = 200


def upgrade() -> None:
    for column in _columns():
        op.add_column("turns", column)
    op.add_column("counterfactuals", sa.Column("answered", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    connection = op.get_bind()
    _fill_in_turns(connection)
    _fill_in_suggested(connection)
    _fill_in_counterfactuals(connection)


def downgrade() -> None:
    connection = op.get_bind()
    _words_again(connection)
    op.drop_column("counterfactuals", "answered")
    for column in reversed(_columns()):
        op.drop_column("turns", column.name)


def _fill_in_turns(connection: sa.Connection) -> None:
    for row in _rows(connection):
        texts: Row | None = row.trace_texts
        said = [str(notice) for notice in texts.get("notices", [])] if texts else []
        notices = [_notice(sentence) for sentence in said]
        prompts = texts["prompts"] if texts else []
        calls = [
            {"failure": _of_call(prompts[at] if at < len(prompts) else {}), **call} for at, call in enumerate(row.calls)
        ]
        author = _author(connection, row, notices)
        values: Row = {
            "author": author,
            "model": _model(row) if author == "model" else "",
            "answer_erased": row.answer == _SOURCE_REMOVED,
            "question_erased": row.question_as_asked == _SUGGESTION_REMOVED,
            "notices": notices,
            "calls": calls,
            "erased": _is_erased(connection, row),
        }
        if values["answer_erased"]:
            values["answer"] = ""
        if values["question_erased"]:
            # Whatever language it was asked in, it has been shown in English since.
            values |= {"question_as_asked": "", "question_intent_explicit": "", "question_language": "en"}
        if texts:
            kept = {name: value for name, value in texts.items() if name != "notices"}
            values["trace_texts"] = {
                **kept,
                "prompts": prompts or [{"messages": [], "text": "", "error": ""}] * len(calls),
                "candidates": [_candidate(candidate) for candidate in texts["candidates"]],
            }
        connection.execute(sa.update(_TURNS).where(_TURNS.c.turn_id == row.turn_id).values(values))


def _rows(connection: sa.Connection) -> Iterator[Any]:
    """Yield all turns in the order in which they were stored, in batches."""
    last = -1
    while True:
        query = sa.select(_TURNS).where(_TURNS.c.number > last).order_by(_TURNS.c.number).limit(_AT_ONCE)
        rows = connection.execute(query).all()
        if not rows:
            return
        yield from rows
        last = rows[-1].number


def _author(connection: sa.Connection, row: Any, notices: list[Row]) -> str:
    answerer = str(row.configuration.get("answerer", ""))
    if not row.answered:
        return "nobody"
    if not answerer.startswith("generative"):
        return "wiki"
    if row.trace_texts is not None:
        instead = {"quoted_instead", "not_found_instead"}
        return "wiki" if any(notice["kind"] in instead for notice in notices) else "model"
    # The trace was erased, and with it the notice. If no call for an answer finished, the answer has the wiki's words.
    # It may also have them if it contains every quote literally. Then that author is safe, because no text is markup.
    if row.calls and not any(call["name"] == "answer" and call["finished"] for call in row.calls):
        return "wiki"
    if row.answer == _SOURCE_REMOVED:
        return "model"
    quotes = connection.scalars(sa.select(_CITATIONS.c.quote).where(_CITATIONS.c.turn_id == row.turn_id)).all()
    answer = _bare(row.answer)
    return "wiki" if quotes and all(quote and _bare(quote) in answer for quote in quotes) else "model"


def _bare(text: str) -> str:
    return " ".join(_CITED.sub(" ", text).removesuffix(" …").split())


def _model(row: Any) -> str:
    return str(row.configuration.get("answerer", "")).partition(": ")[2]


def _is_erased(connection: sa.Connection, row: Any) -> bool:
    if row.trace_texts is not None:
        return False
    if row.calls or row.question_as_asked == _SUGGESTION_REMOVED or row.answer == _SOURCE_REMOVED:
        return True
    snapshots = connection.scalars(sa.select(_EVIDENCES.c.snapshot).where(_EVIDENCES.c.turn_id == row.turn_id))
    return any(not snapshot["text"] for snapshot in snapshots)


def _notice(sentence: str) -> Row:
    found: Row = {"kind": "other", "failure": None, "count": 0, "total": 0}
    if instructions := _INSTRUCTIONS.match(sentence):
        return found | {"kind": "instructions_left_out", "count": int(instructions[1])}
    if left_out := _LEFT_OUT.match(sentence):
        return found | {"kind": "evidences_left_out", "count": int(left_out[1]), "total": int(left_out[2])}
    for ending, kind in _ENDINGS.items():
        if sentence.endswith(ending):
            return found | {"kind": kind, "failure": _failure(sentence)}
    if sentence.startswith("No follow-up questions: "):
        return found | {"kind": "no_suggestions", "failure": "other"}
    return found


def _failure(sentence: str) -> str:
    return next((failure for part, failure in _FAILURES.items() if part in sentence), "unavailable")


def _of_call(said: Row) -> str | None:
    return _failure(said["error"]) if said.get("error") else None


def _candidate(candidate: Row) -> Row:
    sentence, _, words = candidate["rejected"].partition(": ")
    rejected = _REJECTIONS.get(sentence, "not_one_question") if sentence else None
    return {"text": candidate["text"], "rejected": rejected, "words": words.split(", ") if words else []}


def _fill_in_suggested(connection: sa.Connection) -> None:
    """A question equal to a suggestion of an earlier turn of its conversation was taken from that turn."""
    suggested: dict[tuple[str, str], str] = {}
    for row in _rows(connection):
        taken = suggested.get((row.conversation_id, _spaced(row.question_as_asked)), "")
        if taken and row.question_as_asked:
            values = {"question_suggested_in": taken}
            connection.execute(sa.update(_TURNS).where(_TURNS.c.turn_id == row.turn_id).values(values))
        for suggestion in row.suggestions:
            suggested[row.conversation_id, _spaced(suggestion["question"])] = row.turn_id


def _spaced(question: str) -> str:
    return " ".join(question.split())


def _fill_in_counterfactuals(connection: sa.Connection) -> None:
    for row in connection.execute(sa.select(_COUNTERFACTUALS)).all():
        answered = [_bare(answer) != _NOT_FOUND for answer in row.answers]
        same = (_COUNTERFACTUALS.c.turn_id == row.turn_id) & (_COUNTERFACTUALS.c.cluster == row.cluster)
        connection.execute(sa.update(_COUNTERFACTUALS).where(same).values(answered=answered))


def _words_again(connection: sa.Connection) -> None:
    """Write the sentences that the previous version shows and decides by."""
    for row in _rows(connection):
        values: Row = {}
        if row.answer_erased:
            values["answer"] = _SOURCE_REMOVED
        if row.question_erased:
            values |= {"question_as_asked": _SUGGESTION_REMOVED, "question_intent_explicit": _SUGGESTION_REMOVED}
        if row.trace_texts is not None:
            notices = [_sentence(notice) for notice in row.notices]
            candidates = [{"text": each["text"], "rejected": _rejected(each)} for each in row.trace_texts["candidates"]]
            values["trace_texts"] = {**row.trace_texts, "notices": notices, "candidates": candidates}
        if values:
            connection.execute(sa.update(_TURNS).where(_TURNS.c.turn_id == row.turn_id).values(values))


def _sentence(notice: Row) -> str:
    if notice["kind"] == "evidences_left_out":
        left_out = f"{notice['count']} of {notice['total']} evidences were left out"
        return f"{left_out}: more do not fit into the language model's window."
    if notice["kind"] == "instructions_left_out":
        count = notice["count"]
        return f"{count} sentence{'s' if count > 1 else ''} of the pages talked to a language model."
    ending = next((ending for ending, kind in _ENDINGS.items() if kind == notice["kind"]), "")
    why = next((part for part, failure in _FAILURES.items() if failure == notice["failure"]), "It does not answer.")
    return f"{why} {ending}" if ending else "No follow-up questions: they could not be made."


def _rejected(candidate: Row) -> str:
    sentence = next((text for text, name in _REJECTIONS.items() if name == candidate["rejected"]), "")
    return f"{sentence}: {', '.join(candidate['words'])}" if candidate["words"] else sentence
