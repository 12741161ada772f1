"""Telling that work was ended because what it was about was removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.chat.posting import Posting
from bot.chat.telling import instead
from core.ports import Post


@dataclass(frozen=True, slots=True)
class Ending:
    """Shows in our messages that no answer will come. Their language is not known any more: it is English."""

    posting: Posting

    async def tell(self, posts: Sequence[Post]) -> None:
        """Best effort: a message that cannot be changed stays as it is."""
        for post in posts:
            await self.posting.told(post, instead("unknown", "en"))
