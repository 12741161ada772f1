"""The questions of the last minute, of all bots on a PostgreSQL database; times are by its clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from sqlalchemy import Connection, delete, select

from adapters.store.bots import NOW
from adapters.store.database import Database
from adapters.store.rows import upsert
from adapters.store.schema import recent_questions
from core.chat.requests import WINDOW, add_question, drop_old, find_full
from core.ports.chat_store import AskedRecently

_ROW = recent_questions.c


class SqlRecentQuestions:
    """See :class:`core.ports.chat_store.RecentQuestions`.

    Each question that counts rewrites the rows of its names, so two at a time overtake each other and one is counted
    again, with the other.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, key: str, limits: Mapping[str, int]) -> str:
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
    asked = {name: drop_old(stored.get(name, []), now) for name in limits}
    if full := find_full(key, limits, asked):
        return full
    for name in sorted(limits):  # in one order, so that two transactions never wait for each other
        rewritten = [asdict(each) for each in add_question(key, now, asked[name])]
        values = {"asked": rewritten, "last_at": now}
        upsert(connection, recent_questions, {"name": name, **values}, values)
    return ""
