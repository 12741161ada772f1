"""Syncing spaces as durable work: asked for in a chat, with its progress in one message, or due by a schedule."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.audit import SCHEDULE, acting_as
from bot.chat.drafting import latest
from bot.chat.payloads import Json, place_of
from bot.chat.posting import Posting
from bot.durable import Step, Workflow
from bot.server.syncs import Sync
from bot.wiring import Application
from core.errors import ChatRefused, WikiWhyError
from core.identity.person import person_key
from core.ports import Post, Progress, View
from core.text import Language
from core.views.notices import Notice, Waiting
from core.views.sync import sync_notice

_PAUSE = 2.0  # seconds between two updates of the progress


@dataclass(frozen=True, slots=True)
class Syncing:
    """The workflow ``sync``. Its payload: ``spaces``, ``reason``, and in a chat ``place``, ``user``, ``spoken``."""

    application: Application
    posting: Posting
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
                waiting = Waiting(spoken, "sync", progress.stage, progress.done, progress.total or 0)
                await self.posting.told(post, waiting)

        await self.loaded.wait()
        try:
            async with latest(tell, _PAUSE) as hear:
                with acting_as(_actor(payload)):
                    reports = await self.sync(payload["spaces"], payload["reason"], lambda progress: hear(progress))
            view: View = sync_notice(reports, spoken)
        except WikiWhyError as error:
            view = Notice(str(error), kind="problem")
        if post:
            await self.posting.shown(post, view)
        return {}

    async def _post(self, payload: Json) -> Post:
        """In the channel of the command; where the bot may not write there, to the person."""
        place = place_of(payload)
        waiting = Waiting(payload["spoken"], "sync", payload["spaces"][0])
        try:
            return await self.posting.placed(payload["key"], place, waiting, user=payload["user"])
        except ChatRefused:
            direct = replace(place, channel=payload["user"], direct=True)
            return await self.posting.placed(payload["key"], direct, waiting, user=payload["user"])

    async def _failed(self, payload: Json, error: Exception) -> None:
        post = await self.application.posts.post(payload["key"])
        if post and not post.finished:
            await self.posting.shown(post, Notice(f"{', '.join(payload['spaces'])}: {error}", kind="problem"))


def _actor(payload: Json) -> str:
    """For the audit log: who asked for it in a chat, else the schedule."""
    if "place" not in payload:
        return SCHEDULE
    place = place_of(payload)
    return person_key(place.platform, place.team, payload["user"])
