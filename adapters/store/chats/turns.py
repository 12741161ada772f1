"""Conversations, turns, and the counterfactual results of their explanations.

See :class:`core.ports.store.ConversationStore`, :class:`core.ports.store.TurnStore` and
:class:`core.ports.store.CounterfactualStore`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    bindparam,
    insert,
    literal,
    null,
    select,
    update,
)

from adapters.store.chats.turn_erasure import erase_from_turns, erase_threads_from_turns, remove_turns
from adapters.store.chats.turn_rows import (
    RANKED_COLUMNS,
    make_citation_row,
    make_counterfactual_row,
    make_provenance_rows,
    make_ranked_evidence_row,
    make_turn_row,
    read_ablation_result,
    read_provenance,
    read_ranked_evidence,
    read_turn,
    serialise_suggestions,
)
from adapters.store.database import Database
from adapters.store.schema import (
    conversations,
    counterfactuals,
    erasures,
    evidences,
    turn_citations,
    turn_evidences,
    turn_question_sources,
    turns,
)
from adapters.store.statements import Row, insert_missing, read_as, split_into_chunks
from adapters.store.wiki.evidences import find_visible_pages
from core.model import AblationResult, Citation, Conversation, KnownResults, Suggestion, Turn

T = TypeVar("T")

_WHOLE = turns.c.trace_texts.is_not(null()) & turns.c.erased.is_(False)
"""Condition that no text was erased from a turn. Turns without a stored trace, of older versions, count as erased."""


# Constants, because making a statement takes longer than running it, and these are run for each question.
_WHOLE_TURN = select(turns.c.number).where(turns.c.turn_id == bindparam("turn"), turns.c.erased_at == "", _WHOLE)
_TURN = select(turns).where(turns.c.turn_id == bindparam("turn"))
_CONVERSATION = (
    select(turns)
    .join(conversations, conversations.c.conversation_id == turns.c.conversation_id)
    .where(
        turns.c.conversation_id == bindparam("conversation"),
        conversations.c.hidden.is_(False),
    )
    .order_by(turns.c.asked_at, turns.c.number)
)


_SOME = _CONVERSATION.where(turns.c.turn_id.in_(bindparam("turns", expanding=True)))
_NEWEST = _CONVERSATION.order_by(None).order_by(turns.c.asked_at.desc(), turns.c.number.desc()).limit(bindparam("most"))


class SqlConversationStore:
    """Conversations in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def start(self, conversation: Conversation) -> None:
        await self._database.run_write(lambda connection: _start(connection, conversation))


class SqlTurnStore:
    """Turns in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, turn: Turn) -> None:
        """Add a turn, and its conversation if that is missing. A stored turn is not changed.

        A repeated workflow step must not bring back text that was erased from the turn meanwhile.
        """
        await self._database.run_write(lambda connection: _add(connection, turn))

    async def save(self, turn: Turn) -> None:
        await self._database.run_write(lambda connection: _save(connection, turn))

    async def save_suggestions(self, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
        await self._database.run_write(lambda connection: _save_suggestions(connection, turn_id, suggestions))

    async def load_turn(self, turn_id: str) -> Turn | None:
        """Return a turn, also of a hidden conversation, or None."""
        found = await self._database.run_read(lambda connection: _read_turns(connection, _TURN, {"turn": turn_id}))
        return found[0] if found else None

    async def has_whole(self, turn_id: str) -> bool:
        return await self._database.load_scalar(_WHOLE_TURN, {"turn": turn_id}) is not None

    async def remove(self, turn_id: str) -> None:
        await self._database.run_write(lambda connection: remove_turns(connection, [turn_id]))

    async def load_some(self, conversation_id: str, turn_ids: Collection[str]) -> list[Turn]:
        values: Row = {"conversation": conversation_id, "turns": list(turn_ids)}
        return await self._database.run_read(lambda connection: _read_turns(connection, _SOME, values))

    async def load_newest(self, conversation_id: str, most: int) -> list[Turn]:
        values: Row = {"conversation": conversation_id, "most": most}
        found = await self._database.run_read(lambda connection: _read_turns(connection, _NEWEST, values))
        return found[::-1]


class SqlCounterfactualStore:
    """The counterfactuals and results of ablations in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, turn_id: str, result: AblationResult) -> None:
        """Store a result, in place of an earlier one of the same cluster.

        Does nothing if the turn is unknown, or if text was erased from it, which the answers may repeat.
        """
        row = make_counterfactual_row(turn_id, result)
        there = (counterfactuals.c.turn_id == turn_id) & (counterfactuals.c.cluster == row["cluster"])
        change = update(counterfactuals).where(there).values(row)
        values = [literal(value, counterfactuals.c[name].type) for name, value in row.items()]
        new = insert(counterfactuals).from_select(list(row), select(*values).where(turns.c.turn_id == turn_id, _WHOLE))

        def work(connection: Connection) -> None:
            # A stored result belongs to a turn without erased text: erasing a page deletes the results.
            if not connection.execute(change).rowcount:
                connection.execute(new)

        await self._database.run_write(work)

    async def load_known(self, turn_id: str) -> KnownResults:
        """Return the stored results that did not fail, by cluster."""
        succeeded = counterfactuals.c.contribution.is_not(None) & (counterfactuals.c.error == "")
        rows = await self._database.load_rows(
            select(counterfactuals).where(counterfactuals.c.turn_id == turn_id, succeeded)
        )
        results = [read_ablation_result(row) for row in rows]
        return {result.cluster: result for result in results}


def _start(connection: Connection, conversation: Conversation) -> None:
    insert_missing(connection, conversations, [asdict(conversation)])


def _add(connection: Connection, turn: Turn) -> None:
    if connection.scalar(select(turns.c.number).where(turns.c.turn_id == turn.turn_id)) is not None:
        return
    _start(connection, Conversation(turn.conversation_id, turn.asked_at))
    connection.execute(insert(turns), make_turn_row(turn))
    ranked_rows = [make_ranked_evidence_row(turn.turn_id, at, ranked) for at, ranked in enumerate(turn.evidences)]
    citations = [make_citation_row(turn.turn_id, at, citation) for at, citation in enumerate(turn.answer.citations)]
    for table, rows in (
        (turn_evidences, ranked_rows),
        (turn_citations, citations),
        (turn_question_sources, make_provenance_rows(turn)),
    ):
        if rows:
            connection.execute(insert(table), rows)


def _save(connection: Connection, turn: Turn) -> None:
    used = turn.page_ids
    hidden = used - find_visible_pages(connection, used, turn.scope, lock=True)
    hidden |= _find_erased_pages(connection, turn)
    _add(connection, turn)
    for chunk in split_into_chunks(sorted(hidden)):
        erase_from_turns(connection, chunk, turn.turn_id)
    for page_id, thread in _find_changed_threads(connection, turn):
        erase_threads_from_turns(connection, page_id, [thread], turn.turn_id)


def _find_erased_pages(connection: Connection, turn: Turn) -> set[str]:
    """Return the ids of the pages of the question's provenance from which text was erased since the turn was asked.

    Such a page may be visible again, or have lost only a comment.
    """
    erased = select(erasures.c.object).where(erasures.c.kind == "page", erasures.c.at >= turn.asked_at)
    chunks = split_into_chunks(turn.question.provenance.page_ids)
    return {page_id for chunk in chunks for page_id in connection.scalars(erased.where(erasures.c.object.in_(chunk)))}


def _find_changed_threads(connection: Connection, turn: Turn) -> set[tuple[str, str]]:
    """Return (page id, thread id) of the turn's evidences from comments or files that were deleted or changed."""
    used = {ranked.evidence.evidence_id: ranked.evidence for ranked in turn.evidences if ranked.evidence.thread}
    there: set[tuple[str, str]] = set()
    for chunk in split_into_chunks(used):
        query = select(evidences.c.evidence_id, evidences.c.page_id).where(evidences.c.evidence_id.in_(chunk))
        there |= {(row.evidence_id, row.page_id) for row in connection.execute(query)}
    return {
        (evidence.page_id, evidence.thread)
        for evidence_id, evidence in used.items()
        if (evidence_id, evidence.page_id) not in there
    }


def _save_suggestions(connection: Connection, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
    own = select(turn_evidences.c.evidence_id).where(turn_evidences.c.turn_id == turn_id)
    kept = serialise_suggestions(suggestions, set(connection.scalars(own)))
    is_whole = (turns.c.erased_at == "") & _WHOLE
    connection.execute(update(turns).where(turns.c.turn_id == turn_id, is_whole).values(suggestions=kept))


def read_turns(connection: Connection, condition: ColumnElement[bool]) -> list[Turn]:
    """Return the turns that match a condition, oldest first."""
    return _read_turns(connection, select(turns).where(condition).order_by(turns.c.asked_at, turns.c.number))


def _read_turns(connection: Connection, query: Select[Any], values: Row | None = None) -> list[Turn]:
    rows = connection.execute(query, values).mappings().all()
    turn_ids = [row["turn_id"] for row in rows]
    ranked = _group_by_turn(connection, select(*RANKED_COLUMNS), turn_evidences, turn_ids, read_ranked_evidence)
    citations = _group_by_turn(connection, select(turn_citations), turn_citations, turn_ids, partial(read_as, Citation))
    provenance_query = select(turn_question_sources)
    provenance = _group_by_turn(connection, provenance_query, turn_question_sources, turn_ids, lambda row: row)
    return [
        read_turn(row, ranked[turn_id], citations[turn_id], read_provenance(provenance[turn_id]))
        for turn_id, row in zip(turn_ids, rows, strict=True)
    ]


def _group_by_turn(
    connection: Connection, query: Select[Any], table: Table, turn_ids: Sequence[str], read: Callable[[RowMapping], T]
) -> dict[str, list[T]]:
    """Return turn id to the rows of a query on a table, in the order of its primary key."""
    found: dict[str, list[T]] = defaultdict(list)
    for chunk in split_into_chunks(turn_ids):
        of_turns = query.where(table.c.turn_id.in_(chunk)).order_by(*table.primary_key)
        for row in connection.execute(of_turns).mappings():
            found[row["turn_id"]].append(read(row))
    return found
