"""What a check of one part found, for ``wikiwhy doctor``."""

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
    """``advice`` is one line, "" where there is nothing to do."""

    part: str
    state: State
    found: str
    advice: str = ""


def run_check(part: str, work: Callable[[], Finding]) -> Finding:
    """Runs a check. An exception becomes a finding, so that the other checks go on."""
    try:
        return work()
    except Exception as error:
        return _failed(part, error)


async def run_async_check(part: str, work: Awaitable[Finding]) -> Finding:
    """The same as :func:`run_check`."""
    try:
        return await work
    except Exception as error:
        return _failed(part, error)


def _failed(part: str, error: Exception) -> Finding:
    if isinstance(error, WikiWhyError):
        return Finding(part, "broken", str(error))
    if isinstance(error, OSError):
        advice = "See to it that you may read and write there, or name another directory with --data-dir."
        return Finding(part, "broken", str(error), advice)
    return Finding(part, "broken", f"{type(error).__name__}: {error}", "This check itself failed: please report it.")
