"""What a sync stores of a wiki: pages with their evidences, spaces, people, and the entries that are stale."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.languages import LanguageCode
from core.model import (
    EvidenceKind,
    IndexedEvidence,
    IndexEntry,
    LinkTarget,
    Page,
    PageQuery,
    PageReference,
    ReadRestrictions,
)
from core.ports.files import FileText, KnownFile
from core.ports.wiki import KnownComment

MOST_LINKED = 100
"""The maximum number of folders, databases and the like of a space that a sync asks for because pages link to them."""


NOT_STORED = "not stored"
"""Used instead of a digest for a page that is not stored."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The version of a page that another page shows something of."""

    digest: str
    access: str  # the access id of those who may read both pages
    is_named: bool = True  # by a reference, not only selected by queries
    queries: tuple[PageQuery, ...] = ()  # that selected it


@dataclass(frozen=True, slots=True)
class Outline:
    """A stored page without content, comments, files and facts."""

    page: Page
    digest: str


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page with all its evidences."""

    page: Page
    digest: str  # covers everything that the evidences were made from: content, location, settings
    evidences: tuple[IndexedEvidence, ...]
    replaces: str | None = None  # digest of the version that this one must replace, or NOT_STORED; None for any
    names: Mapping[str, str | None] = field(default_factory=dict)  # account to name in the evidences, None if unknown
    references: tuple[PageReference, ...] = ()  # the pages that this one includes
    queries: tuple[PageQuery, ...] = ()  # of its reports
    origins: Mapping[str, Origin] = field(default_factory=dict)  # the pages found for these, by id
    # Access id of the readers of a chain of included pages, by :attr:`core.model.Evidence.inclusion_path`.
    path_access: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    language: LanguageCode = ""  # of the text; "" if unclear
    links: tuple[LinkTarget, ...] = ()  # what its smart links lead to


@dataclass(frozen=True, slots=True)
class NarrowedPage:
    """A stored page that gets fewer readers. Its evidences and index entries stay."""

    page_id: str
    digest: str
    read_restrictions: ReadRestrictions  # as in :class:`core.model.Page`; not empty
    replaces: str  # digest of the version that is narrowed


class PagesReplaced(Exception):
    """Another process has stored other versions of these pages, perhaps for fewer readers: read them again."""

    def __init__(self, page_ids: Collection[str]) -> None:
        super().__init__(f"stored meanwhile by somebody else: {', '.join(sorted(page_ids))}")
        self.page_ids = frozenset(page_ids)


@dataclass(frozen=True, slots=True)
class UnclearNames:
    """Titles of a space by which pages may mean other pages than the store knows. ``titles``: opaque."""

    titles: tuple[str, ...]
    page_ids: tuple[str, ...]  # of the pages that name them, ordered


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """An index entry that belongs to no current page and has to be removed from the indexes."""

    key: str
    space: str


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """A synced space with its counts."""

    key: str
    wiki_name: str
    pages: int
    evidences: Mapping[EvidenceKind, int]
    synced_at: str  # ISO 8601, UTC; "" if its first sync has not finished
    last_error: str = ""
    restricted: int = 0  # the number of pages that not every reader of the space may read
    comments_at: str = ""  # ISO 8601, UTC: all comments up to then are stored; "" if unknown


class PageStore(Protocol):
    """Pages and their evidences, from which both indexes can be rebuilt."""

    async def load_digests(self, space: str) -> dict[str, str]:
        """Return page id to current digest for every page of a space."""

    async def load_page(self, page_id: str) -> Page | None:
        """Return the current version of a page, or None."""

    async def load_comments(self, space: str) -> dict[str, KnownComment]:
        """Return the comments on a space's pages, by comment id."""

    async def load_files(self, space: str) -> set[KnownFile]:
        """Return the attached files of a space's pages. A file that moved meanwhile may be stored with two pages."""

    async def load_labels(self, space: str) -> dict[str, frozenset[str]]:
        """Return page id to labels for every page of a space."""

    async def load_file_text(self, page_id: str, file_id: str, version: str) -> FileText | None:
        """Return the text of this version of an attached file, or None if this version is not stored."""

    async def load_digest(self, page_id: str) -> str:
        """Return the digest of a page's current version, or :data:`NOT_STORED`."""

    async def find_referenced(self, references: Collection[PageReference]) -> dict[PageReference, str]:
        """Return the page ids of the references whose pages are stored.

        A reference means the page that has the title, or else the stored page that had it last: the wiki corrects the
        references to a renamed page without a new version of the pages that have them.
        """

    async def find_selected(self, queries: Collection[PageQuery]) -> dict[PageQuery, list[str]]:
        """Return the ids of the pages that each query selects, ordered by title."""

    async def find_outlines(self, page_ids: Collection[str]) -> dict[str, Outline]:
        """Return the outlines of the stored ones of these pages."""

    async def save_parents(self, space: str, parents: Mapping[str, str], is_all: bool) -> bool:
        """Store the parents of pages and folders of a space, by id. Returns whether anything changed.

        ``is_all``: these are all pages and folders of the space.
        """

    async def find_outdated_inclusions(self, wiki_name: str, space: str) -> list[str]:
        """Return the ids of pages of a space whose evidences of included pages or reports are out of date."""

    async def find_linked(self, wiki_name: str, space: str) -> list[LinkTarget]:
        """Return the folders, databases and the like that pages from a wiki link to, by addresses in this space.

        At most :data:`MOST_LINKED`, ordered.
        """

    async def find_naming(self, wiki_name: str, space: str) -> list[str]:
        """Return the ids of pages from a wiki that name pages of this space.

        Also those that name a page elsewhere that no page is or was, by a title of a page that may have moved here.
        """

    async def find_naming_former(self, page_ids: Collection[str]) -> list[str]:
        """Return those of these pages that name a page by a former title, themselves or by a page that they include."""

    async def note_unclear(self, names: Collection[PageReference]) -> None:
        """Note those of these names that a page had before as unclear."""

    async def find_unclear(self, wiki_name: str, space: str) -> UnclearNames:
        """Return the unclear titles of a space, and the pages from a wiki that name them.

        Read these pages again, and then call :meth:`forget_unclear`.
        """

    async def forget_unclear(self, space: str, titles: Collection[str]) -> None:
        """Forget that these titles of :meth:`find_unclear` are unclear, and which pages had them before."""

    async def replace(self, pages: Sequence[IndexedPage]) -> list[StaleEntry]:
        """Make these the current versions in one transaction. Returns the index entries that became stale.

        What other pages show of these pages is removed with the replaced versions. What these pages show of others is
        left out if the others have changed since ``origins``: :meth:`find_outdated_inclusions` then lists these pages.

        Raises PagesReplaced, and changes nothing, if a page would replace another version than ``replaces``.
        """

    async def narrow(self, pages: Sequence[NarrowedPage]) -> None:
        """Give stored pages fewer readers and another digest in one transaction.

        Their text in turns is removed as by :meth:`replace`. Their index entries keep the former readers until the
        pages are replaced: what may be read is decided by the store. Raises PagesReplaced as :meth:`replace` does.
        """

    async def remove(self, page_ids: Collection[str], space: str | None = None) -> list[StaleEntry]:
        """Remove pages, their evidences (also on other pages) and their text in turns, in one transaction.

        With ``space``, only pages that are still in it: a page may have moved since. All turns of conversations that
        used one of the pages lose their suggestions and the text of their trace; names, tokens and times of the model
        calls stay. Returns the index entries that became stale.
        """

    async def load_evidences(self, space: str) -> list[IndexedEvidence]:
        """Return all current evidences of a space, to rebuild its indexes."""


class SpaceStore(Protocol):
    """The synced spaces."""

    async def load_summaries(self) -> list[SpaceSummary]: ...

    async def load_keys(self) -> frozenset[str]:
        """Return the keys of all synced spaces, without counting their contents."""

    async def finish_sync(self, space: str, wiki_name: str, at: str, error: str) -> None:
        """Record the end of a sync: its time, the name of the wiki, and the error ("" for none)."""

    async def note_comments(self, space: str, at: str) -> None:
        """Record the time up to which all comments of a space are stored."""

    async def forget(self, space: str) -> list[StaleEntry]:
        """Remove a space with everything that :meth:`PageStore.remove` removes."""


@dataclass(frozen=True, slots=True)
class StoredPerson:
    """An account as the wiki described it when it was last asked."""

    name: str  # "" if the wiki had no such account or did not show it
    active: bool
    asked_at: str  # ISO 8601, UTC; "" sorts before every time


class PeopleStore(Protocol):
    """The people whom pages name, by wiki (:attr:`core.ports.wiki.Wiki.name`) and account."""

    async def find_people(self, wiki_name: str, accounts: Collection[str]) -> dict[str, StoredPerson]:
        """Return the known ones of these accounts."""

    async def save(self, wiki_name: str, people: Mapping[str, StoredPerson]) -> None: ...

    async def list_accounts(self, wiki_name: str, space: str) -> dict[str, str]:
        """Return account to ``asked_at`` for all accounts that pages of a space name, oldest ("" if unknown) first."""

    async def find_outdated_pages(self, wiki_name: str, space: str) -> list[str]:
        """Return the ids of pages whose evidences have an outdated name of a person."""

    async def prune(self) -> None:
        """Remove the people whom no page names any more."""


class StaleEntries(Protocol):
    """A write-ahead list that keeps the indexes consistent with the store after a crash.

    A key is announced before it is added to an index, and taken off the list in the transaction that makes it current.
    So after a crash the list has exactly the keys that must be removed from the indexes.
    """

    async def announce(self, entries: Sequence[IndexEntry]) -> None: ...

    async def list_entries(self, keys: Collection[str] | None = None) -> list[StaleEntry]:
        """Return the listed entries: all, or those with these keys."""

    async def strike_off(self, keys: Collection[str]) -> None: ...
