"""Embed each text of the tests once: its vectors are stored in the user's cache folder, for all processes and runs.

The tests of the default embedder itself, in ``tests/adapters/embedding``, compute them. All default embedders of a
process share one loaded model; the tests of loading give files of their own.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from adapters.embedding.e5 import DIMENSION, E5Embedder, Engine, GraphEngine
from adapters.embedding.late_interaction import E5WordMatcher
from core.ports.models import TokenVectors, Vectors

EMBEDDER = E5Embedder()
"""The default embedder: one loaded model for all tests of a process."""

_MOST_BYTES = 64 * DIMENSION * 4  # stored of the token states of a text: those of 64 tokens

_vectors, _vectors_and_tokens, _embed = GraphEngine.embed, GraphEngine.embed_with_tokens, E5WordMatcher.embed
_load = E5Embedder._load

Found = tuple[bytes, bytes]
"""The vector of a text, and its tokens."""


class _File:
    """The stored vectors by kind and text; those that this process has used are also kept in memory."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Found] = {}
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;")
        columns = "kind TEXT, text BLOB, vector BLOB, tokens BLOB, PRIMARY KEY (kind, text)"
        self._connection.execute(f"CREATE TABLE IF NOT EXISTS known ({columns})")

    def load(self, kind: str, texts: Sequence[str]) -> dict[str, Found]:
        query = "SELECT vector, tokens FROM known WHERE kind = ? AND text = ?"
        with self._lock:
            for text in texts:
                if (kind, text) not in self._known:
                    for found in self._connection.execute(query, (kind, _bytes(text))):
                        self._known[kind, text] = found
            return {text: self._known[kind, text] for text in texts if (kind, text) in self._known}

    def save(self, kind: str, computed: Mapping[str, Found]) -> None:
        rows = [(kind, _bytes(text), *found) for text, found in computed.items() if len(found[1]) <= _MOST_BYTES]
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?)", rows)
            self._connection.execute("COMMIT")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stack(found: Mapping[str, Found], texts: Sequence[str]) -> Vectors:
    return np.stack([np.frombuffer(found[text][0], np.float32) for text in texts])


@contextmanager
def embedded_once(path: Path) -> Iterator[None]:
    """Let the default embedder compute only the vectors that the file does not have."""
    file = _File(path)

    def find(engine: GraphEngine, texts: Sequence[str], prefix: str, with_tokens: bool) -> dict[str, Found]:
        kind = f"{prefix} with tokens" if with_tokens else prefix
        found = file.load(kind, texts)
        if new := [text for text in dict.fromkeys(texts) if text not in found]:
            if with_tokens:
                vectors, tokens = _vectors_and_tokens(engine, new, prefix)
                pairs = [(vector.tobytes(), states.tobytes()) for vector, states in zip(vectors, tokens, strict=True)]
            else:
                pairs = [(vector.tobytes(), b"") for vector in _vectors(engine, new, prefix)]
            computed = dict(zip(new, pairs, strict=True))
            file.save(kind, computed)
            found |= computed
        return found

    def vectors(engine: GraphEngine, texts: Sequence[str], prefix: str) -> Vectors:
        return _stack(find(engine, texts, prefix, with_tokens=False), texts)

    def vectors_and_tokens(engine: GraphEngine, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        found = find(engine, texts, prefix, with_tokens=True)
        tokens = [np.frombuffer(found[text][1], np.float32).reshape(-1, DIMENSION) for text in texts]
        return _stack(found, texts), tokens

    async def embed(matcher: E5WordMatcher, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        if not isinstance(matcher._embedder._get_engine(), GraphEngine) or not texts:
            return await _embed(matcher, texts)
        found = file.load(matcher.name, texts)
        if new := [text for text in dict.fromkeys(texts) if text not in found]:
            rows, tokens = await _embed(matcher, new)
            computed = {text: (row.tobytes(), each) for text, row, each in zip(new, rows, tokens, strict=True)}
            file.save(matcher.name, computed)
            found |= computed
        return _stack(found, texts), [found[text][1] for text in texts]

    with _patched(vectors, vectors_and_tokens, embed), _loaded_once():
        yield


@contextmanager
def _loaded_once() -> Iterator[None]:
    """Let the default embedders share one engine: loading it takes 0.6 s of processor time."""

    def load(embedder: E5Embedder) -> Engine:
        if embedder is EMBEDDER or embedder._weights_file or embedder._cache:
            return _load(embedder)
        return EMBEDDER._get_engine()

    with mock.patch.object(E5Embedder, "_load", load):
        yield


@contextmanager
def really_embedded() -> Iterator[None]:
    """Let the default embedder compute all vectors."""
    with _patched(_vectors, _vectors_and_tokens, _embed):
        yield


@contextmanager
def _patched(vectors: Any, vectors_and_tokens: Any, embed: Any) -> Iterator[None]:
    with (
        mock.patch.object(GraphEngine, "embed", vectors),
        mock.patch.object(GraphEngine, "embed_with_tokens", vectors_and_tokens),
        mock.patch.object(E5WordMatcher, "embed", embed),
    ):
        yield
