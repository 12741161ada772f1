"""Tell one person, once, that something is refused where others would have read it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import ChatRefused, WikiWhyError
from core.model.views import Notice
from core.ports.chat import ChatPlatform, Place, Platform
from core.ports.chat_stores import Post, PostStore

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PrivateNotices:
    """Notices that one person sees, each once for its work."""

    posts: PostStore
    platforms: Mapping[Platform, ChatPlatform]

    async def notify(self, key: str, place: Place, user: str, notice: Notice, *, directly: bool = False) -> None:
        """Tell one person that something is refused: by a private message in the thread, else by a direct message.

        ``directly``: only by a direct message. A person is told once, unless :meth:`forget` is called: this is
        committed first, because a private message cannot be found again. Another refusal is only logged.
        """
        told = _make_key(key)
        outside = replace(place, thread="")  # the notice is no message of the thread that a follow-up could continue
        post = await self.posts.load_post(told) or Post(told, outside, "", person=place.make_person_key(user))
        if post.finished:
            return
        await self.posts.save(replace(post, finished=True))
        try:
            await self._notify(told, place, user, notice, directly)
        except ChatRefused as error:
            logger.warning("Nobody could be told that %s is not shown: %s", key, error)
        except WikiWhyError:
            await self.posts.replace(post)  # told at the next attempt
            raise

    async def _notify(self, key: str, place: Place, user: str, notice: Notice, directly: bool) -> None:
        platform = self.platforms[place.platform]
        if not directly and not place.direct:  # a chat of two has no private messages
            try:
                await platform.post_private(place, user, notice)
                return
            except ChatRefused as error:
                logger.info("A private message is sent as a direct message instead: %s", error)
        await platform.post(replace(place, channel=user, thread="", direct=True, shared=False), notice, key)

    async def forget(self, key: str) -> None:
        """Let :meth:`notify` tell it again, because the work is started again."""
        if post := await self.posts.load_post(_make_key(key)):
            await self.posts.replace(replace(post, finished=False))


def _make_key(key: str) -> str:
    """Return the key of the message that tells one person of a refusal. ``key``: of the work."""
    return f"notice:{key}"
