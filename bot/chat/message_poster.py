"""Posting each message once, and showing progress in it.

A message is stored by the key of its work, and searched for before it is posted again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core.errors import ChatRefused, WikiWhyError
from core.person import person_key
from core.ports.chat import ChatPlatform, Place, Platform
from core.ports.chat_store import Post, PostStore
from core.views.model import View

T = TypeVar("T")

_PROGRESS_SECONDS = 1.0  # between two updates of a message: platforms allow about one a second in a channel

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class MessagePoster:
    """``is_fresh``: whether the work of a key was started by this process, so that it has posted nothing before.

    ``patience``: seconds that a message waits for others where messages are posted one at a time.
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
        """The message of this work: the one that there is, else a new one.

        ``asker``: the user whom it is written for, as :meth:`core.ports.chat.ChatPlatform.post` takes it.
        ``user``: whose action led to it, where that is somebody else.
        """
        if post := await self.posts.post(key):
            return post
        platform = self.platforms[place.platform]
        message_id = None
        if key in self._tried or not self.is_fresh(key):  # it may have been posted before the process was killed
            others = [other.message_id for other in await self.posts.in_conversation(place.conversation_id)]
            message_id = await platform.find_message(place, key, others)
        self._tried.add(key)
        person = person_key(place.platform, place.team, user or asker) if user or asker else ""
        async with nullcontext() if platform.capabilities.finds_messages else self._one_at_a_time():
            message_id = message_id or await platform.post(place, view, key, asker)
            post = Post(key, place, message_id, turn_id, person=person)
            await self.posts.keep(post)
        self._tried.discard(key)
        return post

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """One message at a time between posting and storing, so that a kill leaves one orphan and not many.

        A message that the platform delays, say by its rate limit, does not delay all others for long.
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

    async def update(self, post: Post, view: View) -> None:
        """Shows something else in the message."""
        await self.platforms[post.place.platform].update(post.place, post.message_id, view)

    async def finish(self, post: Post, view: View) -> None:
        """Shows the result of the work, which ends it."""
        await self.update(post, view)
        await self.posts.keep(replace(post, finished=True))

    async def show_progress(self, post: Post, view: View) -> None:
        """Shows the state of the work, which is not worth failing for."""
        try:
            await self.update(post, view)
        except WikiWhyError as error:
            logger.info("The progress of %s could not be shown: %s", post.key, error)

    async def show_failure(self, key: str, place: Place, view: View, turn_id: str = "", ends: bool = True) -> None:
        """Shows that work failed, unless its result is shown already; posts the message if there is none yet.

        ``ends``: False for work that may be started again.
        """
        try:
            post = await self.posts.post(key) or await self.ensure_posted(key, place, view, turn_id)
            if not post.finished:
                await (self.finish if ends else self.update)(post, view)
        except ChatRefused as error:
            logger.warning("The failure of %s cannot be shown anywhere: %s", key, error)


@asynccontextmanager
async def show_latest(
    show: Callable[[T], Awaitable[None]], pause: float = _PROGRESS_SECONDS
) -> AsyncIterator[Callable[[T], None]]:
    """Gives a function that takes new states; shows the latest one, one at a time with pauses, and skips the others.

    The block ends when nothing is being shown any more: a late draft must not replace what comes after it.
    """
    changed, ended = asyncio.Event(), asyncio.Event()
    latest: list[T] = []

    def put(state: T) -> None:
        latest[:] = [state]
        changed.set()

    async def show_changes() -> None:
        while not ended.is_set():
            await changed.wait()
            changed.clear()
            if latest and not ended.is_set():
                await show(latest[0])
                with suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), pause)

    task = asyncio.create_task(show_changes())
    try:
        yield put
    finally:
        ended.set()
        changed.set()
        (failed,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(failed, Exception):
            logger.error("A draft or progress could not be shown: %s", failed, exc_info=failed)
