"""What a sync did, in numbers and causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.model import EvidenceKind
from core.ports import PageFailure, Traffic


@dataclass(slots=True)
class PageCounts:
    """Pages of one space by what happened to them."""

    seen: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    restricted: int = 0
    failed: int = 0


@dataclass(slots=True)
class SpaceReport:
    """The sync of one space. ``errors`` kept a page from being read; ``warnings`` did not."""

    key: str
    pages: PageCounts = field(default_factory=PageCounts)
    evidences: Mapping[EvidenceKind, int] = field(default_factory=dict)  # of the space, after the sync
    embedded: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    seconds: float = 0.0
    errors: list[PageFailure] = field(default_factory=list)
    warnings: list[PageFailure] = field(default_factory=list)
    repaired: int = 0  # index entries that an index had lost, or had too many
    vanished: bool = False  # whether the wiki has this space no longer, so that it was removed
    stopped: str = ""  # why the sync refused to go on, and what to do
    unlisted: str = ""  # why the space could not be listed, so that nothing of it was touched, and what to do

    @property
    def refusal(self) -> str:
        """Why the space is as it was before, "" if it was synced."""
        return self.unlisted or self.stopped


def all_errors(reports: Iterable[SpaceReport]) -> list[PageFailure]:
    """The errors of several spaces, each once."""
    return list(dict.fromkeys(error for report in reports for error in report.errors))


def first_cause(errors: Sequence[PageFailure]) -> str:
    """The first of the causes, and of how many; "" if there is none."""
    if not errors:
        return ""
    first = f"{errors[0].title}: {errors[0].cause}"
    return first if len(errors) == 1 else f"{len(errors)} pages could not be read; the first is {first}"
