"""Bounds the work that one page may cause, in proportion to its bytes.

The readers are linear in the bytes of a page. The budget enforces this for unforeseen markup: it counts the work,
stops at the same place every time, and a page over budget fails alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import PageOverBudget
from core.model import AttachedFile, Comment, Page

MAX_TREE_DEPTH = 120
"""Elements nested deeper than anything a person writes become plain text: recursion ends there."""

_MIB = 1_048_576
_MAX_PROPORTIONAL_BYTES = 20 * _MIB  # a page of more bytes gets the bounds of this one
_CLOCK_INTERVAL = 4096  # operations between two checks of the clock


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one page.

    ``elements``: of its markup. ``operations``: elements, cells, rows and pieces. ``handled``: characters joined, cut
    or searched. ``places``: of the rectangles of its tables. ``evidences``, and ``emitted``: the characters of their
    texts, parts, rows, contexts and addresses. ``seconds``: of processor time, if there is a clock.
    """

    elements: int
    operations: int
    handled: int
    places: int
    evidences: int
    emitted: int
    seconds: float = 30.0

    @classmethod
    def for_bytes(cls, size: int) -> Limits:
        """The bounds of a page of so many bytes. The constant parts allow unusual tables in short pages."""
        size = min(size, _MAX_PROPORTIONAL_BYTES)
        return cls(
            elements=500_000,
            operations=100_000 + 20 * size,
            handled=1_000_000 + 100 * size,
            places=min(100_000 + 2 * size, 2_000_000),
            evidences=min(1_000 + size // 5, 100_000),
            emitted=min(1_000_000 + 100 * size, 100_000_000),
        )

    @classmethod
    def for_comment_bytes(cls, size: int) -> Limits:
        """The bounds of one comment: with small constant parts, as a page may have thousands."""
        size = min(size, _MAX_PROPORTIONAL_BYTES)
        return cls(
            elements=50_000,
            operations=5_000 + 20 * size,
            handled=50_000 + 100 * size,
            places=min(5_000 + 2 * size, 500_000),
            evidences=min(50 + size // 5, 10_000),
            emitted=min(50_000 + 100 * size, 10_000_000),
            seconds=5.0,
        )


_NO_BOUND = 2**62
_UNLIMITED = Limits(_NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, float("inf"))


class Budget:
    """Counts the work on one page. Each method raises :class:`core.errors.PageOverBudget` above a bound."""

    __slots__ = ("_clock", "_look_at", "_started", "emitted", "evidences", "handled", "limits", "operations", "places")

    def __init__(self, limits: Limits = _UNLIMITED, clock: Callable[[], float] | None = None) -> None:
        self.limits = limits
        self.operations = self.handled = self.places = self.evidences = self.emitted = 0
        self._clock = clock
        self._started = clock() if clock else 0.0
        self._look_at = _CLOCK_INTERVAL

    @classmethod
    def for_page(cls, page: Page, clock: Callable[[], float] | None = None) -> Budget:
        """The budget of one page. ``clock``: processor seconds of this thread; without it time is not limited."""
        return cls(Limits.for_bytes(page_bytes(page)), clock)

    def for_comment(self, comment: Comment) -> Budget:
        """The budget of one of the page's comments, so that no comment can use up that of the page."""
        return Budget(Limits.for_comment_bytes(_count_bytes(comment.content)), self._clock)

    def for_included(self, page: Page) -> Budget:
        """The budget of another page that this one includes."""
        return Budget.for_page(page, self._clock)

    def for_file(self, file: AttachedFile) -> Budget:
        """The budget of one of the files that are attached to the page."""
        return Budget(Limits.for_bytes(_count_bytes(file.content)), self._clock)

    def check_elements(self, count: int) -> None:
        """Checks the number of elements read so far."""
        if count > self.limits.elements:
            raise _over("elements", count, self.limits.elements, "It is too large")

    def operate(self, count: int = 1) -> None:
        """Counts elements, cells, rows or pieces."""
        self.operations += count
        if self.operations > self.limits.operations:
            raise _over("steps", self.operations, self.limits.operations, "Its markup repeats or nests too much")
        if self._clock and self.operations >= self._look_at:
            self._look_at = self.operations + _CLOCK_INTERVAL
            if self._clock() - self._started > self.limits.seconds:
                raise _over("seconds", round(self.limits.seconds), round(self.limits.seconds), "It is too complex")

    def handle(self, characters: int) -> None:
        """Counts characters that are joined, cut or searched."""
        self.handled += characters
        if self.handled > self.limits.handled:
            raise _over("characters to handle", self.handled, self.limits.handled, "Its text stands in too many places")

    def place(self, count: int) -> None:
        """Counts places of a table's rectangle, before these are created."""
        self.places += count
        self.operate(count)
        if self.places > self.limits.places:
            raise _over("table places", self.places, self.limits.places, "Reduce its rowspan and colspan")

    def emit(self, characters: int) -> None:
        """Counts one evidence of so many characters."""
        self.evidences += 1
        self.emitted += characters
        self.operate()
        if self.evidences > self.limits.evidences:
            raise _over("evidences", self.evidences, self.limits.evidences, "Its tables repeat too many rows")
        if self.emitted > self.limits.emitted:
            raise _over(
                "characters of evidence", self.emitted, self.limits.emitted, "Its text stands in too many places"
            )


def page_bytes(page: Page) -> int:
    """The bytes of everything that evidences are made from, without the comments."""
    return sum(map(_count_bytes, (page.content, page.title, page.url, *page.attachments)))


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _over(bound: str, needed: int, limit: int, cause: str) -> PageOverBudget:
    return PageOverBudget(
        f"it needs more {bound} than a page of its size may ({needed:,} of {limit:,}), so this version of it is not in "
        f"the answers. {cause}: simplify the page or split it in the wiki, and sync again"
    )
