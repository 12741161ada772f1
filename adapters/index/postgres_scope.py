"""Tables of index entries in PostgreSQL: the access filter, and how many entries it admits.

How many there are decides how they are searched.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, text

from core.ports.indexes import AccessFilter

IN_SCOPE = "space = ANY(:spaces) AND (access = '' OR access = ANY(:accesses))"


def make_table(connection: Connection, table: str, columns: str) -> None:
    """A table of entries with these columns besides those of every index, and one of their numbers.

    Rows stay in one piece up to a page's size: a search would read the parts one by one.
    """
    common = "key text PRIMARY KEY, space text NOT NULL, access text NOT NULL"
    numbers = "space text, restricted boolean, entries integer NOT NULL, PRIMARY KEY (space, restricted)"
    connection.execute(text(f"CREATE TABLE {table} ({common}, {columns}) WITH (toast_tuple_target = 8160)"))
    connection.execute(text(f"CREATE INDEX ON {table} (space)"))
    connection.execute(text(f"CREATE TABLE {table}_counts ({numbers})"))


def count_entries(connection: Connection, table: str, space: str) -> int:
    """How many entries of a space there are."""
    query = text(f"SELECT coalesce(sum(entries), 0) FROM {table}_counts WHERE space = :space")  # noqa: S608 - ours
    return int(connection.scalar(query, {"space": space}) or 0)


def scope_parameters(reach: AccessFilter) -> dict[str, object]:
    """The parameters of :data:`IN_SCOPE`."""
    return {"spaces": list(reach.spaces), "accesses": sorted(reach.access)}


def count_in_scope(connection: Connection, table: str, reach: AccessFilter) -> tuple[int, int]:
    """How many entries the filter admits, restricted ones counted as if it admitted all or none; and all entries."""
    query = text(f"""
        SELECT coalesce(sum(entries) FILTER (WHERE space = ANY(:spaces) AND (NOT restricted OR :reads)), 0) AS admitted,
            coalesce(sum(entries), 0) AS total FROM {table}_counts
    """)  # noqa: S608 - a table of ours
    found = connection.execute(query, {"spaces": list(reach.spaces), "reads": bool(reach.access)}).one()
    return int(found.admitted), int(found.total)


def change_counts(connection: Connection, table: str, changes: Mapping[tuple[str, bool], int]) -> None:
    """Adds to the counts, by space and whether the entries are restricted. Always in the same order: no deadlocks."""
    statement = text(f"""
        INSERT INTO {table}_counts AS known (space, restricted, entries) VALUES (:space, :restricted, :entries)
        ON CONFLICT (space, restricted) DO UPDATE SET entries = known.entries + excluded.entries
    """)  # noqa: S608 - a table of ours
    rows = [
        {"space": space, "restricted": restricted, "entries": number}
        for (space, restricted), number in sorted(changes.items())
    ]
    if rows:
        connection.execute(statement, rows)
