"""Connect the parts of the chat: one service and its workflows for all platforms."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from adapters.llm.tokens import count_tokens
from adapters.machine import count_cores
from bot.admin_files import AccountsFile, ChannelsFile
from bot.chat.ask_workflow import AskWorkflow, ChatModels
from bot.chat.clicked_answers import ClickedAnswers
from bot.chat.commands import Commands, HelpBuilder
from bot.chat.explain_workflow import ExplainWorkflow, Explanations
from bot.chat.home import HomeBuilder
from bot.chat.links import LinkPreviews
from bot.chat.message_poster import MessagePoster
from bot.chat.revise_workflow import ReviseWorkflow
from bot.chat.service import ChatService
from bot.chat.space_workflows import ForgetWorkflow, SyncWorkflow
from bot.coordination.bots import PEOPLE, TEXTS, Bots
from bot.durable import Durable
from bot.operations.operation import LocalOperations
from bot.server.metrics import Metrics
from bot.server.service import BackgroundService
from bot.server.syncs import Sync
from bot.settings import Settings
from bot.storage.workflow_database import make_workflow_database_url
from bot.wikis import list_wiki_spaces, make_confluence
from bot.wiring import Application, RunningChat, today
from core.access import ChatAccess, Identities, IdentitySettings
from core.chat.limits import ChatLimits
from core.chat.requests import ExplanationRequest, ForgetRequest, QuestionRequest, RevisionRequest, SyncRequest
from core.errors import ChatUnavailable
from core.history import ThreadHistory
from core.languages import Language
from core.ports.chat import ChatPlatform, Platform
from core.ports.chat_stores import Post, RecentQuestions
from core.ports.pages import SpaceStore
from core.views.notices import choose_notice

_SWEEP_SECONDS = 600.0
_AT_ONCE = count_cores() + 1  # concurrent questions; more would only slow each of them down
_AT_ONCE_BY_MODEL = 64  # with a language model, which has a limit of its own, questions usually wait

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chat:
    """The entry points for platforms. ``running``: its listeners clear what they cache of a person."""

    service: ChatService
    answers: ClickedAnswers
    commands: Commands
    durable: Durable
    running: RunningChat
    home: HomeBuilder
    links: LinkPreviews


@contextmanager
def open_chat(
    application: Application,
    platforms: Mapping[Platform, ChatPlatform],
    *,
    sync: Sync,
    metrics: Metrics,
    loaded: asyncio.Event,
) -> Iterator[Chat]:
    """Open the chat for these platforms for the duration of the block. Raises SettingsInvalid and AccountsUnreadable.

    ``loaded``: set when the models are loaded; requests before that are accepted, and wait.
    """
    settings, posts, turns = application.settings, application.posts, application.turns
    bots = application.bots

    async def wait_for_threads() -> None:  # looked up at the call: the server sets it when it starts
        await application.wait_for_threads()

    durable = Durable(
        make_workflow_database_url(application.settings, application.directory), bots, wait_for_threads=wait_for_threads
    )
    poster = MessagePoster(posts, platforms, durable.is_fresh)
    history = ThreadHistory(turns, application.evidences, posts, application.threads, platforms, count_tokens)
    limits = ChatLimits(settings.limits, application.recent_questions, application.tokens, today)
    application.on_usage = limits.note_usage
    slots = asyncio.Semaphore(_AT_ONCE_BY_MODEL if settings.has_language_model else _AT_ONCE)
    models = ChatModels(
        lambda: application.make_assistant(),
        lambda: application.suggester,
        metrics,
        loaded,
        slots,
        settings.has_language_model,
    )
    with open_identities(settings, application.spaces) as known:
        access = ChatAccess(
            identities=known,
            spaces=application.spaces,
            evidences=application.evidences,
            platforms=platforms,
            channels=ChannelsFile(settings.channels).read,
            default_spaces=settings.select_default_spaces,
        )
        help_builder = HelpBuilder(access, settings.admin_ids)
        ask = AskWorkflow(access, poster, history, turns, models, help_builder)
        durable.add(QuestionRequest, ask)
        revise = ReviseWorkflow(ask, poster, turns, history, limits, durable.is_under_way, bots)
        durable.add(RevisionRequest, revise)
        explanations = Explanations(access, turns, application.counterfactuals, application, metrics, loaded)
        durable.add(ExplanationRequest, ExplainWorkflow(explanations, poster))
        operations = LocalOperations(application)
        durable.add(SyncRequest, SyncWorkflow(access, poster, sync, loaded))
        durable.add(ForgetRequest, ForgetWorkflow(operations, poster, durable.sweep))
        service = ChatService(
            platforms=platforms,
            posts=posts,
            turns=turns,
            access=access,
            history=history,
            limits=limits,
            durable=durable,
            poster=poster,
            wait_for_threads=wait_for_threads,
        )
        answers = ClickedAnswers(service, platforms, posts, turns, application.feedback, access, limits, durable)

        async def report_ended(post: Post, language: Language) -> None:
            with suppress(ChatUnavailable):  # the data is removed in any case
                await poster.show_failure(post.key, post.place, choose_notice("unknown", language), post.turn_id)

        application.running_chat = running = RunningChat(durable, report_ended, [lambda person: known.clear()])
        bots.on_signal(PEOPLE, known.clear)
        for signal in (PEOPLE, TEXTS):
            bots.on_signal(signal, application.clear_caches)
        bots.on_beat(durable.follow_heartbeat)
        try:
            home = HomeBuilder(help_builder, operations, application.asked_questions)
            commands = Commands(operations, durable, help_builder, lambda: list_wiki_spaces(settings))
            yield Chat(service, answers, commands, durable, running, home, LinkPreviews(access))
        finally:
            application.running_chat = None


@contextmanager
def open_identities(settings: Settings, spaces: SpaceStore) -> Iterator[Identities]:
    """Open the mapping of chat users to scopes for the block. Raises SettingsInvalid and AccountsUnreadable."""
    accounts = AccountsFile(settings.accounts)
    accounts.read()
    known = IdentitySettings(settings.select_default_spaces, settings.accounts_minutes * 60)
    wiki = make_confluence(settings, patience="answer") if settings.confluence_url else None
    try:
        yield Identities(wiki, accounts.read, spaces, _has_no_accounts, time.monotonic, known)
    finally:
        if wiki:
            wiki.close()


def _has_no_accounts(wiki_name: str) -> bool:
    return wiki_name.startswith("folder ")


FinishTasks = Callable[[], Coroutine[Any, Any, None]]
"""Waits for background tasks of a platform, for a limited time."""


class DurableWork:
    """Resumes unfinished workflows when the server starts, and deletes finished ones regularly.

    ``finish_tasks``: wait for the platforms' background tasks, which may still start workflows when the server stops.
    See :class:`bot.server.service.Service`.
    """

    name = "durable work"
    early = True

    def __init__(
        self, durable: Durable, bots: Bots, recent: RecentQuestions, finish_tasks: Sequence[FinishTasks] = ()
    ) -> None:
        self._durable = durable
        self._bots = bots
        self._recent = recent
        self._finish_tasks = finish_tasks
        self._sweeping = BackgroundService(self.name, self._sweep)

    def list_routes(self) -> Sequence[web.RouteDef]:
        """None."""
        return []

    async def start(self) -> None:
        await self._durable.launch()
        unfinished = [] if self._bots.are_several else await self._durable.list_unfinished()
        if unfinished:
            logger.info("Resuming %d unfinished workflows.", len(unfinished))
        await self._sweeping.start()

    async def stop(self) -> None:
        await self._sweeping.stop()
        await asyncio.gather(*(finish() for finish in self._finish_tasks), return_exceptions=True)
        await self._durable.close()

    def find_problem(self) -> str:
        return self._sweeping.find_problem()

    async def _sweep(self) -> None:
        while True:
            try:
                await (self._durable.sweep() if self._bots.leads else self._durable.forget_swept())
                await self._recent.remove_old()
            except Exception:  # the next sweep tries again
                logger.exception("Finished workflows could not be deleted from the database; trying again later.")
            await asyncio.sleep(_SWEEP_SECONDS)
