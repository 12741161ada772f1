"""Nearest neighbours with chromadb, embedded in this process (the default) or on a Chroma server.

Each space and embedder has one collection for open pages and one for restricted pages. So a search needs no filter in
the usual case.

A query of a collection takes some milliseconds, however small the collection is. So a search in many small spaces
compares all of their vectors (:mod:`adapters.index.flat`), and only one in few large spaces follows chromadb's graphs.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np

from adapters.index.damage import find_damage, make_damage_error, record_files
from adapters.index.flat import FlatVectors, VectorCache, find_nearest
from adapters.private_files import make_private_folder
from core.errors import IndexDamaged
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, Hit
from core.ports.models import Vectors

# With ef_search well above the 100 hits of a question, their recall is near 1 for thousands of entries.
HNSW = {"hnsw": {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 400}}
OPEN, RESTRICTED = "open", "restricted"
KEYS_AT_ONCE = 10_000

_MOST_COMPARED = 200_000
"""Most entries of all collections that one search compares: 300 MB in memory."""

_COMPARED_PER_QUERY = 16_000
"""Comparing this number of vectors takes as long as one query of a collection."""

T = TypeVar("T")


class ChromaDenseIndex:
    """A dense index for the vectors of one embedder."""

    def __init__(self, client: Any, embedder: str, place: str, is_server: bool = False) -> None:
        self._client = client
        self._embedder = embedder
        self._place = place
        self._is_server = is_server  # other processes may empty it
        self._handles: dict[str, Any] = {}  # name to collection
        self._counts: dict[str, int] = {}
        self._vectors = VectorCache()
        self.changes: dict[str, int] = {}
        """Space to how often its entries were changed."""
        self._batch: int = client.get_max_batch_size()

    @classmethod
    def open(cls, folder: Path, embedder: str) -> ChromaDenseIndex:
        """Open the index in a folder, and create it if it does not exist. Raises IndexDamaged."""
        import chromadb  # slow, about a second

        place = str(folder)
        with _translate_errors(place):
            _check_folder(folder)
            client = chromadb.PersistentClient(place, settings=_make_settings())
            return cls(client, embedder, place)

    @classmethod
    def connect(cls, url: str, embedder: str) -> ChromaDenseIndex:
        """Connect to a Chroma server, ``http://host:port``. Raises IndexDamaged if it does not answer."""
        import chromadb

        parts = urlsplit(url)
        secure = parts.scheme == "https"
        with _translate_errors(url):
            client = chromadb.HttpClient(
                host=parts.hostname or "localhost",
                port=parts.port or (443 if secure else 8000),
                ssl=secure,
                settings=_make_settings(),
            )
            return cls(client, embedder, url, is_server=True)

    def close(self) -> None:
        """Record the state of the files, so that the next process does not have to check them."""
        if not self._is_server:
            record_files(Path(self._place))

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} entries but {len(vectors)} vectors")
        await self._run(lambda: self._add(entries, vectors))

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Remove keys of a space from the collections of all embedders. Unknown keys are ignored."""
        await self._run(lambda: self._remove(space, list(keys)))

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        """Return the nearest admitted entries, best first, ties by key. ``vector``: shape (dimension,)."""
        return await self._run(lambda: self._search(vector, access_filter, limit))

    async def load_keys(self, space: str) -> set[str]:
        return await self._run(lambda: self._list_keys(space))

    async def count(self, space: str) -> int:
        """Return the number of entries of a space. The embedded index caches it between changes."""
        return await self._run(lambda: sum(self._count_kind(space, kind) for kind in (OPEN, RESTRICTED)))

    async def load_vectors(self, space: str) -> list[FlatVectors]:
        """Return all entries of a space, for searches in another process."""
        return await self._run(lambda: self._load_flat(self._get_collections([space], (OPEN, RESTRICTED))))

    async def _run(self, work: Callable[[], T]) -> T:
        def run() -> T:
            with _translate_errors(self._place):
                return work()

        return await asyncio.to_thread(run)

    def _add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        rows: dict[tuple[str, str], dict[str, int]] = {}
        for row, entry in enumerate(entries):
            rows.setdefault((entry.space, RESTRICTED if entry.access else OPEN), {})[entry.key] = row
        for (space, kind), of_collection in rows.items():
            collection = self._client.get_or_create_collection(
                self._name(space, kind),
                configuration=HNSW,
                metadata={"space": space, "embedder": self._embedder, "kind": kind},
                embedding_function=None,
            )
            for keys in _form_batches(list(of_collection), self._batch):
                picked = [of_collection[key] for key in keys]
                accesses = [{"access": entries[row].access} for row in picked] if kind == RESTRICTED else None
                collection.add(ids=keys, embeddings=vectors[picked], metadatas=accesses)
            self._vectors.drop(collection.name)
            self._note_change(space)
        self._counts.clear()

    def _remove(self, space: str, keys: list[str]) -> None:
        for collection in self._list_collections(space):
            for batch in _form_batches(keys, self._batch):
                there = collection.get(ids=batch, include=[])["ids"]
                if there:
                    collection.delete(ids=there)
            self._vectors.drop(collection.name)
            if collection.count() == 0:
                self._handles.pop(collection.name, None)
                self._client.delete_collection(collection.name)
        self._note_change(space)
        self._counts.clear()

    def _note_change(self, space: str) -> None:
        self.changes = {**self.changes, space: self.changes.get(space, 0) + 1}  # new, since it is read meanwhile

    def _list_collections(self, space: str) -> list[Any]:
        prefix, found, offset = _make_prefix(space), [], 0
        while page := self._client.list_collections(limit=500, offset=offset):
            found += [collection for collection in page if collection.name.startswith(prefix)]
            offset += len(page)
        return found

    def _search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        hits: list[Hit] = []
        if limit <= 0:
            return hits
        kinds = (OPEN, RESTRICTED) if access_filter.access else (OPEN,)
        collections = self._get_collections(access_filter.spaces, kinds)
        if self._is_cheaper_to_compare(collections):
            found = find_nearest(self._load_flat(collections), vector, access_filter.access, limit)
            return [Hit(key, score) for key, score in found]
        restricted = {"access": {"$in": sorted(access_filter.access)}} if access_filter.access else None
        for space in access_filter.spaces:
            hits += self._search_collection(self._get_collection(space, OPEN), vector, None, limit)
            if restricted:
                hits += self._search_collection(self._get_collection(space, RESTRICTED), vector, restricted, limit)
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))[:limit]

    def _get_collections(self, spaces: Sequence[str], kinds: Sequence[str]) -> list[Any]:
        found = (self._get_collection(space, kind) for space in spaces for kind in kinds)
        return [collection for collection in found if collection is not None]

    def _load_flat(self, collections: Sequence[Any]) -> list[FlatVectors]:
        return [self._vectors.get(each.name, partial(_load, each, self._place)) for each in collections]

    def _is_cheaper_to_compare(self, collections: Sequence[Any]) -> bool:
        """Whether comparing all vectors is faster than a query of each collection."""
        if self._is_server:  # other processes may change it
            return False
        entries = sum(map(self._count_collection, collections))
        return entries <= min(_MOST_COMPARED, _COMPARED_PER_QUERY * len(collections))

    def _search_collection(self, collection: Any, vector: Vectors, where: Any, limit: int) -> list[Hit]:
        if collection is None:
            return []
        found = collection.query(query_embeddings=[vector], n_results=limit, where=where, include=["distances"])
        hits = [
            Hit(key, 1.0 - float(distance))
            for key, distance in zip(found["ids"][0], found["distances"][0], strict=True)
        ]
        if len(hits) < limit:
            # A search may only return fewer hits than the limit if there are no more entries.
            if where:
                expected = len(collection.get(where=where, limit=limit, include=[])["ids"])
            else:
                expected = self._count_collection(collection)
            if len(hits) < min(limit, expected):
                return self._search_exactly(collection, vector, where, limit)
        return hits

    def _count_collection(self, collection: Any) -> int:
        """Return the number of entries, cached between changes: a search of many small spaces needs it for each."""
        if collection.name not in self._counts:
            self._counts[collection.name] = collection.count()
        return self._counts[collection.name]

    def _count_kind(self, space: str, kind: str) -> int:
        name = self._name(space, kind)
        if name not in self._counts or self._is_server:
            collection = self._get_collection(space, kind)
            self._counts[name] = collection.count() if collection is not None else 0
        return self._counts[name]

    def _search_exactly(self, collection: Any, vector: Vectors, where: Any, limit: int) -> list[Hit]:
        """Compare with every vector, because the graph may not reach an entry among many similar ones."""
        there = _load(collection, self._place, where)
        access = frozenset(there.access)
        return [Hit(key, score) for key, score in find_nearest([there], vector, access, limit)]

    def _list_keys(self, space: str) -> set[str]:
        found: set[str] = set()
        for kind in (OPEN, RESTRICTED):
            collection, offset = self._get_collection(space, kind), 0
            while collection is not None:
                page = collection.get(include=[], limit=KEYS_AT_ONCE, offset=offset)["ids"]
                found.update(page)
                offset += len(page)
                if len(page) < KEYS_AT_ONCE:
                    break
        return found

    def _get_collection(self, space: str, kind: str) -> Any:
        """Return the collection, None if it does not exist. Cached, because getting it is as slow as a search."""
        name = self._name(space, kind)
        if name not in self._handles:
            from chromadb.errors import NotFoundError

            try:
                self._handles[name] = self._client.get_collection(name, embedding_function=None)
            except NotFoundError:
                return None
        return self._handles[name]

    def _name(self, space: str, kind: str) -> str:
        return f"{_make_prefix(space)}{_hash_name(self._embedder)}-{kind}"


def _load(collection: Any, place: str, where: Any = None) -> FlatVectors:
    """Load the vectors of a collection. Raises IndexDamaged."""
    found = collection.get(where=where, include=["embeddings", "metadatas"])
    if len(found["ids"]) != len(found["embeddings"]):
        raise make_damage_error("dense", place, f"{len(found['embeddings'])} of {len(found['ids'])} vectors are there")
    access = tuple(str((about or {}).get("access", "")) for about in found["metadatas"])
    return FlatVectors(tuple(found["ids"]), np.asarray(found["embeddings"], dtype=np.float32), access)


def _make_prefix(space: str) -> str:
    return f"wikiwhy-{_hash_name(space)}-"


def _hash_name(text: str) -> str:
    # Names of collections are limited to a few ASCII characters, unlike space keys and embedders.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _form_batches(keys: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


def _make_settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)


def _check_folder(folder: Path) -> None:
    make_private_folder(folder)
    # Without this file, chromadb would create an empty index beside the old files.
    catalogue = folder / "chroma.sqlite3"
    if not (catalogue.exists() and catalogue.stat().st_size) and any(path.is_dir() for path in folder.iterdir()):
        raise make_damage_error("dense", str(folder), "chroma.sqlite3 is missing or empty")
    problem = find_damage(folder)
    if problem:
        raise make_damage_error("dense", str(folder), problem)


@contextmanager
def _translate_errors(place: str) -> Iterator[None]:
    """Translate chromadb's errors, which have many types. Panics of its Rust core are not even an Exception."""
    from chromadb.errors import ChromaError

    try:
        yield
    except IndexDamaged:
        raise
    except (ChromaError, OSError, RuntimeError, ValueError) as error:
        raise make_damage_error("dense", place, str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise make_damage_error("dense", place, str(error)) from error
