"""Erasing the text of pages from stored turns, and deleting whole turns.

The text of a page can reach a turn in three ways:

- The turn used the page. Its evidences, and all prompts about them, contain the text.
- A person took the turn's question from the suggestions of a turn that loses its suggestions.
- The history of the turn contains it. The prompt for completing the question, and the completed question, may repeat
  text of an earlier turn.

What a turn loses is decided from these facts alone. No text is searched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby

from sqlalchemy import ColumnElement, Connection, delete, null, select, update

from adapters.store import schema
from adapters.store.rows import Row, now, split_into_chunks
from adapters.store.turn_rows import NO_HISTORY, NO_PROMPT, blank_prompts
from core.languages import detect_language
from core.model import Author, Context

ERASED_SNAPSHOT = {"text": "", "context": asdict(Context()), "parts": [], "rows": []}


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """The facts that decide what one turn loses. ``calls``: the names of its model calls."""

    turn_id: str
    author: Author
    completed: bool = False
    suggested_in: str = ""
    calls: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Loss:
    """The parts of one turn that have to be erased.

    ``asked``: the question as asked. ``history``: the completed question, its candidates and its prompts. ``made``: all
    other text of the trace, because the turn was made from erased text. ``suggestions``: the suggestions and their
    prompts. ``answer``: the answer's text.
    """

    asked: bool = False
    history: bool = False
    made: bool = False
    suggestions: bool = False
    answer: bool = False

    @property
    def is_any(self) -> bool:
        return self.asked or self.history or self.made or self.suggestions or self.answer


def find_losses(
    turns: Sequence[StoredTurn],
    used: Collection[str],
    cited: Collection[str],
    suggested_before: Collection[str] = (),
    *,
    history: bool = False,
) -> Mapping[str, Loss]:
    """Return the loss of each turn of one conversation, by turn id.

    ``turns``: in the order in which they were stored. ``used``: ids of the turns with evidences of the erased pages.
    ``cited``: ids of the turns whose answers cite one of them. ``suggested_before``: ids of the turns that have already
    lost their suggestions. ``history``: whether the history of the first turn contains erased text.
    """
    without_suggestions = set(suggested_before)
    while True:
        asked = {turn.turn_id for turn in turns if turn.suggested_in in without_suggestions}
        found = dict(
            zip((turn.turn_id for turn in turns), _compute_losses(turns, used, cited, asked, history), strict=True)
        )
        lost = without_suggestions | {turn_id for turn_id, loss in found.items() if loss.suggestions}
        if lost == without_suggestions:
            return found
        without_suggestions = lost


def _compute_losses(
    turns: Sequence[StoredTurn], used: Collection[str], cited: Collection[str], asked: Collection[str], history: bool
) -> list[Loss]:
    found: list[Loss] = []
    for turn in turns:
        own = turn.turn_id in asked
        made = own or turn.turn_id in used or (history and turn.completed)
        # The prompt for suggestions contains all questions of the conversation, including questions that were asked
        # while it was made and are stored after this turn.
        others = bool(set(asked) - {turn.turn_id}) and "suggest" in turn.calls
        found.append(
            Loss(
                asked=own,
                history=own or history or made,
                made=made,
                suggestions=made or others,
                answer=turn.turn_id in cited or (made and turn.author is Author.MODEL),
            )
        )
        history = history or own or turn.turn_id in used
    return found


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


def erase_from_turns(connection: Connection, page_ids: list[str]) -> None:
    """Erase all text of these pages from turns, including URLs, and the counterfactuals of turns that lose text.

    Page ids and ranks stay. So do authors, numbers, notices, posts, messages and feedback, because they contain no text
    of pages. :func:`find_losses` decides what else a turn loses.
    """
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    _erase_from_turns(connection, snapshots.c.page_id.in_(page_ids), citations.c.page_id.in_(page_ids))
    is_included = snapshots.c.origin.in_(page_ids)
    of_turns = citations.c.turn_id.in_(select(snapshots.c.turn_id).where(is_included))
    _erase_from_turns(connection, is_included, of_turns & _match_citations(is_included))


def erase_threads_from_turns(connection: Connection, page_id: str, threads: Collection[str]) -> None:
    """Erase the text of comments on a page, or of attached files, like :func:`erase_from_turns`.

    ``threads``: ids of the first comments of threads, or of files.
    """
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    for chunk in split_into_chunks(sorted(threads)):
        used = (snapshots.c.page_id == page_id) & snapshots.c.thread.in_(chunk)
        _erase_from_turns(connection, used, (citations.c.page_id == page_id) & _match_citations(used))


def _match_citations(used: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that a citation's evidence is one of the ``used`` ones."""
    snapshots, citations = schema.turn_evidences, schema.turn_citations
    same = (snapshots.c.turn_id == citations.c.turn_id) & (snapshots.c.evidence_id == citations.c.evidence_id)
    return select(snapshots.c.turn_id).where(used, same).exists()


def _erase_from_turns(connection: Connection, is_used: ColumnElement[bool], is_cited: ColumnElement[bool]) -> None:
    """``is_used``, ``is_cited``: conditions for the evidences and for the citations to erase."""
    snapshots, citations, turns = schema.turn_evidences, schema.turn_citations, schema.turns
    used, cited = (
        set(connection.scalars(select(table.c.turn_id).where(condition).distinct()))
        for table, condition in ((snapshots, is_used), (citations, is_cited))
    )
    conversations: set[str] = set()
    for chunk in split_into_chunks(used | cited):
        conversations |= set(connection.scalars(select(turns.c.conversation_id).where(turns.c.turn_id.in_(chunk))))
    for chunk in split_into_chunks(sorted(conversations)):
        lost = False
        for of_one in _load_stored_turns(connection, chunk):
            for turn_id, loss in find_losses(of_one, used, cited).items():
                if loss.is_any:
                    lost = True
                    _erase_parts(connection, turn_id, loss)
        if lost:
            _erase_counterfactuals(connection)
    connection.execute(update(snapshots).where(is_used).values(snapshot=ERASED_SNAPSHOT, url=""))
    connection.execute(update(citations).where(is_cited).values(title="", heading="", quote="", url=""))


def erase_after_history(connection: Connection, conversation_id: str, turn_id: str) -> None:
    """Erase from a turn that was just stored the text of pages that were erased after the turn read its history."""
    turns = schema.turns
    asked_at = select(turns.c.asked_at).where(turns.c.turn_id == turn_id).scalar_subquery()
    others = (turns.c.conversation_id == conversation_id) & (turns.c.turn_id != turn_id)
    meanwhile = select(turns.c.turn_id, turns.c.suggestions).where(others, turns.c.erased_at >= asked_at)
    erased = connection.execute(meanwhile).all()
    if not erased:
        return
    without_suggestions = {row.turn_id for row in erased if not row.suggestions}
    for stored in next(_load_stored_turns(connection, [conversation_id])):
        if stored.turn_id == turn_id:
            loss = find_losses([stored], (), (), without_suggestions, history=True)[turn_id]
            _erase_parts(connection, turn_id, loss)


def _load_stored_turns(connection: Connection, conversation_ids: list[str]) -> Iterator[list[StoredTurn]]:
    """Yield the turns of each conversation, in the order in which they were stored."""
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


def _erase_parts(connection: Connection, turn_id: str, loss: Loss) -> None:
    """Erase these parts of a turn, and note the time."""
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
        texts = blank_prompts(row.trace_texts, row.calls, names)
        values["trace_texts"] = {**texts, **NO_HISTORY} if loss.history else texts
    connection.execute(update(turns).where(turns.c.turn_id == turn_id).values(values))


def _erase_counterfactuals(connection: Connection) -> None:
    # Selecting by the column "erased" also deletes results that PostgreSQL stored concurrently with an earlier erasure,
    # and those of turns that did not use the page: the completed question they answered may repeat its title.
    turns, counterfactuals = schema.turns, schema.counterfactuals
    # An EXISTS by the turn's key, because there are many more turns than explained turns.
    erased = select(turns.c.turn_id).where(turns.c.turn_id == counterfactuals.c.turn_id, turns.c.erased.is_(True))
    connection.execute(delete(counterfactuals).where(erased.exists()))


def remove_turns(connection: Connection, turn_ids: Collection[str]) -> int:
    """Delete turns with their evidences, citations and counterfactuals. Returns the number of deleted turns."""
    removed = 0
    for chunk in split_into_chunks(turn_ids):
        # Explicit, because ON DELETE CASCADE depends on a setting of the connection.
        for table in (schema.turn_evidences, schema.turn_citations, schema.counterfactuals):
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
