"""Syncing spaces as durable work: asked for in a chat, with its progress in one message, or due by a schedule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from adapters.folder.wiki import FolderWiki
from bot.chat.drafting import latest
from bot.chat.payloads import Json, place_of
from bot.chat.posting import Posting
from bot.durable import Step, Workflow
from bot.syncing import sync_spaces
from bot.wikis import confluence_for
from bot.wiring import Application
from core.errors import ChatRefused, WikiWhyError
from core.indexing.report import SpaceReport
from core.ports import Post, Progress, ProgressListener, View
from core.text import Language
from core.views.notices import Notice, Waiting
from core.views.sync import sync_notice

_PAUSE = 2.0  # seconds between two updates of the progress
_FOLDER = "folder "  # how the source of a folder's space begins


@dataclass(frozen=True, slots=True)
class Syncing:
    """The workflow ``sync``. Its payload: ``spaces``, and where somebody asked for it ``place``, ``user``, ``spoken``.

    ``synced`` is called after each, to forget what the books of finished work still hold of removed pages.
    """

    application: Application
    posting: Posting
    synced: Callable[[], Awaitable[None]]

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

        try:
            async with latest(tell, _PAUSE) as hear:
                reports = await synced(self.application, payload["spaces"], lambda progress: hear(progress))
            view: View = sync_notice(reports, spoken)
        except WikiWhyError as error:
            view = Notice(str(error), kind="problem")
        await self.synced()
        if post:
            await self.posting.shown(post, view)
        return {}

    async def _post(self, payload: Json) -> Post:
        """In the channel of the command; where the bot may not write there, to the person."""
        place = place_of(payload)
        waiting = Waiting(payload["spoken"], "sync", payload["spaces"][0])
        try:
            return await self.posting.placed(payload["key"], place, waiting)
        except ChatRefused:
            direct = replace(place, channel=payload["user"], direct=True)
            return await self.posting.placed(payload["key"], direct, waiting)

    async def _failed(self, payload: Json, error: Exception) -> None:
        post = await self.application.posts.post(payload["key"])
        if post and not post.finished:
            await self.posting.shown(post, Notice(f"{', '.join(payload['spaces'])}: {error}", kind="problem"))


async def synced(application: Application, keys: Sequence[str], on_progress: ProgressListener) -> list[SpaceReport]:
    """Syncs spaces from where they came from, new ones from the Confluence that the settings name; one sync at a time.

    Raises what the sync raises.
    """
    async with application.syncing:
        sources = {summary.key: summary.source for summary in await application.spaces.summaries()}
        reports: list[SpaceReport] = []
        folders = {key: sources[key].removeprefix(_FOLDER) for key in keys if sources.get(key, "").startswith(_FOLDER)}
        for key, folder in folders.items():
            wiki = FolderWiki(Path(folder))
            reports += await sync_spaces(application, wiki, application.synchroniser(), [key], on_progress)
        if others := [key for key in keys if key not in folders]:
            with closing(confluence_for(application.settings)) as confluence:
                reports += await sync_spaces(application, confluence, application.synchroniser(), others, on_progress)
        return reports
