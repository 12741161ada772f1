"""Indexes: finding evidences by words and by vectors."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.ports.models import Vectors


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the indexes hold of one evidence. Entries never change: other content means another key.

    ``access`` is "" for pages that anyone who reads the space may read, else the id of their read
    restrictions (see :class:`AccessFilter`). A field that the context mode leaves out is "".
    """

    key: str
    space: str
    access: str
    title: str
    heading: str
    text: str
    surroundings: str  # before and after


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """A scope in the indexes' terms: these spaces, and of their restricted pages those with these access ids."""

    spaces: tuple[str, ...]
    access: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """One found entry. Scores of one search compare with each other only; higher is better."""

    key: str
    score: float


class DenseIndex(Protocol):
    """Nearest neighbours by cosine. Scores are cosine similarities, right to three digits."""

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Adds entries (idempotent: a key that is there stays). ``vectors``: one row an entry."""
        ...

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Removes these keys of a space; unknown ones are ignored."""
        ...

    async def search(self, vector: Vectors, reach: AccessFilter, limit: int) -> list[Hit]:
        """The nearest admitted entries, best first. ``vector``: shape (dimension,)."""
        ...

    async def keys(self, space: str) -> set[str]:
        """The keys of every entry of a space, to check and repair the index."""
        ...

    async def count(self, space: str) -> int:
        """How many entries of a space there are. Asked for often: it reads no entries."""
        ...


@dataclass(frozen=True, slots=True)
class LexicalHits:
    """Two rankings of one search: words (stemmed, weighted by column) and character 4-grams."""

    words: list[Hit]
    grams: list[Hit]


class LexicalIndex(Protocol):
    """Full-text search by words and by character 4-grams."""

    async def add(self, entries: Sequence[IndexEntry]) -> None: ...

    async def remove(self, space: str, keys: Collection[str]) -> None: ...

    async def search(self, question: str, reach: AccessFilter, limit: int) -> LexicalHits: ...

    async def keys(self, space: str) -> set[str]: ...

    async def count(self, space: str) -> int:
        """How many entries of a space there are. Asked for often: it reads no entries."""
        ...

    async def tidy(self, steps: int) -> bool:
        """Merges words of removed entries out of the index, in so many short steps; whether all is merged.

        What a large file then still has of them, in space that it does not use, :meth:`compact` takes out.
        """
        ...

    async def needs_compaction(self) -> bool:
        """Whether words of removed entries may still be in the files."""
        ...

    async def compact(self) -> bool:
        """Does all that :meth:`tidy` left to do, however long it takes; whether there was anything."""
        ...
