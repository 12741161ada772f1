"""What is kept of chats besides turns (see :mod:`core.ports.chat_store`).

Characters that no database keeps are left out of names, texts and reasons that people wrote.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Table,
    and_,
    case,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from adapters.store.database import Database
from adapters.store.rows import Row, chunks, insert_missing, now, read_as, upsert
from adapters.store.schema import (
    chat_references,
    feedback,
    moved_messages,
    posts,
    teams_users,
    thread_messages,
    threads_read,
    tokens_used,
)
from core.history import order_key
from core.ports.chat import Place, ThreadMessage
from core.ports.chat_store import Feedback, Post, Reference, TeamsUser
from core.text import remove_unencodable


class SqlPostStore:
    """See :class:`core.ports.chat_store.PostStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def post(self, key: str) -> Post | None:
        return await self._first(posts.c.key.in_([key, anonymise_key(key)]))

    async def keep(self, post: Post) -> None:
        this = posts.c.key == post.key
        posted = update(posts).where(this, posts.c.message_id == "", posts.c.finished.is_(False))
        finish = update(posts).where(this, posts.c.finished.is_(False)).values(finished=True)

        def work(connection: Connection) -> None:
            insert_missing(connection, posts, [_post_row(post)])
            if post.message_id:
                row = _post_row(post)
                del row["edition"], row["follows"]  # stored when the work began; an edition perhaps since then
                connection.execute(posted.values(row))
            if post.finished:
                connection.execute(finish)

        await self._database.run_write(work)

    async def note_edition(self, post: Post) -> None:
        def work(connection: Connection) -> None:
            insert_missing(connection, posts, [_post_row(replace(post, edition=""))])
            known = connection.scalar(select(posts.c.edition).where(posts.c.key == post.key)) or ""
            if order_key(post.edition) > order_key(known):
                connection.execute(update(posts).where(posts.c.key == post.key).values(edition=post.edition))

        await self._database.run_write(work)

    async def replace(self, post: Post) -> None:
        changes = {"message_id": post.message_id, "turn_id": post.turn_id, "finished": post.finished}
        await self._database.execute(update(posts).where(posts.c.key == post.key).values(changes))

    async def of_message(self, place: Place, message_id: str) -> Post | None:
        return await self._first(_in_channel(place) & (posts.c.message_id == message_id)) if message_id else None

    async def in_conversation(self, conversation_id: str) -> list[Post]:
        return await self._where(posts.c.conversation_id == conversation_id)

    async def last_in_channel(self, place: Place, person: str = "") -> Post | None:
        theirs = (posts.c.person == person) if person else true()
        newest = select(func.max(posts.c.number)).where(_in_channel(place) & (posts.c.thread != "") & theirs)
        return await self._first(posts.c.number == newest.scalar_subquery())

    async def _first(self, condition: ColumnElement[bool]) -> Post | None:
        return next(iter(await self._where(condition)), None)

    async def _where(self, condition: ColumnElement[bool]) -> list[Post]:
        query = select(posts).where(condition).order_by(posts.c.number)
        return [post_of(row) for row in await self._database.rows(query)]


def anonymise_key(key: str) -> str:
    """The key under which a post of a direct message stays when its person is forgotten: the own one names the chat."""
    return f"forgotten:{hashlib.sha256(key.encode()).hexdigest()}"


def post_of(row: RowMapping) -> Post:
    """A post from its row."""
    return Post(
        row["key"],
        read_as(Place, row),
        row["message_id"],
        row["turn_id"],
        row["finished"],
        row["person"],
        row["edition"],
        row["follows"],
    )


def _post_row(post: Post) -> Row:
    return {
        **asdict(post.place),
        "conversation_id": post.place.conversation_id,
        "key": post.key,
        "message_id": post.message_id,
        "turn_id": post.turn_id,
        "finished": post.finished,
        "kept_at": now(),
        "person": post.person,
        "edition": post.edition,
        "follows": post.follows,
    }


def _in_channel(place: Place) -> ColumnElement[bool]:
    columns = posts.c
    return (columns.platform == place.platform) & (columns.team == place.team) & (columns.channel == place.channel)


class SqlThreadStore:
    """See :class:`core.ports.chat_store.ThreadStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Adds messages; one that is there is replaced (it was edited). Of the same id the last one counts."""
        at = now()
        rows = {
            message.message_id: {
                "conversation_id": conversation_id,
                "message_id": message.message_id,
                "user": message.user,
                "name": remove_unencodable(message.name),
                "text": remove_unencodable(message.text),
                "kept_at": at,
            }
            for message in messages
        }

        def work(connection: Connection) -> None:
            for some in chunks(rows):
                before = (thread_messages.c.conversation_id == conversation_id) & thread_messages.c.message_id.in_(some)
                connection.execute(delete(thread_messages).where(before))
                connection.execute(insert(thread_messages), [rows[message_id] for message_id in some])

        if rows:
            await self._database.run_write(work)

    async def remove(self, conversation_id: str, message_id: str) -> None:
        this = _has(thread_messages, {"conversation_id": conversation_id, "message_id": message_id})
        await self._database.execute(delete(thread_messages).where(this))

    async def messages(self, conversation_id: str) -> list[ThreadMessage]:
        query = select(thread_messages).where(thread_messages.c.conversation_id == conversation_id)
        found = await self._database.load(ThreadMessage, query)
        # Sorted here: a database sorts by its collation, which may pass over the dots in ids.
        return sorted(found, key=lambda message: message.message_id)

    async def mark_read(self, conversation_id: str) -> None:
        row = {"conversation_id": conversation_id, "read_at": now()}
        await self._database.run_write(lambda connection: insert_missing(connection, threads_read, [row]))

    async def was_read(self, conversation_id: str) -> bool:
        there = select(threads_read.c.read_at).where(threads_read.c.conversation_id == conversation_id)
        return await self._database.scalar(there) is not None


class SqlFeedbackStore:
    """See :class:`core.ports.chat_store.FeedbackStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, given: Feedback) -> None:
        row = asdict(replace(given, reason=remove_unencodable(given.reason)))
        changes = {name: row[name] for name in ("reaction", "reason", "at")}
        if not row["reason"]:
            changes["reason"] = case((feedback.c.reaction == given.reaction, feedback.c.reason), else_="")
        key = [feedback.c.turn_id, feedback.c.person]
        await self._database.run_write(lambda connection: upsert(connection, feedback, row, changes, key))

    async def all(self) -> list[Feedback]:
        return await self._database.load(Feedback, select(feedback).order_by(feedback.c.at, feedback.c.number))


class SqlTokenStore:
    """See :class:`core.ports.chat_store.TokenStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: str, tokens: int) -> None:
        row, more = {"day": day, "tokens": tokens}, {"tokens": tokens_used.c.tokens + tokens}
        await self._database.run_write(lambda connection: upsert(connection, tokens_used, row, more))

    async def of(self, day: str) -> int:
        return await self._database.scalar(select(tokens_used.c.tokens).where(tokens_used.c.day == day)) or 0


class SqlReferenceStore:
    """See :class:`core.ports.chat_store.ReferenceStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, reference: Reference) -> None:
        await self._put(chat_references, asdict(reference))

    async def of(self, team: str, conversation: str) -> Reference | None:
        row = await self._row(chat_references, {"team": team, "conversation": conversation})
        return read_as(Reference, row) if row else None

    async def save_user(self, person: TeamsUser) -> None:
        await self._put(teams_users, asdict(person), keeps=() if person.direct else ("direct",))

    async def person(self, team: str, user: str) -> TeamsUser | None:
        row = await self._row(teams_users, {"team": team, "user": user})
        return read_as(TeamsUser, row) if row else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        row = {"team": team, "conversation": conversation, "message_id": message_id, "moved_to": to, "kept_at": now()}
        await self._database.run_write(lambda connection: insert_missing(connection, moved_messages, [row]))

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        key = {"team": team, "conversation": conversation, "message_id": message_id}
        row = await self._row(moved_messages, key)
        return str(row["moved_to"]) if row else message_id

    async def _row(self, table: Table, key: Mapping[str, str]) -> RowMapping | None:
        return next(iter(await self._database.rows(select(table).where(_has(table, key)))), None)

    async def _put(self, table: Table, values: Row, keeps: Sequence[str] = ()) -> None:
        """Sets the row with the values' key; ``keeps``: columns of a row that is there which stay as they are."""
        row = {**values, "kept_at": now()}
        changes = {name: value for name, value in row.items() if name not in keeps}
        await self._database.run_write(lambda connection: upsert(connection, table, row, changes))


def _has(table: Table, values: Mapping[str, str]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in values.items()))
