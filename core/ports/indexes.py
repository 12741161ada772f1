"""Lexical and dense indexes of evidences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.model import IndexEntry
from core.ports.models import Vectors


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """A scope in terms of the indexes."""

    spaces: tuple[str, ...]
    access: frozenset[str] = frozenset()  # the restricted pages of these spaces that are included, by access id


class Hit(NamedTuple):
    """A search result. Higher scores are better; scores of different searches are not comparable.

    No dataclass, which takes twice as long to make: each search makes some thousand.
    """

    key: str
    score: float


class DenseIndex(Protocol):
    """Nearest neighbours by cosine similarity. Scores are cosines, exact to three digits."""

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Add entries; existing keys stay unchanged. ``vectors`` has one row per entry."""

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Remove these keys of a space; unknown keys are ignored."""

    async def search(self, vector: Vectors, access_filter: AccessFilter, limit: int) -> list[Hit]:
        """Return the nearest entries that the filter admits, best first. ``vector`` has shape (dimension,)."""

    async def load_keys(self, space: str) -> set[str]:
        """Return the keys of all entries of a space, to check and repair the index."""

    async def count(self, space: str) -> int:
        """Return the number of entries of a space, without reading entries: it is called often."""


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """Two rankings of one search."""

    words: list[Hit]  # by stemmed words, weighted by field
    grams: list[Hit]  # by character 4-grams


class LexicalIndex(Protocol):
    """Full-text search by words and by character 4-grams."""

    async def add(self, entries: Sequence[IndexEntry]) -> None: ...

    async def remove(self, space: str, keys: Collection[str]) -> None: ...

    async def search(self, question: str, access_filter: AccessFilter, limit: int) -> LexicalHits: ...

    async def load_keys(self, space: str) -> set[str]: ...

    async def count(self, space: str) -> int:
        """Return the number of entries of a space, without reading entries: it is called often."""

    async def tidy(self, steps: int) -> bool:
        """Merge words of removed entries out of the index in ``steps`` short steps. Returns whether all are merged.

        Unused space of a large file may still contain such words; :meth:`compact` removes them.
        """

    async def needs_compaction(self) -> bool:
        """Whether the files may still contain words of removed entries."""

    async def compact(self) -> bool:
        """Complete the work of :meth:`tidy`, however long it takes. Returns whether there was any."""
