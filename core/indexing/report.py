"""The result of a sync."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.model import EvidenceKind
from core.ports.wiki import PageFailure, Traffic


@dataclass(slots=True)
class PageCounts:
    """The numbers of pages of one space."""

    seen: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0
    unchanged: int = 0
    restricted: int = 0
    failed: int = 0


@dataclass(slots=True)
class PeopleReport:
    """The result of looking up names during a sync."""

    asked: int = 0  # people whose names were asked for
    renamed: int = 0  # pages on which a name changed
    error: str = ""  # why the wiki could not be asked
    issues_error: str = ""  # why the issue tracker could not be asked


@dataclass(slots=True)
class SpaceReport:
    """The result for one space. Pages with one of the ``errors`` were not read; those with ``warnings`` were."""

    key: str
    pages: PageCounts = field(default_factory=PageCounts)
    evidences: Mapping[EvidenceKind, int] = field(default_factory=dict)  # of the space, after the sync
    embedded: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    seconds: float = 0.0
    errors: list[PageFailure] = field(default_factory=list)
    warnings: list[PageFailure] = field(default_factory=list)
    people: PeopleReport = field(default_factory=PeopleReport)
    unknown_macros: list[str] = field(default_factory=list)  # names, on the pages that were read
    repaired: int = 0  # entries that were missing or surplus in an index
    vanished: bool = False  # the wiki no longer has this space, so it was removed
    stopped: str = ""  # why the sync stopped, and what to do
    unlisted: str = ""  # why the space could not be listed, and what to do; nothing was changed

    @property
    def refusal(self) -> str:
        """Why the space was not synced, "" if it was."""
        return self.unlisted or self.stopped


def list_errors(reports: Iterable[SpaceReport]) -> list[PageFailure]:
    """Return the errors of several spaces, without duplicates."""
    return list(dict.fromkeys(error for report in reports for error in report.errors))


def describe_first_cause(errors: Sequence[PageFailure]) -> str:
    """Return the first error's cause and the number of errors, "" if there are none."""
    if not errors:
        return ""
    first = f"{errors[0].title}: {errors[0].cause}"
    return first if len(errors) == 1 else f"{len(errors)} pages could not be read; the first is {first}"
