"""Exporting and removing all data of one person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, delete, false, func, or_, select, update

from adapters.store import schema
from adapters.store.chats.chat_stores import anonymise_key, read_post
from adapters.store.chats.mentions import Mentions, clean_names, erase_completions, erase_former_names, erase_mentions
from adapters.store.chats.turn_erasure import erase_histories, remove_empty_conversations, remove_turns
from adapters.store.chats.turns import read_turns
from adapters.store.database import Database
from adapters.store.statements import Row, read_as, split_into_chunks
from adapters.store.wiki.erasure import hash_person, note_erased
from core.model import PersonId
from core.ports.administration import AuditEntry, HeardMessage, PersonalData, RemovalCounts
from core.ports.chat_stores import Feedback, Post
from core.ports.teams import Reference, TeamsUser

TURNS, SAID, POSTS, JUDGED = schema.turns, schema.thread_messages, schema.posts, schema.feedback
USERS, REACHED, MOVED, AUDIT = schema.teams_users, schema.chat_references, schema.moved_messages, schema.audit
T = TypeVar("T")

FORGOTTEN = "(forgotten)"
"""Replaces the place of a post in a direct message, because the place identifies the person."""


@dataclass(frozen=True, slots=True)
class _Traces:
    """A person's data: the channels of their direct messages, and conditions for their turns and messages."""

    chats: frozenset[str]
    turns: ColumnElement[bool]
    messages: ColumnElement[bool]


class SqlPersonStore:
    """The data of one person in the store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def export(self, person: PersonId) -> PersonalData:
        return await self._database.run_read(lambda connection: _export_data(connection, person))

    async def load_chats(self, person: PersonId) -> frozenset[str]:
        """Return the channels of the person's direct messages with the bot."""
        return await self._database.run_read(lambda connection: _find_chats(connection, person))

    async def load_turn_ids(self, person: PersonId) -> frozenset[str]:
        """Return the ids of the person's turns."""

        def work(connection: Connection) -> frozenset[str]:
            return frozenset(connection.scalars(select(TURNS.c.turn_id).where(_find_traces(connection, person).turns)))

        return await self._database.run_read(work)

    async def forget(self, person: PersonId, names: Sequence[str], pseudonym: str) -> RemovalCounts:
        """Remove all data of a person, in one transaction, and then from the database's files.

        Posts stay in an anonymous form, so that nothing is answered twice. The person's id and names are replaced in
        other people's messages. ``names``: known names, besides the stored ones. ``pseudonym``: replaces the person in
        the audit log.
        """

        def work(connection: Connection) -> RemovalCounts:
            note_erased(connection, "person", [hash_person(person.key)])
            return forget_person(connection, person, names, pseudonym)

        removed = await self._database.run_write(work)
        await self._database.scrub()
        await self._database.compact()
        return removed


def _export_data(connection: Connection, person: PersonId) -> PersonalData:
    traces = _find_traces(connection, person)
    turns = read_turns(connection, traces.turns)

    def load(kind: type[T], table: Table, condition: ColumnElement[bool], *order: Column[Any]) -> tuple[T, ...]:
        query = select(table).where(condition).order_by(*order)
        return tuple(read_as(kind, row) for row in connection.execute(query).mappings())

    posts = select(POSTS).where(_match_posts(traces, person, [turn.turn_id for turn in turns])).order_by(POSTS.c.number)
    in_audit = or_(AUDIT.c.actor == person.key, AUDIT.c.object == person.key)
    return PersonalData(
        turns=tuple(turns),
        messages=load(HeardMessage, SAID, traces.messages, SAID.c.kept_at, SAID.c.message_id),
        feedback=load(Feedback, JUDGED, JUDGED.c.person == person.key, JUDGED.c.number),
        posts=tuple(_hide_other_person(read_post(row), person) for row in connection.execute(posts).mappings()),
        teams_users=load(TeamsUser, USERS, _match_user(person)),
        references=load(Reference, REACHED, _match_chats(REACHED, traces, person)),
        audit=load(AuditEntry, AUDIT, in_audit, AUDIT.c.number),
    )


def _hide_other_person(post: Post, person: PersonId) -> Post:
    """Remove another person's key, who had an answer to this person explained, from a post."""
    return post if post.person == person.key else replace(post, person="")


def forget_person(connection: Connection, person: PersonId, names: Sequence[str], pseudonym: str) -> RemovalCounts:
    """Remove all data of a person. See :meth:`SqlPersonStore.forget`."""
    traces = _find_traces(connection, person)
    turns = connection.execute(
        select(TURNS.c.turn_id, TURNS.c.conversation_id, TURNS.c.question_as_asked).where(traces.turns)
    ).all()
    messages = connection.execute(select(SAID).where(traces.messages)).all()
    conversations = {row.conversation_id for row in (*turns, *messages)}
    posts = _forget_posts(connection, traces, person, [row.turn_id for row in turns])
    connection.execute(delete(SAID).where(traces.messages))
    judged = connection.execute(delete(JUDGED).where(JUDGED.c.person == person.key)).rowcount
    remove_turns(connection, [row.turn_id for row in turns])
    emptied = erase_histories(connection, conversations)
    erase_completions(
        connection, conversations, [*(row.question_as_asked for row in turns), *(row.text for row in messages)]
    )
    known = clean_names([*names, *(row.name for row in messages if person.is_user(person.team, row.user))])
    emptied += erase_mentions(connection, Mentions(person.user, known), conversations)
    erase_former_names(connection, known)
    _forget_chats(connection, traces, person)
    remove_empty_conversations(connection, conversations)
    connection.execute(delete(USERS).where(_match_user(person)))
    for column in (AUDIT.c.actor, AUDIT.c.object):
        connection.execute(update(AUDIT).where(column == person.key).values({column.name: pseudonym}))
    return RemovalCounts(len(turns), len(messages), judged, posts, emptied)


def _forget_posts(connection: Connection, traces: _Traces, person: PersonId, turn_ids: Sequence[str]) -> int:
    """Reduce posts to what prevents repeated work: the place in a channel, or a hash of a direct message's key."""
    rows = connection.execute(select(POSTS).where(_match_posts(traces, person, turn_ids))).all()
    gone = {"", *turn_ids}
    for row in rows:
        # An explanation of another person's answer keeps its turn, because that person may ask for it again.
        elsewhere = row.person != person.key or row.key.startswith("explain:")
        ended = row.direct or row.turn_id in gone or not elsewhere
        others = "" if row.direct or row.person == person.key else row.person
        nobody: Row = {"person": others, "finished": ended or row.finished, "turn_id": "" if ended else row.turn_id}
        if row.direct:
            key = row.key if row.channel == FORGOTTEN else anonymise_key(row.key)
            place = dict.fromkeys(("team", "channel", "thread", "conversation_id", "message_id"), FORGOTTEN)
            nobody |= {"key": key, **place}
        connection.execute(update(POSTS).where(POSTS.c.number == row.number).values(**nobody))
    return len(rows)


def _forget_chats(connection: Connection, traces: _Traces, person: PersonId) -> None:
    """Delete the references, moved messages and conversations of the person's direct messages."""
    connection.execute(delete(REACHED).where(_match_chats(REACHED, traces, person)))
    connection.execute(delete(MOVED).where(_match_chats(MOVED, traces, person)))
    for table in (schema.threads_read, schema.conversations):
        connection.execute(delete(table).where(_match_conversations(table, traces.chats, person)))


def _find_traces(connection: Connection, person: PersonId) -> _Traces:
    chats = _find_chats(connection, person)
    own = SAID.c.user == person.user
    if person.platform == "teams":  # Entra's ids are case-insensitive
        own = func.lower(SAID.c.user) == person.user.lower()
    started = f"{person.platform}:{person.team}:"
    team = SAID.c.conversation_id.istartswith(started, autoescape=True)
    return _Traces(
        chats,
        (TURNS.c.asker == person.key) | _match_conversations(TURNS, chats, person),
        (own & team) | _match_conversations(SAID, chats, person),
    )


def _find_chats(connection: Connection, person: PersonId) -> frozenset[str]:
    """Return the channels of the person's direct messages, from posts, messages and Teams users."""
    asked = select(TURNS.c.turn_id).where(TURNS.c.asker == person.key)
    heard = select(SAID.c.conversation_id).where(SAID.c.user == person.user)
    direct = select(POSTS.c.channel).where(
        POSTS.c.platform == person.platform,
        func.lower(POSTS.c.team) == person.team.lower(),
        POSTS.c.direct,
        or_(
            POSTS.c.person == person.key,
            POSTS.c.turn_id.in_(asked),
            POSTS.c.conversation_id.in_(heard),
            POSTS.c.channel == person.user,
        ),
    )
    of_users = select(USERS.c.direct).where(_match_user(person))
    return frozenset({*connection.scalars(direct), *connection.scalars(of_users)} - {"", FORGOTTEN})


def _match_posts(traces: _Traces, person: PersonId, turn_ids: Sequence[str]) -> ColumnElement[bool]:
    in_chats = and_(
        POSTS.c.platform == person.platform,
        func.lower(POSTS.c.team) == person.team.lower(),
        POSTS.c.channel.in_(sorted(traces.chats)),
    )
    of_turns = [POSTS.c.turn_id.in_(chunk) for chunk in split_into_chunks(turn_ids)]
    return or_(POSTS.c.person == person.key, in_chats, *of_turns)


def _match_user(person: PersonId) -> ColumnElement[bool]:
    if person.platform != "teams":
        return false()
    return (func.lower(USERS.c.team) == person.team.lower()) & (func.lower(USERS.c.user) == person.user.lower())


def _match_chats(table: Table, traces: _Traces, person: PersonId) -> ColumnElement[bool]:
    if person.platform != "teams":
        return false()
    return (func.lower(table.c.team) == person.team.lower()) & table.c.conversation.in_(sorted(traces.chats))


def _match_conversations(table: Table, chats: frozenset[str], person: PersonId) -> ColumnElement[bool]:
    """Return the condition for the rows of conversations in these channels."""
    starts = [f"{person.platform}:{person.team}:{chat}:" for chat in sorted(chats)]
    return or_(false(), *(table.c.conversation_id.istartswith(start, autoescape=True) for start in starts))
