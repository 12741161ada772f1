"""Which of several syncs at the same time may say where a page is.

Each space is synced by itself, so a page that moves is for a while in the listings of two. The later look at the wiki
counts: what an older listing says of the page is not written over it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Look:
    """One look at the wiki: ``moment`` counts up. ``page_ids``: what it found in ``space``, once it is listed."""

    space: str
    moment: int
    page_ids: frozenset[str] = field(default_factory=frozenset)


class PageClaims:
    """The looks that are followed now, and the pages that each of them claims."""

    def __init__(self) -> None:
        self._moment = 0
        self._looks: list[Look] = []
        self._claims: dict[str, Look] = {}

    @contextmanager
    def looking(self, space: str) -> Iterator[Look]:
        """A look that begins now; it claims nothing any more afterwards."""
        self._moment += 1
        look = Look(space, self._moment)
        self._looks.append(look)
        try:
            yield look
        finally:
            self._looks.remove(look)
            if not self._looks:  # a claim has to outlive its look: an older one may still be followed
                self._claims.clear()

    def listed_elsewhere(self, look: Look) -> set[str]:
        """The pages that other looks found in other spaces."""
        return {page_id for other in self._looks if other.space != look.space for page_id in other.page_ids}

    def claim(self, look: Look, page_ids: Collection[str]) -> None:
        """Claims pages, but those that a later look at another space has claimed."""
        for page_id in page_ids:
            other = self._claims.get(page_id)
            if other is None or other.moment < look.moment or other.space == look.space:
                self._claims[page_id] = look

    def holds(self, look: Look, page_id: str) -> bool:
        """Whether no later look at another space has claimed the page."""
        other = self._claims.get(page_id)
        return other is None or other.space == look.space or other.moment < look.moment
