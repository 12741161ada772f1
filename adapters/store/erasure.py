"""Erasing pages with their text in the snapshots of turns, and removing whole turns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict
from itertools import groupby

from sqlalchemy import ColumnElement, Connection, delete, null, select, update

from adapters.store import schema
from adapters.store.counting import update_counts
from adapters.store.inclusions import forget_origins, list_including, lock_pages
from adapters.store.index_state import delete_unused_vectors, list_stale
from adapters.store.losses import Loss, StoredTurn, losses_of
from adapters.store.people import remove_unnamed_people
from adapters.store.rows import Row, chunks, now, split_ids
from adapters.store.sqlite import note_deletion
from adapters.store.turn_rows import NO_HISTORY, NO_PROMPT, without_calls
from core.languages import detect_language
from core.model import Author, Context
from core.ports.store import StaleEntry

ERASED_SNAPSHOT = {"text": "", "context": asdict(Context()), "parts": [], "rows": []}


def erase_pages(connection: Connection, page_ids: Collection[str]) -> list[StaleEntry]:
    """Removes pages, evidences, vectors that only they had and their text in turns; returns the stale entries."""
    stale: list[StaleEntry] = []
    note_deletion(connection)
    for some in chunks(page_ids):
        lock_pages(connection, some)
        with update_counts(connection, {*some, *list_including(connection, some)}):
            entries, hashes = delete_evidences(connection, some)
            included, of_included = delete_included(connection, some)
            forget_origins(connection, some)
            connection.execute(delete(schema.pages).where(schema.pages.c.page_id.in_(some)))
            delete_unused_vectors(connection, hashes | of_included)
        stale += [*entries, *included]
        erase_from_turns(connection, some)
    list_stale(connection, stale)
    remove_unnamed_people(connection)
    return stale


def delete_evidences(connection: Connection, page_ids: Collection[str]) -> tuple[list[StaleEntry], set[str]]:
    """Deletes the evidences of pages; returns their index entries, and the hashes of their texts."""
    entries: list[StaleEntry] = []
    hashes: set[str] = set()
    for some in chunks(page_ids):
        _delete_evidences(connection, schema.evidences.c.page_id.in_(some), entries, hashes)
    return entries, hashes


def delete_included(connection: Connection, origins: Collection[str]) -> tuple[list[StaleEntry], set[str]]:
    """As :func:`delete_evidences`, what other pages show of these, or over these."""
    entries: list[StaleEntry] = []
    hashes: set[str] = set()
    own, gone = schema.evidences.c, set(origins)
    for including in chunks(list_including(connection, origins)):
        for some in chunks(origins):
            _delete_evidences(connection, own.page_id.in_(including) & own.origin.in_(some), entries, hashes)
        over_others = select(own.key, own.via).where(own.page_id.in_(including), own.via != "")
        keys = [row.key for row in connection.execute(over_others) if not gone.isdisjoint(split_ids(row.via))]
        for some in chunks(keys):
            _delete_evidences(connection, own.key.in_(some), entries, hashes)
    return entries, hashes


def _delete_evidences(
    connection: Connection, condition: ColumnElement[bool], entries: list[StaleEntry], hashes: set[str]
) -> None:
    """``entries``, ``hashes``: those of the deleted evidences are added."""
    evidences, pages = schema.evidences, schema.pages
    query = select(evidences.c.key, evidences.c.text_hash, pages.c.space)
    query = query.join(pages, pages.c.page_id == evidences.c.page_id).where(condition).order_by(evidences.c.key)
    for row in connection.execute(query):
        entries.append(StaleEntry(row.key, row.space))
        hashes.add(row.text_hash)
    connection.execute(delete(evidences).where(condition))


def erase_from_turns(connection: Connection, page_ids: list[str]) -> None:
    """Turns keep that the page was used, and where in the ranking; every word of the page goes, also from URLs.

    What else may repeat it goes as :mod:`adapters.store.losses` says, and with it what explanations in the making
    found. Who wrote an answer, numbers and notices stay, as do posts, people's messages and feedback: none has words of
    pages.
    """
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    _erase_from_turns(connection, snapshots.c.page_id.in_(page_ids), citations.c.page_id.in_(page_ids))
    is_included = snapshots.c.origin.in_(page_ids)
    of_turns = citations.c.turn_id.in_(select(snapshots.c.turn_id).where(is_included))
    _erase_from_turns(connection, is_included, of_turns & _cites(is_included))


def erase_threads_from_turns(connection: Connection, page_id: str, threads: Collection[str]) -> None:
    """As :func:`erase_from_turns`, of some comments on a page, or files attached to it.

    ``threads``: ids of the first comments of threads, or of files.
    """
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    for some in chunks(sorted(threads)):
        used = (snapshots.c.page_id == page_id) & snapshots.c.thread.in_(some)
        _erase_from_turns(connection, used, (citations.c.page_id == page_id) & _cites(used))


def _cites(used: ColumnElement[bool]) -> ColumnElement[bool]:
    """Of a citation: whether its snapshot is one of the ``used``."""
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    same = (snapshots.c.turn_id == citations.c.turn_id) & (snapshots.c.evidence_id == citations.c.evidence_id)
    return select(snapshots.c.turn_id).where(used, same).exists()


def _erase_from_turns(connection: Connection, is_used: ColumnElement[bool], is_cited: ColumnElement[bool]) -> None:
    """``is_used``, ``is_cited``: of the snapshots and of the citations that are to be erased."""
    snapshots, citations, turns = schema.turn_evidences, schema.turn_citations, schema.turns
    used, cited = (
        set(connection.scalars(select(table.c.turn_id).where(condition).distinct()))
        for table, condition in ((snapshots, is_used), (citations, is_cited))
    )
    conversations: set[str] = set()
    for some in chunks(used | cited):
        conversations |= set(connection.scalars(select(turns.c.conversation_id).where(turns.c.turn_id.in_(some))))
    for some in chunks(sorted(conversations)):
        lost = False
        for of_one in _stored_turns(connection, some):
            for turn_id, loss in losses_of(of_one, used, cited).items():
                if loss.is_any:
                    lost = True
                    erase_words(connection, turn_id, loss)
        if lost:
            _erase_counterfactuals(connection, some)
    connection.execute(update(snapshots).where(is_used).values(snapshot=ERASED_SNAPSHOT, url=""))
    connection.execute(update(citations).where(is_cited).values(title="", heading="", quote="", url=""))


def erase_after_history(connection: Connection, conversation_id: str, turn_id: str) -> None:
    """Erases from a turn that was just stored what its history may have held of pages that were erased meanwhile."""
    turns = schema.turns
    asked_at = select(turns.c.asked_at).where(turns.c.turn_id == turn_id).scalar_subquery()
    others = (turns.c.conversation_id == conversation_id) & (turns.c.turn_id != turn_id)
    meanwhile = select(turns.c.turn_id, turns.c.suggestions).where(others, turns.c.erased_at >= asked_at)
    erased = connection.execute(meanwhile).all()
    if not erased:
        return
    without_suggestions = {row.turn_id for row in erased if not row.suggestions}
    for stored in next(_stored_turns(connection, [conversation_id])):
        if stored.turn_id == turn_id:
            loss = losses_of([stored], (), (), without_suggestions, history=True)[turn_id]
            erase_words(connection, turn_id, loss)


def _stored_turns(connection: Connection, conversation_ids: list[str]) -> Iterator[list[StoredTurn]]:
    """The turns of each of these conversations, in the order in which they were stored."""
    turns = schema.turns
    rows = connection.execute(
        select(
            turns.c.conversation_id,
            turns.c.turn_id,
            turns.c.author,
            (turns.c.question_as_asked != turns.c.question_intent_explicit).label("completed"),
            turns.c.question_suggested_in,
            turns.c.calls,
        )
        .where(turns.c.conversation_id.in_(conversation_ids))
        .order_by(turns.c.conversation_id, turns.c.number)
    )
    for _, of_one in groupby(rows, key=lambda row: row.conversation_id):
        yield [
            StoredTurn(
                row.turn_id,
                Author(row.author),
                bool(row.completed),
                row.question_suggested_in,
                frozenset(call["name"] for call in row.calls),
            )
            for row in of_one
        ]


def erase_words(connection: Connection, turn_id: str, loss: Loss) -> None:
    """Erases a turn's words, and notes when."""
    turns = schema.turns
    row = connection.execute(
        select(turns.c.question_as_asked, turns.c.question_language, turns.c.calls, turns.c.trace_texts).where(
            turns.c.turn_id == turn_id
        )
    ).one()
    values: Row = {"erased_at": now()}
    if loss.asked and row.question_as_asked:
        spoken = row.question_language or detect_language(row.question_as_asked)
        values |= {"question_as_asked": "", "question_erased": True, "question_language": spoken}
    if loss.history:
        values["question_intent_explicit"] = values.get("question_as_asked", row.question_as_asked)
    if loss.suggestions:
        values["suggestions"] = []
    if loss.answer:
        values |= {"answer": "", "answer_erased": True}
    if loss.made:
        values |= {"trace_texts": null(), "erased": True}
    elif row.trace_texts is not None:
        names = ({"complete"} if loss.history else set()) | ({"suggest"} if loss.suggestions else set())
        texts = without_calls(row.trace_texts, row.calls, names)
        values["trace_texts"] = {**texts, **NO_HISTORY} if loss.history else texts
    connection.execute(update(turns).where(turns.c.turn_id == turn_id).values(values))


def _erase_counterfactuals(connection: Connection, conversation_ids: list[str]) -> None:
    # By the turns' column, so that those go too which PostgreSQL let in beside an earlier erasure. Also turns that did
    # not use the page lost theirs: what they answered was a completed question, which may repeat its title.
    turns, counterfactuals = schema.turns, schema.counterfactuals
    # Each is looked up by its turn's key: turns are many more than those that are explained.
    erased = select(turns.c.turn_id).where(turns.c.turn_id == counterfactuals.c.turn_id, turns.c.erased.is_(True))
    connection.execute(delete(counterfactuals).where(erased.exists()))


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


def empty_trace(connection: Connection, turn_id: str, texts: Row | None) -> bool:
    """Empties the prompts, candidates and plans of a turn's trace; whether there was anything in them."""
    if not texts:
        return False
    texts = {"plans": [], **texts}  # turns of before have none
    emptied = {**texts, "prompts": [NO_PROMPT] * len(texts["prompts"]), **NO_HISTORY}
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
