"""Post the message of a workflow exactly once, and show work signs.

The intent to post is committed under the workflow's key before the message is posted, and the message's id after it. An
interrupted step first looks for the message, if the platform supports that, before it posts it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace

from bot.chat.private_notices import PrivateNotices
from core.errors import ChatRefused, WikiWhyError
from core.model.views import AnswerView, ExplanationView, Notice, PrivateView, View, Waiting
from core.ports.chat import ChatPlatform, Place, Platform
from core.ports.chat_stores import Post, PostStore

_SIGN_SHARE = 0.9  # of a sign's lifetime, after which it is shown again
_GRACE = 5.0  # seconds for posting and storing a message after its work was cancelled

MakeView = Callable[[], Awaitable[View]]
"""Builds a message just before it is posted, so that access rights are checked last."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class MessagePoster:
    """Posts and updates messages.

    ``is_fresh``: whether the workflow of a key was started by this process, so that it has not posted before.
    ``patience``: seconds that a message waits for others where messages are posted one at a time.
    """

    posts: PostStore
    platforms: Mapping[Platform, ChatPlatform]
    is_fresh: Callable[[str], bool]
    patience: float = 10.0
    notices: PrivateNotices = field(init=False)
    _tried: dict[str, str] = field(default_factory=dict)
    """Messages by key that this process tried to post and has not stored yet: their ids, "" if unknown."""
    _showing: set[asyncio.Task[bool]] = field(default_factory=set)
    _abandoned: set[asyncio.Task[Post]] = field(default_factory=set)
    _claimed: set[str] = field(default_factory=set)
    """Ids of streams that were found for a key and are not stored yet."""
    _streams: dict[str, str] = field(default_factory=dict)
    """Streams by key that this process began and that no message has ended yet."""
    _posting: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.notices = PrivateNotices(self.posts, self.platforms)

    async def begin(
        self, key: str, place: Place, waiting: Waiting, turn_id: str = "", user: str = "", follows: str = ""
    ) -> str:
        """Commit the intent to post the message of this work, and show the work sign.

        ``user``: whose action led to it. ``follows``: as in :class:`Post`. Returns the stream that the message will
        end, as :meth:`core.ports.chat.ChatPlatform.show_work` does.
        """
        await self.note_intent(key, place, turn_id, user, follows)
        if stream := await self.platforms[place.platform].show_work(place, waiting, key):
            self._streams[key] = stream
        return stream

    async def note_intent(self, key: str, place: Place, turn_id: str, user: str, follows: str = "") -> None:
        """Commit the intent to post a message."""
        await self.posts.save(Post(key, place, "", turn_id, person=place.make_person_key(user), follows=follows))

    async def withdraw(self, key: str) -> None:
        """Delete the message of this work, so that it can be posted anew. A platform's error is only logged."""
        post = await self.posts.load_post(key)
        if post is None or not post.finished:
            return
        try:
            await self.platforms[post.place.platform].remove(post.place, post.message_id)
        except WikiWhyError as error:
            logger.warning("The message of %s could not be deleted: %s", key, error)
        await self.posts.replace(replace(post, message_id="", finished=False))

    async def post_private(self, key: str, place: Place, user: str, view: PrivateView, turn_id: str) -> None:
        """Post a message that one person sees, unless it was posted. A notice is not stored.

        Such a message cannot be found again: after a crash between posting and storing it is posted twice.
        """
        post = await self.posts.load_post(key) or Post(key, place, "", turn_id, person=place.make_person_key(user))
        if post.finished:
            return
        async with self._wait_for_others():
            message_id = self._tried.get(key) or await self.platforms[place.platform].post_private(place, user, view)
            if isinstance(view, ExplanationView):
                self._tried[key] = message_id
                await self._store(replace(post, message_id=message_id, finished=True))

    @asynccontextmanager
    async def repeat_sign(self, key: str, place: Place, waiting: Waiting) -> AsyncIterator[None]:
        """Show the work sign once more if the block outlasts the sign's lifetime.

        No sign is being shown when the block ends: a sign after the message would stay.
        """
        seconds, ended = self.platforms[place.platform].capabilities.sign_seconds * _SIGN_SHARE, asyncio.Event()

        async def show_again() -> None:
            try:
                await asyncio.wait_for(ended.wait(), seconds)
            except TimeoutError:
                if (post := await self.posts.load_post(key)) and post.message_id:
                    return  # the beginning of the message is shown
                await self.platforms[place.platform].show_work(place, waiting, key)

        task = asyncio.create_task(show_again()) if seconds else None
        try:
            yield
        finally:
            ended.set()
            if task:
                await asyncio.gather(task, return_exceptions=True)

    async def show_part(self, key: str, place: Place, user: str, view: AnswerView, stream: str) -> bool:
        """Show the beginning of the answer to a question; return whether people may see it now. Never raises.

        ``stream``: from :meth:`begin`. A stream that starts here is the message of this work; its id is stored even if
        the work is cancelled meanwhile.
        """
        showing = asyncio.create_task(self._show_part(key, place, user, view, stream))
        self._showing.add(showing)
        showing.add_done_callback(self._showing.discard)
        try:
            return await asyncio.shield(showing)
        except ChatRefused as error:
            logger.info("The beginning of the answer to %s is not shown: %s", key, error)
            return False
        except WikiWhyError as error:
            logger.warning("The beginning of the answer to %s may not be shown, or not be stored: %s", key, error)
            return True

    async def _show_part(self, key: str, place: Place, user: str, view: AnswerView, stream: str) -> bool:
        post, platform = await self.posts.load_post(key), self.platforms[place.platform]
        # After an interruption a stream may be there whose id is not stored: another one would leave it without an end.
        if post is None or post.finished or post.changed_at or key in self._tried or not self.is_fresh(key):
            return False
        if stream or post.message_id:
            return bool(await platform.show_part(place, user, view, stream or post.message_id))
        self._tried[key] = ""
        started = await platform.show_part(place, user, view, "")
        if not started:
            self._tried.pop(key)
            return False
        await self._store_new(replace(post, place=place, message_id=started))
        return True

    async def take_back(self, post: Post, is_fresh: bool = True) -> None:
        """Delete the message of work that a person stopped. A platform's error is only logged.

        ``is_fresh``: what :attr:`is_fresh` told before the work was removed.
        """
        message_id: str | None = post.message_id
        try:
            message_id = message_id or await self._find_posted(post.key, post.place, is_fresh)
            if message_id:
                await self.platforms[post.place.platform].remove(post.place, message_id)
        except WikiWhyError as error:
            logger.warning("The message of %s could not be deleted: %s", post.key, error)
        await self.posts.replace(replace(post, message_id="", finished=True))
        self._tried.pop(post.key, None)
        self._claimed.discard(message_id or "")

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
        """Post the message of this work, unless it is there and finished.

        An unfinished message is updated: it shows progress or a failure, or was posted before an interruption or by an
        earlier version. If the question was edited or deleted meanwhile, its revision posts instead.

        ``finishes``: whether a view is the result of the work. ``work``: key of the work, if different from the
        message's.
        """
        post = await self.posts.load_post(key) or Post(key, place, "", turn_id, person=place.make_person_key(user))
        if post.finished or (post.changed_at and not stream):  # left to the revision; but a stream must be ended
            return post
        if not post.message_id and (found := await self._find_posted(key, place, self.is_fresh(work or key))):
            post = await self._store(replace(post, place=place, message_id=found))
        if post.message_id:
            view = await make_view()
            try:
                await self.update(post, view)
            except ChatRefused as error:
                post = await self._remove_beginning(post, error)
                if post.finished or (post.changed_at and not stream):
                    return post
            else:
                return await self._store(replace(post, finished=finishes(view)))
        platform = self.platforms[place.platform]
        can_be_known = platform.capabilities.finds_messages or stream
        async with nullcontext() if can_be_known else self._wait_for_others():
            view = await make_view()
            return await self._post(replace(post, place=place, finished=finishes(view)), view, stream)

    async def _post(self, post: Post, view: View, stream: str) -> Post:
        """Post and store a message. A caller who is cancelled meanwhile waits for that, but not for long.

        The platform usually has the message already, and only its response is outstanding. Without the message's id,
        nobody could delete or update it. If the id comes too late, the message is deleted.
        """
        self._tried[post.key] = ""
        abandoned = asyncio.Event()
        task = asyncio.create_task(self._post_and_store(post, view, stream, abandoned))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task], timeout=_GRACE)
            if not task.done():
                abandoned.set()
                self._abandoned.add(task)
                task.add_done_callback(self._abandoned.discard)
            raise

    async def _post_and_store(self, post: Post, view: View, stream: str, abandoned: asyncio.Event) -> Post:
        platform = self.platforms[post.place.platform]
        post = replace(post, message_id=await platform.post(post.place, view, post.key, stream))
        if not abandoned.is_set():
            return await self._store_new(post)
        try:
            await platform.remove(post.place, post.message_id)
        except WikiWhyError as error:  # it may have been found and deleted before
            logger.info("The message of %s, which nobody waits for, could not be deleted: %s", post.key, error)
        return post

    async def _remove_beginning(self, post: Post, error: ChatRefused) -> Post:
        """Delete the message of unfinished work that may not be updated, so that the result is posted anew.

        The beginning of an answer looks like an answer. If it may not be deleted either, the result follows it. Returns
        the post as it is stored now, without a message: a person may have stopped the work or edited the question.
        """
        logger.warning("The message of %s is posted anew, because an update is refused: %s", post.key, error)
        try:
            await self.platforms[post.place.platform].remove(post.place, post.message_id)
        except ChatRefused as refused:
            logger.warning("The old message of %s stays: %s", post.key, refused)
        now = await self.posts.load_post(post.key) or post
        without = replace(now, message_id="")
        await self.posts.replace(without)
        return without

    async def replace(self, post: Post, turn_id: str, make_view: MakeView) -> None:
        """Replace a post's message by the answer to its edited question, or post that answer if there was no message.

        ``turn_id``: of the new answer, "" if it has none.
        """
        platform = self.platforms[post.place.platform]
        async with nullcontext() if platform.capabilities.finds_messages else self._wait_for_others():
            view = await make_view()
            if not post.message_id and (found := await platform.find_message(post.place, post.key)):
                post = replace(post, message_id=found)
            if post.message_id:
                try:
                    replaced = await platform.replace(post.place, post.message_id, view, post.key)
                    post = replace(post, message_id=replaced)
                except ChatRefused as error:
                    if post.finished:
                        raise
                    changed_at, post = post.changed_at, await self._remove_beginning(post, error)
                    if post.finished or post.changed_at != changed_at:
                        return
                    view = await make_view()
            if not post.message_id:
                post = replace(post, message_id=await platform.post(post.place, view, post.key))
            await self.posts.replace(replace(post, turn_id=turn_id, finished=True))
            self._tried.pop(post.key, None)

    async def _find_posted(self, key: str, place: Place, is_fresh: bool) -> str | None:
        """Return the id of a message that was posted but not stored, as far as that can be known.

        ``is_fresh``: whether this process has done all of the message's work.
        """
        if key not in self._tried and is_fresh:
            return None
        platform = self.platforms[place.platform]
        return (
            self._tried.get(key) or await platform.find_message(place, key) or await self._find_stream(platform, place)
        )

    async def _find_stream(self, platform: ChatPlatform, place: Place) -> str | None:
        """Return the id of a stream in the thread that no post has.

        A stream has no mark. If several workflows were interrupted just when theirs started, it does not matter
        which one each of them continues: the message is replaced as a whole.
        """
        for message_id in await platform.find_streams(place):
            if message_id in {*self._claimed, *self._tried.values()}:
                continue
            self._claimed.add(message_id)  # before the store is asked: others look for streams meanwhile
            if await self.posts.find_by_message(place, message_id) is None:
                return message_id
            self._claimed.discard(message_id)
        return None

    async def _store_new(self, post: Post) -> Post:
        """Store a message that has just appeared, or delete it if a person stopped its work meanwhile."""
        self._tried[post.key] = post.message_id
        await self._store(post)
        if (now := await self.posts.load_post(post.key)) and now.finished and not now.message_id:
            self._tried[post.key] = post.message_id  # for Stop, in case this is cancelled
            await self.take_back(replace(now, message_id=post.message_id))
        return post

    async def _store(self, post: Post) -> Post:
        await self.posts.save(post)
        self._tried.pop(post.key, None)
        self._streams.pop(post.key, None)
        self._claimed.discard(post.message_id)
        return post

    @asynccontextmanager
    async def _wait_for_others(self) -> AsyncIterator[None]:
        """Allow one message at a time between posting and storing, so that a crash leaves at most one unknown message.

        The wait is limited, so that a message delayed by the platform's rate limit does not block the others.
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
        """Show another view in the message."""
        await self.platforms[post.place.platform].update(post.place, post.message_id, view)

    async def show_progress(self, post: Post, view: View) -> None:
        """Show progress. A platform's error is only logged."""
        try:
            await self.update(post, view)
        except WikiWhyError as error:
            logger.info("The progress of %s could not be shown: %s", post.key, error)

    async def show_failure(
        self,
        key: str,
        place: Place,
        view: View,
        turn_id: str = "",
        *,
        ends: bool = True,
        user: str = "",
        refused: Notice | None = None,
    ) -> None:
        """Show that work failed, unless its result is already shown. ``ends``: False if it may be started again.

        ``refused``: for ``user`` alone, if the platform refuses messages at this place; None to tell nobody.
        """

        async def make_view() -> View:
            return view

        try:
            stream = self._streams.get(key, "")
            await self.post_once(key, place, make_view, turn_id=turn_id, stream=stream, finishes=lambda view: ends)
        except ChatRefused as error:
            await self.platforms[place.platform].end_work(place, key)
            if refused is None:
                logger.warning("The failure of %s could not be shown: %s", key, error)
            else:
                await self.notices.notify(key, place, user, refused)
