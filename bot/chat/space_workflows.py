"""The workflows that sync and remove spaces. A sync requested in a chat shows its progress in one message."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from bot.audit import SCHEDULE, act_as
from bot.chat.message_poster import MessagePoster
from bot.operations.operation import Operations
from bot.operations.spaces import ForgetSpace
from bot.server.syncs import Sync
from bot.workflow import RunStep
from core.access import Access, ChatAccess
from core.chat.requests import ForgetRequest, SyncRequest
from core.errors import OUTAGES, ChatRefused, ChatUnavailable, WikiWhyError
from core.i18n import message
from core.indexing.report import SpaceReport, list_errors
from core.model import Scope
from core.model.views import Notice, Waiting
from core.ports.chat import Place
from core.ports.chat_stores import Post
from core.timing import Progress
from core.views.sync import build_sync_failure, build_sync_notice, name_space

T = TypeVar("T")

logger = logging.getLogger(__name__)

_PAUSE = 2.0  # seconds between two updates of the progress


@dataclass(frozen=True, slots=True)
class SyncWorkflow:
    """Syncs spaces. ``loaded``: set when the models are loaded."""

    access: ChatAccess
    poster: MessagePoster
    sync: Sync
    loaded: asyncio.Event

    async def run(self, request: SyncRequest, step: RunStep) -> None:
        await step("placeholder", lambda: self._post_progress(request))
        await step("sync", lambda: self._sync(request))

    async def report_failure(self, request: SyncRequest) -> None:
        post = await self.poster.posts.load_post(request.key)
        if post:
            await self._post_report(request, post, None)

    async def _post_progress(self, request: SyncRequest) -> None:
        """Post the progress in the channel of the command, or to the person if the bot may not post there."""
        if request.place:
            await self._ensure_posted(request, request.place)

    async def _ensure_posted(self, request: SyncRequest, place: Place) -> Post:
        """Return the message that shows the progress and then the report; post it if there is none."""
        post = await self.poster.posts.load_post(request.key)
        if post and post.message_id:
            return post
        try:
            return await self._start_message(request, place)
        except ChatRefused:
            return await self._start_message(request, replace(place, channel=request.user, direct=True))

    async def _start_message(self, request: SyncRequest, place: Place) -> Post:
        return await self.poster.post_once(
            request.key,
            place,
            lambda: self._build_waiting(request, place),
            user=request.user,
            finishes=lambda view: False,
        )

    async def _sync(self, request: SyncRequest) -> None:
        """Sync and report in one step: a stored outcome would put titles of pages into the workflow database."""
        post = await self._ensure_posted(request, request.place) if request.place else None

        async def show_progress(progress: Progress) -> None:
            if post:
                space = name_space(
                    progress.stage, request.language, await self._find_nameable_spaces(request, post.place)
                )
                waiting = Waiting(request.language, "sync", space, progress.done, progress.total or 0)
                await self.poster.show_progress(post, waiting)

        await self.loaded.wait()
        reports: list[SpaceReport] | None = None
        try:
            async with show_latest(show_progress, _PAUSE) as show:
                with act_as(_name_actor(request)):
                    reports = await self.sync(request.spaces, request.reason, lambda progress: show(progress))
        except WikiWhyError as error:
            logger.warning("%s failed: %s", request.key, error)
        if post:
            await self._post_report(request, post, reports)

    async def _post_report(self, request: SyncRequest, post: Post, reports: Sequence[SpaceReport] | None) -> None:
        """Report in the message that shows the progress; if the platform refuses that, to the admin alone."""
        try:
            await self.poster.post_once(
                request.key, post.place, lambda: self._build_report(request, post.place, reports)
            )
        except ChatRefused as error:
            logger.warning("The report of %s is refused: %s", request.key, error)
            report = await self._build_report(request, replace(post.place, direct=True), reports)
            await self.poster.notices.notify(request.key, post.place, request.user, report)

    async def _build_report(self, request: SyncRequest, place: Place, reports: Sequence[SpaceReport] | None) -> Notice:
        """Build the report with what its readers may know. ``reports``: None if the sync failed."""
        if reports is None:
            return build_sync_failure(
                request.spaces, request.language, await self._find_nameable_spaces(request, place)
            )
        scope = await self._find_scope(request, place)
        spaces = await self._find_nameable_spaces(request, place)
        pages = {error.page_id for error in list_errors(reports)}
        return build_sync_notice(reports, request.language, spaces, await self.access.find_visible_pages(pages, scope))

    async def _find_nameable_spaces(self, request: SyncRequest, place: Place) -> frozenset[str]:
        """Return the keys that may be named: where others can read, those of the spaces that are searched there."""
        if place.direct:  # only the admin reads it, who named them
            return frozenset(request.spaces)
        return (await self._find_scope(request, place)).spaces or frozenset()

    async def _find_scope(self, request: SyncRequest, place: Place) -> Scope:
        """Return the scope of the place now; an empty one if the platform does not tell who can read there."""
        try:
            access = await self.access.find_access(place, request.user)
        except ChatUnavailable:
            return Scope(frozenset())
        return access.scope if isinstance(access, Access) else Scope(frozenset())

    async def _build_waiting(self, request: SyncRequest, place: Place) -> Waiting:
        nameable = await self._find_nameable_spaces(request, place)
        return Waiting(request.language, "sync", name_space(request.spaces[0], request.language, nameable))


@dataclass(frozen=True, slots=True)
class ForgetWorkflow:
    """Removes a space, and tells only the admin who asked for it. ``sweep``: deletes finished workflows."""

    operations: Operations
    poster: MessagePoster
    sweep: Callable[[], Awaitable[None]]

    async def run(self, request: ForgetRequest, step: RunStep) -> None:
        removed = await step("forget", lambda: self._forget(request))
        await step("report", lambda: self._report(request, removed))
        await self.sweep()

    async def report_failure(self, request: ForgetRequest) -> None:
        await self._report(request, removed=False)

    async def _forget(self, request: ForgetRequest) -> bool:
        """Remove the space, if that is possible; if the step is repeated, what is left of it."""
        try:
            with act_as(request.place.make_person_key(request.user)):
                await self.operations.execute(ForgetSpace(request.space))
        except OUTAGES:
            raise  # the step tries again
        except WikiWhyError as error:
            logger.warning("Space %s could not be removed: %s", request.space, error)
            return False
        return True

    async def _report(self, request: ForgetRequest, removed: bool) -> None:
        if removed:
            done = message("{space} was removed, along with everything stored from it.", space=request.space)
            notice = Notice(done.render(request.language), kind="done")
        else:
            failed = message("{space} could not be removed. The server's log says why.", space=request.space)
            notice = Notice(failed.render(request.language), kind="problem")
        await self.poster.notices.notify(request.key, request.place, request.user, notice)


def _name_actor(request: SyncRequest) -> str:
    """Return the actor for the audit log: the person who requested it in a chat, else the schedule."""
    place = request.place
    return place.make_person_key(request.user) if place else SCHEDULE


@asynccontextmanager
async def show_latest(show: Callable[[T], Awaitable[None]], pause: float) -> AsyncIterator[Callable[[T], None]]:
    """Give a function that takes new states; show the latest state at intervals, one at a time, and skip the others.

    When the block ends, nothing is being shown any more, so that a late state cannot replace what follows.
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
            logger.error("Progress could not be shown: %s", failed, exc_info=failed)
