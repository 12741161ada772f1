"""MessagePoster once: a message is kept by the key of its work, and looked for before it is posted again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace

from core.errors import ChatRefused, WikiWhyError
from core.identity.person import person_key
from core.ports import ChatPlatform, Place, Platform, Post, PostStore, View

_BLIND: frozenset[Platform] = frozenset({"teams"})
"""Platforms that neither let a bot read what stands somewhere nor mark its messages: what was posted is not found."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class MessagePoster:
    """``is_fresh``: whether work of a key was started by this process, and so posted nothing before.

    ``patience``: seconds that a message waits for others to be posted where that is done one at a time.
    """

    posts: PostStore
    platforms: Mapping[Platform, ChatPlatform]
    is_fresh: Callable[[str], bool]
    patience: float = 2.0
    _tried: set[str] = field(default_factory=set)
    _posting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ensure_posted(
        self, key: str, place: Place, view: View, turn_id: str = "", asker: str = "", user: str = ""
    ) -> Post:
        """The message of this work: the one that there is already, else a new one.

        ``asker``: the user whom it is written for, as :meth:`core.ports.ChatPlatform.post` takes it. ``user``: whose
        action led to it, where that is somebody else.
        """
        post = await self.posts.post(key)
        if post:
            return post
        platform = self.platforms[place.platform]
        message_id = None
        if key in self._tried or not self.is_fresh(key):  # it may have been posted, and we were cut off
            others = [other.message_id for other in await self.posts.in_conversation(place.conversation_id)]
            message_id = await platform.find_message(place, key, others)
        self._tried.add(key)
        async with self._alone() if place.platform in _BLIND else nullcontext():
            message_id = message_id or await platform.post(place, view, key, asker)
            post = Post(key, place, message_id, turn_id, person=_person(place, user or asker))
            await self.posts.keep(post)
        self._tried.discard(key)
        return post

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """One message at a time between sending and keeping, so that a kill leaves one behind and not many.

        But what Teams holds up, say by its rates, does not hold up everybody else for long.
        """
        try:
            async with asyncio.timeout(self.patience):
                await self._posting.acquire()
        except TimeoutError:
            yield
            return
        try:
            yield
        finally:
            self._posting.release()

    async def finish(self, post: Post, view: View) -> None:
        """Shows what the work came to, which ends it."""
        await self.update(post, view)
        await self.posts.keep(replace(post, finished=True))

    async def show_failure(self, key: str, place: Place, view: View, turn_id: str = "", ends: bool = True) -> None:
        """Shows that work failed, unless it has shown what it came to; also where it had not come to post anything.

        ``ends``: False for work that may be begun again.
        """
        try:
            post = await self.posts.post(key) or await self.ensure_posted(key, place, view, turn_id)
            if not post.finished:
                await (self.finish if ends else self.update)(post, view)
        except ChatRefused as error:
            logger.warning("That %s failed can be shown nowhere: %s", key, error)

    async def update(self, post: Post, view: View) -> None:
        """Shows something else in the message."""
        await self.platforms[post.place.platform].update(post.place, post.message_id, view)

    async def show_progress(self, post: Post, view: View) -> None:
        """Shows how far the work has come, which is not worth failing for."""
        try:
            await self.update(post, view)
        except WikiWhyError as error:
            logger.info("How far %s has come could not be shown: %s", post.key, error)


def _person(place: Place, user: str) -> str:
    return person_key(place.platform, place.team, user) if user else ""
