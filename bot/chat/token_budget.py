"""What language models used today, for the daily budget of chats."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from core.model import Usage
from core.ports.chat_store import TokenStore

logger = logging.getLogger(__name__)


class Spending:
    """Counts tokens by day (UTC), also through restarts."""

    def __init__(self, store: TokenStore) -> None:
        self._store = store
        self._adding: set[asyncio.Task[None]] = set()

    def hear(self, usage: Usage) -> None:
        """Notes what a call used, soon."""
        task = asyncio.create_task(self._add(usage.prompt_tokens + usage.completion_tokens))
        self._adding.add(task)
        task.add_done_callback(self._adding.discard)

    async def today(self) -> int:
        """The tokens of today, all that was noted among them."""
        await asyncio.gather(*self._adding)
        return await self._store.of(_today())

    async def _add(self, tokens: int) -> None:
        try:
            await self._store.add(_today(), tokens)
        except Exception:  # of whatever kind: an answer must not fail for it, but the budget counts too little
            logger.exception("%d tokens of a language model could not be counted.", tokens)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
