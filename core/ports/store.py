"""The store: everything else can be rebuilt from it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.languages import LanguageCode
from core.model import (
    Conversation,
    Evidence,
    EvidenceKind,
    Page,
    PageFacts,
    PageQuery,
    PageReference,
    Scope,
    Suggestion,
    Turn,
)
from core.ports.files import FileText, KnownFile
from core.ports.indexes import AccessFilter, IndexEntry
from core.ports.models import TokenVectors, Vectors
from core.ports.wiki import KnownComment


@dataclass(frozen=True, slots=True)
class IndexedEvidence:
    """An evidence with its index entry and the hash of its contextualised text (what was embedded)."""

    evidence: Evidence
    entry: IndexEntry
    text_hash: str


NOT_STORED = "not stored"
"""In place of a digest: there is no such page."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A page that another one shows something of: which version, and the access id of who reads both."""

    digest: str
    access: str


@dataclass(frozen=True, slots=True)
class Outline:
    """A stored page without its content, comments, files and facts, and its digest."""

    page: Page
    digest: str


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page with all its evidences. ``digest`` covers all that they were made from: content, place, settings.

    ``replaces``: the digest of the version that it is to take the place of, or :data:`NOT_STORED`; None: of any.
    ``names``: of every account that the page names, the name that the evidences were made with; None: it was not known.
    ``references``, ``queries``: of which pages it shows something; ``origins``: those that were found, by their ids.
    ``ways``: the access ids of who reads what comes over several pages, by :attr:`core.model.Evidence.way`.
    ``language``: that of the text, "" if it is not clear.
    """

    page: Page
    digest: str
    evidences: tuple[IndexedEvidence, ...]
    replaces: str | None = None
    names: Mapping[str, str | None] = field(default_factory=dict)
    references: tuple[PageReference, ...] = ()
    queries: tuple[PageQuery, ...] = ()
    origins: Mapping[str, Origin] = field(default_factory=dict)
    ways: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    language: LanguageCode = ""


class PagesReplaced(Exception):
    """Somebody else stored another version of these pages meanwhile, perhaps for fewer readers: read them again."""

    def __init__(self, page_ids: Collection[str]) -> None:
        super().__init__(f"stored meanwhile by somebody else: {', '.join(sorted(page_ids))}")
        self.page_ids = frozenset(page_ids)


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
    restricted: int = 0  # of the pages, those that not everybody who reads the space may read
    comments_at: str = ""  # ISO 8601, UTC: all comments until then are stored; "" if that is not known


@dataclass(frozen=True, slots=True)
class NamedPage:
    """What a page is called, as in its evidences, and where it is, without a heading's anchor.

    ``language``: that of its text, "" if that is not clear or not known yet.
    """

    page_id: str
    title: str
    url: str
    language: LanguageCode = ""


class PageStore(Protocol):
    """Pages and their evidences, from which both indexes can be rebuilt."""

    async def digests(self, space: str) -> dict[str, str]:
        """Page id to digest of the current version, for every page of a space."""
        ...

    async def page(self, page_id: str) -> Page | None:
        """The current version of a page, None if there is none."""
        ...

    async def comments(self, space: str) -> dict[str, KnownComment]:
        """The comments of a space's pages by their ids."""
        ...

    async def files(self, space: str) -> dict[str, KnownFile]:
        """The attached files of a space's pages by their ids."""
        ...

    async def labels(self, space: str) -> dict[str, frozenset[str]]:
        """Page id to its labels, for every page of a space."""
        ...

    async def file_text(self, page_id: str, file_id: str, version: str) -> FileText | None:
        """The stored text of this version of an attached file, None if this version is not stored."""
        ...

    async def digest(self, page_id: str) -> str:
        """The digest of a page's current version, :data:`NOT_STORED` if there is none."""
        ...

    async def find_referenced(self, references: Collection[PageReference]) -> dict[PageReference, str]:
        """The ids of those of the pages that are stored."""
        ...

    async def find_asked_for(self, queries: Collection[PageQuery]) -> dict[PageQuery, list[str]]:
        """The ids of all pages that each query asks for, by title."""
        ...

    async def find_outlines(self, page_ids: Collection[str]) -> dict[str, Outline]:
        """Outlines of those of the pages that are stored."""
        ...

    async def keep_places(self, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
        """Notes what pages and folders of a space hang below, by ids; returns whether any of it is new.

        ``is_all``: there are no others in the space.
        """
        ...

    async def find_including(self, source: str, space: str) -> list[str]:
        """The ids of those pages of a source, and of a space, that do not show others as these are now."""
        ...

    async def replace(self, pages: Sequence[IndexedPage]) -> list[StaleEntry]:
        """Makes these the current versions, in one transaction; returns the entries that fell out of use.

        What others show of these pages goes with the replaced versions, and what these show of others is left out
        where the others are not as the ``origins`` say any more: :meth:`find_including` has them then.

        Raises PagesReplaced, and changes nothing, where one would take the place of another version than it says.
        """
        ...

    async def remove(self, page_ids: Collection[str], space: str | None = None) -> list[StaleEntry]:
        """Removes pages, their evidences, what others show of them, and their text in turns, in one transaction.

        With ``space`` only those that are there now: a page may have moved on meanwhile.
        Every turn of the conversations that used one of them loses the words of its trace and its suggestions;
        of its model calls the names, tokens and times stay.
        """
        ...

    async def entries(self, space: str) -> list[IndexedEvidence]:
        """All current evidences of a space, to rebuild its indexes."""
        ...


class SpaceStore(Protocol):
    """The synced spaces."""

    async def summaries(self) -> list[SpaceSummary]: ...

    async def keys(self) -> frozenset[str]:
        """Those of :meth:`summaries`, without counting what the spaces have."""
        ...

    async def finish_sync(self, space: str, source: str, at: str, error: str) -> None:
        """Notes the end of a sync: when, from where, and what went wrong ("" if nothing)."""
        ...

    async def note_comments(self, space: str, at: str) -> None:
        """Notes until when all comments of a space are stored."""
        ...

    async def forget(self, space: str) -> list[StaleEntry]:
        """Removes a space with all that :meth:`PageStore.remove` removes."""
        ...


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """Who an account was when the wiki was last asked. ``name``: "" where it had no such account, or did not show it.

    ``asked_at``: ISO 8601, UTC; "" for longer ago than anything.
    """

    name: str
    active: bool
    asked_at: str


class PeopleStore(Protocol):
    """The people that pages name, by source (:attr:`core.ports.wiki.Wiki.source`) and account."""

    async def find_people(self, source: str, accounts: Collection[str]) -> dict[str, StoredPerson]:
        """Those of the accounts of which anything is known."""
        ...

    async def keep(self, source: str, people: Mapping[str, StoredPerson]) -> None: ...

    async def list_accounts(self, source: str, space: str) -> dict[str, str]:
        """Account to ``asked_at`` of all that the pages of a space name, oldest first; "" for unknown ones."""
        ...

    async def find_outdated_pages(self, source: str, space: str) -> list[str]:
        """The ids of the pages whose evidences have another name of a person than the one that is known now."""
        ...

    async def prune(self) -> None:
        """Removes who is named on no page any more."""
        ...


class StaleEntries(Protocol):
    """The write-ahead list that lets the indexes follow the store through a crash.

    A key is announced before it is added to an index and struck off in the transaction that makes it
    current. What is on the list after a crash is therefore exactly what must leave the indexes.
    """

    async def announce(self, entries: Sequence[IndexEntry]) -> None: ...

    async def list_entries(self, keys: Collection[str] | None = None) -> list[StaleEntry]:
        """What is on the list, of all entries or of these."""
        ...

    async def strike_off(self, keys: Collection[str]) -> None: ...


class EvidenceStore(Protocol):
    """The reading side: what a scope may see."""

    async def reach(self, scope: Scope) -> AccessFilter: ...

    async def current(self, keys: Collection[str], scope: Scope) -> dict[str, Evidence]:
        """Key to evidence for those keys that are current and that the scope admits; others are left out."""
        ...

    async def pages_of(self, keys: Collection[str], scope: Scope) -> dict[str, NamedPage]:
        """Key to page for those keys that :meth:`current` gives: much less to read than their evidences."""
        ...

    async def has_page(self, title: str, scope: Scope) -> bool:
        """Whether a page has exactly this title, its own or that of its evidences, and the scope admits it."""
        ...

    async def tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        """The whole tables and the lists of those of the pages that the scope admits, by page and ordinal."""
        ...

    async def page_texts(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        """The passages, lists and whole tables of those of the pages that the scope admits, by page and ordinal."""
        ...

    async def page_facts(self, page_ids: Collection[str], titles: Collection[str], scope: Scope) -> list[Evidence]:
        """The facts of these pages and of those with one of the titles, as far as the scope admits them, by page id.

        Titles are compared as in :meth:`has_page`. Pages of which nothing is known have none.
        """
        ...

    async def visible_facts(self, page_ids: Collection[str], scope: Scope) -> dict[str, PageFacts]:
        """Those of the pages that are there now and that the scope admits, each with what is known of it: one look."""
        ...

    async def visible(self, page_ids: Collection[str], scope: Scope) -> frozenset[str]:
        """Those of the pages that are there now and that the scope admits, as before a stored turn is shown again."""
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


class TokenVectorStore(Protocol):
    """Token vectors by hash of the embedded text, of one model at a time: those of another take their place.

    Like vectors they go with the last evidence that has the text, see :meth:`VectorStore.prune`.
    """

    async def tokens(self, model: str, hashes: Collection[str]) -> dict[str, TokenVectors]:
        """Hash to token vectors, for the hashes that have some of this model."""
        ...

    async def find_lacking(self, model: str, hashes: Collection[str]) -> frozenset[str]:
        """Those of the hashes that have none of this model. Reads no token vectors."""
        ...

    async def keep(self, model: str, tokens: Mapping[str, TokenVectors]) -> None:
        """Keeps token vectors, in place of those of another model."""
        ...

    async def find_incomplete(self, model: str, space: str, limit: int) -> list[IndexedEvidence]:
        """At most so many evidences of a space without token vectors of this model.

        Once there are none this is noted with the space, and is not looked for again.
        """
        ...


class TurnStore(Protocol):
    """Turns and the conversations they belong to."""

    async def add(self, turn: Turn) -> None: ...

    async def keep(self, turn: Turn) -> None:
        """Adds a turn as a sync that commits at the same time leaves it.

        Of pages that are gone, or that the turn's scope does not admit any more, it keeps no words. Nothing of this
        turn, nor of a sync, comes between the check and the turn.
        """
        ...

    async def keep_suggestions(self, turn_id: str, suggestions: Sequence[Suggestion]) -> None:
        """Sets the suggestions of a turn that is stored, in place of those it had.

        Nothing happens to a turn that is unknown, or whose trace was erased with a page meanwhile: what was suggested
        may repeat that page. A suggestion is left out whose evidence is not among the turn's own, and so
        could not be found when that evidence's page is erased; :meth:`add` leaves it out too.
        """
        ...

    async def get(self, turn_id: str) -> Turn | None: ...

    async def remove(self, turn_id: str) -> None:
        """Removes a turn whose question was deleted or replaced, with what its explanation has found."""
        ...

    async def of_conversation(self, conversation_id: str) -> list[Turn]:
        """Its turns, oldest first; none if it is hidden."""
        ...


class ConversationStore(Protocol):
    """Conversations."""

    async def start(self, conversation: Conversation) -> None:
        """Starts a conversation; one that has been started stays as it is."""
        ...
