"""Writing the audit log: an entry before an action begins, its outcome after it."""

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
from core.ports import Action, AuditStore, Outcome

SCHEDULE, WEBHOOK, SERVER = "schedule", "webhook", "server"

_LONGEST_NAME = 64

_ACTOR: ContextVar[str] = ContextVar("actor", default="")


def command_line_user() -> str:
    """Who runs this process: ``cli:`` and the name of the operating system's user, or their number."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a container may run a number without a name
        return f"cli:{os.getuid()}"


def actor_of(header: str) -> str:
    """Who gives a command to a server, as the command says; "cli:" where it says nothing that could be a name."""
    name = header.removeprefix("cli:")
    return f"cli:{name}" if header.startswith("cli:") and name.isprintable() and len(name) <= _LONGEST_NAME else "cli:"


def current_actor() -> str:
    """Who acts here: as :func:`act_as` says, else who runs this process."""
    return _ACTOR.get() or command_line_user()


@contextmanager
def act_as(actor: str) -> Iterator[None]:
    """What is done in the block, also by tasks that it starts, is done by this actor."""
    before = _ACTOR.set(actor)
    try:
        yield
    finally:
        _ACTOR.reset(before)


def outcome_of(reports: Sequence[SpaceReport]) -> Outcome:
    """How a sync ended: refused where it left a space as it was."""
    return "refused" if any(report.refusal for report in reports) else "done"


@dataclass(slots=True)
class Recorded:
    """An action under way. ``outcome``: how it will have ended where it raises nothing."""

    outcome: Outcome = "done"


@asynccontextmanager
async def record_action(store: AuditStore, action: Action, what: str) -> AsyncIterator[Recorded]:
    """Has the audit log say that an action begins, by the current actor, and how it ended.

    Where the log cannot be written the action does not begin.
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
