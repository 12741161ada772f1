"""Posts, messages, feedback, token counts, Teams users and asked questions (see :mod:`core.ports.chat_stores`).

Characters that a database cannot store are removed from names, messages and reasons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    true,
    update,
)

from adapters.store.database import Database
from adapters.store.schema import (
    chat_references,
    feedback,
    moved_messages,
    posts,
    teams_users,
    thread_messages,
    threads_read,
    tokens_used,
    turn_question_sources,
    turns,
)
from adapters.store.statements import Row, insert_missing, now, read_as, split_into_chunks, upsert
from core.history import make_sort_key
from core.ports.chat import Place, Platform, ThreadMessage
from core.ports.chat_stores import AskedQuestion, Feedback, JudgedQuestion, Post
from core.ports.teams import Reference, TeamsUser
from core.text import remove_unencodable

_OF_POST = ("key", "message_id", "turn_id", "finished", "person", "follows")  # and `changed_at`, stored as "edition"


# Constants, because making a statement takes longer than running it, and these are run several times a question.
_POSTS = select(posts).order_by(posts.c.number)
_BY_KEY = _POSTS.where(posts.c.key.in_([bindparam("key"), bindparam("anonymous")]))
_UNFINISHED = (posts.c.key == bindparam("this")) & posts.c.finished.is_(False)
_SET_MESSAGE = update(posts).where(_UNFINISHED, posts.c.message_id == "")
_FINISH = update(posts).where(_UNFINISHED).values(finished=True)
_IS_IN_CONVERSATION = posts.c.conversation_id == bindparam("conversation")
_IN_CONVERSATION = _POSTS.where(_IS_IN_CONVERSATION)
_SOME = select(posts.c.number).where(_IS_IN_CONVERSATION).limit(1)
_NEWEST = select(posts).where(_IS_IN_CONVERSATION).order_by(posts.c.number.desc()).limit(bindparam("most"))
_OF_TURN = _POSTS.where(posts.c.turn_id == bindparam("turn"))
_THIS_QUESTION = select(func.min(posts.c.number)).where(
    _IS_IN_CONVERSATION, posts.c.key.like("ask:%"), posts.c.key.endswith(bindparam("before"), autoescape=False)
)
_QUESTIONS = select(posts).where(
    _IS_IN_CONVERSATION,
    posts.c.key.like("ask:%"),
    posts.c.turn_id != "",
    posts.c.number < func.coalesce(_THIS_QUESTION.scalar_subquery(), 2**31 - 1),
)
_FIRST_QUESTIONS = _QUESTIONS.order_by(posts.c.number).limit(bindparam("most"))
_NEWEST_QUESTIONS = _QUESTIONS.order_by(posts.c.number.desc()).limit(bindparam("most"))


class SqlPostStore:
    """See :class:`core.ports.chat_stores.PostStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load_post(self, key: str) -> Post | None:
        return next(iter(await self._load(_BY_KEY, key=key, anonymous=anonymise_key(key))), None)

    async def save(self, post: Post) -> None:
        this = {"this": post.key}

        def work(connection: Connection) -> None:
            insert_missing(connection, posts, [_make_post_row(post)])
            if post.message_id:
                row = _make_post_row(post)
                del row["edition"], row["follows"]  # stored when the work began; a newer change may be noted by now
                connection.execute(_SET_MESSAGE, {**row, **this})
            if post.finished:
                connection.execute(_FINISH, this)

        await self._database.run_write(work)

    async def note_change(self, post: Post) -> None:
        def work(connection: Connection) -> None:
            insert_missing(connection, posts, [_make_post_row(replace(post, changed_at=""))])
            known = connection.scalar(select(posts.c.edition).where(posts.c.key == post.key)) or ""
            if make_sort_key(post.changed_at) > make_sort_key(known):
                connection.execute(update(posts).where(posts.c.key == post.key).values(edition=post.changed_at))

        await self._database.run_write(work)

    async def replace(self, post: Post) -> None:
        changes = {"message_id": post.message_id, "turn_id": post.turn_id, "finished": post.finished}
        await self._database.execute(update(posts).where(posts.c.key == post.key).values(changes))

    async def find_by_message(self, place: Place, message_id: str) -> Post | None:
        return (
            await self._find_first(_match_channel(place) & (posts.c.message_id == message_id)) if message_id else None
        )

    async def find_in_conversation(self, conversation_id: str) -> list[Post]:
        rows = await self._database.load_rows(_IN_CONVERSATION, {"conversation": conversation_id})
        return [read_post(row) for row in rows]

    async def has_some(self, conversation_id: str) -> bool:
        return await self._database.load_scalar(_SOME, {"conversation": conversation_id}) is not None

    async def find_newest(self, conversation_id: str, most: int) -> list[Post]:
        return (await self._load(_NEWEST, conversation=conversation_id, most=most))[::-1]

    async def find_questions(self, conversation_id: str, before: str, first: int, newest: int) -> list[Post]:
        values = {"conversation": conversation_id, "before": f":{before}"}

        def read(connection: Connection) -> list[Post]:
            rows = {
                row["number"]: row
                for query, most in ((_FIRST_QUESTIONS, first), (_NEWEST_QUESTIONS, newest))
                for row in connection.execute(query, {**values, "most": most}).mappings()
            }
            return [read_post(rows[number]) for number in sorted(rows)]

        return await self._database.run_read(read)

    async def find_of_turn(self, turn_id: str) -> list[Post]:
        return await self._load(_OF_TURN, turn=turn_id) if turn_id else []

    async def find_last_in_channel(self, place: Place, person: str = "") -> Post | None:
        theirs = (posts.c.person == person) if person else true()
        newest = select(func.max(posts.c.number)).where(_match_channel(place) & (posts.c.thread != "") & theirs)
        return await self._find_first(posts.c.number == newest.scalar_subquery())

    async def _find_first(self, condition: ColumnElement[bool]) -> Post | None:
        return next(iter(await self._load(_POSTS.where(condition))), None)

    async def _load(self, query: Select[Any], **values: str | int) -> list[Post]:
        return [read_post(row) for row in await self._database.load_few(query, values)]


def anonymise_key(key: str) -> str:
    """Return a hash of a direct message's key, for when its person is forgotten: the key itself names the chat."""
    return f"forgotten:{hashlib.sha256(key.encode()).hexdigest()}"


def read_post(row: RowMapping) -> Post:
    """Return the post of a row."""
    return Post(place=read_as(Place, row), changed_at=row["edition"], **{name: row[name] for name in _OF_POST})


def _make_post_row(post: Post) -> Row:
    own = {name: getattr(post, name) for name in _OF_POST} | {"edition": post.changed_at}
    return {**asdict(post.place), "conversation_id": post.place.conversation_id, "kept_at": now(), **own}


def _match_channel(place: Place) -> ColumnElement[bool]:
    columns = posts.c
    return (columns.platform == place.platform) & (columns.team == place.team) & (columns.channel == place.channel)


class SqlThreadStore:
    """See :class:`core.ports.chat_stores.ThreadStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, conversation_id: str, messages: Sequence[ThreadMessage]) -> None:
        """Add messages, or replace edited ones. Of messages with the same id, the last one is stored."""
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
            for chunk in split_into_chunks(rows):
                before = (thread_messages.c.conversation_id == conversation_id) & thread_messages.c.message_id.in_(
                    chunk
                )
                connection.execute(delete(thread_messages).where(before))
                connection.execute(insert(thread_messages), [rows[message_id] for message_id in chunk])

        if rows:
            await self._database.run_write(work)

    async def remove(self, conversation_id: str, message_id: str) -> None:
        this = _has(thread_messages, {"conversation_id": conversation_id, "message_id": message_id})
        await self._database.execute(delete(thread_messages).where(this))

    async def load_messages(self, conversation_id: str) -> list[ThreadMessage]:
        query = select(thread_messages).where(thread_messages.c.conversation_id == conversation_id)
        found = await self._database.load(ThreadMessage, query)
        # Sorted in Python, because a database's collation may ignore the dots in ids.
        return sorted(found, key=lambda message: message.message_id)

    async def load_some(
        self, conversation_id: str, after: str, before: str, first: int, newest: int
    ) -> list[ThreadMessage]:
        there = thread_messages.c.conversation_id == conversation_id
        start, end = make_sort_key(after) if after else None, make_sort_key(before)

        def read(connection: Connection) -> list[ThreadMessage]:
            # Ids are compared here, because a database's collation may ignore the dots in them.
            keys = (
                make_sort_key(each) for each in connection.scalars(select(thread_messages.c.message_id).where(there))
            )
            between = sorted(key for key in keys if key < end and (start is None or key > start))
            chosen = [*between[:first], *between[max(first, len(between) - newest) :]]
            wanted = [message_id for _, message_id in chosen]
            found: dict[str, ThreadMessage] = {}
            for chunk in split_into_chunks(wanted):
                query = select(thread_messages).where(there, thread_messages.c.message_id.in_(chunk))
                for row in connection.execute(query).mappings():
                    found[row["message_id"]] = read_as(ThreadMessage, row)
            return [found[message_id] for message_id in wanted]

        return await self._database.run_read(read)

    async def has_message(self, conversation_id: str, message_id: str) -> bool:
        this = _has(thread_messages, {"conversation_id": conversation_id, "message_id": message_id})
        return await self._database.load_scalar(select(thread_messages.c.message_id).where(this)) is not None

    async def mark_read(self, conversation_id: str) -> None:
        row = {"conversation_id": conversation_id, "read_at": now()}
        await self._database.run_write(lambda connection: insert_missing(connection, threads_read, [row]))

    async def was_read(self, conversation_id: str) -> bool:
        there = select(threads_read.c.read_at).where(threads_read.c.conversation_id == conversation_id)
        return await self._database.load_scalar(there) is not None


class SqlFeedbackStore:
    """See :class:`core.ports.chat_stores.FeedbackStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, given: Feedback) -> None:
        row = asdict(replace(given, reason=remove_unencodable(given.reason)))
        changes = {name: row[name] for name in ("reaction", "reason", "at")}
        if not row["reason"]:
            changes["reason"] = case((feedback.c.reaction == given.reaction, feedback.c.reason), else_="")
        key = [feedback.c.turn_id, feedback.c.person]
        await self._database.run_write(lambda connection: upsert(connection, feedback, row, changes, key))

    async def load_all(self) -> list[Feedback]:
        return await self._database.load(Feedback, select(feedback).order_by(feedback.c.at, feedback.c.number))


class SqlTokenStore:
    """See :class:`core.ports.chat_stores.TokenStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: str, tokens: int) -> None:
        row, more = {"day": day, "tokens": tokens}, {"tokens": tokens_used.c.tokens + tokens}
        await self._database.run_write(lambda connection: upsert(connection, tokens_used, row, more))

    async def load(self, day: str) -> int:
        return await self._database.load_scalar(select(tokens_used.c.tokens).where(tokens_used.c.day == day)) or 0


class SqlReferenceStore:
    """See :class:`core.ports.teams.ReferenceStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, reference: Reference) -> None:
        await self._put(chat_references, asdict(reference))

    async def load(self, team: str, conversation: str) -> Reference | None:
        row = await self._find_row(chat_references, {"team": team, "conversation": conversation})
        return read_as(Reference, row) if row else None

    async def save_user(self, person: TeamsUser) -> None:
        await self._put(teams_users, asdict(person), keeps=() if person.direct else ("direct",))

    async def load_user(self, team: str, user: str) -> TeamsUser | None:
        row = await self._find_row(teams_users, {"team": team, "user": user})
        return read_as(TeamsUser, row) if row else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        row = {"team": team, "conversation": conversation, "message_id": message_id, "moved_to": to, "kept_at": now()}
        await self._database.run_write(lambda connection: insert_missing(connection, moved_messages, [row]))

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        key = {"team": team, "conversation": conversation, "message_id": message_id}
        row = await self._find_row(moved_messages, key)
        return str(row["moved_to"]) if row else message_id

    async def _find_row(self, table: Table, key: Mapping[str, str]) -> RowMapping | None:
        return next(iter(await self._database.load_few(select(table).where(_has(table, key)))), None)

    async def _put(self, table: Table, values: Row, keeps: Sequence[str] = ()) -> None:
        """Insert or update a row. ``keeps``: columns that an update leaves as they are."""
        row = {**values, "kept_at": now()}
        changes = {name: value for name, value in row.items() if name not in keeps}
        await self._database.run_write(lambda connection: upsert(connection, table, row, changes))


def _has(table: Table, values: Mapping[str, str]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in values.items()))


_COLUMNS = (turns.c.question_as_asked, turns.c.asked_at, turns.c.answered, turns.c.question_erased)
_PLACE = (posts.c.platform, posts.c.team, posts.c.channel, posts.c.thread, posts.c.direct, posts.c.shared)
_HAS_WORDS_OF_PAGES = (turns.c.question_suggested_in != "") | (
    select(turn_question_sources.c.turn_id)
    .where(turn_question_sources.c.turn_id == turns.c.turn_id, turn_question_sources.c.asked)
    .exists()
)
_TYPED = turns.c.question_erased.is_(False) & ~_HAS_WORDS_OF_PAGES
_ANSWER = posts.c.key.startswith("ask:") & (posts.c.message_id != "")


class SqlAskedQuestionStore:
    """See :class:`core.ports.chat_stores.AskedQuestionStore`. Reads the tables of turns, posts and feedback."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_latest(self, asker: str, most: int) -> list[AskedQuestion]:
        return await self._load(_select_questions(turns.c.asker == asker, _TYPED).limit(most)) if asker else []

    async def find_unanswered(self, platform: Platform, team: str, moment: str, most: int) -> list[AskedQuestion]:
        unanswered = turns.c.answered.is_(False) & (turns.c.asked_at >= moment)
        there = _is_in(platform, team) & posts.c.direct.is_(False)
        return await self._load(_select_questions(unanswered, _TYPED, there).limit(most))

    async def find_judged(self, platform: Platform, team: str, moment: str) -> list[JudgedQuestion]:
        columns = (feedback.c.reaction, feedback.c.reason, _TYPED.label("typed"))
        query = (
            _select_questions(_is_in(platform, team), feedback.c.at >= moment)
            .add_columns(*columns)
            .join(feedback, feedback.c.turn_id == turns.c.turn_id)
            .order_by(None)
            .order_by(feedback.c.at.desc(), feedback.c.number.desc())
        )
        return [_read_judged(row) for row in await self._database.load_rows(query)]

    async def _load(self, query: Select[tuple[object, ...]]) -> list[AskedQuestion]:
        return [_read_question(row) for row in await self._database.load_rows(query)]


def _select_questions(*conditions: ColumnElement[bool]) -> Select[tuple[object, ...]]:
    query = select(*_COLUMNS, *_PLACE, posts.c.message_id).join_from(turns, posts, posts.c.turn_id == turns.c.turn_id)
    return query.where(_ANSWER, *conditions).order_by(turns.c.asked_at.desc(), turns.c.number.desc())


def _is_in(platform: Platform, team: str) -> ColumnElement[bool]:
    return (posts.c.platform == platform) & (posts.c.team == team)


def _read_question(row: RowMapping) -> AskedQuestion:
    text, place = row["question_as_asked"], read_as(Place, row)
    return AskedQuestion(text, row["asked_at"], row["answered"], place, row["message_id"])


def _read_judged(row: RowMapping) -> JudgedQuestion:
    may_be_told = row["typed"] and not row["direct"]
    reason = "" if row["direct"] else row["reason"]
    return JudgedQuestion(row["reaction"], reason, _read_question(row) if may_be_told else None)
