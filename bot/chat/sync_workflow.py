"""SyncWorkflow spaces as durable work: asked for in a chat, with its progress in one message, or due by a schedule."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.audit import SCHEDULE, act_as
from bot.chat.access import ChatAccess
from bot.chat.message_poster import MessagePoster
from bot.chat.payloads import Json, place_of
from bot.chat.throttle import latest
from bot.durable import Step, Workflow
from bot.server.syncs import Sync
from bot.wiring import Application
from core.errors import ChatRefused, ChatUnavailable, WikiWhyError
from core.identity.identities import Access
from core.identity.person import person_key
from core.indexing.report import SpaceReport, all_errors
from core.model import Scope
from core.ports import Place, Post, Progress
from core.text import Language
from core.views.notices import Notice, Waiting
from core.views.sync import space_name, sync_failure, sync_notice

logger = logging.getLogger(__name__)

_PAUSE = 2.0  # seconds between two updates of the progress


@dataclass(frozen=True, slots=True)
class SyncWorkflow:
    """The workflow ``sync``. Its payload: ``spaces``, ``reason``, and in a chat ``place``, ``user``, ``spoken``."""

    application: Application
    access: ChatAccess
    posting: MessagePoster
    sync: Sync
    loaded: asyncio.Event

    @property
    def workflow(self) -> Workflow:
        return Workflow("sync", [Step("placeholder", self._placeholder), Step("sync", self._sync)], self._failed)

    async def _placeholder(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        if "place" in payload:
            await self._post(payload)
        return {}

    async def _sync(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        # Reported in the step that syncs: an outcome would keep titles of pages in the books.
        post = await self._post(payload) if "place" in payload else None
        spoken: Language = payload.get("spoken", "en")

        async def tell(progress: Progress) -> None:
            if post:
                space = space_name(progress.stage, spoken, await self._nameable(payload, post.place))
                await self.posting.show_progress(
                    post, Waiting(spoken, "sync", space, progress.done, progress.total or 0)
                )

        await self.loaded.wait()
        reports: list[SpaceReport] | None = None
        try:
            async with latest(tell, _PAUSE) as hear:
                with act_as(_actor(payload)):
                    reports = await self.sync(payload["spaces"], payload["reason"], lambda progress: hear(progress))
        except WikiWhyError as error:
            logger.warning("%s failed: %s", payload["key"], error)
        if post:
            await self.posting.finish(post, await self._report(payload, post.place, reports))
        return {}

    async def _report(self, payload: Json, place: Place, reports: Sequence[SpaceReport] | None) -> Notice:
        """What was synced, as far as its readers may know; ``reports``: None where the sync failed."""
        spoken: Language = payload.get("spoken", "en")
        if reports is None:
            return sync_failure(payload["spaces"], spoken, await self._nameable(payload, place))
        scope = await self._scope(payload, place)
        spaces = await self._nameable(payload, place)
        pages = {error.page_id for error in all_errors(reports)}
        return sync_notice(reports, spoken, spaces, await self.application.evidences.visible(pages, scope))

    async def _nameable(self, payload: Json, place: Place) -> frozenset[str]:
        """The keys that may be named: where others read along those that are searched there."""
        if place.direct:  # to the admin alone, who named them
            return frozenset(payload["spaces"])
        return (await self._scope(payload, place)).spaces or frozenset()

    async def _scope(self, payload: Json, place: Place) -> Scope:
        """What may be told at the place now; nothing where the platform does not tell who reads there."""
        try:
            access = await self.access.now(place, payload["user"])
        except ChatUnavailable:
            return Scope(frozenset())
        return access.scope if isinstance(access, Access) else Scope(frozenset())

    async def _post(self, payload: Json) -> Post:
        """In the channel of the command; where the bot may not write there, to the person."""
        place = place_of(payload)
        direct = replace(place, channel=payload["user"], direct=True)
        try:
            waiting = await self._waiting(payload, place)
            return await self.posting.ensure_posted(payload["key"], place, waiting, user=payload["user"])
        except ChatRefused:
            waiting = await self._waiting(payload, direct)
            return await self.posting.ensure_posted(payload["key"], direct, waiting, user=payload["user"])

    async def _waiting(self, payload: Json, place: Place) -> Waiting:
        spoken: Language = payload["spoken"]
        return Waiting(spoken, "sync", space_name(payload["spaces"][0], spoken, await self._nameable(payload, place)))

    async def _failed(self, payload: Json, error: Exception) -> None:
        post = await self.application.posts.post(payload["key"])
        if post and not post.finished:
            await self.posting.finish(post, await self._report(payload, post.place, None))


def _actor(payload: Json) -> str:
    """For the audit log: who asked for it in a chat, else the schedule."""
    if "place" not in payload:
        return SCHEDULE
    place = place_of(payload)
    return person_key(place.platform, place.team, payload["user"])
