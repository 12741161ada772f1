"""Erasing the text of pages from stored turns, and deleting whole turns.

The text of a page can reach a turn in three ways, of which each is stored with the turn:

- The turn used the page (``turn_evidences``). Its evidences, and all prompts about them, contain the text.
- The person took the question from the suggestions of a turn whose texts may have had text of the page
  (``turn_question_sources``, asked). All texts of the turn may contain it.
- The history of the turn contained it (``turn_question_sources``, not asked). The prompts with the history, the
  completed question and the suggestions may repeat it; if the question is completed, so may all that was made from it.

What a turn loses is decided from these rows alone. No text is searched, and no other turn is read: a turn gets the
provenance of its history and of its suggestion when it is asked, including that of their questions.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field

from sqlalchemy import ColumnElement, Connection, delete, false, null, select, true, update

from adapters.store import schema
from adapters.store.chats.turn_rows import NO_HISTORY, NO_PROMPT, blank_history
from adapters.store.statements import Row, now, split_into_chunks
from core.languages import detect_language
from core.model import Author, Context

OnErasure = Callable[[], Awaitable[None]]
"""Called after a transaction that erased text."""

ERASED_SNAPSHOT = {"text": "", "context": asdict(Context()), "parts": [], "rows": []}


async def ignore_erasure() -> None:
    """Do nothing after an erasure."""


@dataclass(frozen=True, slots=True)
class ErasedText:
    """What a transaction erases from turns: text of pages, and, by page id, of threads of comments or files.

    It is erased once more after the commit. A turn that is being stored has a lock on its pages, for which the
    transaction waits, and PostgreSQL then shows it the turns as they were before.
    """

    page_ids: frozenset[str] = frozenset()
    threads: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.page_ids or self.threads)

    def erase(self, connection: Connection) -> None:
        """Erase it from all turns."""
        for chunk in split_into_chunks(self.page_ids):
            erase_from_turns(connection, chunk)
        for page_id, threads in self.threads.items():
            erase_threads_from_turns(connection, page_id, threads)


def erase_from_turns(connection: Connection, page_ids: list[str], turn_id: str = "") -> None:
    """Erase all text of these pages from turns, including URLs, and the counterfactuals of turns that lose text.

    Page ids and ranks stay. So do authors, numbers, notices, posts, messages and feedback, because they contain no text
    of pages. ``turn_id``: only from this turn.
    """
    snapshots, citations, provenance = schema.turn_evidences, schema.turn_citations, schema.turn_question_sources
    of_pages = (table.c.page_id.in_(page_ids) for table in (snapshots, citations, provenance))
    _erase_from_turns(connection, *of_pages, turn_id=turn_id)
    is_included = snapshots.c.origin.in_(page_ids)
    of_turns = citations.c.turn_id.in_(select(snapshots.c.turn_id).where(is_included))
    _erase_from_turns(connection, is_included, of_turns & _match_citations(is_included), false(), turn_id=turn_id)


def erase_threads_from_turns(connection: Connection, page_id: str, threads: Collection[str], turn_id: str = "") -> None:
    """Erase the text of comments on a page, or of attached files, like :func:`erase_from_turns`.

    ``threads``: ids of the first comments of threads, or of files.
    """
    snapshots, citations, provenance = schema.turn_evidences, schema.turn_citations, schema.turn_question_sources
    for chunk in split_into_chunks(sorted(threads)):
        is_used, is_provenance = (
            (table.c.page_id == page_id) & table.c.thread.in_(chunk) for table in (snapshots, provenance)
        )
        is_cited = (citations.c.page_id == page_id) & _match_citations(is_used)
        _erase_from_turns(connection, is_used, is_cited, is_provenance, turn_id=turn_id)


def _match_citations(used: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that a citation's evidence is one of the ``used`` ones."""
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    same = (snapshots.c.turn_id == citations.c.turn_id) & (snapshots.c.evidence_id == citations.c.evidence_id)
    return select(snapshots.c.turn_id).where(used, same).exists()


def _erase_from_turns(
    connection: Connection,
    is_used: ColumnElement[bool],
    is_cited: ColumnElement[bool],
    is_provenance: ColumnElement[bool],
    *,
    turn_id: str,
) -> None:
    """Erase what matches these conditions of evidences, citations and provenance, and what depends on it."""
    snapshots, citations, provenance = schema.turn_evidences, schema.turn_citations, schema.turn_question_sources
    is_used, is_cited, is_provenance = (
        condition & (table.c.turn_id == turn_id if turn_id else true())
        for table, condition in ((snapshots, is_used), (citations, is_cited), (provenance, is_provenance))
    )
    used, cited, asked, history = (
        set(connection.scalars(select(table.c.turn_id).where(condition).distinct()))
        for table, condition in (
            (snapshots, is_used),
            (citations, is_cited),
            (provenance, is_provenance & provenance.c.asked),
            (provenance, is_provenance & ~provenance.c.asked),
        )
    )
    for each in sorted(used | cited | asked | history):
        _erase_parts(connection, each, each in used, each in cited, each in asked, each in history)
    if used or cited or asked or history:
        _erase_counterfactuals(connection)
    connection.execute(update(snapshots).where(is_used).values(snapshot=ERASED_SNAPSHOT, url=""))
    connection.execute(update(citations).where(is_cited).values(title="", heading="", quote="", url=""))
    connection.execute(delete(provenance).where(is_provenance))


def _erase_parts(
    connection: Connection, turn_id: str, is_used: bool, is_cited: bool, is_asked: bool, is_history: bool
) -> None:
    """Erase the parts of a turn that may repeat erased text, and note the time.

    ``is_used``, ``is_cited``: whether the text was among the turn's evidences, and whether the answer cites it.
    ``is_asked``, ``is_history``: whether the suggestion that was asked, and the history, had words from it.
    """
    turns = schema.turns
    columns = ("author", "question_as_asked", "question_intent_explicit", "question_language", "calls", "trace_texts")
    row = connection.execute(select(*(turns.c[name] for name in columns)).where(turns.c.turn_id == turn_id)).one()
    is_completed = row.question_as_asked != row.question_intent_explicit
    is_made_from = is_used or is_asked or (is_history and is_completed)
    values: Row = {"erased_at": now()}
    if is_asked and row.question_as_asked:
        spoken = row.question_language or detect_language(row.question_as_asked)
        values |= {"question_as_asked": "", "question_erased": True, "question_language": spoken}
    if is_made_from or is_history:
        asked = values.get("question_as_asked", row.question_as_asked)
        values |= {"question_intent_explicit": asked, "suggestions": []}
    if is_cited or (is_made_from and row.author == Author.MODEL):
        values |= {"answer": "", "answer_erased": True}
    if is_made_from:
        values |= {"trace_texts": null(), "erased": True}
    elif is_history and row.trace_texts is not None:
        values["trace_texts"] = blank_history(row.trace_texts, row.calls)
    connection.execute(update(turns).where(turns.c.turn_id == turn_id).values(values))


def _erase_counterfactuals(connection: Connection) -> None:
    # Selecting by the column "erased" also deletes results that PostgreSQL stored concurrently with an earlier erasure,
    # and those of turns that did not use the page: the completed question they answered may repeat its title.
    turns, counterfactuals = schema.turns, schema.counterfactuals
    # An EXISTS by the turn's key, because there are many more turns than explained turns.
    erased = select(turns.c.turn_id).where(turns.c.turn_id == counterfactuals.c.turn_id, turns.c.erased.is_(True))
    connection.execute(delete(counterfactuals).where(erased.exists()))


def remove_turns(connection: Connection, turn_ids: Collection[str]) -> int:
    """Delete turns with all that belongs to them. Returns the number of deleted turns."""
    removed = 0
    for chunk in split_into_chunks(turn_ids):
        # Explicit, because ON DELETE CASCADE depends on a setting of the connection.
        for table in (
            schema.turn_evidences,
            schema.turn_citations,
            schema.turn_question_sources,
            schema.counterfactuals,
        ):
            connection.execute(delete(table).where(table.c.turn_id.in_(chunk)))
        removed += connection.execute(delete(schema.turns).where(schema.turns.c.turn_id.in_(chunk))).rowcount
    return removed


def erase_histories(connection: Connection, conversation_ids: Collection[str]) -> int:
    """Empty the prompts, candidates and plans in the traces of conversations, which may repeat earlier messages.

    Returns the number of changed turns.
    """
    turns = schema.turns
    emptied = 0
    for chunk in split_into_chunks(conversation_ids):
        query = select(turns.c.turn_id, turns.c.trace_texts).where(turns.c.conversation_id.in_(chunk))
        for row in connection.execute(query).all():
            emptied += empty_trace(connection, row.turn_id, row.trace_texts)
    return emptied


def empty_trace(connection: Connection, turn_id: str, texts: Row | None) -> bool:
    """Empty the prompts, candidates and plans of a turn's trace. Returns whether there were any."""
    if not texts:
        return False
    texts = {"plans": [], **texts}  # older versions stored no plans
    emptied = {**texts, "prompts": [NO_PROMPT] * len(texts["prompts"]), **NO_HISTORY}
    if emptied == texts:
        return False
    change = update(schema.turns).where(schema.turns.c.turn_id == turn_id)
    connection.execute(change.values(trace_texts=emptied))
    return True


def remove_empty_conversations(connection: Connection, conversation_ids: Collection[str]) -> None:
    """Delete conversations without turns, and the notes that a thread was read where nothing of the thread is left."""
    turns, said, posts = schema.turns, schema.thread_messages, schema.posts
    for chunk in split_into_chunks(conversation_ids):
        asked, spoken, shown = (
            select(table.c.conversation_id).where(table.c.conversation_id.in_(chunk)) for table in (turns, said, posts)
        )
        for table, full in ((schema.conversations, [asked]), (schema.threads_read, [asked, spoken, shown])):
            there = table.c.conversation_id
            left_out = [there.not_in(of_table) for of_table in full]
            connection.execute(delete(table).where(there.in_(chunk), *left_out))
