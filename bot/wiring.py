"""The application on one data directory: it joins the ports of ``core`` with the adapters."""

from __future__ import annotations

import asyncio
import gc
import os
import platform
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from adapters.embedding.cached import CachedEmbedder
from adapters.embedding.languages import find_language_removal
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.files.reader import ProcessFileReader
from adapters.postgres import parse_postgres_url
from adapters.store.administration import SqlAuditStore, SqlRetention, SqlSettingsSeen
from adapters.store.bots import SqlBots, SqlRecentQuestions
from adapters.store.chats.chat_stores import (
    SqlAskedQuestionStore,
    SqlFeedbackStore,
    SqlPostStore,
    SqlReferenceStore,
    SqlThreadStore,
    SqlTokenStore,
)
from adapters.store.chats.personal_data import SqlPersonStore
from adapters.store.chats.turns import SqlConversationStore, SqlCounterfactualStore, SqlTurnStore
from adapters.store.database import Database
from adapters.store.sqlite import make_sqlite_url
from adapters.store.wiki.evidences import SqlEvidenceStore
from adapters.store.wiki.index_state import SqlStaleEntries, SqlTokenVectorStore, SqlVectorStore
from adapters.store.wiki.pages import SqlPageStore
from adapters.store.wiki.people import SqlPeopleStore
from adapters.store.wiki.spaces import SqlSpaceStore
from bot.coordination.bots import TEXTS, Bots, OneBot
from bot.coordination.several_bots import OneOfSeveral
from bot.models import choose_batch_size, make_embedder, make_language_model, make_matcher, make_reranker
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory, own_directory, read_home
from bot.storage.erasure_log import ErasureLog
from bot.storage.indexes import make_indexes
from bot.threads import Threads
from bot.wikis import make_tracker
from core.answering.answerer import Answerer
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.chat.limits import RecentQuestionsInMemory
from core.completion.generative import GenerativeCompleter
from core.completion.heuristic import HeuristicCompleter
from core.conversation import Assistant, Completer, QuestionToAnswer
from core.indexing.embedding import EvidenceEmbedder, TokenIndex
from core.indexing.files import FileTexts
from core.indexing.indexer import Indexer
from core.indexing.page_reader import PagesOverBudget
from core.indexing.page_refresh import PageRefresher
from core.indexing.synchroniser import Synchroniser
from core.languages import Language, load_detector
from core.model import PersonId, Scope, Usage
from core.ports.chat_stores import Post, RecentQuestions
from core.ports.indexes import DenseIndex, LexicalIndex
from core.ports.models import Embedder, Reranker
from core.ports.store import TokenVectorStore, VectorStore
from core.ports.wiki import IssueTracker
from core.retrieval.retriever import Retriever
from core.suggesting.generative import GenerativeSuggester
from core.suggesting.suggester import Checker, HeadingSuggester, Suggester
from core.text_caches import clear_text_caches
from core.work import AnswerWork, EvidenceWork, Work, WorkForModel, WorkRunner, run_here

if TYPE_CHECKING:
    from adapters.llm.chat import OpenAIChat

# Set before anything loads OpenMP. Its idle threads would spin, which slows shared cores down several times.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

T = TypeVar("T")

_CANDIDATES_BY_WORDS = 30  # of each ranking, where only the first results count


class Workflows(Protocol):
    """Access to the stored workflows, while a server runs or not."""

    async def load_requests(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the stored requests of all workflows, by key."""
        ...

    async def remove(self, keys: Collection[str]) -> None:
        """Cancel workflows, whichever bot runs them, and delete them."""
        ...

    async def scrub(self) -> None:
        """Remove deleted data from the files."""
        ...


@dataclass(slots=True)
class RunningChat:
    """The data of people that a running server has outside the store.

    ``tell_ended``: updates a post to say, in a language, that its work ended. ``forgetting``: functions that drop the
    cached data of a person.
    """

    workflows: Workflows
    tell_ended: Callable[[Post, Language], Awaitable[None]]
    forgetting: list[Callable[[PersonId], None]] = field(default_factory=list)


async def _wait_for_no_threads() -> None:
    """Do nothing: without a server, the event loop ends with the work and waits for its threads itself."""


class Application:
    """The stores, indexes and models on one data directory. Parts that load slowly are created on first use."""

    def __init__(
        self, settings: Settings, directory: DataDirectory, database: Database, bots: Bots | None = None
    ) -> None:
        self.settings = settings
        self.directory = directory
        self.database = database
        self.bots: Bots = bots or OneBot()
        self.indexes = make_indexes(settings, directory)
        self.spaces = SqlSpaceStore(database, self.forget_texts)
        self.pages = SqlPageStore(database, self.forget_texts)
        self.people = SqlPeopleStore(database)
        self.evidences = SqlEvidenceStore(database)
        self.stale = SqlStaleEntries(database)
        self.vectors: VectorStore = SqlVectorStore(database)
        self.token_vectors: TokenVectorStore = SqlTokenVectorStore(database)
        self.turns = SqlTurnStore(database)
        self.conversations = SqlConversationStore(database)
        self.counterfactuals = SqlCounterfactualStore(database)
        self.posts = SqlPostStore(database)
        self.references = SqlReferenceStore(database)
        self.threads = SqlThreadStore(database)
        self.feedback = SqlFeedbackStore(database)
        self.asked_questions = SqlAskedQuestionStore(database)
        self.tokens = SqlTokenStore(database)
        self.recent_questions = self._open_recent_questions()
        self.persons = SqlPersonStore(database)
        self.retention = SqlRetention(database)
        self.audit = SqlAuditStore(database)
        self.settings_seen = SqlSettingsSeen(database)
        self.erasure_log = ErasureLog(Path(settings.erasure_log or directory.erasures), database)
        self.running_chat: RunningChat | None = None  # set while a server runs
        self.on_usage: Callable[[Usage], None] = lambda usage: None
        self.on_clear: Callable[[], None] = lambda: None
        self.syncing = self.bots.spaces  # held while a space is changed, since concurrent changes would conflict
        # A thread cannot be cancelled. In a server, the next sync must not begin before the threads of a cancelled one
        # have ended.
        self.wait_for_threads: Callable[[], Awaitable[None]] = _wait_for_no_threads
        self.run_work: WorkRunner = run_here
        self._over_budget = PagesOverBudget()

    def record_usage(self, usage: Usage) -> None:
        """Pass on the usage of a call of a language model; see :meth:`core.chat.limits.ChatLimits.note_usage`."""
        self.on_usage(usage)

    def _open_recent_questions(self) -> RecentQuestions:
        """Return the recent questions: of all bots from PostgreSQL, else in memory."""
        is_shared = parse_postgres_url(self.settings.database_url)
        return SqlRecentQuestions(self.database) if is_shared else RecentQuestionsInMemory(time.monotonic)

    @cached_property
    def work_for_model(self) -> WorkForModel:
        """What a language model needs besides its replies, done in a process, in a thread, or here."""

        async def run(work: Work[T]) -> T:  # the runner is looked up at the call: a server sets it when it starts
            return await self.run_work(work, self.make_assistant())

        return WorkForModel(run)

    def use_threads(self, threads: Threads) -> None:
        """Use the threads of a server.

        With files, each answer without a language model is made in one thread. Queries of PostgreSQL or a Chroma server
        usually wait for it, so they run in several threads at once.
        """
        self.wait_for_threads = threads.wait_until_idle
        if self.uses_files:

            async def run_in_thread(work: Work[T], assistant: Assistant) -> T:
                return await threads.run_in_one_thread(partial(work.run, assistant))

            self.run_work = run_in_thread

    @property
    def uses_files(self) -> bool:
        """Whether the store and both indexes are files of the data directory."""
        return not (parse_postgres_url(self.settings.database_url) or self.settings.chroma_url)

    def erase_again(self) -> None:
        """Erase what a restored backup brought back. Raises ErasureLogUnusable."""
        self.erasure_log.replay(pseudonym=f"forgotten:{secrets.token_hex(6)}")

    def clear_caches(self) -> None:
        """Clear the caches that hold texts, here and in the processes of a server that answer questions."""
        self.on_clear()
        clear_text_caches()

    async def forget_texts(self) -> None:
        """Clear the caches that hold texts, here and at the other bots, because text was erased."""
        self.clear_caches()
        await self.bots.signal(TEXTS)

    @cached_property
    def embedder(self) -> Embedder:
        return make_embedder(self.settings)

    @cached_property
    def cached_embedder(self) -> Embedder:
        """The embedder with a cache, for texts that are embedded repeatedly: questions and the sentences of sources."""
        return CachedEmbedder(self.embedder)

    @cached_property
    def matcher(self) -> E5WordMatcher:
        return make_matcher(self.embedder, self.token_vectors)

    @cached_property
    def reranker(self) -> Reranker | None:
        return make_reranker(self.settings)

    @cached_property
    def dense(self) -> DenseIndex:
        return self.indexes.open_dense(self.embedder.name)

    @cached_property
    def lexical(self) -> LexicalIndex:
        return self.indexes.open_lexical()

    @cached_property
    def indexer(self) -> Indexer:
        tokens = TokenIndex(self.token_vectors, self.matcher)
        embedder = EvidenceEmbedder(self.vectors, self.embedder, tokens, choose_batch_size(self.embedder))
        return Indexer(self.pages, self.stale, embedder, self.dense, self.lexical, self.bots.lock("index entries"))

    @cached_property
    def tracker(self) -> IssueTracker | None:
        return make_tracker(self.settings)

    @cached_property
    def file_texts(self) -> FileTexts:
        return FileTexts(self.pages, ProcessFileReader(), self.settings.reads_attachments)

    @cached_property
    def retriever(self) -> Retriever:
        parts = (self.cached_embedder, self.dense, self.lexical, self.evidences)
        settings, vector_filter = self.settings.retrieval_settings, find_language_removal(self.embedder)
        return Retriever(*parts, settings, self.reranker, self.matcher, vector_filter)

    @cached_property
    def language_model(self) -> OpenAIChat | None:
        return make_language_model(self.settings, self.record_usage)

    @cached_property
    def completer(self) -> Completer:
        if self.language_model is None or self.settings.completer == "heuristic":
            return HeuristicCompleter(self.retriever)
        return GenerativeCompleter(self.language_model, self.work_for_model)

    @cached_property
    def answerer(self) -> Answerer:
        extractive = ExtractiveAnswerer(self.matcher)
        if self.language_model is None or self.settings.answerer == "extractive":
            return extractive
        return GenerativeAnswerer(self.language_model, self.cached_embedder, extractive, finder=self.work_for_model)

    @cached_property
    def suggester(self) -> Suggester | None:
        """The suggester of follow-up questions, None if they are off. It does without the reranker, to be quick.

        A question that is phrased from a title and a heading is found by these words, so it is not embedded.
        """
        settings = self.settings
        if settings.suggestions == "off":
            return None
        parts = (self.cached_embedder, self.dense, self.lexical, self.evidences)
        retrieval = settings.retrieval_settings
        by_words = Retriever(*parts, replace(retrieval, mode="lexical", candidates=_CANDIDATES_BY_WORDS))
        headings = HeadingSuggester(Checker(by_words, self.matcher))
        if self.language_model is None or settings.suggestions == "headings":
            return headings
        vector_filter = find_language_removal(self.embedder)
        quick = Retriever(*parts, retrieval, matcher=self.matcher, question_vector_filter=vector_filter)
        return GenerativeSuggester(self.language_model, Checker(quick, self.matcher), headings, self.work_for_model)

    def make_assistant(self) -> Assistant:
        settings = self.settings
        configuration: dict[str, str | int | float | bool] = {
            "embedder": self.embedder.name,
            "reranker": self.reranker.name if self.reranker else "none",
            "context": settings.context,
            "timezone": settings.timezone,
            **asdict(settings.extraction),
            **asdict(settings.retrieval_settings),
        }
        return Assistant(
            self.completer,
            self.retriever,
            self.answerer,
            self.matcher,
            time.perf_counter,
            configuration,
            self.run_work,
            model_completes=isinstance(self.completer, GenerativeCompleter),
            model_answers=isinstance(self.answerer, GenerativeAnswerer),
        )

    async def load_models(self) -> None:
        """Load what the first question needs, and do a test question, without the language model, whose calls cost."""
        question = "Who approves travel?"
        await self.embedder.embed_queries([question])
        await asyncio.to_thread(lambda: (self.lexical, self.dense, self.reranker))
        await asyncio.to_thread(load_detector)
        assistant = self.make_assistant()
        if assistant.asks_model:
            await run_here(EvidenceWork(question, Scope()), assistant)
        else:
            await run_here(AnswerWork(QuestionToAnswer(make_id(), "", now(), question, (), Scope())), assistant)
        gc.collect()
        gc.freeze()  # the loaded modules and models stay; walking them took 85 ms in each full collection
        gc.set_threshold(20_000, 20, 20)  # a question makes some 100,000 objects, few of them in cycles

    def make_synchroniser(self, allow_mass_delete: bool = False, full: bool = False) -> Synchroniser:
        settings = replace(self.settings.sync(allow_mass_delete, full), over_budget=self._over_budget)
        return Synchroniser(
            self.indexer, self.pages, self.spaces, self.people, time.perf_counter, settings, self.tracker
        )

    def make_page_refresher(self) -> PageRefresher:
        settings = replace(self.settings.sync(), over_budget=self._over_budget)
        return PageRefresher(
            self.indexer, self.pages, self.spaces, self.people, settings, self.syncing.hold, self.tracker
        )


def make_store_url(settings: Settings, directory: DataDirectory) -> str:
    """Return the URL of the store."""
    return settings.database_url or make_sqlite_url(directory.database)


@contextmanager
def open_application(settings: Settings) -> Iterator[Application]:
    """Open the application on the settings' data directory, which it owns during the block."""
    with own_directory(settings.data_dir) as directory:
        database = Database.open_owned(make_store_url(settings, directory))
        application = Application(settings, directory, database)
        try:
            application.erase_again()
            yield application
            application.erasure_log.write()
        finally:
            application.indexes.close()
            database.close()


@contextmanager
def open_bot(settings: Settings) -> Iterator[Application]:
    """Open the application as one of several bots on a PostgreSQL database; on files as the only bot.

    With a Chroma server it is the only bot too, because Chroma cannot reject the writes of a bot that was replaced.
    """
    if not parse_postgres_url(settings.database_url) or settings.chroma_url:
        with open_application(settings) as application:
            yield application
        return
    with own_directory(settings.data_dir) as directory:
        database = Database.open_shared(settings.database_url)
        try:
            executor = make_id()
            store = SqlBots(database, executor, home=f"{platform.node()}:{read_home(directory)}")
            store.join()
            bots = OneOfSeveral(store, executor)
            application = Application(settings, directory, database, bots)
            application.indexes.guard_writes(store.guard)
            try:
                application.erase_again()
                yield application
                application.erasure_log.write()
            finally:
                bots.leave()
                application.indexes.close()
        finally:
            database.close()


def now() -> str:
    """Return the current time as ISO 8601, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def today() -> str:
    """Return the current date as ISO 8601, in UTC."""
    return now()[:10]


def make_id() -> str:
    """Return a new random id of 16 hex digits."""
    return secrets.token_hex(8)
