"""What commands have done on a data directory, whoever does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from bot.health.finding import Finding
from bot.privacy import PersonExport, PersonForgotten
from core.attribution.explainer import Explanation
from core.identity.person import PersonId
from core.indexing.report import SpaceReport
from core.model import Message, Question, Turn
from core.ports import AuditEntry, Feedback, Progress, ProgressListener, SpaceSummary, Traffic


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question in a conversation. ``spaces``: keys, none means all; pages that only some may read are left out.

    ``suggested_in``: the turn that suggested it, "" where a person thought of it.
    """

    conversation_id: str
    question: str
    history: tuple[Message, ...] = ()
    spaces: tuple[str, ...] = ()
    suggested_in: str = ""


@dataclass(frozen=True, slots=True)
class SyncOrder:
    """What to sync: all spaces of a folder, the ``keys`` of Confluence, or those of Confluence that are due."""

    source: Literal["folder", "confluence", "due"]
    path: str = ""
    keys: tuple[str, ...] = ()
    full: bool = False
    dry_run: bool = False
    allow_mass_delete: bool = False


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did; nothing where nothing was due. ``next_due``: by key, of those with a schedule, in UTC."""

    reports: tuple[SpaceReport, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spaces:
    """The synced spaces. ``next_due``: by key, of those with a schedule, synced yet or not, in UTC."""

    summaries: tuple[SpaceSummary, ...] = ()
    next_due: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judged:
    """What somebody thinks of an answer; ``turn``: None where the answer is not kept any more."""

    feedback: Feedback
    turn: Turn | None


@dataclass(frozen=True, slots=True)
class ForgetPerson:
    """``names``: of the person, besides those that are kept with their messages."""

    person: PersonId
    names: tuple[str, ...] = ()


class AnswerListener(Protocol):
    """Hears of an answer before it is finished."""

    def on_question(self, question: Question) -> None:
        """Hears, once, how the question was understood."""
        ...

    def on_text(self, text: str) -> None:
        """Hears the answer so far, all of it each time."""
        ...


class SyncListener(Protocol):
    """Hears how far a sync has come."""

    def on_progress(self, progress: Progress) -> None: ...

    def on_traffic(self, traffic: Traffic) -> None:
        """Hears, while spaces are listed and read, what the wiki's server has been asked so far."""
        ...


class Operations(Protocol):
    """Work on one data directory. Each method raises the errors of ``core.errors`` that the work itself raises.

    Cancelled, it ends at the end of a step, and what was done until then stays done.
    """

    async def begin(self, spaces: Sequence[str]) -> str:
        """A new conversation's id. Raises SpaceUnknown for spaces that are not there, IndexDamaged."""
        ...

    async def ask(self, asking: AskRequest, listener: AnswerListener) -> Turn:
        """Answers a question and stores the turn."""
        ...

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        """A stored turn with what may be asked next; ``earlier``: the questions asked before it. Raises TurnUnknown."""
        ...

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        """A stored turn with what its answer rests on. Raises TurnUnknown and NotExplainable."""
        ...

    async def spaces(self) -> Spaces: ...

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        """Brings spaces up to date, after whatever sync is under way. Raises SettingsInvalid where a setting lacks."""
        ...

    async def forget(self, key: str) -> None:
        """Removes a space, its text in past answers, and the indexes of evaluations. Raises DataDirectoryInUse."""
        ...

    async def feedback(self) -> list[Judged]:
        """What people said of answers, oldest first."""
        ...

    async def export_person(self, person: PersonId) -> PersonExport:
        """Everything that is kept of a person."""
        ...

    async def forget_person(self, order: ForgetPerson) -> PersonForgotten:
        """Ends what is under way for a person, and removes everything that is kept of them."""
        ...

    async def audit(self, since: str) -> list[AuditEntry]:
        """The audit log from a moment on (ISO 8601, UTC; "" for all), oldest first."""
        ...

    async def clean_files(self, on_begin: Callable[[], None]) -> bool:
        """Takes what erased text left in large files out of them, for a few minutes at most; whether none is left.

        ``on_begin`` is called first if there is any. A server does all this later by itself.
        """
        ...

    async def check_indexes(self) -> list[Finding]:
        """Compares both indexes with the store, entry by entry."""
        ...
