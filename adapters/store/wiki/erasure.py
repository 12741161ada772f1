"""Erasing pages from the store, and the list of what was erased.

The list has ids of pages, keys of spaces, and a salted hash for each person, which can be compared but not read.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Collection

from sqlalchemy import ColumnElement, Connection, delete, select

from adapters.store import schema
from adapters.store.chats.turn_erasure import erase_from_turns
from adapters.store.sqlite import note_deletion
from adapters.store.statements import Row, insert_missing, now, split_into_chunks
from adapters.store.wiki.counting import update_counts
from adapters.store.wiki.inclusions import list_including, lock_pages, reset_marks
from adapters.store.wiki.index_state import add_stale_entries, delete_unused_vectors
from adapters.store.wiki.page_rows import split_ids
from adapters.store.wiki.people import remove_unnamed_people
from adapters.store.wiki.titles import note_titles_of_removed
from core.ports.administration import ErasureKind
from core.ports.pages import StaleEntry

_SALT_BYTES = 8


def note_erased(connection: Connection, kind: ErasureKind, objects: Collection[str]) -> None:
    """Add objects to the list of erasures. Call it in the transaction that erases them."""
    at = now()
    rows: list[Row] = [
        {"erasure_id": secrets.token_hex(8), "at": at, "kind": kind, "object": each} for each in sorted(objects)
    ]
    insert_missing(connection, schema.erasures, rows)


def hash_person(key: str, salt: str = "") -> str:
    """Return "SALT:HASH" for a key of :func:`core.model.make_person_key`, as the list of erasures stores it."""
    salt = salt or secrets.token_hex(_SALT_BYTES)
    return f"{salt}:{hashlib.sha256(f'{salt}:{key}'.encode()).hexdigest()}"


def is_person(listed: str, key: str) -> bool:
    """Whether an entry of the list stands for this person."""
    return hmac.compare_digest(hash_person(key, listed.partition(":")[0]), listed)


def erase_pages(connection: Connection, page_ids: Collection[str]) -> list[StaleEntry]:
    """Delete pages, their evidences, vectors without another evidence, and their text in turns.

    Returns the stale index entries.
    """
    stale: list[StaleEntry] = []
    note_deletion(connection)
    for chunk in split_into_chunks(page_ids):
        lock_pages(connection, chunk)
        with update_counts(connection, {*chunk, *list_including(connection, chunk)}):
            entries, hashes = delete_evidences(connection, chunk)
            included, of_included = delete_included(connection, chunk)
            reset_marks(connection, chunk)
            note_titles_of_removed(connection, chunk)
            connection.execute(delete(schema.pages).where(schema.pages.c.page_id.in_(chunk)))
            delete_unused_vectors(connection, hashes | of_included)
        stale += [*entries, *included]
        erase_from_turns(connection, chunk)
    add_stale_entries(connection, stale)
    remove_unnamed_people(connection)
    return stale


def delete_evidences(connection: Connection, page_ids: Collection[str]) -> tuple[list[StaleEntry], set[str]]:
    """Delete the evidences of pages. Returns their index entries, and the hashes of their texts."""
    entries: list[StaleEntry] = []
    hashes: set[str] = set()
    for chunk in split_into_chunks(page_ids):
        _delete_evidences(connection, schema.evidences.c.page_id.in_(chunk), entries, hashes)
    return entries, hashes


def delete_included(connection: Connection, origins: Collection[str]) -> tuple[list[StaleEntry], set[str]]:
    """Delete the evidences of other pages whose text comes from or through ``origins``.

    Returns the same as :func:`delete_evidences`.
    """
    entries: list[StaleEntry] = []
    hashes: set[str] = set()
    own, gone = schema.evidences.c, set(origins)
    for including in split_into_chunks(list_including(connection, origins)):
        for chunk in split_into_chunks(origins):
            _delete_evidences(connection, own.page_id.in_(including) & own.origin.in_(chunk), entries, hashes)
        over_others = select(own.key, own.via).where(own.page_id.in_(including), own.via != "")
        keys = [row.key for row in connection.execute(over_others) if not gone.isdisjoint(split_ids(row.via))]
        for chunk in split_into_chunks(keys):
            _delete_evidences(connection, own.key.in_(chunk), entries, hashes)
    return entries, hashes


def _delete_evidences(
    connection: Connection, condition: ColumnElement[bool], entries: list[StaleEntry], hashes: set[str]
) -> None:
    """Delete matching evidences, and add their index entries and text hashes to ``entries`` and ``hashes``."""
    evidences, pages = schema.evidences, schema.pages
    query = select(evidences.c.key, evidences.c.text_hash, pages.c.space)
    query = query.join(pages, pages.c.page_id == evidences.c.page_id).where(condition).order_by(evidences.c.key)
    for row in connection.execute(query):
        entries.append(StaleEntry(row.key, row.space))
        hashes.add(row.text_hash)
    connection.execute(delete(evidences).where(condition))
