"""The people whom pages name."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, Connection, and_, delete, func, or_, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.sqlite import note_deletion
from adapters.store.statements import read_as, split_into_chunks, upsert
from core.ports.pages import StoredPerson

PEOPLE, NAMED, PAGES = schema.people, schema.page_people, schema.pages


class SqlPeopleStore:
    """See :class:`core.ports.pages.PeopleStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_people(self, wiki_name: str, accounts: Collection[str]) -> dict[str, StoredPerson]:
        def work(connection: Connection) -> dict[str, StoredPerson]:
            found: dict[str, StoredPerson] = {}
            for chunk in split_into_chunks(accounts):
                query = select(PEOPLE).where(PEOPLE.c.source == wiki_name, PEOPLE.c.account.in_(chunk))
                found |= {row["account"]: read_as(StoredPerson, row) for row in connection.execute(query).mappings()}
            return found

        return await self._database.run_read(work)

    async def save(self, wiki_name: str, people: Mapping[str, StoredPerson]) -> None:
        def work(connection: Connection) -> None:
            for account, person in people.items():
                values = {"name": person.name, "active": person.active, "asked_at": person.asked_at}
                upsert(connection, PEOPLE, {"source": wiki_name, "account": account, **values}, values)

        if people:
            await self._database.run_write(work)

    async def list_accounts(self, wiki_name: str, space: str) -> dict[str, str]:
        asked_at = func.coalesce(PEOPLE.c.asked_at, "").label("asked_at")
        joined = NAMED.join(PAGES, PAGES.c.page_id == NAMED.c.page_id).outerjoin(PEOPLE, _match_person(wiki_name))
        query = select(NAMED.c.account, asked_at).select_from(joined).where(PAGES.c.space == space).distinct()
        rows = await self._database.load_rows(query.order_by(asked_at, NAMED.c.account))
        return {row["account"]: row["asked_at"] for row in rows}

    async def find_outdated_pages(self, wiki_name: str, space: str) -> list[str]:
        joined = NAMED.join(PAGES, PAGES.c.page_id == NAMED.c.page_id).join(PEOPLE, _match_person(wiki_name))
        differs = or_(NAMED.c.name.is_(None), NAMED.c.name != PEOPLE.c.name)
        query = select(NAMED.c.page_id).select_from(joined).where(PAGES.c.space == space, differs).distinct()
        return [row["page_id"] for row in await self._database.load_rows(query.order_by(NAMED.c.page_id))]

    async def prune(self) -> None:
        await self._database.run_write(remove_unnamed_people)


def _match_person(wiki_name: str) -> ColumnElement[bool]:
    return and_(PEOPLE.c.account == NAMED.c.account, PEOPLE.c.source == wiki_name)


def remove_unnamed_people(connection: Connection) -> None:
    """Delete people whom no page names."""
    named = select(NAMED.c.account).where(NAMED.c.account == PEOPLE.c.account)
    if connection.execute(delete(PEOPLE).where(~named.exists())).rowcount:
        note_deletion(connection)
