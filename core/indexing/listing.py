"""The listing of a space by its wiki, and what it means for the stored pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from core.errors import SpaceTaken, SpaceUnavailable
from core.ports.files import KnownFile
from core.ports.store import SpaceSummary
from core.ports.wiki import KnownComment, ListedPage, PageFailure, Traffic, Wiki

MASS_DELETION_PAGES = 20


@dataclass(slots=True)
class Listing:
    """The pages of a space as its wiki lists them, and the stored ones (``known``: page id to digest).

    ``complete``: every page that is not listed is gone. ``commented``: the ids of the pages whose comments changed;
    ``comments_error``: why that is not known; ``with_changed_files`` and ``files_error``: the same of attached files.
    ``relabelled``: the ids of the pages with other labels. ``traffic``: of the listing.
    """

    known: dict[str, str]
    pages: list[ListedPage] = field(default_factory=list)
    failures: list[PageFailure] = field(default_factory=list)
    complete: bool = True
    commented: frozenset[str] = frozenset()
    comments_error: PageFailure | None = None
    with_changed_files: frozenset[str] = frozenset()
    files_error: PageFailure | None = None
    relabelled: frozenset[str] = frozenset()
    traffic: Traffic = field(default_factory=Traffic)

    @property
    def page_ids(self) -> set[str]:
        return {page.page_id for page in self.pages} | {failure.page_id for failure in self.failures}

    @property
    def to_read(self) -> frozenset[str]:
        """The ids of the pages to read though their versions may be the stored ones."""
        return self.commented | self.with_changed_files | self.relabelled

    def find_moved(self, elsewhere: Collection[str]) -> list[str]:
        """The known pages that moved to another space."""
        return sorted(self.known.keys() & set(elsewhere) - self.page_ids)

    def find_gone(self, elsewhere: Collection[str]) -> list[str]:
        """The known pages that are no longer in the wiki."""
        if not self.complete:
            return []
        return sorted(self.known.keys() - self.page_ids - set(elsewhere))


def find_parents(pages: Collection[ListedPage]) -> dict[str, str]:
    """Page or folder to what it hangs below, by ids; "" for the top."""
    found = {node_id: parent for page in pages for node_id, parent in pairwise((*page.above, ""))}
    # What a page says of itself counts before what pages below it say, as circles end somewhere.
    return found | {page.page_id: page.above[0] if page.above else "" for page in pages}


async def list_space(wiki: Wiki, space: str, known: dict[str, str]) -> Listing:
    """Lists a space. Raises :class:`core.errors.WikiUnavailable`."""
    listing, before = Listing(known), wiki.traffic
    async for item in wiki.list_pages(space):
        if isinstance(item, ListedPage):
            listing.pages.append(item)
        else:
            listing.failures.append(item)
            # A page that cannot be identified may be any of the known ones.
            listing.complete = listing.complete and bool(item.page_id) and item.space is not None
    listing.traffic = wiki.traffic - before
    return listing


async def find_commented(
    wiki: Wiki, space: str, listing: Listing, comments: Mapping[str, KnownComment], since: str
) -> None:
    """Notes which of the listed pages have other comments than the stored ones.

    A space of which no page is stored is not asked for: each of its pages is read anyway. Where the comments cannot be
    listed, the pages are synced all the same.
    """
    if not listing.known:
        return
    before = wiki.traffic
    try:
        listing.commented = await wiki.find_commented_pages(space, comments, since)
    except SpaceUnavailable as error:
        listing.comments_error = PageFailure("", f"Comments of {space}", str(error), space)
    listing.traffic += wiki.traffic - before


async def find_changed_files(wiki: Wiki, space: str, listing: Listing, files: Mapping[str, KnownFile]) -> None:
    """Notes which of the listed pages have other attached files than the stored ones, as :func:`find_commented`."""
    if not listing.known:
        return
    before = wiki.traffic
    try:
        listing.with_changed_files = await wiki.find_pages_with_changed_files(space, files)
    except SpaceUnavailable as error:
        listing.files_error = PageFailure("", f"Attached files of {space}", str(error), space)
    listing.traffic += wiki.traffic - before


def find_relabelled(listing: Listing, labels: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The ids of the listed pages that have other labels than the stored ones, as far as the listing has them."""
    return frozenset(
        page.page_id
        for page in listing.pages
        if page.labels is not None and page.labels != labels.get(page.page_id, page.labels)
    )


def mass_deletion(space: str, known: int, gone: int) -> str:
    """Why so many pages must not be removed without permission, "" if they may."""
    if gone < MASS_DELETION_PAGES or gone * 2 <= known:
        return ""
    return (
        f"this sync would remove {gone} of the {known} pages of space {space}, so it stopped and changed nothing "
        "there. Check that the source is the right one; if these pages are really gone, sync again with "
        "--allow-mass-delete."
    )


def check_sources(wiki: Wiki, spaces: Collection[str], summaries: Iterable[SpaceSummary]) -> None:
    """Raises SpaceTaken for a space that came from another kind of wiki: all its pages would be replaced."""
    kind = wiki.source.partition(" ")[0]
    for summary in summaries:
        if summary.key in spaces and summary.pages and summary.source.partition(" ")[0] not in {"", kind}:
            raise SpaceTaken(
                f"Space {summary.key} was synced from {summary.source}, and would be replaced by that of "
                f"{wiki.source}. If that is what you want, first run: wikiwhy forget {summary.key}"
            )
