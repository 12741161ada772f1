"""Removing whole turns, and what other turns of their conversations repeat of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, delete, select, update

from adapters.store import schema
from adapters.store.rows import chunks
from adapters.store.trace_rows import NO_PROMPT


def remove_turns(connection: Connection, turn_ids: Collection[str]) -> int:
    """Removes turns with their snapshots, citations and counterfactuals; returns how many there were."""
    removed = 0
    for some in chunks(turn_ids):
        # Named one by one: what a foreign key would take along depends on a setting of the connection.
        for table in (schema.turn_evidences, schema.turn_citations, schema.counterfactuals):
            connection.execute(delete(table).where(table.c.turn_id.in_(some)))
        removed += connection.execute(delete(schema.turns).where(schema.turns.c.turn_id.in_(some))).rowcount
    return removed


def erase_histories(connection: Connection, conversation_ids: Collection[str]) -> int:
    """Empties what the traces of these conversations repeat of what was said before; returns of how many turns.

    A prompt holds the history, a proposed completion its words. The rest of a trace stays, and so do the numbers of its
    calls.
    """
    turns = schema.turns
    emptied = 0
    for some in chunks(conversation_ids):
        query = select(turns.c.turn_id, turns.c.trace_texts).where(turns.c.conversation_id.in_(some))
        for row in connection.execute(query).all():
            emptied += empty_trace(connection, row.turn_id, row.trace_texts)
    return emptied


def empty_trace(connection: Connection, turn_id: str, texts: dict[str, Any] | None) -> bool:
    """Empties the prompts and candidates of a turn's trace; whether there was anything in them."""
    if not texts:
        return False
    emptied = {**texts, "prompts": [NO_PROMPT] * len(texts["prompts"]), "candidates": []}
    if emptied == texts:
        return False
    change = update(schema.turns).where(schema.turns.c.turn_id == turn_id)
    connection.execute(change.values(trace_texts=emptied))
    return True


def remove_empty_conversations(connection: Connection, conversation_ids: Collection[str]) -> None:
    """Removes those of these conversations that have no turn, and of those in which nothing is left the last note."""
    turns, said, posts = schema.turns, schema.thread_messages, schema.posts
    for some in chunks(conversation_ids):
        asked, spoken, shown = (
            select(table.c.conversation_id).where(table.c.conversation_id.in_(some)) for table in (turns, said, posts)
        )
        for table, full in ((schema.conversations, [asked]), (schema.threads_read, [asked, spoken, shown])):
            there = table.c.conversation_id
            left_out = [there.not_in(of_table) for of_table in full]
            connection.execute(delete(table).where(there.in_(some), *left_out))
