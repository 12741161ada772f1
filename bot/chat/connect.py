"""The chat's parts joined: one conversation service and its durable work, for whichever platforms there are."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from aiohttp import web

from adapters.llm.tokens import count_tokens
from bot.books import books_url
from bot.channels import ChannelsFile
from bot.chat.access import ChatAccess
from bot.chat.ask_workflow import AskWorkflow
from bot.chat.commands import Commands
from bot.chat.ending import Ending
from bot.chat.explain_workflow import ExplainWorkflow
from bot.chat.help import HelpBuilder
from bot.chat.message_poster import MessagePoster
from bot.chat.parts import ChatParts
from bot.chat.service import ChatService
from bot.chat.sync_workflow import SyncWorkflow
from bot.chat.thread_history import ThreadHistory
from bot.chat.token_budget import Spending
from bot.durable import Durable
from bot.identities import identities
from bot.server.service import Background
from bot.wiring import Application, RunningChat
from core.chat.limits import Limits
from core.ports import ChatPlatform, Platform

_SWEEP_SECONDS = 600.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chat:
    """What platforms talk to."""

    service: ChatService
    commands: Commands
    durable: Durable


@contextmanager
def open_chat(application: Application, parts: ChatParts, platforms: Mapping[Platform, ChatPlatform]) -> Iterator[Chat]:
    """The chat over these platforms, for as long as it is used. Raises SettingsInvalid and AccountsUnreadable."""
    settings = application.settings
    channels = ChannelsFile(settings.channels)
    with identities(settings, application.spaces) as known:
        access = ChatAccess(
            identities=known,
            spaces=application.spaces,
            evidences=application.evidences,
            turns=application.turns,
            platforms=platforms,
            channels=channels.read,
            default_spaces=settings.default_space_keys,
        )
        durable = Durable(books_url(application))
        posting = MessagePoster(application.posts, platforms, durable.is_fresh)
        remembering = ThreadHistory(
            application.turns, application.evidences, application.posts, application.threads, platforms, count_tokens
        )
        helping = HelpBuilder(access, settings.admin_ids)
        durable.add(AskWorkflow(application, access, posting, remembering, channels.read, helping, parts).workflow)
        durable.add(ExplainWorkflow(application, access, posting, application.counterfactuals, parts).workflow)
        durable.add(SyncWorkflow(application, access, posting, parts.sync, parts.loaded).workflow)
        limits, spending = Limits(settings.limits, time.monotonic), Spending(application.tokens)
        application.on_usage = spending.hear
        service = ChatService(application, platforms, access, remembering, channels.read, limits, spending, durable)
        forgetting = [lambda person: limits.forget(person.key), lambda person: known.clear()]
        application.running_chat = RunningChat(durable, Ending(posting).tell, forgetting)
        try:
            yield Chat(service, Commands(parts.work, durable, helping), durable)
        finally:
            application.running_chat = None


class DurableWork:
    """Takes up unfinished work when the server starts (see :class:`bot.server.service.Service`)."""

    name = "durable work"
    early = True

    def __init__(self, durable: Durable) -> None:
        self._durable = durable
        self._background = Background(self.name)

    def routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        await self._durable.launch()
        if unfinished := await self._durable.count_unfinished():
            logger.info("Going on with %d pieces of work that were under way.", unfinished)
        self._background.start(self._sweep())

    async def stop(self) -> None:
        await self._background.stop()
        await self._durable.close()

    def ready(self) -> str:
        return self._background.ready()

    async def _sweep(self) -> None:
        while True:
            try:
                await self._durable.sweep()
            except Exception:  # of whatever kind: the next one takes what this one left
                logger.exception("Finished work could not be swept out of its books; that is tried again.")
            await asyncio.sleep(_SWEEP_SECONDS)
