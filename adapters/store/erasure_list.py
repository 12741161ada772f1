"""The list of what was erased: ids of pages, keys of spaces, and of persons a salted hash that can only be compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from adapters.store.database import Database
from adapters.store.rows import Row, chunks, insert_missing, now, read_as
from adapters.store.schema import erasures
from core.ports.administration import Erasure, ErasureKind

_SALT_BYTES = 8


def note_erased(connection: Connection, kind: ErasureKind, objects: Collection[str]) -> None:
    """Adds to the list, in the transaction that erases."""
    at = now()
    rows: list[Row] = [
        {"erasure_id": secrets.token_hex(8), "at": at, "kind": kind, "object": each} for each in sorted(objects)
    ]
    insert_missing(connection, erasures, rows)


def hash_person(key: str, salt: str = "") -> str:
    """How the list has a person, by their key (core.person.person_key)."""
    salt = salt or secrets.token_hex(_SALT_BYTES)
    return f"{salt}:{hashlib.sha256(f'{salt}:{key}'.encode()).hexdigest()}"


def is_person(listed: str, key: str) -> bool:
    """Whether an entry of the list is this person."""
    return hmac.compare_digest(hash_person(key, listed.partition(":")[0]), listed)


class SqlErasureList:
    """What the database says was erased. Each method is one transaction, and blocks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_since(self, moment: str) -> list[Erasure]:
        query = select(erasures).where(erasures.c.at >= moment).order_by(erasures.c.at, erasures.c.erasure_id)
        with self._database.read() as connection:
            return [read_as(Erasure, row) for row in connection.execute(query).mappings()]

    def find_database_ids(self) -> frozenset[str]:
        """The ids by which a list says that it is this database's, or that of a copy; none in one of before."""
        query = select(erasures.c.object).where(erasures.c.kind == "database")
        with self._database.read() as connection:
            return frozenset(connection.scalars(query))

    def add_database_id(self) -> None:
        """Gives the database an id of its own."""
        self._database.write_until_done(lambda connection: note_erased(connection, "database", [secrets.token_hex(8)]))

    def find_missing(self, listed: Sequence[Erasure]) -> list[Erasure]:
        known: set[str] = set()
        with self._database.read() as connection:
            for some in chunks([each.erasure_id for each in listed]):
                known.update(connection.scalars(select(erasures.c.erasure_id).where(erasures.c.erasure_id.in_(some))))
        return [each for each in listed if each.erasure_id not in known]
