"""Pages and their evidences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Select, bindparam, delete, insert, select, update

from adapters.store.chats.turn_erasure import ErasedText, OnErasure, ignore_erasure
from adapters.store.database import Database
from adapters.store.schema import (
    accesses,
    attached_files,
    comments,
    evidences,
    page_origins,
    page_people,
    pages,
    spaces,
)
from adapters.store.sqlite import note_deletion
from adapters.store.statements import Row, insert_missing, read_as, split_into_chunks, upsert_all
from adapters.store.wiki.counting import update_counts
from adapters.store.wiki.erasure import (
    delete_evidences,
    delete_included,
    erase_pages,
    note_erased,
)
from adapters.store.wiki.inclusions import (
    ENTRY_ACCESS,
    SAME_ORIGIN,
    find_linked,
    find_naming,
    find_outdated_inclusions,
    find_unclear,
    list_including,
    lock_pages,
    reset_marks,
    write_inclusions,
)
from adapters.store.wiki.index_state import (
    add_stale_entries,
    add_unchecked_texts,
    remove_checked_texts,
    remove_stale_entries,
)
from adapters.store.wiki.page_queries import find_selected, has_new_places, save_parents
from adapters.store.wiki.page_rows import (
    make_comment_rows,
    make_evidence_row,
    make_file_rows,
    make_page_row,
    read_indexed_evidence,
    read_page,
    read_restrictions,
    split_ids,
)
from adapters.store.wiki.titles import (
    find_naming_former,
    find_referenced,
    forget_unclear,
    note_reused_titles,
    note_unclear,
    remember_titles,
    write_titles,
)
from core.evidence.comments import find_thread_ids
from core.indexing.index_entries import make_access_id, sort_restrictions
from core.model import IndexedEvidence, LinkTarget, Page, PageQuery, PageReference, ReadRestrictions
from core.ports.files import FileText, KnownFile
from core.ports.pages import NOT_STORED, IndexedPage, NarrowedPage, Outline, PagesReplaced, StaleEntry, UnclearNames
from core.ports.wiki import KnownComment


class SqlPageStore:
    """See :class:`core.ports.pages.PageStore`. ``on_erasure``: called after text of pages was erased."""

    def __init__(self, database: Database, on_erasure: OnErasure = ignore_erasure) -> None:
        self._database = database
        self._on_erasure = on_erasure

    async def load_digests(self, space: str) -> dict[str, str]:
        query = select(pages.c.page_id, pages.c.digest).where(pages.c.space == space)
        return {row["page_id"]: row["digest"] for row in await self._database.load_rows(query)}

    async def load_page(self, page_id: str) -> Page | None:
        joined = select(pages, accesses.c.read_restrictions).outerjoin(accesses, accesses.c.access == pages.c.access)
        own, attached = (
            select(table).where(table.c.page_id == page_id).order_by(table.c.position)
            for table in (comments, attached_files)
        )

        def work(connection: Connection) -> Page | None:
            row = connection.execute(joined.where(pages.c.page_id == page_id)).mappings().first()
            parts = (connection.execute(query).mappings().all() for query in (own, attached))
            return read_page(row, *parts) if row else None

        return await self._database.run_read(work)

    async def load_comments(self, space: str) -> dict[str, KnownComment]:
        query = _select_of_space(comments.c.comment_id, comments.c.version, space)
        return {row["comment_id"]: read_as(KnownComment, row) for row in await self._database.load_rows(query)}

    async def load_files(self, space: str) -> set[KnownFile]:
        query = _select_of_space(attached_files.c.file_id, attached_files.c.version, space)
        return {read_as(KnownFile, row) for row in await self._database.load_rows(query)}

    async def load_labels(self, space: str) -> dict[str, frozenset[str]]:
        query = select(pages.c.page_id, pages.c.labels).where(pages.c.space == space)
        return {row["page_id"]: frozenset(row["labels"]) for row in await self._database.load_rows(query)}

    async def load_file_text(self, page_id: str, file_id: str, version: str) -> FileText | None:
        table = attached_files.c
        is_asked_for = (table.page_id == page_id) & (table.file_id == file_id) & (table.version == version)
        query = select(table.content, table.problem).where(is_asked_for)
        rows = await self._database.load_rows(query)
        return FileText(rows[0]["content"], rows[0]["problem"]) if rows else None

    async def load_digest(self, page_id: str) -> str:
        found = await self._database.load_scalar(select(pages.c.digest).where(pages.c.page_id == page_id))
        return NOT_STORED if found is None else str(found)

    async def find_referenced(self, references: Collection[PageReference]) -> dict[PageReference, str]:
        return await self._database.run_read(lambda connection: find_referenced(connection, references))

    async def find_selected(self, queries: Collection[PageQuery]) -> dict[PageQuery, list[str]]:
        return await self._database.run_read(lambda connection: find_selected(connection, queries))

    async def find_outlines(self, page_ids: Collection[str]) -> dict[str, Outline]:
        return await self._database.run_read(lambda connection: _find_outlines(connection, page_ids))

    async def save_parents(self, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
        # Read before writing, because hints are frequent, rarely move pages, and a write blocks other writers.
        is_new = await self._database.run_read(lambda connection: has_new_places(connection, space, parents, is_all))
        return is_new and await self._database.run_write(
            lambda connection: save_parents(connection, space, parents, is_all)
        )

    async def find_outdated_inclusions(self, wiki_name: str, space: str) -> list[str]:
        return await self._database.run_read(lambda connection: find_outdated_inclusions(connection, wiki_name, space))

    async def find_linked(self, wiki_name: str, space: str) -> list[LinkTarget]:
        return await self._database.run_read(lambda connection: find_linked(connection, wiki_name, space))

    async def find_naming(self, wiki_name: str, space: str) -> list[str]:
        return await self._database.run_read(lambda connection: find_naming(connection, wiki_name, space))

    async def find_naming_former(self, page_ids: Collection[str]) -> list[str]:
        return await self._database.run_read(lambda connection: find_naming_former(connection, page_ids))

    async def note_unclear(self, names: Collection[PageReference]) -> None:
        await self._database.run_write(lambda connection: note_unclear(connection, names))

    async def find_unclear(self, wiki_name: str, space: str) -> UnclearNames:
        return await self._database.run_read(lambda connection: find_unclear(connection, wiki_name, space))

    async def forget_unclear(self, space: str, titles: Collection[str]) -> None:
        if titles:
            await self._database.run_write(lambda connection: forget_unclear(connection, space, titles))

    async def replace(self, indexed: Sequence[IndexedPage]) -> list[StaleEntry]:
        """Store new versions of pages, and list the replaced index entries as stale.

        See :meth:`core.ports.pages.PageStore.replace`. Also raises ValueError if an evidence does not have the page,
        the space or the access of its page.
        """
        rows = [make_evidence_row(each, evidence) for each in indexed for evidence in each.evidences]
        stale, erased = await self._database.run_write(lambda connection: _replace(connection, indexed, rows))
        if erased:
            await self._database.run_write(erased.erase)
            await self._on_erasure()
        return stale

    async def narrow(self, narrowed: Sequence[NarrowedPage]) -> None:
        if narrowed:
            erased = ErasedText(frozenset(each.page_id for each in narrowed))
            await self._database.run_write(lambda connection: _narrow(connection, narrowed, erased))
            await self._database.run_write(erased.erase)
            await self._on_erasure()

    async def remove(self, page_ids: Collection[str], space: str | None = None) -> list[StaleEntry]:
        if not page_ids:
            return []

        def work(connection: Connection) -> list[StaleEntry]:
            spaces_of = {} if space is None else _read_column(connection, page_ids, pages.c.space)
            erased = [each for each in page_ids if space in {None, spaces_of.get(each)}]
            note_erased(connection, "page", erased)
            return erase_pages(connection, erased)

        stale = await self._database.run_write(work)
        await self._database.run_write(ErasedText(frozenset(page_ids)).erase)
        await self._on_erasure()
        await self._database.scrub()
        return stale

    async def load_evidences(self, space: str) -> list[IndexedEvidence]:
        """Return all index entries of a space, ordered by page and by place on the page."""
        query = (
            select(evidences, pages.c.space, ENTRY_ACCESS)
            .join(pages, pages.c.page_id == evidences.c.page_id)
            .outerjoin(page_origins, SAME_ORIGIN)
            .where(pages.c.space == space)
            .order_by(evidences.c.page_id, evidences.c.ordinal, evidences.c.key)
        )
        return [read_indexed_evidence(row) for row in await self._database.load_rows(query)]


def _select_of_space(id_column: Column[str], version: Column[str], space: str) -> Select[Any]:
    """Select the id, page id and version of the comments or files in a space."""
    table = id_column.table
    joined = table.join(pages, pages.c.page_id == table.c.page_id)
    return select(id_column, table.c.page_id, version).select_from(joined).where(pages.c.space == space)


def _replace(
    connection: Connection, indexed: Sequence[IndexedPage], rows: list[Row]
) -> tuple[list[StaleEntry], ErasedText]:
    """Store new versions. Return the replaced index entries, and what turns lose."""
    _check_replaced(connection, {each.page.page_id: each.replaces for each in indexed if each.replaces is not None})
    restricted, lost_threads = _find_newly_restricted(connection, indexed), _find_lost_threads(connection, indexed)
    note_erased(connection, "page", {*restricted, *lost_threads})
    erased = ErasedText(frozenset(restricted), lost_threads)
    erased.erase(connection)
    page_ids = [each.page.page_id for each in indexed]
    lock_pages(connection, page_ids)
    changed = _find_changed(connection, indexed)
    with update_counts(connection, {*page_ids, *list_including(connection, changed)}):
        dropped, hashes = delete_evidences(connection, page_ids)
        included, of_included = delete_included(connection, changed)
        reset_marks(connection, changed)
        dropped, hashes = dropped + included, hashes | of_included
        add_unchecked_texts(connection, hashes)
        if dropped:
            note_deletion(connection)
        _write_spaces_and_accesses(connection, indexed)
        remember_titles(connection, indexed)
        page_rows = [make_page_row(each, version=1) for each in indexed]
        changing = {name for row in page_rows for name in row} - {"page_id", "version"}
        upsert_all(connection, pages, page_rows, changing, {"version": pages.c.version + 1})
        write_titles(connection, indexed)
        note_reused_titles(connection, page_ids)
        _write_people(connection, indexed)
        _write_comments_and_files(connection, indexed)
        outdated = write_inclusions(connection, indexed)
        rows = [row for row in rows if not _is_outdated(row, outdated)]
        if rows:
            connection.execute(insert(evidences), rows)
    remove_checked_texts(connection, {row["text_hash"] for row in rows})
    current = {row["key"] for row in rows}
    stale = [entry for entry in dropped if entry.key not in current]
    remove_stale_entries(connection, current)
    add_stale_entries(connection, stale)
    return stale, erased


def _narrow(connection: Connection, narrowed: Sequence[NarrowedPage], erased: ErasedText) -> None:
    page_ids = [each.page_id for each in narrowed]
    lock_pages(connection, page_ids)
    _check_replaced(connection, {each.page_id: each.replaces for each in narrowed})
    note_erased(connection, "page", page_ids)
    note_deletion(connection)
    erased.erase(connection)
    with update_counts(connection, page_ids):
        _write_accesses(connection, [each.read_restrictions for each in narrowed])
        changes = {"access": bindparam("new_access"), "digest": bindparam("new_digest"), "version": pages.c.version + 1}
        connection.execute(
            update(pages).where(pages.c.page_id == bindparam("narrowed_id")).values(changes),
            [
                {
                    "narrowed_id": each.page_id,
                    "new_access": make_access_id(each.read_restrictions),
                    "new_digest": each.digest,
                }
                for each in narrowed
            ],
        )


def _is_outdated(row: Row, outdated: Collection[tuple[str, str]]) -> bool:
    """Whether the evidence of a row was made from replaced text. ``outdated``: (page id, origin id) pairs."""
    return any((row["page_id"], page_id) in outdated for page_id in (row["origin"], *split_ids(row["via"])))


def _find_outlines(connection: Connection, page_ids: Collection[str]) -> dict[str, Outline]:
    of_page = (pages.c.page_id, pages.c.space, pages.c.title, pages.c.url, pages.c.digest, pages.c.access)
    joined = select(*of_page, accesses.c.read_restrictions).outerjoin(accesses, accesses.c.access == pages.c.access)
    found: dict[str, Outline] = {}
    for chunk in split_into_chunks(page_ids):
        for row in connection.execute(joined.where(pages.c.page_id.in_(chunk))):
            readers = read_restrictions(row.access, row.read_restrictions)
            page = Page(row.page_id, row.space, row.title, row.url, "", read_restrictions=readers)
            found[row.page_id] = Outline(page, row.digest)
    return found


def _read_column(connection: Connection, page_ids: Collection[str], column: Column[str]) -> dict[str, str]:
    """Return page id to the value of a column of ``pages``, for stored pages."""
    found: dict[str, str] = {}
    for chunk in split_into_chunks(page_ids):
        query = select(pages.c.page_id, column).where(pages.c.page_id.in_(chunk))
        found.update((page_id, value) for page_id, value in connection.execute(query))
    return found


def _check_replaced(connection: Connection, expected: Mapping[str, str]) -> None:
    """Raise PagesReplaced if a page has another current version. ``expected``: page id to digest."""
    current = _read_column(connection, expected, pages.c.digest)
    replaced = [page_id for page_id, digest in expected.items() if current.get(page_id, NOT_STORED) != digest]
    if replaced:
        raise PagesReplaced(replaced)


def _find_changed(connection: Connection, indexed: Sequence[IndexedPage]) -> list[str]:
    """Return the ids of stored pages whose digest changes, for example by a new version or other readers.

    Also those whose content changes without a new version, because the wiki corrected references.
    """
    new = {each.page.page_id: each for each in indexed}
    before = _read_column(connection, new, pages.c.digest)
    same = [page_id for page_id, digest in before.items() if digest == new[page_id].digest]
    contents = _read_column(connection, same, pages.c.content)
    corrected = {page_id for page_id, content in contents.items() if content != new[page_id].page.content}
    return [page_id for page_id, digest in before.items() if digest != new[page_id].digest or page_id in corrected]


def _find_newly_restricted(connection: Connection, indexed: Sequence[IndexedPage]) -> list[str]:
    """Return the ids of pages that get other readers. Their text has to leave stored turns."""
    accesses_now = {each.page.page_id: make_access_id(each.page.read_restrictions) for each in indexed}
    restricted = {page_id: access for page_id, access in accesses_now.items() if access}
    before = _read_column(connection, restricted, pages.c.access)
    return [page_id for page_id, access in before.items() if access != restricted[page_id]]


def _find_lost_threads(connection: Connection, indexed: Sequence[IndexedPage]) -> dict[str, set[str]]:
    """Return page id to the ids of its threads with a deleted comment, and of its removed files.

    The whole thread counts as lost, because the context of the other comments may repeat the deleted text.
    """
    stored: dict[str, dict[str, str]] = {}
    for chunk in split_into_chunks([each.page.page_id for each in indexed]):
        query = select(comments.c.page_id, comments.c.comment_id, comments.c.parent_id)
        for page_id, comment_id, parent_id in connection.execute(query.where(comments.c.page_id.in_(chunk))):
            stored.setdefault(page_id, {})[comment_id] = parent_id
    left = {each.page.page_id: {comment.comment_id for comment in each.page.comments} for each in indexed}
    lost = {}
    for page_id, parents in stored.items():
        if gone := parents.keys() - left[page_id]:
            threads = find_thread_ids(parents)
            lost[page_id] = {threads[comment_id] for comment_id in gone}
    for page_id, file_ids in _find_lost_files(connection, indexed).items():
        lost.setdefault(page_id, set()).update(file_ids)
    return lost


def _find_lost_files(connection: Connection, indexed: Sequence[IndexedPage]) -> dict[str, set[str]]:
    """Return page id to the ids of its attached files that are removed."""
    left = {each.page.page_id: {file.file_id for file in each.page.files} for each in indexed}
    lost: dict[str, set[str]] = {}
    for chunk in split_into_chunks(left):
        query = select(attached_files.c.page_id, attached_files.c.file_id)
        for page_id, file_id in connection.execute(query.where(attached_files.c.page_id.in_(chunk))):
            if file_id not in left[page_id]:
                lost.setdefault(page_id, set()).add(file_id)
    return lost


def _write_spaces_and_accesses(connection: Connection, indexed: Sequence[IndexedPage]) -> None:
    new = {"source": "", "synced_at": "", "last_error": ""}
    keys = sorted({each.page.space for each in indexed})
    insert_missing(connection, spaces, [{"key": key, **new} for key in keys])
    _write_accesses(connection, [each.page.read_restrictions for each in indexed])


def _write_accesses(connection: Connection, restrictions: Sequence[ReadRestrictions]) -> None:
    by_access = {make_access_id(each): each for each in restrictions}
    by_access.pop("", None)
    rows = [
        {"access": access, "read_restrictions": sort_restrictions(by_access[access])} for access in sorted(by_access)
    ]
    # Existing rows are written too, so that a transaction conflicts which deletes them as unused.
    upsert_all(connection, accesses, rows, ["read_restrictions"])


def _write_comments_and_files(connection: Connection, indexed: Sequence[IndexedPage]) -> None:
    for table, rows_of in ((comments, make_comment_rows), (attached_files, make_file_rows)):
        for chunk in split_into_chunks([each.page.page_id for each in indexed]):
            if connection.execute(delete(table).where(table.c.page_id.in_(chunk))).rowcount:
                note_deletion(connection)
        if rows := [row for each in indexed for row in rows_of(each.page)]:
            connection.execute(insert(table), rows)


def _write_people(connection: Connection, indexed: Sequence[IndexedPage]) -> None:
    for chunk in split_into_chunks([each.page.page_id for each in indexed]):
        connection.execute(delete(page_people).where(page_people.c.page_id.in_(chunk)))
    rows = [
        {"page_id": each.page.page_id, "account": account, "name": name}
        for each in indexed
        for account, name in each.names.items()
    ]
    if rows:
        connection.execute(insert(page_people), rows)
