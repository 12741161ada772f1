"""What a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.errors import WikiWhyError

State = Literal["works", "note", "broken"]
SYNC = "Run for example: wikiwhy sync folder samples/documents"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found; ``advice`` is one line, "" where there is nothing to do."""

    part: str
    state: State
    found: str
    advice: str = ""


def guarded(part: str, work: Callable[[], Finding]) -> Finding:
    """What a check found, or how it failed: never the end of the others."""
    try:
        return work()
    except WikiWhyError as error:
        return Finding(part, "broken", str(error))
    except OSError as error:
        advice = "See to it that you may read and write there, or name another directory with --data-dir."
        return Finding(part, "broken", str(error), advice)
    except Exception as error:
        return Finding(
            part, "broken", f"{type(error).__name__}: {error}", "This check itself failed: please report it."
        )
