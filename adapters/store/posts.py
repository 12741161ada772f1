"""Our messages in chats (see :class:`core.ports.PostStore`)."""

from __future__ import annotations

import hashlib

from sqlalchemy import ColumnElement, Connection, RowMapping, func, insert, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import Row, now
from core.ports import Place, Post

TABLE = schema.posts


class SqlPostStore:
    """Posts in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def post(self, key: str) -> Post | None:
        """The post of this work, None if there is none."""
        found = await self._where(TABLE.c.key.in_([key, anonymise_key(key)]))
        return found[0] if found else None

    async def keep(self, post: Post) -> None:
        """Keeps a post; of the same key the first one's message stays, and only ``finished`` changes, to True."""
        there = select(TABLE.c.finished).where(TABLE.c.key == post.key)
        finish = update(TABLE).where(TABLE.c.key == post.key).values(finished=True)

        def work(connection: Connection) -> None:
            finished = connection.scalar(there)
            if finished is None:
                connection.execute(insert(TABLE).values(_row(post)))
            elif post.finished and not finished:
                connection.execute(finish)

        await self._database.run_write(work)

    async def of_message(self, place: Place, message_id: str) -> Post | None:
        """The post whose message that is; of the place only platform, team and channel count."""
        found = await self._where(_in_channel(place) & (TABLE.c.message_id == message_id))
        return found[0] if found else None

    async def in_conversation(self, conversation_id: str) -> list[Post]:
        """What we posted into a thread, in the order of keeping."""
        return await self._where(TABLE.c.conversation_id == conversation_id)

    async def last_in_channel(self, place: Place) -> Post | None:
        """What we posted last into a thread of a channel; of the place only platform, team and channel count."""
        newest = select(func.max(TABLE.c.number)).where(_in_channel(place) & (TABLE.c.thread != ""))
        found = await self._where(TABLE.c.number == newest.scalar_subquery())
        return found[0] if found else None

    async def _where(self, condition: ColumnElement[bool]) -> list[Post]:
        query = select(TABLE).where(condition).order_by(TABLE.c.number)
        return await self._database.run_read(
            lambda connection: [post_of(row) for row in connection.execute(query).mappings()]
        )


def anonymise_key(key: str) -> str:
    """Under which a post of a direct message stays when its person is forgotten: the key itself names their chat."""
    return f"forgotten:{hashlib.sha256(key.encode()).hexdigest()}"


def _in_channel(place: Place) -> ColumnElement[bool]:
    columns = TABLE.c
    return (columns.platform == place.platform) & (columns.team == place.team) & (columns.channel == place.channel)


def _row(post: Post) -> Row:
    place = post.place
    return {
        "key": post.key,
        "platform": place.platform,
        "team": place.team,
        "channel": place.channel,
        "thread": place.thread,
        "direct": place.direct,
        "shared": place.shared,
        "conversation_id": place.conversation_id,
        "message_id": post.message_id,
        "turn_id": post.turn_id,
        "finished": post.finished,
        "kept_at": now(),
        "person": post.person,
    }


def post_of(row: RowMapping) -> Post:
    """A post from its row."""
    place = Place(**{name: row[name] for name in Place.__dataclass_fields__})
    return Post(row["key"], place, row["message_id"], row["turn_id"], row["finished"], row["person"])
