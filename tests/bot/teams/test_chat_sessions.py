from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.store.chats.chat_stores import SqlPostStore
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from bot.teams.chat_sessions import PAUSE_MILLISECONDS, ChatSessions
from core.ports.chat import Place
from core.ports.chat_stores import Post

CHAT = Place("teams", "T1", "a:1", "", direct=True)
THREAD = Place("teams", "T1", "19:x@thread.tacv2;messageid=5", "5")
NOON = 1_795_345_000_000
PAUSE = int(PAUSE_MILLISECONDS)


@pytest.fixture
def posts(tmp_path: Path) -> Iterator[SqlPostStore]:
    database = Database.open(make_sqlite_url(tmp_path / "wikiwhy.db"))
    yield SqlPostStore(database)
    database.close()


async def find_thread(
    sessions: ChatSessions, at: int, place: Place = CHAT, user: str = "ada", text: str = "What?"
) -> str:
    """Return the session of a message at this time."""
    found = await sessions.find_place(place, str(at), user, text)
    sessions.note_message(found, str(at), user)
    return found.thread


async def test_a_session_has_the_id_of_its_first_message_and_ends_after_a_pause(posts: SqlPostStore) -> None:
    sessions = ChatSessions(posts)
    moments = [NOON, NOON + 1_000, NOON + PAUSE, NOON + 2 * PAUSE]
    assert {await find_thread(sessions, at) for at in moments} == {str(NOON)}
    assert await find_thread(sessions, NOON + 3 * PAUSE + 1) == str(NOON + 3 * PAUSE + 1)


async def test_after_a_restart_the_session_of_the_last_answer_continues(posts: SqlPostStore) -> None:
    answered = replace(CHAT, thread=str(NOON))
    await posts.save(Post("ask:1", answered, str(NOON + 500), "t1", finished=True))
    await posts.save(Post("command:1", CHAT, str(NOON + 600), "", finished=True))
    assert await find_thread(ChatSessions(posts), NOON + PAUSE) == str(NOON)
    assert await find_thread(ChatSessions(posts), NOON + 2 * PAUSE) == str(NOON + 2 * PAUSE)
    assert (await ChatSessions(posts).find_place(CHAT)).thread == str(NOON)


async def test_a_late_repeated_message_starts_no_session(posts: SqlPostStore) -> None:
    sessions = ChatSessions(posts)
    await find_thread(sessions, NOON)
    assert await find_thread(sessions, NOON - 5) == str(NOON)
    assert await find_thread(sessions, NOON + PAUSE) == str(NOON)


async def test_chats_and_tenants_have_separate_sessions(posts: SqlPostStore) -> None:
    sessions = ChatSessions(posts)
    await find_thread(sessions, NOON)
    for at, other in enumerate((replace(CHAT, team="T2"), replace(CHAT, channel="a:2")), start=1):
        assert await find_thread(sessions, NOON + at, other) == str(NOON + at)


async def test_in_a_group_chat_sessions_are_personal_and_follow_ups_join_the_last_one(
    posts: SqlPostStore,
) -> None:
    group, sessions = replace(CHAT, channel="19:g@thread.v2", direct=False), ChatSessions(posts)
    whole = "How many vacation days do I have?"
    assert await find_thread(sessions, NOON, group, "ada", whole) == str(NOON)
    assert await find_thread(sessions, NOON + 1, group, "ben", whole) == str(NOON + 1)
    assert await find_thread(sessions, NOON + 2, group, "ada", whole) == str(NOON)
    assert await find_thread(sessions, NOON + 3, group, "eve", "And in Germany?") == str(NOON)
    assert await find_thread(sessions, NOON + 4, group, "eve", whole) == str(NOON)
    assert await find_thread(sessions, NOON + 5, group, "ben", whole) == str(NOON + 1)


async def test_threads_of_channels_are_unchanged(posts: SqlPostStore) -> None:
    assert await ChatSessions(posts).find_place(THREAD, "6") == THREAD
