"""Writing the audit log: an entry before an action, its outcome afterwards."""

from __future__ import annotations

import asyncio
import getpass
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from bot.wiring import now
from core.indexing.report import SpaceReport
from core.ports.administration import Action, AuditStore, Outcome

SCHEDULE, WEBHOOK, SERVER = "schedule", "webhook", "server"

_LONGEST_NAME = 64

_ACTOR: ContextVar[str] = ContextVar("actor", default="")


def command_line_user() -> str:
    """The actor of a command: ``cli:`` and the name of the operating system's user, or the user's number."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a container may run a number without a name
        return f"cli:{os.getuid()}"


def actor_of(header: str) -> str:
    """The actor in a command's request to the server; "cli:" where the header has no usable name."""
    name = header.removeprefix("cli:")
    return f"cli:{name}" if header.startswith("cli:") and name.isprintable() and len(name) <= _LONGEST_NAME else "cli:"


def current_actor() -> str:
    """The actor set by :func:`act_as`, else the user of this process."""
    return _ACTOR.get() or command_line_user()


@contextmanager
def act_as(actor: str) -> Iterator[None]:
    """Sets the actor of what the block does, also in tasks that it starts."""
    before = _ACTOR.set(actor)
    try:
        yield
    finally:
        _ACTOR.reset(before)


def outcome_of(reports: Sequence[SpaceReport]) -> Outcome:
    """The outcome of a sync: refused where it left a space unchanged."""
    return "refused" if any(report.refusal for report in reports) else "done"


@dataclass(slots=True)
class Recorded:
    """An action that runs. ``outcome``: recorded at its end if it raises nothing."""

    outcome: Outcome = "done"


@asynccontextmanager
async def record_action(store: AuditStore, action: Action, what: str) -> AsyncIterator[Recorded]:
    """Adds an audit entry for the current actor before the block, and its outcome after it.

    Where the log cannot be written the block does not run.
    """
    number = await store.begin(now(), current_actor(), action, what)
    under_way = Recorded()
    try:
        yield under_way
    except asyncio.CancelledError:
        await asyncio.shield(store.end(number, "cancelled", now()))
        raise
    except BaseException:
        await store.end(number, "failed", now())
        raise
    await store.end(number, under_way.outcome, now())
