"""The store: the SQL database. Everything else, such as the indexes, can be rebuilt from it.

What questions read of it and turns are here, what a sync stores is in :mod:`core.ports.pages`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.languages import LanguageCode
from core.model import (
    AblationResult,
    Conversation,
    Evidence,
    IndexedEvidence,
    KnownResults,
    PageFacts,
    Scope,
    Suggestion,
    Turn,
)
from core.ports.indexes import AccessFilter
from core.ports.models import TokenVectors, Vectors


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """What retrieval needs to know of an evidence: its page, and the hash of its embedded text.

    ``title`` and ``url``: of the page, as in its evidences. The address has no heading anchor. ``language``: of the
    page's text, "" if unclear or not yet known.
    """

    page_id: str
    title: str
    url: str
    language: LanguageCode
    text_hash: str


class EvidenceStore(Protocol):
    """Evidences and facts that a scope may see."""

    async def find_access_filter(self, scope: Scope) -> AccessFilter: ...

    async def load_evidences(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        """Return the evidences of those keys that are current and in the scope."""

    async def load_summaries(self, keys: Collection[str], scope: Scope) -> dict[str, EvidenceSummary]:
        """Return the summaries of those evidences that :meth:`load_evidences` would return, by key."""

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether a page in the scope has exactly this title (its own, or the one in its evidences)."""

    async def load_tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        """Return the whole tables and the lists of the pages in the scope, by page and ordinal."""

    async def load_texts(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        """Return the passages, lists and whole tables of the pages in the scope, by page and ordinal."""

    async def find_facts(self, page_ids: Collection[str], titles: Collection[str], scope: Scope) -> list[Evidence]:
        """Return the facts of pages in the scope that have one of the ids or titles, by page id.

        Titles are compared as in :meth:`has_page`. Pages without known facts are left out.
        """

    async def load_facts(self, page_ids: Collection[str], scope: Scope) -> dict[str, PageFacts]:
        """Return page id to facts for the pages that exist now and are in the scope, in one query."""

    async def filter_visible(self, page_ids: Collection[str], scope: Scope) -> frozenset[str]:
        """Return the ids of the pages that exist now and are in the scope; used before a stored turn is shown again."""


class VectorStore(Protocol):
    """Vectors by embedder and hash of the embedded text, so that no text is embedded twice."""

    async def load_vectors(self, embedder: str, hashes: Collection[str]) -> dict[str, Vectors]:
        """Return hash to vector, shape (dimension,), for the known hashes."""

    async def save(self, embedder: str, vectors: Mapping[str, Vectors]) -> None: ...

    async def prune(self) -> int:
        """Remove vectors of texts that no current evidence has. Returns their number."""


class TokenVectorStore(Protocol):
    """Token vectors by hash of the embedded text, and of the units of each evidence by hash of the unit's text.

    Only vectors of one model each are stored at a time. :meth:`VectorStore.prune` removes token vectors and units
    together with the vectors of their evidence's text.
    """

    async def load_tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        """Return hash to token vectors, for the hashes that have some of this model."""

    async def find_missing(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        """Return the hashes without token vectors of this model, without reading any token vectors."""

    async def save(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        """Store token vectors, replacing those of another model."""

    async def load_units(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        """Return hash to token vectors of units, for the hashes that have some of this model."""

    async def find_without_units(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        """Return those of the evidences' text hashes whose units were not stored for this model."""

    async def save_units(self, model: str, units: Mapping[str, Mapping[str, TokenVectors]]) -> None:
        """Store the token vectors of all units by hash, for each evidence's text hash."""

    async def find_incomplete(self, model: str, unit_model: str, space: str, limit: int) -> list[IndexedEvidence]:
        """Return at most ``limit`` evidences of a space that lack token vectors or units of these models.

        An empty result is recorded with the space, and the space is not searched again until :meth:`note_incomplete`.
        """

    async def note_incomplete(self, space: str) -> None:
        """Record that evidences of a space may lack token vectors."""


class TurnStore(Protocol):
    """Turns and the conversations that they belong to."""

    async def add(self, turn: Turn) -> None:
        """Add a turn as it is, without the check of :meth:`save`: for turns that no sync can change meanwhile."""

    async def save(self, turn: Turn) -> None:
        """Add a turn, without the text of pages that a concurrent sync has removed or restricted.

        Omits the text of pages that are gone or no longer in the turn's scope, and of sources of its question that were
        erased since ``asked_at``. The check and the insertion are one transaction, so no sync can come between them.
        """

    async def save_suggestions(self, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
        """Replace the suggestions of a stored turn.

        Does nothing if the turn is unknown, or if it has lost text with a page, because a suggestion may repeat that
        page. Suggestions for evidences that are not among the turn's are left out, here and by
        :meth:`add`: they could not be found when the evidence's page is erased.
        """

    async def load_turn(self, turn_id: str) -> Turn | None: ...

    async def has_whole(self, turn_id: str) -> bool:
        """Whether a turn is stored and has lost no text, neither when it was saved nor since."""

    async def remove(self, turn_id: str) -> None:
        """Remove a turn whose question was deleted or replaced, together with its explanation."""

    async def load_some(self, conversation_id: str, turn_ids: Collection[str]) -> list[Turn]:
        """Return those of these turns, at most some hundreds, that a conversation has, oldest first; none if it is
        hidden.
        """

    async def load_newest(self, conversation_id: str, most: int) -> list[Turn]:
        """Return the last turns of a conversation, oldest first; none if it is hidden. A thread may have thousands."""


class ConversationStore(Protocol):
    """Conversations."""

    async def start(self, conversation: Conversation) -> None:
        """Store a new conversation; an existing one stays unchanged."""


class CounterfactualStore(Protocol):
    """Stores the counterfactuals of an explanation with their effects, one ablation at a time.

    So an interrupted explanation can continue. The results of a turn are deleted with the text of any page that the
    turn used, see :meth:`core.ports.pages.PageStore.remove`.
    """

    async def save(self, turn_id: str, result: AblationResult) -> None:
        """Store a result, and replace an earlier one of the same cluster.

        Does nothing if the turn is unknown or has lost text in the meantime, since the answers may repeat that text.
        """
        ...

    async def load_known(self, turn_id: str) -> KnownResults:
        """Return the stored results, without failed ones."""
        ...
