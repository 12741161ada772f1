"""What people think of answers (see :class:`core.ports.FeedbackStore`)."""

from __future__ import annotations

from sqlalchemy import Connection, case, insert, select, update

from adapters.store import schema
from adapters.store.database import Database
from core.ports import Feedback
from core.text import encodable

TABLE = schema.feedback


class SqlFeedbackStore:
    """Feedback in the SQL database. Characters that no database keeps are left out of reasons."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, feedback: Feedback) -> None:
        """Keeps it; an empty reason leaves the one that was given before with the same reaction."""
        reason = encodable(feedback.reason)
        same = TABLE.c.reaction == feedback.reaction
        change = (
            update(TABLE)
            .where(TABLE.c.turn_id == feedback.turn_id, TABLE.c.person == feedback.person)
            .values(
                reaction=feedback.reaction,
                reason=reason or case((same, TABLE.c.reason), else_=""),
                at=feedback.at,
            )
        )
        new = insert(TABLE).values(
            turn_id=feedback.turn_id,
            person=feedback.person,
            reaction=feedback.reaction,
            reason=reason,
            at=feedback.at,
        )

        def work(connection: Connection) -> None:
            if not connection.execute(change).rowcount:
                connection.execute(new)

        await self._database.run_write(work)

    async def all(self) -> list[Feedback]:
        """All of it, oldest first."""
        columns = [TABLE.c[name] for name in Feedback.__dataclass_fields__]
        query = select(*columns).order_by(TABLE.c.at, TABLE.c.number)
        return await self._database.run_read(
            lambda connection: [Feedback(**row) for row in connection.execute(query).mappings()]
        )
