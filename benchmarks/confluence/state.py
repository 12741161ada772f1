"""The content of a data directory, to compare two: the store's rows, the entries of both indexes, and all vectors."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.api.shared_system_client import SharedSystemClient
from chromadb.config import Settings

from adapters.embedding.e5 import E5Embedder
from benchmarks.child import default_settings
from bot.settings import load_settings
from bot.wiring import Application, open_application
from core.indexing.narrowing import is_narrowed
from core.model import Scope
from core.ports.models import Vectors

_PAGE = "page_id, space, title, url, date, content, author, labels, attachments, facts, posted, language"
_TABLES = {
    "pages": f"{_PAGE}, access, digest, version",
    "evidences": "key, page_id, origin, *",
    "accesses": "*",
    "stale_entries": "*",
    "spaces": "key, source, last_error",
}
_CLOSE = 1e-5
READERS = "group:board"  # may read the restricted pages
_EMBEDDER = E5Embedder()


@dataclass(frozen=True, slots=True)
class State:
    """A state. ``rows``: of the store, by table. ``lexical``: keys. ``dense``: vectors by collection and key.

    ``vectors``: of the store, by embedder and text hash. ``answering``: by page id, the keys in the indexes that
    are current in the store and that :data:`READERS` may read.
    """

    rows: Mapping[str, frozenset[tuple[Any, ...]]]
    lexical: frozenset[str]
    dense: Mapping[tuple[str, str], Vectors]
    vectors: Mapping[tuple[str, str], Vectors]
    answering: Mapping[str, frozenset[str]]

    def differences(self, other: State) -> list[str]:
        """Return the names of the parts that differ."""
        parts = [name for name in _TABLES if self.rows[name] != other.rows[name]]
        parts += ["lexical index"] if self.lexical != other.lexical else []
        parts += [] if _alike(self.dense, other.dense) else ["dense index"]
        parts += [] if _alike(self.vectors, other.vectors) else ["vectors"]
        return parts + (["answers"] if self.answering != other.answering else [])


def read_state(data: Path) -> State:
    """Read the state of a data directory, opened as for a question. Changes nothing."""
    with open_default_application(data) as application:
        rows, vectors = _stored(application.directory.database)
        spaces = {row[0] for row in rows["spaces"]} | {row[1] for row in rows["stale_entries"]}
        lexical, answering = asyncio.run(_indexed(application, spaces))
        return State(rows, lexical, _dense(application.directory.dense_index), vectors, answering)


@contextmanager
def open_default_application(data: Path) -> Iterator[Application]:
    """Open the application with default settings and a shared embedder."""
    SharedSystemClient.clear_system_cache()  # chromadb caches what it opened, even after the files have changed
    with default_settings():
        settings = load_settings(data_dir=data)
    with open_application(settings) as application:
        application.__dict__["embedder"] = _EMBEDDER  # the cached property
        yield application


def list_keys(state: State) -> dict[str, frozenset[str]]:
    """Return the keys of the stored evidences by page id."""
    keys: dict[str, set[str]] = {}
    for key, page_id, *_ in state.rows["evidences"]:
        keys.setdefault(page_id, set()).add(key)
    return {page_id: frozenset(found) for page_id, found in keys.items()}


@dataclass(frozen=True, slots=True)
class PageVersion:
    """A stored version of a page. ``row``: without its readers, ``digest`` and how often it was stored.

    ``keys``: of its own evidences, without those that it shows of other pages.
    """

    row: tuple[Any, ...]
    access: str
    digest: str
    keys: frozenset[str]

    def is_part_of(self, sync: PageVersion) -> bool:
        """Whether it is this version of a sync, or that with the new readers, which hold before the new text."""
        has_same_text = (self.row, self.keys) == (sync.row, sync.keys)
        return has_same_text and (is_narrowed(self.digest) or (self.access, self.digest) == (sync.access, sync.digest))


def list_versions(state: State) -> dict[str, PageVersion]:
    """Return the stored versions by page id."""
    shown = {key for key, _, origin, *_ in state.rows["evidences"] if origin}
    keys = list_keys(state)
    return {
        row[0]: PageVersion(tuple(row), access, digest, keys.get(row[0], frozenset()) - shown)
        for *row, access, digest, _ in state.rows["pages"]
    }


def _stored(database: Path) -> tuple[dict[str, frozenset[tuple[Any, ...]]], dict[tuple[str, str], Vectors]]:
    with closing(sqlite3.connect(database)) as connection:
        rows = {
            table: frozenset(connection.execute(f"SELECT {columns} FROM {table}"))  # noqa: S608  # names from above
            for table, columns in _TABLES.items()
        }
        kept = connection.execute("SELECT embedder, text_hash, vector FROM vectors")
        return rows, {(name, text): np.frombuffer(vector, np.float32) for name, text, vector in kept}


async def _indexed(application: Application, spaces: Iterable[str]) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    lexical: set[str] = set()
    dense: set[str] = set()
    for space in spaces:
        lexical |= await application.lexical.load_keys(space)
        dense |= await application.dense.load_keys(space)
    current = await application.evidences.load_evidences(lexical | dense, Scope(principals=frozenset({READERS})))
    answering: dict[str, set[str]] = {}
    for key, evidence in current.items():
        answering.setdefault(evidence.page_id, set()).add(key)
    return frozenset(lexical), {page_id: frozenset(keys) for page_id, keys in answering.items()}


def _dense(folder: Path) -> dict[tuple[str, str], Vectors]:
    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    found: dict[tuple[str, str], Vectors] = {}
    for collection in client.list_collections():
        entries = collection.get(include=["embeddings"])
        vectors = np.asarray(entries["embeddings"], np.float32)
        found.update(((collection.name, key), row) for key, row in zip(entries["ids"], vectors, strict=True))
    return found


def _alike(some: Mapping[tuple[str, str], Vectors], others: Mapping[tuple[str, str], Vectors]) -> bool:
    return some.keys() == others.keys() and all(np.allclose(some[key], others[key], atol=_CLOSE) for key in some)
