"""Erasing pages: from the store, and their text from the snapshots that turns keep."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, null, select, update

from adapters.store import schema
from adapters.store.rows import chunks, context_json
from adapters.store.stale import list_stale
from core.model import Context
from core.ports import StaleEntry

SOURCE_REMOVED = "The source of this answer has been removed from the wiki."
"""Stands in for an answer that cited an erased page: the answer repeated its text."""

SUGGESTION_REMOVED = "(a suggested question, removed with its page)"
"""Stands in for a question that its asker took from the suggestions: its words are a page's, not the asker's."""

ERASED_SNAPSHOT = {"text": "", "context": context_json(Context()), "parts": [], "rows": []}


def erase_pages(connection: Connection, page_ids: Collection[str]) -> list[StaleEntry]:
    """Removes pages, evidences, vectors that only they had and their text in turns; returns the stale entries."""
    stale: list[StaleEntry] = []
    for some in chunks(page_ids):
        stale += _erase_some(connection, some)
        erase_from_turns(connection, some)
    drop_unused_accesses(connection)
    list_stale(connection, stale)
    return stale


def _erase_some(connection: Connection, page_ids: list[str]) -> list[StaleEntry]:
    evidences, pages, vectors = schema.evidences, schema.pages, schema.vectors
    rows = connection.execute(
        select(evidences.c.key, evidences.c.text_hash, pages.c.space)
        .join(pages, pages.c.page_id == evidences.c.page_id)
        .where(pages.c.page_id.in_(page_ids))
        .order_by(evidences.c.key)
    ).all()
    connection.execute(delete(evidences).where(evidences.c.page_id.in_(page_ids)))
    connection.execute(delete(pages).where(pages.c.page_id.in_(page_ids)))
    for hashes in chunks({row.text_hash for row in rows}):
        still_used = select(evidences.c.text_hash).where(evidences.c.text_hash.in_(hashes))
        connection.execute(
            delete(vectors).where(vectors.c.text_hash.in_(hashes), vectors.c.text_hash.not_in(still_used))
        )
    return [StaleEntry(row.key, row.space) for row in rows]


def erase_from_turns(connection: Connection, page_ids: list[str]) -> None:
    """Turns keep that the page was used, and where in the ranking; every word of the page goes, also from URLs.

    Of the traces of every turn of the conversations concerned only numbers stay, of their explanations in the making
    nothing. Posts, people's messages and feedback have no words of pages and stay.
    """
    snapshots, citations, turns = schema.turn_evidences, schema.turn_citations, schema.turns
    used = select(snapshots.c.turn_id).where(snapshots.c.page_id.in_(page_ids))
    conversations = list(
        connection.scalars(select(turns.c.conversation_id).where(turns.c.turn_id.in_(used)).distinct())
    )
    for some in chunks(conversations):
        _erase_traces(connection, some)
    if conversations:
        _erase_counterfactuals(connection)
    connection.execute(
        update(snapshots).where(snapshots.c.page_id.in_(page_ids)).values(snapshot=ERASED_SNAPSHOT, url="")
    )
    for some in chunks(_repeating(connection, page_ids)):
        connection.execute(update(turns).where(turns.c.turn_id.in_(some)).values(answer=SOURCE_REMOVED))
    connection.execute(
        update(citations).where(citations.c.page_id.in_(page_ids)).values(title="", heading="", quote="", url="")
    )


def _repeating(connection: Connection, page_ids: list[str]) -> set[str]:
    """The turns whose answer may have words of these pages: it cites one, or a model that was given one wrote it."""
    snapshots, citations, turns = schema.turn_evidences, schema.turn_citations, schema.turns
    citing = set(connection.scalars(select(citations.c.turn_id).where(citations.c.page_id.in_(page_ids))))
    used = select(snapshots.c.turn_id).where(snapshots.c.page_id.in_(page_ids))
    answered = select(turns.c.turn_id, turns.c.calls).where(turns.c.turn_id.in_(used), turns.c.answered)
    return citing | {
        row.turn_id for row in connection.execute(answered) if any(call["name"] == "answer" for call in row.calls)
    }


def _erase_traces(connection: Connection, conversation_ids: list[str]) -> None:
    """All words that a model or a page put into these conversations, but for answers; the askers' own words stay."""
    # A completed question may hold the title of any page that its conversation was on, a prompt its words.
    turns = schema.turns
    rows = connection.execute(
        select(turns.c.turn_id, turns.c.question_as_asked, turns.c.suggestions).where(
            turns.c.conversation_id.in_(conversation_ids)
        )
    ).all()
    suggested = {_spaced(suggestion["question"]) for row in rows for suggestion in row.suggestions}
    for taken in chunks([row.turn_id for row in rows if _spaced(row.question_as_asked) in suggested]):
        connection.execute(update(turns).where(turns.c.turn_id.in_(taken)).values(question_as_asked=SUGGESTION_REMOVED))
    connection.execute(
        update(turns)
        .where(turns.c.conversation_id.in_(conversation_ids))
        .values(question_intent_explicit=turns.c.question_as_asked, trace_texts=null(), suggestions=[])
    )


def _erase_counterfactuals(connection: Connection) -> None:
    # By the trace, so that those go too which PostgreSQL let in beside an earlier erasure. Also turns that did not use
    # the page lost theirs: what they answered was a completed question, which may repeat its title.
    erased = select(schema.turns.c.turn_id).where(schema.turns.c.trace_texts.is_(null()))
    connection.execute(delete(schema.counterfactuals).where(schema.counterfactuals.c.turn_id.in_(erased)))


def _spaced(question: str) -> str:
    return " ".join(question.split())


def drop_unused_accesses(connection: Connection) -> None:
    """Read restrictions name people: those of no page go."""
    accesses, pages = schema.accesses, schema.pages
    connection.execute(delete(accesses).where(accesses.c.access.not_in(select(pages.c.access))))
