"""Converting pages and evidences to rows of the tables and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Text, cast

from adapters.store import schema
from adapters.store.statements import Row, read_as
from core.indexing.index_entries import make_access_id
from core.model import (
    NOBODY,
    AttachedFile,
    Comment,
    Context,
    Evidence,
    IndexedEvidence,
    IndexEntry,
    NamedPerson,
    Page,
    PageFacts,
    ReadRestrictions,
    Structure,
)
from core.ports.pages import IndexedPage
from core.text_caches import cache_texts

_OF_PAGE = ("page_id", "space", "title", "url", "date", "content", "author", "posted")
_OF_EVIDENCE = ("evidence_id", "page_id", "kind", "ordinal", "url", "thread", "origin")
_BREAKS = ("before_breaks", "after_breaks")  # of a context; stored if there are any
_OF_ENTRY = ("title", "heading", "text", "surroundings")
_OF_CONTEXT = tuple(field.name for field in fields(Context))
_OF_STRUCTURE = tuple(field.name for field in fields(Structure))

MOST_PARSED = 4_096
"""Evidences that are kept in memory, each of about 10 KB."""


def make_page_row(indexed: IndexedPage, version: int) -> Row:
    """Return the row of ``pages``."""
    page = indexed.page
    return {
        **{name: getattr(page, name) for name in _OF_PAGE},
        "digest": indexed.digest,
        "version": version,
        "access": make_access_id(page.read_restrictions),
        "labels": list(page.labels),
        "attachments": list(page.attachments),
        "facts": serialise_facts(page.facts),
        "language": indexed.language,
    }


def read_page(row: RowMapping, comments: Sequence[RowMapping], files: Sequence[RowMapping]) -> Page:
    """Return a page from its row of ``pages`` joined with ``accesses``, and the rows of its comments and files."""
    return Page(
        **{name: row[name] for name in _OF_PAGE},
        read_restrictions=read_restrictions(row["access"], row["read_restrictions"]),
        labels=tuple(row["labels"]),
        attachments=tuple(row["attachments"]),
        facts=read_facts(row["facts"]),
        comments=tuple(read_as(Comment, comment) for comment in comments),
        files=tuple(read_as(AttachedFile, file) for file in files),
    )


def make_comment_rows(page: Page) -> list[Row]:
    """Return the rows of ``comments``."""
    return [
        {"page_id": page.page_id, "position": position, **asdict(comment)}
        for position, comment in enumerate(page.comments)
    ]


def make_file_rows(page: Page) -> list[Row]:
    """Return the rows of ``attached_files``."""
    return [{"page_id": page.page_id, "position": position, **asdict(file)} for position, file in enumerate(page.files)]


def make_evidence_row(owner: IndexedPage, indexed: IndexedEvidence) -> Row:
    """Return the row of ``evidences``. Raises ValueError if page, space or access do not match those of the page."""
    page = owner.page
    evidence, entry = indexed.evidence, indexed.entry
    if (evidence.page_id, evidence.space, entry.space) != (page.page_id, page.space, page.space):
        raise ValueError(f"evidence {evidence.evidence_id} does not belong to page {page.page_id} of {page.space}")
    if entry.access != _find_access(owner, evidence):
        raise ValueError(f"index entry {entry.key} has another access than page {page.page_id}")
    return {
        "key": entry.key,
        **{name: getattr(evidence, name) for name in _OF_EVIDENCE},
        **_serialise_words(evidence),
        "text_hash": indexed.text_hash,
        **{f"entry_{name}": getattr(entry, name) for name in _OF_ENTRY},
    }


def _find_access(owner: IndexedPage, evidence: Evidence) -> str:
    if evidence.via:
        return owner.path_access[evidence.inclusion_path]
    return owner.origins[evidence.origin].access if evidence.origin else make_access_id(owner.page.read_restrictions)


def join_ids(page_ids: Sequence[str]) -> str:
    """Return the value of the column ``via``."""
    return "\n".join(page_ids)


def split_ids(joined: str) -> tuple[str, ...]:
    """Return the page ids in a value of the column ``via``."""
    return tuple(joined.split("\n")) if joined else ()


def serialise_snapshot(evidence: Evidence) -> Row:
    """Return the text of an evidence for the column ``snapshot`` of ``turn_evidences``."""
    return {**_serialise_words(evidence), "facts": serialise_facts(evidence.facts) if evidence.facts else None}


def _serialise_words(evidence: Evidence) -> Row:
    return {
        "text": evidence.text,
        "context": _serialise_context(evidence.context),
        "parts": list(evidence.parts),
        "rows": evidence.rows,
        "structure": _get_fields(evidence.structure, _OF_STRUCTURE) if evidence.structure else None,
        "people": [[person.account, person.name] for person in evidence.people],
        "via": join_ids(evidence.via),
    }


def _serialise_context(context: Context) -> Row:
    stored = _get_fields(context, _OF_CONTEXT)
    return {name: value for name, value in stored.items() if value or name not in _BREAKS}


def _get_fields(value: object, names: Sequence[str]) -> Row:
    """Return the fields as they are; ``asdict`` would copy each text of each evidence of a turn."""
    return {name: getattr(value, name) for name in names}


_JSON_COLUMNS = ("context", "parts", "rows", "structure", "people")
_COLUMNS = (*_OF_EVIDENCE, "text", "via", *_JSON_COLUMNS)

EVIDENCE_COLUMNS: tuple[ColumnElement[Any], ...] = (
    schema.pages.c.space,
    *(schema.evidences.c[name] for name in _COLUMNS if name not in _JSON_COLUMNS),
    *(cast(schema.evidences.c[name], Text) for name in _JSON_COLUMNS),
)
"""What :func:`parse_evidence` needs, with JSON as text, because parsing it takes longer than finding the rows."""


@cache_texts(MOST_PARSED)
def parse_evidence(space: str, *values: Any) -> Evidence:
    """Return an evidence from the values of :data:`EVIDENCE_COLUMNS`. Equal values give the same object."""
    row = dict(zip(_COLUMNS, values, strict=True))
    parsed = {name: None if row[name] is None else json.loads(row[name]) for name in _JSON_COLUMNS}
    return read_evidence({**row, **parsed, "space": space})


def read_evidence(row: RowMapping | Row) -> Evidence:
    """Return an evidence from the columns of ``evidences`` and ``pages.space``, or of ``turn_evidences``."""
    return Evidence(
        **{name: row[name] for name in (*_OF_EVIDENCE, "space", "text")},
        context=read_context(row["context"]),
        parts=tuple(row["parts"]),
        rows=tuple(tuple((header, cell) for header, cell in table_row) for table_row in row["rows"]),
        structure=_read_structure(row.get("structure")),
        facts=read_facts(row["facts"]) if row.get("facts") else None,
        people=tuple(NamedPerson(account, name) for account, name in row.get("people", ())),
        via=split_ids(row.get("via", "")),
    )


def _read_structure(value: Row | None) -> Structure | None:
    if value is None:
        return None
    lists = {name: tuple(value[name]) for name in ("numbers", "depths", "labels")}
    return Structure(block=value["block"], total=value["total"], caption=value["caption"], **lists)


_DAYS = ("created", "updated")
_LISTS = ("labels", "files", "commenters")


def serialise_facts(facts: PageFacts) -> Row:
    """Return the known facts for a JSON column."""
    known = {name: value for name, value in asdict(facts).items() if value not in ("", None, ())}
    return {name: value.isoformat() if name in _DAYS else value for name, value in known.items()}


def read_facts(value: Row) -> PageFacts:
    """Return facts from a JSON column."""
    days = {name: date.fromisoformat(value[name]) for name in _DAYS if name in value}
    lists = {name: tuple(value[name]) for name in _LISTS if name in value}
    return PageFacts(**{**value, **days, **lists})


def read_indexed_evidence(row: RowMapping) -> IndexedEvidence:
    """Return an evidence with its index entry, from the columns of ``evidences`` and its page's space and access."""
    words = {name: row[f"entry_{name}"] for name in _OF_ENTRY}
    entry = IndexEntry(key=row["key"], space=row["space"], access=row["access"], **words)
    return IndexedEvidence(read_evidence(row), entry, row["text_hash"])


def read_context(value: Row) -> Context:
    """Return a context from a JSON column."""
    breaks = {name: tuple(value[name]) for name in _BREAKS if name in value}
    return Context(value["title"], tuple(value["heading_path"]), value["before"], value["after"], **breaks)


def read_restrictions(access: str, stored: list[list[str]] | None) -> ReadRestrictions:
    """Return a page's read restrictions. ``stored``: those of its ``access``; without them, nobody may read it."""
    return parse_restrictions(stored) if stored else NOBODY if access else ()


def parse_restrictions(value: list[list[str]]) -> tuple[frozenset[str], ...]:
    """Return read restrictions from a JSON column."""
    return tuple(frozenset(principals) for principals in value)
