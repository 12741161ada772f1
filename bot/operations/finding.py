"""The result of a check, for ``wikiwhy doctor``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from core.errors import WikiWhyError

State = Literal["works", "note", "broken"]
REBUILD = "Run: wikiwhy db rebuild-index"
SYNC = "Run for example: wikiwhy sync folder samples/documents"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of the check of one part. ``advice``: one line, "" if there is nothing to do."""

    part: str
    state: State
    found: str
    advice: str = ""


def run_check(part: str, work: Callable[[], Finding]) -> Finding:
    """Run a check. An exception becomes a finding, so that the other checks continue."""
    try:
        return work()
    except Exception as error:
        return _make_finding(part, error)


async def run_async_check(part: str, work: Awaitable[Finding]) -> Finding:
    """Run an asynchronous check, as :func:`run_check` does."""
    try:
        return await work
    except Exception as error:
        return _make_finding(part, error)


def _make_finding(part: str, error: Exception) -> Finding:
    if isinstance(error, WikiWhyError):
        return Finding(part, "broken", str(error))
    if isinstance(error, OSError):
        advice = "Make the directory readable and writable for you, or name another one with --data-dir."
        return Finding(part, "broken", str(error), advice)
    return Finding(part, "broken", f"{type(error).__name__}: {error}", "The check itself failed. Please report this.")
