"""The pages of a space as its wiki lists them, compared with the stored pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from core.errors import SpaceTaken, SpaceUnavailable
from core.model import LinkTarget
from core.ports.files import KnownFile
from core.ports.pages import SpaceSummary
from core.ports.wiki import KnownComment, ListedPage, PageFailure, Traffic, Wiki

MASS_DELETION_PAGES = 20


@dataclass(slots=True)
class Listing:
    """The listed pages of a space, and what changed compared to the stored ones."""

    known: dict[str, str]  # stored pages: page id to digest
    pages: list[ListedPage] = field(default_factory=list)
    failures: list[PageFailure] = field(default_factory=list)
    complete: bool = True  # every page that is not listed is gone
    commented: frozenset[str] = frozenset()  # ids of pages whose comments changed
    comments_error: PageFailure | None = None  # why ``commented`` is unknown
    with_changed_files: frozenset[str] = frozenset()  # ids of pages whose attached files changed
    files_error: PageFailure | None = None  # why ``with_changed_files`` is unknown
    relabelled: frozenset[str] = frozenset()  # ids of pages whose labels changed
    narrowed: frozenset[str] = frozenset()  # ids of pages that lost readers, and are stored again first
    asked_for: set[str] = field(default_factory=set)  # ids of link targets that the listing of the space lacks
    traffic: Traffic = field(default_factory=Traffic)  # of the listing

    @property
    def page_ids(self) -> set[str]:
        return {page.page_id for page in self.pages} | {failure.page_id for failure in self.failures}

    @property
    def to_read(self) -> frozenset[str]:
        """The ids of the pages to read even if their version is unchanged."""
        return self.commented | self.with_changed_files | self.relabelled

    def find_moved(self, elsewhere: Collection[str]) -> list[str]:
        """Return the known pages that moved to another space."""
        return sorted(self.known.keys() & set(elsewhere) - self.page_ids)

    def find_gone(self, elsewhere: Collection[str]) -> list[str]:
        """Return the known pages that the wiki no longer has."""
        if not self.complete:
            return []
        return sorted(self.known.keys() - self.page_ids - set(elsewhere))


def find_parents(pages: Collection[ListedPage]) -> dict[str, str]:
    """Return the id of each page or folder to the id of its parent, "" for the top."""
    found = {node_id: parent for page in pages for node_id, parent in pairwise((*page.above, ""))}
    # A page's own parent takes precedence over what pages below it say, since circular ancestors are cut somewhere.
    return found | {page.page_id: page.above[0] if page.above else "" for page in pages}


def find_editors(pages: Iterable[ListedPage]) -> dict[str, str]:
    """Return the names of last editors that the listing has, by account."""
    return {page.editor.account: page.editor.name for page in pages if page.editor}


async def list_space(wiki: Wiki, space: str, known: dict[str, str], linked: Collection[LinkTarget]) -> Listing:
    """List a space, and what pages link to there. Raises :class:`core.errors.WikiUnavailable`."""
    listing, before = Listing(known), wiki.traffic
    async for item in wiki.list_pages(space):
        if isinstance(item, ListedPage):
            listing.pages.append(item)
        else:
            listing.failures.append(item)
            # An unidentified page may be any of the known ones, so none of them counts as gone.
            listing.complete = listing.complete and bool(item.page_id) and item.space is not None
    try:
        listing.pages += await list_linked(wiki, space, listing, linked)
    except SpaceUnavailable as error:  # of the known ones it is then unclear which are gone
        listing.failures.append(PageFailure("", f"Links to {space}", str(error), space))
        listing.complete = False
    listing.traffic = wiki.traffic - before
    return listing


async def list_linked(wiki: Wiki, space: str, listing: Listing, linked: Collection[LinkTarget]) -> Sequence[ListedPage]:
    """List those of the link targets that were neither listed nor asked for before."""
    new = [target for target in linked if target.page_id not in listing.page_ids | listing.asked_for]
    listing.asked_for |= {target.page_id for target in new}
    return await wiki.list_linked(space, new) if new else ()


async def note_changed_parts(
    wiki: Wiki,
    space: str,
    listing: Listing,
    comments: Mapping[str, KnownComment],
    since: str,
    files: Set[KnownFile],
) -> None:
    """Add the pages whose comments or attached files differ from the stored ones to the listing.

    Does nothing for a space without stored pages, since all of its pages are read anyway. If comments or files cannot
    be listed, the error is recorded and the pages are synced all the same.
    """
    if not listing.known:
        return
    before = wiki.traffic
    try:
        listing.commented = await wiki.find_commented_pages(space, comments, since)
    except SpaceUnavailable as error:
        listing.comments_error = PageFailure("", f"Comments of {space}", str(error), space)
    try:
        listing.with_changed_files = await wiki.find_pages_with_changed_files(space, files)
    except SpaceUnavailable as error:
        listing.files_error = PageFailure("", f"Attached files of {space}", str(error), space)
    listing.traffic += wiki.traffic - before


def find_relabelled(listing: Listing, labels: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the ids of the listed pages whose labels differ from the stored ones, as far as the listing has labels."""
    return frozenset(
        page.page_id
        for page in listing.pages
        if page.labels is not None and page.labels != labels.get(page.page_id, page.labels)
    )


def describe_mass_deletion(space: str, known: int, gone: int) -> str:
    """Return why so many pages must not be removed without permission, "" if they may."""
    if gone < MASS_DELETION_PAGES or gone * 2 <= known:
        return ""
    return (
        f"this sync would remove {gone} of the {known} pages of space {space}, so it stopped without removing or "
        "updating anything there; only new restrictions hold. Check that this is the right source. If these pages are "
        "really gone, sync again with --allow-mass-delete."
    )


def check_sources(wiki: Wiki, spaces: Collection[str], summaries: Iterable[SpaceSummary]) -> None:
    """Raise SpaceTaken for a space from another kind of wiki, because all of its pages would be replaced."""
    kind = wiki.name.partition(" ")[0]
    for summary in summaries:
        if summary.key in spaces and summary.pages and summary.wiki_name.partition(" ")[0] not in {"", kind}:
            raise SpaceTaken(
                f"Space {summary.key} was synced from {summary.wiki_name}, and would be replaced by that of "
                f"{wiki.name}. If that is what you want, first run: wikiwhy forget {summary.key}"
            )
