"""Rows and columns: how pages and evidences are written to the tables and read back."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import RowMapping

from core.model import Context, Evidence, Page
from core.ports import IndexedEvidence, IndexedPage, IndexEntry
from core.retrieval.access import access_id

CHUNK = 500
"""Values in one IN list: below every database's limit of parameters."""

Row = dict[str, Any]
T = TypeVar("T")


def chunks(values: Collection[T]) -> Iterator[list[T]]:
    """The values in lists that fit into one statement."""
    listed = list(values)
    for start in range(0, len(listed), CHUNK):
        yield listed[start : start + CHUNK]


def now() -> str:
    """The time of writing a row, ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def title_hash(title: str) -> str:
    """The column ``title_hash`` of ``page_titles``."""
    return hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()


def page_row(indexed: IndexedPage, version: int) -> Row:
    """The columns of ``pages``."""
    page = indexed.page
    return {
        "page_id": page.page_id,
        "space": page.space,
        "title": page.title,
        "url": page.url,
        "date": page.date,
        "content": page.content,
        "digest": indexed.digest,
        "version": version,
        "access": access_id(page.read_restrictions),
        "author": page.author,
        "labels": list(page.labels),
        "attachments": list(page.attachments),
    }


def page_of(row: RowMapping) -> Page:
    """The page in a row of ``pages`` joined with its ``accesses``."""
    return Page(
        page_id=row["page_id"],
        space=row["space"],
        title=row["title"],
        url=row["url"],
        content=row["content"],
        date=row["date"],
        read_restrictions=restrictions_of(row["read_restrictions"] or []),
        author=row["author"],
        labels=tuple(row["labels"]),
        attachments=tuple(row["attachments"]),
    )


def evidence_row(page: Page, indexed: IndexedEvidence) -> Row:
    """The columns of ``evidences``. Raises ValueError where the parts contradict each other about who may read."""
    evidence, entry = indexed.evidence, indexed.entry
    if (evidence.page_id, evidence.space, entry.space) != (page.page_id, page.space, page.space):
        raise ValueError(f"evidence {evidence.evidence_id} does not belong to page {page.page_id} of {page.space}")
    if entry.access != access_id(page.read_restrictions):
        raise ValueError(f"index entry {entry.key} has another access than page {page.page_id}")
    return {
        "key": entry.key,
        "evidence_id": evidence.evidence_id,
        "page_id": evidence.page_id,
        "kind": evidence.kind,
        "ordinal": evidence.ordinal,
        "text": evidence.text,
        "context": context_json(evidence.context),
        "url": evidence.url,
        "parts": list(evidence.parts),
        "rows": evidence.rows,
        "text_hash": indexed.text_hash,
        "entry_title": entry.title,
        "entry_heading": entry.heading,
        "entry_text": entry.text,
        "entry_surroundings": entry.surroundings,
    }


def evidence_of(row: RowMapping | Row) -> Evidence:
    """An evidence from the columns of ``evidences`` and its page's ``space``, or from a turn's snapshot of them."""
    return Evidence(
        evidence_id=row["evidence_id"],
        page_id=row["page_id"],
        space=row["space"],
        kind=row["kind"],
        ordinal=row["ordinal"],
        text=row["text"],
        context=context_of(row["context"]),
        url=row["url"],
        parts=tuple(row["parts"]),
        rows=table_rows_of(row["rows"]),
    )


def read_indexed_evidence(row: RowMapping) -> IndexedEvidence:
    """An evidence with its entry, from the columns of ``evidences`` and its page's ``space`` and ``access``."""
    entry = IndexEntry(
        key=row["key"],
        space=row["space"],
        access=row["access"],
        title=row["entry_title"],
        heading=row["entry_heading"],
        text=row["entry_text"],
        surroundings=row["entry_surroundings"],
    )
    return IndexedEvidence(evidence_of(row), entry, row["text_hash"])


def context_json(context: Context) -> Row:
    """A context for a JSON column."""
    return {
        "title": context.title,
        "heading_path": list(context.heading_path),
        "before": context.before,
        "after": context.after,
    }


def context_of(value: Row) -> Context:
    """A context from a JSON column."""
    return Context(value["title"], tuple(value["heading_path"]), value["before"], value["after"])


def table_rows_of(value: list[list[list[str]]]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """A table's rows of (header, value) pairs from a JSON column."""
    return tuple(tuple((header, cell) for header, cell in row) for row in value)


def restrictions_of(value: list[list[str]]) -> tuple[frozenset[str], ...]:
    """Read restrictions from a JSON column."""
    return tuple(frozenset(principals) for principals in value)
