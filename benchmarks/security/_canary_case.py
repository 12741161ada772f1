"""The parts of the product for one canary case, with an in-memory database that is reset by copying a template."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from sqlalchemy import create_engine, event
from sqlalchemy.pool import StaticPool

import adapters.confluence.wiki as confluence_module
import bot.chat.connect as running
import bot.explainers
from adapters.store.database import Database
from adapters.store.sqlite import SqliteFile, _begin
from benchmarks.security._canary_loop import ACTOR, Port, Scheduler
from benchmarks.security._canary_oracle import Oracle, Stored
from benchmarks.security._canary_parts import (
    CanaryPlatform,
    CanaryTeams,
    HashingEmbedder,
    HashingMatcher,
    MemoryDense,
    MemoryLexical,
    QuotingModel,
)
from benchmarks.security._canary_runner import Runner
from benchmarks.security._canary_wiki import SimulatedHttp, WatchedWiki
from benchmarks.security._canary_world import ADMIN, ENG, OPS, World
from bot.chat.connect import Chat
from bot.server.hints import HintQueue, follow_all
from bot.server.metrics import Metrics
from bot.server.syncs import Sync, make_sync
from bot.settings import Settings, load_settings
from bot.storage.data_directory import DataDirectory
from bot.wikis import make_confluence
from bot.wiring import Application
from core.ports.chat import ChatPlatform
from tests.servers.confluence.request import Flavour

_STORES = (
    "evidences", "stale", "vectors", "token_vectors", "turns", "conversations", "counterfactuals", "posts",
    "references", "threads", "feedback", "tokens", "asked_questions",
)  # fmt: skip
_URLS: Mapping[Flavour, str] = {
    "cloud": "https://wiki.example.com/wiki",
    "datacenter": "https://wiki.example.com/confluence",
}


@dataclass(slots=True)
class Template:
    """An initial state: the database, both indexes, the oracle's knowledge, and the posts.

    ``thread`` and ``asked``: of the conversation before the case, "" and empty without one.
    """

    database: sqlite3.Connection
    dense: MemoryDense
    lexical: MemoryLexical
    stored: dict[str, Stored | None]
    posts: dict[str, str]
    number: int
    thread: str = ""
    asked: tuple[str, ...] = ()


@dataclass(slots=True)
class Case:
    """All objects of one case."""

    world: World
    oracle: Oracle
    scheduler: Scheduler
    platform: CanaryPlatform
    application: Application
    sync: Sync
    hints: HintQueue
    runner: Runner
    chat: Chat = field(init=False)

    async def sync_spaces(self, keys: list[str]) -> None:
        """Run a sync that is due."""
        await self.sync(keys, "schedule", lambda progress: None)


class Bench:
    """Makes cases in one process, one after the other."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
        event.listen(self._engine, "connect", lambda connection, record: setattr(connection, "isolation_level", None))
        event.listen(self._engine, "begin", _begin)
        self._database = Database(SqliteFile(":memory:", self._engine))
        self._database.upgrade()
        self._database.scrub = self._scrub  # type: ignore[method-assign]
        self._empty = self._copied()
        self._settings = {
            (flavour, by_model, suggests): _settings(flavour, by_model, suggests)
            for flavour in _URLS
            for by_model in (False, True)
            for suggests in (False, True)
        }
        self._metrics: Metrics = Metrics()
        self._embedder = HashingEmbedder()
        self.templates: dict[object, Template] = {}
        self._current: Case | None = None
        self._made: Runner | None = None

    async def _scrub(self) -> None:
        await self.scheduler.checkpoint("database.scrub")

    @property
    def _raw(self) -> sqlite3.Connection:
        connection = self._engine.raw_connection()
        raw = connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        return raw

    def _copied(self) -> sqlite3.Connection:
        kept = sqlite3.connect(":memory:", check_same_thread=False)
        self._raw.backup(kept)
        return kept

    @contextmanager
    def patched(self) -> Iterator[None]:
        """Replace parts of the product by the doubles of the current case during the block."""
        files: Any = SimpleNamespace(read=lambda: self._now.world.channels)
        accounts: Any = SimpleNamespace(read=lambda: self._now.world.accounts)

        def wiki(connection: Any, flavour: Flavour, reads_comments: object, files: object) -> WatchedWiki:
            made = WatchedWiki(connection, flavour)
            made.oracle = self._now.oracle
            return made

        def model(settings: Settings, used: Any = None) -> QuotingModel | None:
            return QuotingModel(self.scheduler, self._now.oracle) if settings.has_language_model else None

        with ExitStack() as stack:
            for module, name, double in (
                (running, "ChannelsFile", lambda path: files),
                (running, "Durable", lambda *given, **named: self._now.runner),
                (running, "AccountsFile", lambda path: accounts),
                (bot.explainers, "make_language_model", model),
                (confluence_module, "ConfluenceWiki", wiki),
                (
                    confluence_module,
                    "Http",
                    lambda connection: SimulatedHttp(connection, self._now.world, self.scheduler),
                ),
            ):
                stack.enter_context(patch.object(module, name, double))
            yield

    @property
    def _now(self) -> Case:
        assert self._current is not None
        return self._current

    async def sync_first(self) -> None:
        """Make the templates of both flavours: the state after a first sync of both spaces."""
        for flavour in _URLS:
            enabled, self.scheduler.enabled = self.scheduler.enabled, False
            self._empty.backup(self._raw)
            with self._case(flavour, False, Random(0), 0.0) as case:  # noqa: S311
                await case.sync_spaces([ENG, OPS])
                assert all(case.oracle.stored_now().values()), "the first sync has not stored every page"
                self.keep(flavour, case)
            self.scheduler.enabled = enabled

    def keep(self, name: object, case: Case, thread: str = "", asked: tuple[str, ...] = ()) -> None:
        """Store the state of a case as a template."""
        assert not case.oracle.violations, case.oracle.violations
        dense, lexical = MemoryDense(), MemoryLexical()
        dense.take(case.application.__dict__["dense"]._real)
        lexical.take(case.application.__dict__["lexical"]._real)
        stored = case.oracle.stored_now()
        posts = dict(case.platform.posts)
        self.templates[name] = Template(
            self._copied(), dense, lexical, stored, posts, case.platform.number, thread, asked
        )

    @asynccontextmanager
    async def case(
        self, template: Template, flavour: Flavour, by_model: bool, random: Random, kills: float
    ) -> AsyncIterator[Case]:
        """Make a case that begins with the template's state."""
        template.database.backup(self._raw)
        with self._case(flavour, by_model, random, kills) as case:
            case.application.__dict__["dense"]._real.take(template.dense)
            case.application.__dict__["lexical"]._real.take(template.lexical)
            case.oracle.begin_with(template.stored)
            case.platform.begin_with(template.posts, template.number)
            following = asyncio.create_task(self._follow(case))
            try:
                yield case
            finally:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)

    @contextmanager
    def _case(self, flavour: Flavour, by_model: bool, random: Random, kills: float) -> Iterator[Case]:
        scheduler = self.scheduler
        world = World(flavour, lambda: scheduler.now)
        oracle = Oracle(world, scheduler)
        platform = CanaryPlatform(scheduler, oracle, world)
        settings = self._settings[flavour, by_model, random.random() < 0.4]
        application = Application(settings, DataDirectory(Path("/nonexistent")), self._database)
        for name in _STORES:
            setattr(application, name, Port(name, getattr(application, name), scheduler))
        application.pages = Port("pages", application.pages, scheduler, oracle.heard_pages)  # type: ignore[assignment]
        application.spaces = Port("spaces", application.spaces, scheduler, oracle.heard_spaces)  # type: ignore[assignment]
        parts: dict[str, Any] = {
            "embedder": Port("embedder", self._embedder, scheduler),
            "matcher": Port("matcher", HashingMatcher(), scheduler),
            "dense": Port("dense", MemoryDense(), scheduler),
            "lexical": Port("lexical", MemoryLexical(), scheduler),
            "language_model": QuotingModel(scheduler, oracle) if by_model else None,
        }
        application.__dict__.update(parts)
        loaded = asyncio.Event()
        loaded.set()
        runner = Runner(scheduler, random, kills)

        sync = make_sync(application, self._metrics)
        case = Case(world, oracle, scheduler, platform, application, sync, HintQueue(settling=0.0), runner)
        self._current = case
        with running.open_chat(
            application,
            {"slack": platform, "teams": cast(ChatPlatform, CanaryTeams(platform))},
            sync=sync,
            metrics=self._metrics,
            loaded=loaded,
        ) as chat:
            case.chat = chat
            yield case

    async def _follow(self, case: Case) -> None:
        ACTOR.set("refresh")
        await follow_all(case.hints, case.application, make_confluence(case.application.settings))


def _settings(flavour: Flavour, by_model: bool, suggests: bool) -> Settings:
    named: dict[str, Any] = {"llm_base_url": "http://127.0.0.1:9/v1", "llm_model": "quoting"} if by_model else {}
    loaded = load_settings(
        data_dir=Path("/nonexistent"),
        confluence_url=_URLS[flavour],
        confluence_flavour=flavour,
        confluence_email="sync@example.com",
        confluence_token="token",  # noqa: S106 - nothing is signed in to
        default_spaces=ENG,
        admins=ADMIN,
        evidences=5,
        suggestions="auto" if suggests else "off",
        **named,
    )
    # 0, less than the setting allows: facts from Confluence are not cached.
    return loaded.model_copy(update={"accounts_minutes": 0.0})
