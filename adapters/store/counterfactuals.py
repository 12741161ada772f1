"""Explanations in the making (see :class:`core.attribution.attributor.CounterfactualStore`)."""

from __future__ import annotations

from sqlalchemy import Connection, RowMapping, insert, literal, null, select, update

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.rows import Row, now
from core.attribution.attributor import Cluster, Counterfactual, Known

TABLE = schema.counterfactuals


class SqlCounterfactualStore:
    """Counterfactual results in the SQL database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, turn_id: str, result: Counterfactual) -> None:
        """Keeps a result in place of an earlier one of the same cluster.

        Nothing happens where the turn is unknown or a page's words were erased from it, as with suggestions: the
        answers may repeat that page. Turns that are older than traces count as erased.
        """
        row = _row(turn_id, result)
        change = update(TABLE).where(TABLE.c.turn_id == turn_id, TABLE.c.cluster == row["cluster"]).values(row)
        turns = schema.turns
        values = [literal(value, TABLE.c[name].type) for name, value in row.items()]
        whole = select(*values).where(
            turns.c.turn_id == turn_id, turns.c.trace_texts.is_not(null()), turns.c.erased.is_(False)
        )
        new = insert(TABLE).from_select(list(row), whole)

        def work(connection: Connection) -> None:
            # What is there to change belongs to a whole turn: erasing its pages deletes it.
            if not connection.execute(change).rowcount:
                connection.execute(new)

        await self._database.run_write(work)

    async def load_known(self, turn_id: str) -> Known:
        """The kept results without those that failed."""
        query = select(TABLE).where(TABLE.c.turn_id == turn_id, TABLE.c.contribution.is_not(None), TABLE.c.error == "")
        results = await self._database.run_read(
            lambda connection: [_result_of(row) for row in connection.execute(query).mappings()]
        )
        return {result.cluster: result for result in results}


def _row(turn_id: str, result: Counterfactual) -> Row:
    return {
        "turn_id": turn_id,
        "cluster": ",".join(map(str, result.cluster)),
        "contribution": result.contribution,
        "similarity": result.similarity,
        "answers": list(result.answers),
        "answered": list(result.answered),
        "calls": result.calls,
        "error": result.error,
        "kept_at": now(),
    }


def _result_of(row: RowMapping) -> Counterfactual:
    cluster: Cluster = tuple(int(index) for index in row["cluster"].split(",") if index)
    return Counterfactual(
        cluster,
        row["contribution"],
        row["similarity"],
        tuple(row["answers"]),
        row["calls"],
        row["error"],
        answered=tuple(row["answered"]),
    )
