"""Posting the message of a piece of work once, and showing what is under way.

The intent to post is committed under the key of the work before the message is posted, the message's id after that. A
step that was cut off in between looks for the message, as far as the platform can tell, before it posts it again.
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
from core.views.model import ExplanationView, PrivateView, View, Waiting

T = TypeVar("T")

_SIGN_SHARE = 0.9  # of the time that a sign stays: then it is shown again
_PROGRESS_SECONDS = 1.0  # between two updates of a message: platforms allow about one a second in a channel

MakeView = Callable[[], Awaitable[View]]
"""Makes what a message shows, just before it is posted: what may be shown is asked last."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class MessagePoster:
    """``is_fresh``: whether the work of a key was started by this process, so that it has posted nothing before.

    ``patience``: seconds that a message waits for others where messages are posted one at a time.
    """

    posts: PostStore
    platforms: Mapping[Platform, ChatPlatform]
    is_fresh: Callable[[str], bool]
    patience: float = 10.0
    _tried: dict[str, str] = field(default_factory=dict)
    """The messages that this process tried to post and has not stored yet, by key: their ids, "" if none is known."""
    _posting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def begin(
        self, key: str, place: Place, waiting: Waiting, turn_id: str = "", user: str = "", follows: str = ""
    ) -> str:
        """Commits the intent to post the message of this work, and shows that it is under way.

        ``user``: whose action led to it. ``follows``: as in :class:`Post`. Returns the stream that the message ends, as
        :meth:`core.ports.chat.ChatPlatform.show_work` does.
        """
        await self.note_intent(key, place, turn_id, user, follows)
        return await self.platforms[place.platform].show_work(place, waiting, key)

    async def note_intent(self, key: str, place: Place, turn_id: str, user: str, follows: str = "") -> None:
        """Commits that a message is going to be posted."""
        await self.posts.keep(Post(key, place, "", turn_id, person=_person(place, user), follows=follows))

    async def withdraw(self, key: str) -> None:
        """Deletes the message of this work, so that it can be posted anew. Best effort: nothing waits for that."""
        post = await self.posts.post(key)
        if post is None or not post.finished:
            return
        try:
            await self.platforms[post.place.platform].remove(post.place, post.message_id)
        except WikiWhyError as error:
            logger.info("The message of %s cannot be deleted: %s", key, error)
        await self.posts.replace(replace(post, message_id="", finished=False))

    async def post_private(self, key: str, place: Place, user: str, view: PrivateView, turn_id: str) -> None:
        """Posts what one person sees alone, unless it is there; of a notice nothing is stored.

        Nobody can look for such a message: after a kill between message and store it comes twice to this person.
        """
        post = await self.posts.post(key) or Post(key, place, "", turn_id, person=_person(place, user))
        if post.finished:
            return
        async with self._one_at_a_time():
            message_id = self._tried.get(key) or await self.platforms[place.platform].post_private(place, user, view)
            if isinstance(view, ExplanationView):
                self._tried[key] = message_id
                await self._keep(replace(post, message_id=message_id, finished=True))

    @asynccontextmanager
    async def repeat_sign(self, key: str, place: Place, waiting: Waiting) -> AsyncIterator[None]:
        """Shows once more that the work is under way, if the block lasts until the platform is about to clear its sign.

        Nothing is being shown any more when the block has ended: a sign after the message would stay there.
        """
        seconds, ended = self.platforms[place.platform].capabilities.sign_seconds * _SIGN_SHARE, asyncio.Event()

        async def show_again() -> None:
            try:
                await asyncio.wait_for(ended.wait(), seconds)
            except TimeoutError:
                await self.platforms[place.platform].show_work(place, waiting, key)

        task = asyncio.create_task(show_again()) if seconds else None
        try:
            yield
        finally:
            ended.set()
            if task:
                await asyncio.gather(task, return_exceptions=True)

    async def post_once(
        self,
        key: str,
        place: Place,
        make_view: MakeView,
        *,
        turn_id: str = "",
        user: str = "",
        stream: str = "",
        work: str = "",
        finishes: Callable[[View], bool] = lambda view: True,
    ) -> Post:
        """Posts the message of this work, unless it is there and finished.

        One that is there and not finished shows the view from then on: it has shown progress or a failure, was posted
        by an earlier version before the answer, or by this step before it was cut off. The answer to a question that
        was edited or deleted meanwhile is the work of its revision. ``finishes``: whether a view is the result of the
        work. ``work``: the key of the work, where that is another than the message's.
        """
        post = await self.posts.post(key) or Post(key, place, "", turn_id, person=_person(place, user))
        if post.finished or (post.edition and not stream):  # of a changed question; but streams have to end
            return post
        if not post.message_id and (found := await self._find_posted(key, work or key, place)):
            post = await self._keep(replace(post, place=place, message_id=found))
        if post.message_id:
            view = await make_view()
            await self.update(post, view)
            return await self._keep(replace(post, finished=finishes(view)))
        platform = self.platforms[place.platform]
        can_be_known = platform.capabilities.finds_messages or stream
        async with nullcontext() if can_be_known else self._one_at_a_time():
            view = await make_view()
            self._tried[key] = ""
            self._tried[key] = message_id = await platform.post(place, view, key, stream)
            return await self._keep(replace(post, place=place, message_id=message_id, finished=finishes(view)))

    async def replace(self, post: Post, turn_id: str, make_view: MakeView) -> None:
        """Shows the answer to an edited question in place of the one before; posts it where there was none.

        ``turn_id``: of the new answer, "" where it has none. The new message is stored at once.
        """
        platform = self.platforms[post.place.platform]
        async with nullcontext() if platform.capabilities.finds_messages else self._one_at_a_time():
            view = await make_view()
            if not post.message_id and (found := await platform.find_message(post.place, post.key)):
                post = replace(post, message_id=found)
            if post.message_id:
                message_id = await platform.replace(post.place, post.message_id, view, post.key)
            else:
                message_id = await platform.post(post.place, view, post.key)
            await self.posts.replace(replace(post, message_id=message_id, turn_id=turn_id, finished=True))

    async def _find_posted(self, key: str, work: str, place: Place) -> str | None:
        """The message, if it was posted and not stored, as far as that can be known."""
        if key not in self._tried and self.is_fresh(work):
            return None
        return self._tried.get(key) or await self.platforms[place.platform].find_message(place, key)

    async def _keep(self, post: Post) -> Post:
        await self.posts.keep(post)
        self._tried.pop(post.key, None)
        return post

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """One message at a time is between posting and storing, so that a kill leaves at most one that nobody knows of.

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

    async def show_progress(self, post: Post, view: View) -> None:
        """Shows the state of the work, which is not worth failing for."""
        try:
            await self.update(post, view)
        except WikiWhyError as error:
            logger.info("The progress of %s could not be shown: %s", post.key, error)

    async def show_failure(self, key: str, place: Place, view: View, turn_id: str = "", ends: bool = True) -> None:
        """Shows that work failed, unless its result is shown already. ``ends``: False if it may be started again."""

        async def make_view() -> View:
            return view

        try:
            await self.post_once(key, place, make_view, turn_id=turn_id, finishes=lambda view: ends)
        except ChatRefused as error:
            logger.warning("The failure of %s cannot be shown anywhere: %s", key, error)


def _person(place: Place, user: str) -> str:
    return person_key(place.platform, place.team, user) if user else ""


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
