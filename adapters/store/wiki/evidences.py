"""Reading evidences, pages and facts that a scope admits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import BindParameter, Column, Connection, Row, RowMapping, Select, bindparam, func, select

from adapters.store import schema
from adapters.store.database import Database
from adapters.store.statements import hash_title, split_into_chunks
from adapters.store.wiki.page_rows import (
    EVIDENCE_COLUMNS,
    parse_evidence,
    parse_restrictions,
    read_facts,
    read_restrictions,
    split_ids,
)
from core.evidence.facts import make_facts_evidence
from core.evidence.make_evidences import tidy_title
from core.model import Evidence, EvidenceKind, PageFacts, Scope, Structure
from core.ports.indexes import AccessFilter
from core.ports.store import EvidenceSummary

Restrictions = tuple[frozenset[str], ...]

_MOST_KNOWN = 100_000
_SEPARATOR, _BEFORE_HASH = "\n", " "  # no key contains the first, no hash the second
_TITLE = schema.evidences.c.context["title"].as_string()  # tidied for display, unlike pages.title

_COUNTABLE: tuple[EvidenceKind, ...] = ("table", "list")
_WHOLE: tuple[EvidenceKind, ...] = ("passage", "list", "table")  # rows are left out, because tables contain them

_ACCESS = (schema.pages.c.space, schema.pages.c.access, schema.accesses.c.read_restrictions)
"""The columns that :func:`_admits` needs."""

_SAME_ACCESS = schema.accesses.c.access == schema.pages.c.access
_PAGES = schema.pages.outerjoin(schema.accesses, _SAME_ACCESS)

_ORIGINS, _ORIGIN_ACCESSES = schema.pages.alias("origins"), schema.accesses.alias("origin_accesses")
_ORIGIN_ACCESS = (
    schema.evidences.c.origin,
    _ORIGINS.c.space.label("origin_space"),
    _ORIGINS.c.access.label("origin_access"),
    _ORIGIN_ACCESSES.c.read_restrictions.label("origin_restrictions"),
)
"""The columns that :func:`_admits_evidence` needs, besides ``_ACCESS``."""

_EVIDENCES = (
    schema.evidences.join(schema.pages, schema.pages.c.page_id == schema.evidences.c.page_id)
    .outerjoin(schema.accesses, _SAME_ACCESS)
    .outerjoin(_ORIGINS, _ORIGINS.c.page_id == schema.evidences.c.origin)
    .outerjoin(_ORIGIN_ACCESSES, _ORIGIN_ACCESSES.c.access == _ORIGINS.c.access)
)
_KEYS: BindParameter[str] = bindparam("keys", expanding=True)
_KINDS: BindParameter[str] = bindparam("kinds", expanding=True)
_PAGE_IDS: BindParameter[str] = bindparam("page_ids", expanding=True)
# First the key, then the columns of an evidence. Without the index entry, because they are read for every candidate of
# every question. The statements are constants, because making one takes as long as running it.
_SELECT: Select[Any] = select(schema.evidences.c.key, *EVIDENCE_COLUMNS, *_ACCESS[1:], *_ORIGIN_ACCESS[1:]).select_from(
    _EVIDENCES
)
_BY_KEYS = _SELECT.where(schema.evidences.c.key.in_(_KEYS))
_BY_PAGES = _SELECT.where(schema.evidences.c.page_id.in_(_PAGE_IDS), schema.evidences.c.kind.in_(_KINDS)).order_by(
    schema.evidences.c.page_id, schema.evidences.c.ordinal
)
_ADMITTED = select(schema.pages.c.page_id, *_ACCESS).select_from(_PAGES).where(schema.pages.c.page_id.in_(_PAGE_IDS))
# One row per page instead of per evidence: for each row the driver releases the GIL and re-acquires it.
_KEY_AND_HASH = schema.evidences.c.key + _BEFORE_HASH + schema.evidences.c.text_hash
_SUMMARIES = (
    select(
        *(schema.pages.c.page_id, schema.pages.c.url, schema.pages.c.language, *_ACCESS, *_ORIGIN_ACCESS),
        schema.evidences.c.via,
        func.min(_TITLE).label("title"),
        func.aggregate_strings(_KEY_AND_HASH, _SEPARATOR).label("keys"),
    )
    .select_from(_EVIDENCES)
    .where(schema.evidences.c.key.in_(_KEYS))
    .group_by(
        schema.pages.c.page_id,
        schema.accesses.c.access,
        schema.evidences.c.origin,
        schema.evidences.c.via,
        _ORIGINS.c.page_id,
        _ORIGIN_ACCESSES.c.access,
    )
)
_USED = select(schema.page_counts.c.space, schema.page_counts.c.access).where(schema.page_counts.c.access != "")
_USED_JOINTLY = (
    select(
        schema.page_origins.c.access.label("joint_access"),
        schema.page_origins.c.via,
        *_ACCESS[:2],
        *_ORIGIN_ACCESS[1:3],
    )
    .join(schema.pages, schema.pages.c.page_id == schema.page_origins.c.page_id)
    .join(_ORIGINS, _ORIGINS.c.page_id == schema.page_origins.c.origin)
    .where(schema.page_origins.c.access != "")
    .distinct()
)


class SqlEvidenceStore:
    """See :class:`core.ports.store.EvidenceStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # By access id. An id is a hash of the restrictions, so entries never change; every search needs all of them.
        self._restrictions: dict[str, Restrictions] = {}

    async def find_access_filter(self, scope: Scope) -> AccessFilter:
        """Return the stored spaces that the scope admits, and the access ids in them that its principals satisfy."""
        if len(self._restrictions) > _MOST_KNOWN:
            self._restrictions = {}
        known = self._restrictions
        return await self._database.run_read(lambda connection: _find_access_filter(connection, scope, known))

    async def load_evidences(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        return await self._database.run_single_read(lambda connection: _load_current(connection, keys, scope))

    async def load_summaries(self, keys: Collection[str], scope: Scope) -> dict[str, EvidenceSummary]:
        return await self._database.run_single_read(lambda connection: _load_summaries(connection, keys, scope))

    async def has_page(self, title: str, scope: Scope) -> bool:
        return await self._database.run_short_read(lambda connection: _has_page(connection, title, scope))

    async def load_tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_single_read(
            lambda connection: _load_of_pages(connection, page_ids, _COUNTABLE, scope)
        )

    async def load_texts(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_single_read(
            lambda connection: _load_of_pages(connection, page_ids, _WHOLE, scope)
        )

    async def find_facts(self, page_ids: Collection[str], titles: Collection[str], scope: Scope) -> list[Evidence]:
        return await self._database.run_single_read(
            lambda connection: _load_page_facts(connection, page_ids, titles, scope)
        )

    async def load_facts(self, page_ids: Collection[str], scope: Scope) -> dict[str, PageFacts]:
        return await self._database.run_short_read(lambda connection: _load_visible_facts(connection, page_ids, scope))

    async def filter_visible(self, page_ids: Collection[str], scope: Scope) -> frozenset[str]:
        return await self._database.run_short_read(lambda connection: find_visible_pages(connection, page_ids, scope))


def _find_access_filter(connection: Connection, scope: Scope, known: dict[str, Restrictions]) -> AccessFilter:
    """``known``: cache of access id to restrictions, to which those that this scope needs are added."""
    stored = connection.scalars(select(schema.spaces.c.key))
    spaces = tuple(sorted(key for key in stored if scope.admits(key, ())))
    if not spaces:
        return AccessFilter(spaces)
    used: list[_Readers] = []
    if scope.principals:  # without principals no restriction is satisfied
        used = [_Readers(row.access, ((row.space, row.access),)) for row in connection.execute(_USED)]
    joint = connection.execute(_USED_JOINTLY).all()
    between = _find_accesses(connection, {page_id for row in joint for page_id in split_ids(row.via)})
    for row in joint:
        page_ids = split_ids(row.via)
        if all(page_id in between for page_id in page_ids):
            both = ((row.space, row.access), (row.origin_space, row.origin_access))
            used.append(_Readers(row.joint_access, (*both, *(between[page_id] for page_id in page_ids))))
    used = [each for each in used if all(scope.admits(space, ()) for space, _ in each.pages)]
    table = schema.accesses
    for chunk in split_into_chunks({access for each in used for _, access in each.pages} - {"", *known}):
        for row in connection.execute(select(table).where(table.c.access.in_(chunk))):
            known[row.access] = parse_restrictions(row.read_restrictions)
    return AccessFilter(spaces, frozenset(each.access for each in used if each.is_admitted(scope, known)))


def _find_accesses(connection: Connection, page_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Return (space, access) of those of the pages that are stored."""
    pages = schema.pages.c
    found: dict[str, tuple[str, str]] = {}
    for chunk in split_into_chunks(page_ids):
        query = select(pages.page_id, pages.space, pages.access).where(pages.page_id.in_(chunk))
        found |= {row.page_id: (row.space, row.access) for row in connection.execute(query)}
    return found


@dataclass(frozen=True, slots=True)
class _Readers:
    """The ``access`` of an index entry, and (space, access) of each page that a reader of the entry has to read."""

    access: str
    pages: tuple[tuple[str, str], ...]

    def is_admitted(self, scope: Scope, known: Mapping[str, Restrictions]) -> bool:
        return all(
            (not access or access in known) and scope.admits(space, known[access] if access else ())
            for space, access in self.pages
        )


def _load_current(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for chunk in split_into_chunks(keys):
        rows = connection.execute(_BY_KEYS, {"keys": chunk}).all()
        for row, is_admitted in _check_access(connection, rows, scope):
            if is_admitted:
                found[row[0]] = _read_columns(row)
    return found


def _load_of_pages(
    connection: Connection, page_ids: Collection[str], kinds: Collection[EvidenceKind], scope: Scope
) -> list[Evidence]:
    found: list[Evidence] = []
    for chunk in split_into_chunks(page_ids):
        rows = connection.execute(_BY_PAGES, {"page_ids": chunk, "kinds": list(kinds)}).all()
        read = [(_read_columns(row), is_admitted) for row, is_admitted in _check_access(connection, rows, scope)]
        found += _count_shown(read)
    return found


def _check_access(connection: Connection, rows: Sequence[Row[Any]], scope: Scope) -> list[tuple[Row[Any], bool]]:
    """Return rows of ``_SELECT``, each with whether the scope admits its evidence."""
    between = _find_visible_between(connection, [row._mapping for row in rows], scope)
    return [(row, _admits_evidence(scope, row._mapping, between)) for row in rows]


def _read_columns(row: Row[Any]) -> Evidence:
    return parse_evidence(*row[1 : 1 + len(EVIDENCE_COLUMNS)])


def _count_shown(read: Sequence[tuple[Evidence, bool]]) -> Iterator[Evidence]:
    """Yield the admitted evidences.

    Where a table has rows from several pages, its total is reduced by the rows that are not admitted.
    """
    hidden: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for evidence, admitted in read:
        if evidence.origin and evidence.structure and not admitted:
            hidden[_identify_block(evidence, evidence.structure)].update(evidence.structure.numbers)
    for evidence, admitted in read:
        if admitted and evidence.origin and evidence.structure:
            less = len(hidden[_identify_block(evidence, evidence.structure)])
            yield replace(evidence, structure=replace(evidence.structure, total=evidence.structure.total - less))
        elif admitted:
            yield evidence


def _identify_block(evidence: Evidence, structure: Structure) -> tuple[str, str, int]:
    return evidence.page_id, "list" if evidence.kind == "list" else "table", structure.block


def _load_page_facts(
    connection: Connection, page_ids: Collection[str], titles: Collection[str], scope: Scope
) -> list[Evidence]:
    pages, named = schema.pages, schema.page_titles
    wanted = set(page_ids)
    for chunk in split_into_chunks({hash_title(title) for title in titles}):
        wanted.update(connection.scalars(select(named.c.page_id).where(named.c.title_hash.in_(chunk))))
    found: list[Evidence] = []
    for chunk in split_into_chunks(sorted(wanted)):
        columns = (pages.c.page_id, pages.c.title, pages.c.url, pages.c.facts, *_ACCESS)
        query = select(*columns).select_from(_PAGES).where(pages.c.page_id.in_(chunk)).order_by(pages.c.page_id)
        for row in connection.execute(query).mappings():
            place = (row["page_id"], row["space"], tidy_title(row["title"]), row["url"])
            if _admits(scope, row) and (evidence := make_facts_evidence(*place, read_facts(row["facts"]))):
                found.append(evidence)
    return found


def _load_summaries(connection: Connection, keys: Collection[str], scope: Scope) -> dict[str, EvidenceSummary]:
    found: dict[str, EvidenceSummary] = {}
    for chunk in split_into_chunks(keys):
        rows = connection.execute(_SUMMARIES, {"keys": chunk}).mappings().all()
        between = _find_visible_between(connection, rows, scope)
        for row in rows:
            if _admits_evidence(scope, row, between):
                page = (row["page_id"], row["title"], row["url"].partition("#")[0], row["language"])
                for key, _, text_hash in (each.rpartition(_BEFORE_HASH) for each in row["keys"].split(_SEPARATOR)):
                    found[key] = EvidenceSummary(*page, text_hash)
    return found


def _has_page(connection: Connection, title: str, scope: Scope) -> bool:
    titles, pages = schema.page_titles, schema.pages
    of_titles = pages.join(titles, titles.c.page_id == pages.c.page_id).outerjoin(schema.accesses, _SAME_ACCESS)
    query = select(*_ACCESS).select_from(of_titles).where(titles.c.title_hash == hash_title(title))
    return any(_admits(scope, row) for row in connection.execute(query).mappings())


def find_visible_pages(
    connection: Connection, page_ids: Collection[str], scope: Scope, lock: bool = False
) -> frozenset[str]:
    """Return the ids of those of the pages that the scope admits.

    ``lock``: whether to prevent changes of these pages until the transaction ends.
    """
    return frozenset(row["page_id"] for row in _list_admitted(connection, page_ids, scope, lock=lock))


def _load_visible_facts(connection: Connection, page_ids: Collection[str], scope: Scope) -> dict[str, PageFacts]:
    rows = _list_admitted(connection, page_ids, scope, schema.pages.c.facts)
    return {row["page_id"]: read_facts(row["facts"]) for row in rows}


def _list_admitted(
    connection: Connection, page_ids: Collection[str], scope: Scope, *columns: Column[Any], lock: bool = False
) -> Iterator[RowMapping]:
    """Yield ``page_id`` and ``columns`` of those of the pages that are stored and that the scope admits."""
    query = _ADMITTED.add_columns(*columns) if columns else _ADMITTED
    if lock:  # has an effect in PostgreSQL only; SQLite has one writer at a time
        query = query.with_for_update(read=True, of=schema.pages)
    for chunk in split_into_chunks(page_ids):
        rows = connection.execute(query, {"page_ids": chunk}).mappings()
        yield from (row for row in rows if _admits(scope, row))


def _admits(scope: Scope, row: RowMapping) -> bool:
    return scope.admits(row["space"], read_restrictions(row["access"], row["read_restrictions"]))


def _find_visible_between(connection: Connection, rows: Sequence[RowMapping], scope: Scope) -> frozenset[str]:
    """Return the ids of the pages between the evidences and their origins (``via``) that the scope admits."""
    page_ids = {page_id for row in rows if row["via"] for page_id in split_ids(row["via"])}
    return find_visible_pages(connection, page_ids, scope) if page_ids else frozenset()


def _admits_evidence(scope: Scope, row: RowMapping, between: Collection[str]) -> bool:
    """Whether the scope admits an evidence's page, its origin, and all pages between them.

    ``between``: the ids of the pages between that the scope admits.
    """
    if not _admits(scope, row) or not all(page_id in between for page_id in split_ids(row["via"])):
        return False
    if not row["origin"]:
        return True
    if row["origin_space"] is None:
        return False  # deleted
    return scope.admits(row["origin_space"], read_restrictions(row["origin_access"], row["origin_restrictions"]))
