"""The dense index of another process, with copies of its small spaces to search in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

from adapters.index.flat import FlatVectors, find_nearest
from core.model import IndexEntry
from core.ports.indexes import AccessFilter, Hit
from core.ports.models import Vectors

MOST_COPIED = 50_000
"""Most entries of all copies: 77 MB in memory. A search in other spaces asks the other process."""

Call = Callable[..., Any]
"""Calls a method of the other process's :class:`~adapters.index.dense.ChromaDenseIndex`, by name and arguments."""


class CopiedDenseIndex:
    """Implements :class:`core.ports.indexes.DenseIndex`. A search in the copies takes no time of the other process."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._changes: Mapping[str, int] = {}
        self._copies: dict[str, list[FlatVectors]] = {}

    def note_changes(self, changes: Mapping[str, int]) -> None:
        """Drop the copies of spaces that have changed. ``changes``: how often each space was changed."""
        for space in [each for each in self._copies if changes.get(each) != self._changes.get(each)]:
            del self._copies[space]
        self._changes = changes

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        """Return the nearest admitted entries, best first, ties by key. ``vector``: shape (dimension,)."""
        if limit > 0 and all(self._copy(space) for space in access_filter.spaces):
            copies = [each for space in access_filter.spaces for each in self._copies[space]]
            with suppress(ValueError):  # vectors of another dimension, which the other process reports
                return [Hit(key, score) for key, score in find_nearest(copies, vector, access_filter.access, limit)]
        hits: list[Hit] = self._call("search", vector, access_filter, limit)
        return hits

    def _copy(self, space: str) -> bool:
        """Copy a space that is not copied yet. Returns False if the copies would have too many entries."""
        if space not in self._copies:
            copied = sum(len(each.keys) for copies in self._copies.values() for each in copies)
            if copied + self._call("count", space) > MOST_COPIED:
                return False
            self._copies[space] = self._call("load_vectors", space)
        return True

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        self._call("add", entries, vectors)

    async def remove(self, space: str, keys: Collection[str]) -> None:
        self._call("remove", space, keys)

    async def load_keys(self, space: str) -> set[str]:
        keys: set[str] = self._call("load_keys", space)
        return keys

    async def count(self, space: str) -> int:
        return int(self._call("count", space))
