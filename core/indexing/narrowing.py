"""Gives stored pages fewer readers as soon as a listing shows this, before pages are read and embedded.

A restriction must not wait for an embedder that fails, for the pages before it, or for a sync that stops. Pages that
get more readers do wait: for these, text and restrictions have to be read together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from core.indexing.index_entries import combine_restrictions, is_no_wider, make_access_id
from core.model import ReadRestrictions
from core.ports.pages import NarrowedPage, Outline, PagesReplaced, PageStore
from core.ports.wiki import ListedPage

_AT_ONCE = 500  # pages in one transaction, so that others can write in between
_TRIES = 3
_NARROWED = "narrowed for "


async def narrow_readers(listed: Sequence[ListedPage], pages: PageStore) -> set[str]:
    """Narrow the stored readers of pages to those who are readers in a listing, too. Return the ids of these pages.

    Only listed restrictions count: a page whose readers the wiki tells only together with its body stays as it is until
    it is read. Evidences stay. The readers who are left find them, at the latest when the page is stored again:
    its index entries still have the former restrictions. Its digest matches no listed version, so the sync that
    follows, or the next one, does that. Does not write if no page gets fewer readers.
    """
    found: set[str] = set()
    for start in range(0, len(listed), _AT_ONCE):
        found |= await _narrow_some(listed[start : start + _AT_ONCE], pages)
    return found


def is_narrowed(digest: str) -> bool:
    """Whether a stored page was narrowed and has not been stored again since."""
    return _NARROWED in digest


async def _narrow_some(listed: Sequence[ListedPage], pages: PageStore) -> set[str]:
    """Narrow pages in one transaction, again if others store one of them meanwhile.

    After three conflicts, those that still differ are left to the update, which never widens what others stored.
    """
    for _ in range(_TRIES):
        narrowed = _find_narrowed(listed, await pages.find_outlines([each.page_id for each in listed]))
        if not narrowed:
            break
        try:
            await pages.narrow(narrowed)
            return {each.page_id for each in narrowed}
        except PagesReplaced:
            continue
    return set()


def _find_narrowed(listed: Collection[ListedPage], stored: dict[str, Outline]) -> list[NarrowedPage]:
    found = {}
    for each in listed:
        outline = stored.get(each.page_id)
        if outline and not is_no_wider(outline.page.read_restrictions, each.read_restrictions):
            readers = _combine_readers(outline.page.read_restrictions, each.read_restrictions)
            digest = _mark_narrowed(outline.digest, readers)
            found[each.page_id] = NarrowedPage(each.page_id, digest, readers, outline.digest)
    return list(found.values())


def _combine_readers(stored: ReadRestrictions, listed: ReadRestrictions) -> ReadRestrictions:
    """Return the listed restrictions if they admit only stored readers, otherwise both.

    With the listed ones alone, the update that follows changes no readers, so it erases no answers once more.
    """
    return listed if is_no_wider(listed, stored) else combine_restrictions(stored, listed)


def _mark_narrowed(digest: str, readers: ReadRestrictions) -> str:
    """Return the digest of a narrowed page. It keeps the version, so an unchanged body is not requested again."""
    version, dot, _ = digest.partition(".")
    return f"{version if dot else ''}{dot}{_NARROWED}{make_access_id(readers)}"
