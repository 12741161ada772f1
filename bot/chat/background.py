"""What is done once a platform has its answer, and only shows something."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from core.errors import WikiWhyError

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class BackgroundTasks:
    """Nobody waits for it, and it need not survive a crash."""

    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Does it in a task of its own; the log has what fails."""
        task = asyncio.create_task(_quietly(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def wait_until_idle(self) -> None:
        """Waits until what was begun has ended."""
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _quietly(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except WikiWhyError as error:
        logger.warning("What somebody did could not be shown: %s", error)
    except Exception:  # of whatever kind: nobody waits for this task
        logger.exception("What somebody did could not be shown.")
