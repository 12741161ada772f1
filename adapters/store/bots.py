"""What several bots on one PostgreSQL database share: heartbeats, locks, signals, and the questions of the last minute.

All times are by the database's clock. Only a bot with a row in ``bots`` may write: each writing transaction locks that
row against deletion, and fails if the row is missing. So a bot keeps its locks until it is removed, and after that
nothing it does changes the database.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, update

from adapters.postgres import Guard, end_waiting_sessions
from adapters.store.database import Database
from adapters.store.schema import bot_locks, bot_signals, bots, recent_questions
from adapters.store.statements import insert_missing, upsert
from core.chat.limits import WINDOW, count_question
from core.errors import BotReplaced
from core.ports.chat_stores import AskedRecently

LEADER = "leader"
"""The name of the lock that makes a bot the leader."""

_LEADER = select(bot_locks.c.bot).where(bot_locks.c.name == LEADER)
NOW: ColumnElement[Any] = func.extract("epoch", func.clock_timestamp())
"""Seconds since 1970, by the clock of PostgreSQL."""

START_SECONDS = 60.0
"""A bot that joins has this long for its first heartbeat: on a busy machine it takes longer to start than it may be
silent later. Until then it has no work that another bot could take over."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The state that a bot reads with its heartbeat. ``living``: ids of bots. ``signals``: name to number."""

    living: frozenset[str]
    leads: bool
    signals: Mapping[str, int]


class SqlBots:
    """One bot of those on a PostgreSQL database. Each method is one transaction, and blocks."""

    def __init__(self, database: Database, bot: str, home: str) -> None:
        """``bot``: its id, never used before. ``home``: where it runs. Only one bot at a time may run there."""
        self._database = database
        self._bot = bot
        self._home = home
        self.guard = Guard(bot, self._check_listed)
        self.was_replaced = False
        """Whether the guard found that this bot is no longer listed."""

    def join(self) -> None:
        """Add this bot to the list, in place of a bot with the same home."""

        def work(connection: Connection) -> None:
            connection.execute(delete(bots).where(bots.c.home == self._home))
            connection.execute(insert(bots).values(bot=self._bot, home=self._home, beat_at=NOW + START_SECONDS))

        self._database.write_until_done(work)
        self._database.guard_writes(self.guard)

    def _check_listed(self, connection: Connection) -> None:
        """Keep this bot listed until the transaction ends. Raises BotReplaced if it is not listed."""
        listed = select(bots.c.bot).where(bots.c.bot == self._bot).with_for_update(read=True, key_share=True)
        if connection.scalar(listed) is None:
            self.was_replaced = True
            raise BotReplaced(
                "Another bot has taken over what this one was doing, or a command has taken the database, for this "
                "bot did not reach it for a while. Start it again. If that happens often, look at the network and the "
                "load of its machine."
            )

    def write_heartbeat(self) -> Heartbeat:
        """Write that this bot is alive, and become the leader if there is none. Raises BotReplaced."""

        def work(connection: Connection) -> Heartbeat:
            connection.execute(update(bots).where(bots.c.bot == self._bot).values(beat_at=NOW))
            leader = connection.scalar(_LEADER)
            if leader is None:
                insert_missing(connection, bot_locks, [{"name": LEADER, "bot": self._bot}])
                leader = connection.scalar(_LEADER)
            living = frozenset(connection.scalars(select(bots.c.bot)))
            signals = {row.name: row.number for row in connection.execute(select(bot_signals))}
            return Heartbeat(living, leader == self._bot, signals)

        return self._database.write_until_done(work)

    def remove_silent(self, seconds: float) -> list[str]:
        """Remove other bots without a heartbeat in the last ``seconds``, with their locks. Returns their ids."""
        silent = select(bots.c.bot).where(bots.c.bot != self._bot, bots.c.beat_at < NOW - seconds)

        def work(connection: Connection) -> list[str]:
            if found := list(connection.scalars(silent)):
                end_waiting_sessions(found, connection)
            # A bot whose row is still locked is writing.
            found = list(connection.scalars(silent.with_for_update(skip_locked=True)))
            connection.execute(delete(bots).where(bots.c.bot.in_(found)))
            return found

        return self._database.write_until_done(work)

    def remove(self, bot: str) -> None:
        """Remove a bot. From then on it cannot write."""
        self._database.write_until_done(lambda connection: connection.execute(delete(bots).where(bots.c.bot == bot)))

    def find_living(self) -> frozenset[str]:
        """Return the ids of the listed bots."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(bots.c.bot)))

    def lock(self, names: Collection[str]) -> bool:
        """Lock all of these names for this bot, or none of them if one is locked. Returns whether it locked them."""
        rows = [{"name": name, "bot": self._bot} for name in sorted(names)]

        def work(connection: Connection) -> bool:
            if connection.scalar(select(exists().where(bot_locks.c.name.in_(names)))):
                return False
            connection.execute(insert(bot_locks), rows)  # repeated if another bot was quicker
            return True

        return self._database.write_until_done(work) if rows else True

    def unlock(self, names: Collection[str]) -> None:
        """Unlock those of the names that this bot has locked."""
        mine = delete(bot_locks).where(bot_locks.c.bot == self._bot, bot_locks.c.name.in_(names))
        self._database.write_until_done(lambda connection: connection.execute(mine))

    def find_locked(self, prefix: str) -> frozenset[str]:
        """Return the locked names that begin with ``prefix``."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(bot_locks.c.name).where(bot_locks.c.name.startswith(prefix))))

    def signal(self, name: str) -> None:
        """Increment the number of a signal."""
        raised = {"number": bot_signals.c.number + 1}
        self._database.write_until_done(
            lambda connection: upsert(connection, bot_signals, {"name": name, "number": 1}, raised)
        )


_ROW = recent_questions.c


class SqlRecentQuestions:
    """See :class:`core.ports.chat_stores.RecentQuestions`.

    Each counted question rewrites the rows of its names. Of two concurrent ones one fails and is repeated, and then
    counts the other.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note_question(self, key: str, limits: Mapping[str, int]) -> str:
        if not limits:
            return ""
        return await self._database.run_write(lambda connection: _count(connection, key, limits))

    async def clear(self) -> None:
        await self._database.execute(delete(recent_questions))

    async def remove_old(self) -> None:
        await self._database.execute(delete(recent_questions).where(_ROW.last_at <= NOW - WINDOW))


def _count(connection: Connection, key: str, limits: Mapping[str, int]) -> str:
    now = float(connection.execute(select(NOW)).scalar_one())
    found = connection.execute(select(_ROW.name, _ROW.asked).where(_ROW.name.in_(limits)))
    stored = {row.name: [AskedRecently(**each) for each in row.asked] for row in found}
    full, counted = count_question(key, now, limits, stored)
    for name, asked in sorted(counted.items()):  # in a fixed order, against deadlocks
        values = {"asked": list(map(asdict, asked)), "last_at": now}
        upsert(connection, recent_questions, {"name": name, **values}, values)
    return full
