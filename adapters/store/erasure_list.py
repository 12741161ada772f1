"""Reading the list of what was erased, and erasing it again after a backup was restored."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

from sqlalchemy import Column, Connection, func, insert, select

from adapters.store import schema
from adapters.store.chats.personal_data import forget_person
from adapters.store.database import Database
from adapters.store.schema import erasures
from adapters.store.statements import insert_missing, read_as, split_into_chunks
from adapters.store.wiki.erasure import erase_pages, is_person, note_erased
from adapters.store.wiki.spaces import forget_space
from core.accounts import parse_person
from core.errors import PersonInvalid
from core.model import PersonId
from core.ports.administration import Erasure


class SqlErasureList:
    """The list of erasures in the database. Each method is one transaction, and blocks."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list_since(self, moment: str) -> list[Erasure]:
        query = select(erasures).where(erasures.c.at >= moment).order_by(erasures.c.at, erasures.c.erasure_id)
        with self._database.read() as connection:
            return [read_as(Erasure, row) for row in connection.execute(query).mappings()]

    def count(self) -> int:
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).select_from(erasures)) or 0

    def find_database_ids(self) -> frozenset[str]:
        """Return the ids of the database and of those it was copied from. Older databases have none."""
        query = select(erasures.c.object).where(erasures.c.kind == "database")
        with self._database.read() as connection:
            return frozenset(connection.scalars(query))

    def add_database_id(self) -> None:
        """Give the database an id of its own."""
        self._database.write_until_done(lambda connection: note_erased(connection, "database", [secrets.token_hex(8)]))

    def find_missing(self, listed: Sequence[Erasure]) -> list[Erasure]:
        known: set[str] = set()
        with self._database.read() as connection:
            for chunk in split_into_chunks([each.erasure_id for each in listed]):
                known.update(connection.scalars(select(erasures.c.erasure_id).where(erasures.c.erasure_id.in_(chunk))))
        return [each for each in listed if each.erasure_id not in known]


def erase_again(database: Database, missing: Sequence[Erasure], at: str, pseudonym: str) -> str:
    """Erase these objects and add them to the database's own list, in one transaction.

    Returns how many of them the database contained, in the words of the audit log ("2 pages, 1 persons"), "" if none.
    """

    def work(connection: Connection) -> str:
        erased = _erase(connection, missing, pseudonym)
        insert_missing(connection, schema.erasures, [asdict(each) for each in missing])
        if erased:
            entry = {"at": at, "actor": "server", "action": "erase_again", "object": erased, "ended_at": at}
            connection.execute(insert(schema.audit).values(outcome="done", **entry))
        return erased

    erased = database.write_until_done(work)
    if erased:
        database.scrub_now()
    return erased


def _erase(connection: Connection, missing: Sequence[Erasure], pseudonym: str) -> str:
    pages, spaces, hashes = (
        sorted({each.object for each in missing if each.kind == kind}) for kind in ("page", "space", "person")
    )
    persons = [
        person for person in _find_persons(connection) if any(is_person(hashed, person.key) for hashed in hashes)
    ]
    counts = {
        "pages": _count(connection, schema.pages.c.page_id, pages),
        "spaces": _count(connection, schema.spaces.c.key, spaces),
        "persons": len(persons),
    }
    erase_pages(connection, pages)  # also pages that only stored turns contain text of
    for key in spaces:
        forget_space(connection, key)
    for person in persons:
        forget_person(connection, person, (), pseudonym)
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number)


def _count(connection: Connection, column: Column[str], values: Sequence[str]) -> int:
    queries = (select(func.count()).where(column.in_(chunk)) for chunk in split_into_chunks(values))
    return sum(connection.scalar(query) or 0 for query in queries)


def _find_persons(connection: Connection) -> list[PersonId]:
    """Return all persons that the database has data of."""
    said, users = schema.thread_messages.c, schema.teams_users.c
    keys = {f"teams:{team}:{user}" for team, user in connection.execute(select(users.team, users.user))}
    for conversation_id, user in connection.execute(select(said.conversation_id, said.user).distinct()):
        platform, team, _ = conversation_id.split(":", 2)
        keys.add(f"{platform}:{team}:{user}")
    audit = schema.audit.c
    for column in (schema.turns.c.asker, schema.posts.c.person, schema.feedback.c.person, audit.actor, audit.object):
        keys.update(key for key in connection.scalars(select(column).distinct()) if key)
    persons: dict[str, PersonId] = {}
    for key in sorted(keys):
        with suppress(PersonInvalid):  # a user of the command line, or an audit entry's object that is no person
            person = parse_person(key)
            persons[person.key] = person
    return list(persons.values())
