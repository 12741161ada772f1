"""The seams between the method and the outside: one small Protocol per outside system.

Ports are async, except pure computation. Implementations live in ``adapters/`` and are joined in
``bot/wiring.py``; each port has a contract suite in ``tests/contracts/`` that every implementation inherits.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.model import Conversation, Evidence, EvidenceKind, Page, Scope, Turn

Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), rows L2-normalised."""


# ------------------------------------------------------------------------------------------- wikis


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that the wiki has but could not give; ``space`` is None where even that is unknown."""

    page_id: str
    title: str
    cause: str
    space: str | None = None


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page as a wiki lists it, without its body. ``version`` is opaque: it changes whenever the page does."""

    page_id: str
    space: str
    title: str
    version: str
    read_restrictions: tuple[frozenset[str], ...] = ()


class Wiki(Protocol):
    """A source of pages: listed first, so that only changed bodies are read."""

    @property
    def source(self) -> str:
        """What the pages come from, for people: ``folder /path`` or ``confluence https://…``."""
        ...

    async def spaces(self) -> Sequence[str]:
        """The keys of all its spaces. Raises :class:`core.errors.WikiUnavailable` if it cannot be listed."""
        ...

    def listing(self, space: str) -> AsyncIterator[ListedPage | PageFailure]:
        """Every page of a space. A failure whose ``space`` is None may belong to any space."""
        ...

    async def page(self, listed: ListedPage) -> Page:
        """The page with its body. Raises :class:`core.errors.PageUnreadable`."""
        ...


# --------------------------------------------------------------------------------------- embedding


class Embedder(Protocol):
    """Turns texts into vectors. Queries and passages differ for models trained that way (e5)."""

    @property
    def name(self) -> str:
        """Names model AND numerics: two embedders with one name give interchangeable vectors."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...


# ----------------------------------------------------------------------------------------- indexes


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the indexes hold of one evidence. Entries never change: other content means another key.

    ``access`` is "" for pages that anyone who reads the space may read, else the id of their read
    restrictions (see :class:`Reach`). A field that the context mode leaves out is "".
    """

    key: str
    space: str
    access: str
    title: str
    heading: str
    text: str
    surroundings: str  # before and after


@dataclass(frozen=True, slots=True)
class Reach:
    """A scope in the indexes' terms: these spaces, and of their restricted pages those with these access ids."""

    spaces: tuple[str, ...]
    access: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """One found entry. Scores of one search compare with each other only; higher is better."""

    key: str
    score: float


class DenseIndex(Protocol):
    """Nearest neighbours by cosine. Scores are cosine similarities."""

    async def add(self, entries: Sequence[IndexEntry], vectors: Vectors) -> None:
        """Adds entries (idempotent: a key that is there stays). ``vectors``: one row an entry."""
        ...

    async def remove(self, space: str, keys: Collection[str]) -> None:
        """Removes these keys of a space; unknown ones are ignored."""
        ...

    async def search(self, vector: Vectors, reach: Reach, limit: int) -> list[Hit]:
        """The nearest entries within reach, best first. ``vector``: shape (dimension,)."""
        ...

    async def keys(self, space: str) -> set[str]:
        """The keys of every entry of a space, to check and repair the index."""
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

    async def search(self, question: str, reach: Reach, limit: int) -> LexicalHits: ...

    async def keys(self, space: str) -> set[str]: ...


# ------------------------------------------------------------------------------------------- store


@dataclass(frozen=True, slots=True)
class IndexedEvidence:
    """An evidence with its index entry and the hash of its contextualised text (what was embedded)."""

    evidence: Evidence
    entry: IndexEntry
    text_hash: str


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page with all its evidences. ``digest`` covers all that they were made from: content, place, settings."""

    page: Page
    digest: str
    evidences: tuple[IndexedEvidence, ...]


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """An index entry that belongs to no current page and has to leave the indexes."""

    key: str
    space: str


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """One synced space."""

    key: str
    source: str
    pages: int
    evidences: Mapping[EvidenceKind, int]
    synced_at: str  # ISO 8601, UTC; "" if its first sync has not finished
    last_error: str = ""


class PageStore(Protocol):
    """Pages and their evidences: the truth that both indexes can be rebuilt from."""

    async def digests(self, space: str) -> dict[str, str]:
        """Page id to digest of the current version, for every page of a space."""
        ...

    async def replace(self, pages: Sequence[IndexedPage]) -> list[StaleEntry]:
        """Makes these the current versions, in one transaction; returns the entries that fell out of use."""
        ...

    async def remove(self, page_ids: Collection[str]) -> list[StaleEntry]:
        """Removes pages, their evidences, and their text in the snapshots of turns, in one transaction."""
        ...

    async def entries(self, space: str) -> list[IndexedEvidence]:
        """All current evidences of a space, to rebuild its indexes."""
        ...


class SpaceStore(Protocol):
    """The synced spaces."""

    async def summaries(self) -> list[SpaceSummary]: ...

    async def finish_sync(self, space: str, source: str, at: str, error: str) -> None:
        """Notes the end of a sync: when, from where, and what went wrong ("" if nothing)."""
        ...

    async def forget(self, space: str) -> list[StaleEntry]:
        """Removes a space with all that :meth:`PageStore.remove` removes."""
        ...


class StaleEntries(Protocol):
    """The write-ahead list that lets the indexes follow the store through a crash.

    A key is announced before it is added to an index and struck off in the transaction that makes it
    current. What is on the list after a crash is therefore exactly what must leave the indexes.
    """

    async def announce(self, entries: Sequence[IndexEntry]) -> None: ...

    async def listed(self) -> list[StaleEntry]: ...

    async def strike_off(self, keys: Collection[str]) -> None: ...


class EvidenceStore(Protocol):
    """The reading side: what a scope may see."""

    async def reach(self, scope: Scope) -> Reach: ...

    async def current(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        """Key to evidence for those keys that are current and that the scope admits; others are left out."""
        ...


class VectorStore(Protocol):
    """Vectors by embedder and hash of the embedded text, so that no text is embedded twice."""

    async def vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        """Hash to vector, shape (dimension,), for the hashes that are known."""
        ...

    async def keep(self, embedder: str, vectors: Mapping[str, Vectors]) -> None: ...

    async def prune(self) -> int:
        """Drops vectors of texts that no current evidence has; returns how many."""
        ...


class TurnStore(Protocol):
    """Turns and the conversations they belong to."""

    async def add(self, turn: Turn) -> None: ...

    async def get(self, turn_id: str) -> Turn | None: ...

    async def of_conversation(self, conversation_id: str) -> list[Turn]:
        """Its turns, oldest first; none if it is hidden."""
        ...


class ConversationStore(Protocol):
    """Conversations, which can be hidden and restored."""

    async def start(self, conversation: Conversation) -> None: ...

    async def conversations(self, include_hidden: bool = False) -> list[Conversation]: ...

    async def hide(self, conversation_id: str) -> bool:
        """Whether there was such a conversation to hide."""
        ...

    async def restore(self, conversation_id: str) -> bool: ...


# -------------------------------------------------------------------------------------- progress


@dataclass(frozen=True, slots=True)
class Progress:
    """How far long work has come."""

    stage: str
    done: int
    total: int | None
    detail: Mapping[str, int] = field(default_factory=dict)


class ProgressListener(Protocol):
    def __call__(self, progress: Progress) -> None: ...
