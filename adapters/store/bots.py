"""The bots that run on one database: which are alive, what each has locked, and signals from each to all.

Times are by the database's clock. A bot that is no longer listed may write nothing: each writing transaction keeps its
row from being deleted, and does nothing where it is gone. So what a bot locks stays its own until it is removed, and
from then on nothing that it still does takes effect here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, func, insert, select, update

from adapters.store.database import Database
from adapters.store.rows import insert_missing, upsert
from adapters.store.schema import bot_locks, bot_signals, bots
from core.errors import BotReplaced

LEADER = "leader"
"""The lock of the bot that does what one alone does."""

_LEADER = select(bot_locks.c.bot).where(bot_locks.c.name == LEADER)
NOW: ColumnElement[Any] = func.extract("epoch", func.clock_timestamp())
"""Seconds since 1970, by the clock of PostgreSQL."""


@dataclass(frozen=True, slots=True)
class Beat:
    """What a bot learns when it says that it is alive. ``signals``: the number of each."""

    living: frozenset[str]
    leads: bool
    signals: Mapping[str, int]


class SqlBots:
    """One bot among those on a PostgreSQL database. Each method is one transaction, and blocks."""

    def __init__(self, database: Database, bot: str, home: str) -> None:
        """``bot``: its id, never used before. ``home``: where it runs; no other bot may run there at the same time."""
        self._database = database
        self._bot = bot
        self._home = home
        self.was_replaced = False
        """Whether it was noticed that this bot is not listed any more."""

    def join(self) -> None:
        """Lists this bot, in place of one that ran at its home."""

        def work(connection: Connection) -> None:
            connection.execute(delete(bots).where(bots.c.home == self._home))
            connection.execute(insert(bots).values(bot=self._bot, home=self._home, beat_at=NOW))

        self._database.write_until_done(work)
        self._database.guard_writes(self.guard)

    def guard(self, connection: Connection) -> None:
        """Keeps this bot listed until the transaction ends. Raises BotReplaced where it is not listed any more."""
        listed = select(bots.c.bot).where(bots.c.bot == self._bot).with_for_update(read=True, key_share=True)
        if connection.scalar(listed) is None:
            self.was_replaced = True
            raise BotReplaced(
                "Another bot has taken over what this one was doing, or a command has taken the database, for this "
                "bot did not reach it for a while. Start it again. If that happens often, look at the network and the "
                "load of its machine."
            )

    def beat(self) -> Beat:
        """Says that this bot is alive, and becomes the leader where there is none. Raises BotReplaced."""

        def work(connection: Connection) -> Beat:
            connection.execute(update(bots).where(bots.c.bot == self._bot).values(beat_at=NOW))
            leader = connection.scalar(_LEADER)
            if leader is None:
                insert_missing(connection, bot_locks, [{"name": LEADER, "bot": self._bot}])
                leader = connection.scalar(_LEADER)
            living = frozenset(connection.scalars(select(bots.c.bot)))
            signals = {row.name: row.number for row in connection.execute(select(bot_signals))}
            return Beat(living, leader == self._bot, signals)

        return self._database.write_until_done(work)

    def remove_silent(self, seconds: float) -> list[str]:
        """Removes bots that have been silent for so long, with their locks; returns their ids."""
        silent = select(bots.c.bot).where(bots.c.bot != self._bot, bots.c.beat_at < NOW - seconds)

        def work(connection: Connection) -> list[str]:
            # One whose row is locked is just writing, or is paused there: then the server ends its transaction soon.
            found = list(connection.scalars(silent.with_for_update(skip_locked=True)))
            connection.execute(delete(bots).where(bots.c.bot.in_(found)))
            return found

        return self._database.write_until_done(work)

    def remove(self, bot: str) -> None:
        """Removes a bot, which may write nothing from then on."""
        self._database.write_until_done(lambda connection: connection.execute(delete(bots).where(bots.c.bot == bot)))

    def find_living(self) -> frozenset[str]:
        """The bots that are listed now."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(bots.c.bot)))

    def lock(self, names: Collection[str]) -> bool:
        """Locks all of these names for this bot, or none where one is locked; whether it did."""
        rows = [{"name": name, "bot": self._bot} for name in sorted(names)]

        def work(connection: Connection) -> bool:
            if connection.scalar(select(exists().where(bot_locks.c.name.in_(names)))):
                return False
            connection.execute(insert(bot_locks), rows)  # where another is quicker, this is done again
            return True

        return self._database.write_until_done(work) if rows else True

    def unlock(self, names: Collection[str]) -> None:
        """Unlocks what this bot has locked."""
        mine = delete(bot_locks).where(bot_locks.c.bot == self._bot, bot_locks.c.name.in_(names))
        self._database.write_until_done(lambda connection: connection.execute(mine))

    def find_locked(self, prefix: str) -> frozenset[str]:
        """The locked names that begin so."""
        with self._database.read() as connection:
            return frozenset(connection.scalars(select(bot_locks.c.name).where(bot_locks.c.name.startswith(prefix))))

    def signal(self, name: str) -> None:
        """Raises the number of a signal."""
        raised = {"number": bot_signals.c.number + 1}
        self._database.write_until_done(
            lambda connection: upsert(connection, bot_signals, {"name": name, "number": 1}, raised)
        )
