"""Turns (see :class:`core.ports.TurnStore`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, insert, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import chunks
from adapters.store.turn_rows import (
    citation_of,
    citation_row,
    ranked_evidence_of,
    ranked_evidence_row,
    turn_of,
    turn_row,
)
from core.model import Citation, RankedEvidence, Turn


class SqlTurnStore:
    """Turns in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, turn: Turn) -> None:
        """Adds a turn, and its conversation if nobody has started it. A turn that is there stays as it is.

        It stays because a repeated step must not bring back text that was erased from it meanwhile.
        """
        await self._database.writing(lambda connection: _add(connection, turn))

    async def get(self, turn_id: str) -> Turn | None:
        """The turn, also of a hidden conversation; None if there is none."""
        turns = await self._database.reading(lambda connection: _turns(connection, schema.turns.c.turn_id == turn_id))
        return turns[0] if turns else None

    async def of_conversation(self, conversation_id: str) -> list[Turn]:
        """Its turns, oldest first; none if it is hidden."""
        turns, conversations = schema.turns, schema.conversations
        shown = select(conversations.c.conversation_id).where(conversations.c.hidden.is_(False))
        condition = (turns.c.conversation_id == conversation_id) & turns.c.conversation_id.in_(shown)
        return await self._database.reading(lambda connection: _turns(connection, condition))


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
    evidences = [ranked_evidence_row(turn.turn_id, at, ranked) for at, ranked in enumerate(turn.evidences)]
    if evidences:
        connection.execute(insert(schema.turn_evidences), evidences)
    citations = [citation_row(turn.turn_id, at, citation) for at, citation in enumerate(turn.answer.citations)]
    if citations:
        connection.execute(insert(schema.turn_citations), citations)


def _turns(connection: Connection, condition: ColumnElement[bool]) -> list[Turn]:
    turns = schema.turns
    query = select(turns).where(condition).order_by(turns.c.asked_at, turns.c.number)
    rows = connection.execute(query).mappings().all()
    turn_ids = [row["turn_id"] for row in rows]
    evidences = _evidences(connection, turn_ids)
    citations = _citations(connection, turn_ids)
    return [turn_of(row, evidences[row["turn_id"]], citations[row["turn_id"]]) for row in rows]


def _evidences(connection: Connection, turn_ids: Sequence[str]) -> dict[str, list[RankedEvidence]]:
    table = schema.turn_evidences
    found: dict[str, list[RankedEvidence]] = defaultdict(list)
    for some in chunks(turn_ids):
        query = select(table).where(table.c.turn_id.in_(some)).order_by(table.c.turn_id, table.c.position)
        for row in connection.execute(query).mappings():
            found[row["turn_id"]].append(ranked_evidence_of(row))
    return found


def _citations(connection: Connection, turn_ids: Sequence[str]) -> dict[str, list[Citation]]:
    table = schema.turn_citations
    found: dict[str, list[Citation]] = defaultdict(list)
    for some in chunks(turn_ids):
        query = select(table).where(table.c.turn_id.in_(some)).order_by(table.c.turn_id, table.c.position)
        for row in connection.execute(query).mappings():
            found[row["turn_id"]].append(citation_of(row))
    return found
