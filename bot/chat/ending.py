"""Telling that work was ended because what it was about was removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.chat.error_notices import instead
from bot.chat.message_poster import MessagePoster
from core.ports import Post


@dataclass(frozen=True, slots=True)
class Ending:
    """Shows in our messages that no answer will come. Their language is not known any more: it is English."""

    posting: MessagePoster

    async def tell(self, posts: Sequence[Post]) -> None:
        """Best effort: a message that cannot be changed stays as it is."""
        for post in posts:
            await self.posting.show_progress(post, instead("unknown", "en"))
