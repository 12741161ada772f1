"""Erasing again what a restored backup brought back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

from sqlalchemy import Column, Connection, func, insert, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.erasure import erase_pages
from adapters.store.erasure_list import is_person
from adapters.store.persons import forget_person
from adapters.store.rows import chunks, insert_missing
from adapters.store.spaces import forget_space
from core.errors import PersonInvalid
from core.person import PersonId, parse_person
from core.ports.administration import Erasure


def erase_again(database: Database, missing: Sequence[Erasure], at: str, pseudonym: str) -> str:
    """Erases what is listed and adds it to the database's own list, in one transaction.

    Returns, as the audit log has it, how much of it was there; "" if nothing.
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
    erase_pages(connection, pages)  # also those that only answers have something of
    for key in spaces:
        forget_space(connection, key)
    for person in persons:
        forget_person(connection, person, (), pseudonym)
    return ", ".join(f"{number} {what}" for what, number in counts.items() if number)


def _count(connection: Connection, column: Column[str], values: Sequence[str]) -> int:
    queries = (select(func.count()).where(column.in_(some)) for some in chunks(values))
    return sum(connection.scalar(query) or 0 for query in queries)


def _find_persons(connection: Connection) -> list[PersonId]:
    """Everybody of whom the database has something."""
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
        with suppress(PersonInvalid):  # not of a chat: of a command, or what an audit entry is about
            person = parse_person(key)
            persons[person.key] = person
    return list(persons.values())
