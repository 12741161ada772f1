"""Turns (see :class:`core.ports.TurnStore`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, insert, null, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.erasure import erase_after_history, erase_from_turns
from adapters.store.evidences import visible_pages
from adapters.store.rows import chunks
from adapters.store.trace_rows import suggestions_json
from adapters.store.turn_rows import (
    citation_of,
    citation_row,
    make_ranked_evidence_row,
    read_ranked_evidence,
    turn_of,
    turn_row,
)
from core.model import Suggestion, Turn

T = TypeVar("T")


class SqlTurnStore:
    """Turns in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, turn: Turn) -> None:
        """Adds a turn, and its conversation if nobody has started it. A turn that is there stays as it is.

        It stays because a repeated step must not bring back text that was erased from it meanwhile.
        """
        await self._database.run_write(lambda connection: _add(connection, turn))

    async def keep(self, turn: Turn) -> None:
        """Adds a turn, without the words of pages that its scope does not admit any more; in one transaction.

        A sync erases what it takes away from the turns that are stored by then. Whichever commits first, no words stay.
        """
        await self._database.run_write(lambda connection: _keep(connection, turn))

    async def keep_suggestions(self, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
        """Sets a turn's suggestions, of those that its own evidences answer.

        Nothing happens if there is no such turn, or if its trace was erased: their words came from the same pages.
        """
        await self._database.run_write(lambda connection: _keep_suggestions(connection, turn_id, suggestions))

    async def get(self, turn_id: str) -> Turn | None:
        """The turn, also of a hidden conversation; None if there is none."""
        turns = await self._database.run_read(
            lambda connection: read_turns(connection, schema.turns.c.turn_id == turn_id)
        )
        return turns[0] if turns else None

    async def of_conversation(self, conversation_id: str) -> list[Turn]:
        """Its turns, oldest first; none if it is hidden."""
        turns, conversations = schema.turns, schema.conversations
        shown = select(conversations.c.conversation_id).where(conversations.c.hidden.is_(False))
        condition = (turns.c.conversation_id == conversation_id) & turns.c.conversation_id.in_(shown)
        return await self._database.run_read(lambda connection: read_turns(connection, condition))


def _add(connection: Connection, turn: Turn) -> None:
    if connection.scalar(select(schema.turns.c.number).where(schema.turns.c.turn_id == turn.turn_id)) is not None:
        return
    conversations = schema.conversations
    started = select(conversations.c.hidden).where(conversations.c.conversation_id == turn.conversation_id)
    if connection.scalar(started) is None:
        connection.execute(
            insert(conversations).values(conversation_id=turn.conversation_id, started_at=turn.asked_at, hidden=False)
        )
    connection.execute(insert(schema.turns).values(turn_row(turn)))
    evidences = [make_ranked_evidence_row(turn.turn_id, at, ranked) for at, ranked in enumerate(turn.evidences)]
    if evidences:
        connection.execute(insert(schema.turn_evidences), evidences)
    citations = [citation_row(turn.turn_id, at, citation) for at, citation in enumerate(turn.answer.citations)]
    if citations:
        connection.execute(insert(schema.turn_citations), citations)
    erase_after_history(connection, turn.conversation_id, turn.turn_id)


def _keep(connection: Connection, turn: Turn) -> None:
    used = {ranked.evidence.page_id for ranked in turn.evidences}
    hidden = used - visible_pages(connection, used, turn.scope, lock=True)
    _add(connection, turn)
    for some in chunks(sorted(hidden)):
        erase_from_turns(connection, some)


def _keep_suggestions(connection: Connection, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
    turns, snapshots = schema.turns, schema.turn_evidences
    evidence_ids = set(connection.scalars(select(snapshots.c.evidence_id).where(snapshots.c.turn_id == turn_id)))
    connection.execute(
        update(turns)
        .where(turns.c.turn_id == turn_id, turns.c.trace_texts.is_not(null()), turns.c.erased.is_(False))
        .values(suggestions=suggestions_json(suggestions, evidence_ids))
    )


def read_turns(connection: Connection, condition: ColumnElement[bool]) -> list[Turn]:
    """The turns that a condition on their table holds for, oldest first."""
    turns = schema.turns
    query = select(turns).where(condition).order_by(turns.c.asked_at, turns.c.number)
    rows = connection.execute(query).mappings().all()
    turn_ids = [row["turn_id"] for row in rows]
    evidences = _by_turn(connection, schema.turn_evidences, turn_ids, read_ranked_evidence)
    citations = _by_turn(connection, schema.turn_citations, turn_ids, citation_of)
    return [turn_of(row, evidences[row["turn_id"]], citations[row["turn_id"]]) for row in rows]


def _by_turn(
    connection: Connection, table: Table, turn_ids: Sequence[str], read: Callable[[RowMapping], T]
) -> dict[str, list[T]]:
    """What a table holds of each of these turns, in its order."""
    found: dict[str, list[T]] = defaultdict(list)
    for some in chunks(turn_ids):
        query = select(table).where(table.c.turn_id.in_(some)).order_by(table.c.turn_id, table.c.position)
        for row in connection.execute(query).mappings():
            found[row["turn_id"]].append(read(row))
    return found
