"""The result of a sync."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.model import EvidenceKind
from core.ports.wiki import PageFailure, Traffic


@dataclass(slots=True)
class PageCounts:
    """Numbers of pages of one space."""

    seen: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    restricted: int = 0
    failed: int = 0


@dataclass(slots=True)
class PeopleReport:
    """``asked``: whose names were asked for. ``renamed``: pages that got a new name. ``error``: why asking failed.

    ``issues_error``: the same of issues.
    """

    asked: int = 0
    renamed: int = 0
    error: str = ""
    issues_error: str = ""


@dataclass(slots=True)
class SpaceReport:
    """The result for one space. A page with one of the ``errors`` was not read; one of the ``warnings`` was."""

    key: str
    pages: PageCounts = field(default_factory=PageCounts)
    evidences: Mapping[EvidenceKind, int] = field(default_factory=dict)  # of the space, after the sync
    embedded: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    seconds: float = 0.0
    errors: list[PageFailure] = field(default_factory=list)
    warnings: list[PageFailure] = field(default_factory=list)
    people: PeopleReport = field(default_factory=PeopleReport)
    unknown_macros: list[str] = field(default_factory=list)  # names, of pages that were read
    repaired: int = 0  # entries that an index lacked, or that were surplus
    vanished: bool = False  # the wiki no longer has this space, so it was removed
    stopped: str = ""  # why the sync stopped, and what to do
    unlisted: str = ""  # why the space could not be listed, and what to do; nothing was changed

    @property
    def refusal(self) -> str:
        """Why the space was not synced, "" if it was."""
        return self.unlisted or self.stopped


def all_errors(reports: Iterable[SpaceReport]) -> list[PageFailure]:
    """The errors of several spaces, each once."""
    return list(dict.fromkeys(error for report in reports for error in report.errors))


def first_cause(errors: Sequence[PageFailure]) -> str:
    """The first cause and the number of errors; "" if there is none."""
    if not errors:
        return ""
    first = f"{errors[0].title}: {errors[0].cause}"
    return first if len(errors) == 1 else f"{len(errors)} pages could not be read; the first is {first}"
