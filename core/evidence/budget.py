"""Limits the work that one page may cause, in proportion to its size in bytes.

All readers take linear time. The budget guarantees this for unforeseen markup: it counts work, so that a page always
stops at the same place, and only the page that exceeds it fails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import PageOverBudget
from core.model import AttachedFile, Comment, Page

MAX_TREE_DEPTH = 120
"""Elements nested deeper than this become plain text, which limits recursion. No person nests as deep."""

_MIB = 1_048_576
_MAX_PROPORTIONAL_BYTES = 20 * _MIB  # larger pages get the limits of this size
_CLOCK_INTERVAL = 4096  # steps between two checks of the clock


@dataclass(frozen=True, slots=True)
class PageLimits:
    """The limits of one page."""

    elements: int  # of markup
    steps: int  # steps: elements, cells, rows and pieces
    characters_read: int  # characters joined, cut or searched
    positions: int  # cells of tables after spans are resolved
    evidences: int
    characters_written: int  # characters of evidences: texts, parts, rows, contexts and URLs
    seconds: float = 30.0  # of processor time, if there is a clock

    @classmethod
    def for_bytes(cls, size: int) -> PageLimits:
        """Return the limits of a page of this size. The constant parts allow unusual tables on short pages."""
        size = min(size, _MAX_PROPORTIONAL_BYTES)
        return cls(
            elements=500_000,
            steps=100_000 + 20 * size,
            characters_read=1_000_000 + 100 * size,
            positions=min(100_000 + 2 * size, 2_000_000),
            evidences=min(1_000 + size // 5, 100_000),
            characters_written=min(1_000_000 + 100 * size, 100_000_000),
        )

    @classmethod
    def for_comment_bytes(cls, size: int) -> PageLimits:
        """Return the limits of one comment. Their constant parts are small, as a page may have thousands."""
        size = min(size, _MAX_PROPORTIONAL_BYTES)
        return cls(
            elements=50_000,
            steps=5_000 + 20 * size,
            characters_read=50_000 + 100 * size,
            positions=min(5_000 + 2 * size, 500_000),
            evidences=min(50 + size // 5, 10_000),
            characters_written=min(50_000 + 100 * size, 10_000_000),
            seconds=5.0,
        )


_NO_BOUND = 2**62
_UNLIMITED = PageLimits(_NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, _NO_BOUND, float("inf"))


class Budget:
    """Counts the work on one page. Each ``add`` method raises :class:`core.errors.PageOverBudget` above its limit."""

    __slots__ = (
        "_clock", "_next_clock_check", "_started", "characters_read", "characters_written", "evidences", "limits",
        "positions", "steps",
    )  # fmt: skip

    def __init__(self, limits: PageLimits = _UNLIMITED, clock: Callable[[], float] | None = None) -> None:
        self.limits = limits
        self.steps = self.characters_read = self.positions = self.evidences = self.characters_written = 0
        self._clock = clock
        self._started = clock() if clock else 0.0
        self._next_clock_check = _CLOCK_INTERVAL

    @classmethod
    def for_page(cls, page: Page, clock: Callable[[], float] | None = None) -> Budget:
        """Return the budget of a page. ``clock`` returns processor seconds of this thread; without it, none apply."""
        return cls(PageLimits.for_bytes(count_page_bytes(page)), clock)

    def make_comment_budget(self, comment: Comment) -> Budget:
        """Return a budget for one of the page's comments, so that a comment cannot use up the page's."""
        return Budget(PageLimits.for_comment_bytes(_count_bytes(comment.content)), self._clock)

    def make_inclusion_budget(self, page: Page) -> Budget:
        """Return a budget for another page that this page includes or reports on."""
        return Budget.for_page(page, self._clock)

    def make_file_budget(self, file: AttachedFile) -> Budget:
        """Return a budget for a file that is attached to the page."""
        return Budget(PageLimits.for_bytes(_count_bytes(file.content)), self._clock)

    def check_elements(self, count: int) -> None:
        """Check the number of elements read so far."""
        if count > self.limits.elements:
            raise _make_error("elements", count, self.limits.elements, "It is too large")

    def add_steps(self, count: int = 1) -> None:
        """Count elements, cells, rows or pieces."""
        self.steps += count
        if self.steps > self.limits.steps:
            raise _make_error("steps", self.steps, self.limits.steps, "Its markup repeats or nests too much")
        if self._clock and self.steps >= self._next_clock_check:
            self._next_clock_check = self.steps + _CLOCK_INTERVAL
            if self._clock() - self._started > self.limits.seconds:
                raise _make_error(
                    "seconds", round(self.limits.seconds), round(self.limits.seconds), "It is too complex"
                )

    def add_text(self, characters: int) -> None:
        """Count characters that are joined, cut or searched."""
        self.characters_read += characters
        if self.characters_read > self.limits.characters_read:
            raise _make_error(
                "characters to handle",
                self.characters_read,
                self.limits.characters_read,
                "Its text is repeated in too many places",
            )

    def add_positions(self, count: int) -> None:
        """Count cells of a table's grid, before they are created."""
        self.positions += count
        self.add_steps(count)
        if self.positions > self.limits.positions:
            raise _make_error("table places", self.positions, self.limits.positions, "Reduce its rowspan and colspan")

    def add_evidence(self, characters: int) -> None:
        """Count one evidence with this number of characters."""
        self.evidences += 1
        self.characters_written += characters
        self.add_steps()
        if self.evidences > self.limits.evidences:
            raise _make_error("evidences", self.evidences, self.limits.evidences, "Its tables repeat too many rows")
        if self.characters_written > self.limits.characters_written:
            raise _make_error(
                "characters of evidence",
                self.characters_written,
                self.limits.characters_written,
                "Its text is repeated in too many places",
            )


def count_page_bytes(page: Page) -> int:
    """Return the size of everything that evidences are made from, without comments."""
    return sum(map(_count_bytes, (page.content, page.title, page.url, *page.attachments)))


def _count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _make_error(bound: str, needed: int, limit: int, cause: str) -> PageOverBudget:
    return PageOverBudget(
        f"it needs more {bound} than a page of its size may ({needed:,} of {limit:,}), so answers do not use this "
        f"version of it. {cause}: simplify or split the page in the wiki, and sync again"
    )
