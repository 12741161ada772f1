"""Joins the method to its adapters: the one place that knows them all."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from adapters.embedding.bge import BgeM3Embedder
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.openai_api import EmbeddingServer, OpenAIEmbedder
from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import Fts5LexicalIndex
from adapters.reranking.bge import BgeReranker
from adapters.store.conversations import SqlConversationStore
from adapters.store.database import Database, sqlite_url
from adapters.store.evidences import SqlEvidenceStore
from adapters.store.pages import SqlPageStore
from adapters.store.spaces import SqlSpaceStore
from adapters.store.stale import SqlStaleEntries
from adapters.store.turns import SqlTurnStore
from adapters.store.vectors import SqlVectorStore
from bot.data_directory import DataDirectory, owned
from bot.settings import Settings
from core.answering.answerer import Answerer
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.answering.generative.answerer import GenerativeAnswerer
from core.completion.completer import Completer
from core.completion.generative import GenerativeCompleter
from core.completion.heuristic import HeuristicCompleter
from core.conversation import Assistant
from core.errors import SettingsInvalid
from core.indexing.indexer import Indexer, IndexerPorts
from core.indexing.synchroniser import Synchroniser
from core.ports import DenseIndex, Embedder, LanguageModel, LexicalIndex, Reranker
from core.retrieval.retriever import Retriever
from core.suggesting.checking import Checker
from core.suggesting.generative import GenerativeSuggester
from core.suggesting.headings import HeadingSuggester
from core.suggesting.suggester import Suggester

if TYPE_CHECKING:
    from adapters.llm.chat import OpenAIChat

# Before anything loads OpenMP: its threads would spin, and on shared cores make everything several times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


class Application:
    """Everything over one data directory. Parts that take time to load are made when first needed."""

    def __init__(self, settings: Settings, directory: DataDirectory, database: Database) -> None:
        self.settings = settings
        self.directory = directory
        self.database = database
        self.spaces = SqlSpaceStore(database)
        self.pages = SqlPageStore(database)
        self.evidences = SqlEvidenceStore(database)
        self.stale = SqlStaleEntries(database)
        self.vectors = SqlVectorStore(database)
        self.turns = SqlTurnStore(database)
        self.conversations = SqlConversationStore(database)

    @cached_property
    def embedder(self) -> Embedder:
        return embedder_for(self.settings)

    @cached_property
    def reranker(self) -> Reranker | None:
        return reranker_for(self.settings)

    @cached_property
    def dense(self) -> DenseIndex:
        name = self.embedder.name
        if self.settings.chroma_url:
            return ChromaDenseIndex.connect(self.settings.chroma_url, name)
        return ChromaDenseIndex.open(self.directory.dense_index, name)

    @cached_property
    def lexical(self) -> LexicalIndex:
        return Fts5LexicalIndex.open(self.directory.lexical_index)

    @cached_property
    def indexer(self) -> Indexer:
        ports = IndexerPorts(self.pages, self.stale, self.vectors, self.embedder, self.dense, self.lexical)
        return Indexer(ports)

    @cached_property
    def retriever(self) -> Retriever:
        settings = self.settings.retrieval_settings
        return Retriever(self.embedder, self.dense, self.lexical, self.evidences, settings, self.reranker)

    @cached_property
    def language_model(self) -> LanguageModel | None:
        return language_model_for(self.settings)

    @cached_property
    def completer(self) -> Completer:
        heuristic = HeuristicCompleter(self.retriever)
        if self.language_model is None or self.settings.completer == "heuristic":
            return heuristic
        return GenerativeCompleter(self.language_model, heuristic)

    @cached_property
    def answerer(self) -> Answerer:
        extractive = ExtractiveAnswerer(self.embedder)
        if self.language_model is None or self.settings.answerer == "extractive":
            return extractive
        return GenerativeAnswerer(self.language_model, self.embedder, extractive)

    @cached_property
    def suggester(self) -> Suggester | None:
        """What suggests follow-up questions, None if nothing should; without the reranker, to be quick."""
        settings = self.settings
        if settings.suggestions == "off":
            return None
        quick = Retriever(self.embedder, self.dense, self.lexical, self.evidences, settings.retrieval_settings)
        checker = Checker(quick, self.embedder)
        headings = HeadingSuggester(checker)
        if self.language_model is None or settings.suggestions == "headings":
            return headings
        return GenerativeSuggester(self.language_model, checker, headings)

    def assistant(self) -> Assistant:
        settings = self.settings
        configuration: dict[str, str | int | float | bool] = {
            "embedder": self.embedder.name,
            "reranker": self.reranker.name if self.reranker else "none",
            "context": settings.context,
            **asdict(settings.extraction),
            **asdict(settings.retrieval_settings),
        }
        return Assistant(self.completer, self.retriever, self.answerer, time.perf_counter, configuration)

    def synchroniser(self, allow_mass_delete: bool = False) -> Synchroniser:
        settings = self.settings.sync(allow_mass_delete)
        return Synchroniser(self.indexer, self.pages, self.spaces, time.perf_counter, settings)


def embedder_for(settings: Settings) -> Embedder:
    """The embedder that the settings name; it loads when first needed. Raises SettingsInvalid if a setting lacks."""
    if settings.embedder == "e5":
        return E5Embedder()
    if settings.embedder == "bge-m3":
        return BgeM3Embedder(settings.bge_model)
    return OpenAIEmbedder(_embedding_server(settings))


def reranker_for(settings: Settings) -> Reranker | None:
    """The reranker that the settings name, if any; it loads when first needed."""
    return BgeReranker(settings.bge_reranker_model) if settings.reranker == "bge" else None


def _embedding_server(settings: Settings) -> EmbeddingServer:
    for name in ("embedding_base_url", "embedding_model"):
        if not getattr(settings, name):
            raise SettingsInvalid(f"WIKIWHY_EMBEDDER=openai also needs WIKIWHY_{name.upper()}: set it.")
    return EmbeddingServer(
        settings.embedding_base_url,
        settings.embedding_model,
        settings.embedding_api_key.get_secret_value(),
        settings.embedding_query_prefix,
        settings.embedding_passage_prefix,
    )


def language_model_for(settings: Settings) -> OpenAIChat | None:
    """The language model that the settings name, None if they name none. Raises SettingsInvalid if they do so by half.

    It connects when first called; its connections close with the event loop they were opened in.
    """
    if not settings.has_language_model:
        return None
    _check_language_model(settings)
    # Loading the SDK takes most of a second, which who has no model need not wait.
    from adapters.llm.chat import Limits, OpenAIChat
    from adapters.llm.endpoint import OPENAI_URL, Endpoint

    key = settings.llm_api_key.get_secret_value()
    endpoint = Endpoint(settings.llm_base_url or OPENAI_URL, key, settings.llm_api_version)
    limits = Limits(
        context_tokens=settings.llm_context_tokens,
        seconds=settings.llm_timeout,
        concurrency=settings.llm_concurrency,
        retries=settings.llm_retries,
    )
    return OpenAIChat(endpoint, settings.llm_model, limits)


def _check_language_model(settings: Settings) -> None:
    azure = bool(settings.llm_api_version)
    if not settings.llm_base_url and (azure or not settings.llm_api_key.get_secret_value()):
        raise SettingsInvalid(
            "A language model is configured, but not where it is: set WIKIWHY_LLM_BASE_URL, or for OpenAI itself "
            "WIKIWHY_LLM_API_KEY."
        )
    if not settings.llm_model and (azure or not settings.llm_base_url):
        raise SettingsInvalid("A language model is configured, but not which: set WIKIWHY_LLM_MODEL.")


@contextmanager
def opened(settings: Settings) -> Iterator[Application]:
    """The application over the settings' data directory, which it owns until the end."""
    with owned(settings.data_dir) as directory:
        database = Database.open(settings.database_url or sqlite_url(directory.database))
        try:
            yield Application(settings, directory, database)
        finally:
            database.close()


def now() -> str:
    """The time as ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def new_id() -> str:
    """An opaque id: 16 hex digits."""
    return secrets.token_hex(8)
