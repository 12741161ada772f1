"""Writing the audit log: an entry before each action, then its outcome; and entries for changed settings."""

from __future__ import annotations

import asyncio
import getpass
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from bot.settings import Settings, may_hold_secret
from bot.wiring import Application, now
from core.indexing.report import SpaceReport
from core.ports.administration import Action, AuditStore, Outcome

SCHEDULE, WEBHOOK, SERVER = "schedule", "webhook", "server"

_LONGEST_NAME = 64
_SALT_BYTES = 16
_SCRYPT_COST = 2**14  # 16 MB, some 40 ms
_PLACE = frozenset({"data_dir", "host", "port"})
"""Settings that depend on where a server is started, and are not recorded."""

_ACTOR: ContextVar[str] = ContextVar("actor", default="")


def read_command_line_user() -> str:
    """Return the actor of a command: ``cli:`` and the name of the operating system's user, or the user's number."""
    try:
        return f"cli:{getpass.getuser()}"
    except (KeyError, OSError):  # a container may run a number without a name
        return f"cli:{os.getuid()}"


def parse_actor(header: str) -> str:
    """Return the actor in the header of a command's request to the server; "cli:" if it has no usable name."""
    name = header.removeprefix("cli:")
    return f"cli:{name}" if header.startswith("cli:") and name.isprintable() and len(name) <= _LONGEST_NAME else "cli:"


def find_actor() -> str:
    """Return the actor set by :func:`act_as`, else the user of this process."""
    return _ACTOR.get() or read_command_line_user()


@contextmanager
def act_as(actor: str) -> Iterator[None]:
    """Set the actor for the block and for the tasks that it starts."""
    before = _ACTOR.set(actor)
    try:
        yield
    finally:
        _ACTOR.reset(before)


def choose_outcome(reports: Sequence[SpaceReport]) -> Outcome:
    """Return the outcome of a sync: refused if it left a space unchanged."""
    return "refused" if any(report.refusal for report in reports) else "done"


@dataclass(slots=True)
class RunningAction:
    """A running action. ``outcome``: recorded at its end if it raises nothing."""

    outcome: Outcome = "done"


@asynccontextmanager
async def record_action(store: AuditStore, action: Action, what: str) -> AsyncIterator[RunningAction]:
    """Add an audit entry for the current actor before the block, and its outcome after it.

    If the entry cannot be written, the block does not run.
    """
    number = await store.begin(now(), find_actor(), action, what)
    running = RunningAction()
    try:
        yield running
    except asyncio.CancelledError:
        await asyncio.shield(store.end(number, "cancelled", now()))
        raise
    except BaseException:
        await store.end(number, "failed", now())
        raise
    await store.end(number, running.outcome, now())


async def record_changed_settings(application: Application) -> tuple[str, ...]:
    """Write an entry if settings have changed since the last start. Return the names of the changed settings.

    At the first start these are the settings that differ from their default.
    """
    values = _collect_values(application.settings)
    before = await application.settings_seen.load_fingerprints()
    if before:
        changed = [name for name, value in values.items() if not _matches(name, value, before.get(name, ""))]
        changed += before.keys() - values.keys()
    else:
        fields, now = Settings.model_fields, application.settings
        changed = [name for name in values if getattr(now, name) != fields[name].default]
    if changed or not before:
        with act_as(SERVER):
            async with record_action(application.audit, "change_settings", ", ".join(sorted(changed))):
                kept = {
                    name: before[name] if before and name not in changed else _make_fingerprint(name, value)
                    for name, value in values.items()
                }
                await application.settings_seen.save(kept)
    return tuple(sorted(changed))


def _collect_values(settings: Settings) -> dict[str, str]:
    """Return each setting as text, including secrets."""
    plain = {name: getattr(settings, name) for name in type(settings).model_fields if name not in _PLACE}
    return {name: _to_text(value) for name, value in plain.items()}


def _to_text(value: object) -> str:
    reveal = getattr(value, "get_secret_value", None)
    return json.dumps(reveal() if reveal else value, default=str, sort_keys=True)


def _make_fingerprint(name: str, value: str, salt: bytes | None = None) -> str:
    """Return a salted hash of a value, with which values can only be compared; for secrets, a slow hash."""
    salt = salt or secrets.token_bytes(_SALT_BYTES)
    data = value.encode("utf-8", "surrogatepass")
    if may_hold_secret(name):
        digest = hashlib.scrypt(data, salt=salt, n=_SCRYPT_COST, r=8, p=1, dklen=32)
    else:
        digest = hashlib.sha256(salt + data).digest()
    return f"{salt.hex()}:{digest.hex()}"


def _matches(name: str, value: str, fingerprint: str) -> bool:
    salt, _, _ = fingerprint.partition(":")
    if not salt:
        return False
    return hmac.compare_digest(_make_fingerprint(name, value, bytes.fromhex(salt)), fingerprint)
