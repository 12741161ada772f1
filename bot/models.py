"""Make the models that the settings name: embedder, reranker and language model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from adapters.bge import BgeM3Embedder, BgeReranker
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.late_interaction import E5WordMatcher
from adapters.embedding.openai_api import PASSAGES_AT_ONCE, EmbeddingServer, OpenAIEmbedder
from bot.settings import Settings
from core.errors import SettingsInvalid
from core.indexing.embedding import EMBED_AT_ONCE
from core.model import Usage
from core.ports.models import Embedder, Reranker
from core.ports.store import TokenVectorStore

if TYPE_CHECKING:
    from adapters.llm.chat import OpenAIChat


def make_embedder(settings: Settings) -> Embedder:
    """Return the embedder of the settings; it loads on first use. Raises SettingsInvalid if a setting is missing."""
    if settings.embedder == "e5":
        return E5Embedder()
    if settings.embedder == "bge-m3":
        return BgeM3Embedder(settings.bge_model)
    return OpenAIEmbedder(_make_embedding_server(settings))


def choose_batch_size(embedder: Embedder) -> int:
    """Return how many texts a sync gives to the embedder together. A server embeds several batches at the same time."""
    return PASSAGES_AT_ONCE if isinstance(embedder, OpenAIEmbedder) else EMBED_AT_ONCE


def make_matcher(embedder: Embedder, store: TokenVectorStore) -> E5WordMatcher:
    """Return the matcher of questions and sentences. It is always e5, since only e5 gives token vectors."""
    return E5WordMatcher(embedder if isinstance(embedder, E5Embedder) else E5Embedder(), store)


def make_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker of the settings, if any; it loads on first use."""
    return BgeReranker(settings.bge_reranker_model) if settings.reranker == "bge" else None


def _make_embedding_server(settings: Settings) -> EmbeddingServer:
    for name in ("embedding_base_url", "embedding_model"):
        if not getattr(settings, name):
            raise SettingsInvalid(f"WIKIWHY_EMBEDDER=openai also needs WIKIWHY_{name.upper()}. Set it.")
    return EmbeddingServer(
        settings.embedding_base_url,
        settings.embedding_model,
        settings.embedding_api_key.get_secret_value(),
        settings.embedding_query_prefix,
        settings.embedding_passage_prefix,
    )


def make_language_model(
    settings: Settings, on_usage: Callable[[Usage], None] = lambda usage: None
) -> OpenAIChat | None:
    """Return the language model of the settings, None if none is set. Raises SettingsInvalid if a setting is missing.

    It connects on the first call. Its connections close with the event loop in which they were opened.
    """
    if not settings.has_language_model:
        return None
    _check_language_model(settings)
    # Imported here because the SDK takes most of a second, and only a language model needs it.
    from adapters.llm.calls import CallLimits
    from adapters.llm.chat import OpenAIChat
    from adapters.llm.endpoint import OPENAI_URL, Endpoint

    key = settings.llm_api_key.get_secret_value()
    endpoint = Endpoint(settings.llm_base_url or OPENAI_URL, key, settings.llm_api_version)
    limits = CallLimits(
        context_tokens=settings.llm_context_tokens,
        seconds=settings.llm_timeout,
        concurrency=settings.llm_concurrency,
        retries=settings.llm_retries,
    )
    return OpenAIChat(endpoint, settings.llm_model, limits, on_usage=on_usage)


def _check_language_model(settings: Settings) -> None:
    azure = bool(settings.llm_api_version)
    if not settings.llm_base_url and (azure or not settings.llm_api_key.get_secret_value()):
        raise SettingsInvalid(
            "A language model is configured without its address. Set WIKIWHY_LLM_BASE_URL, or for OpenAI itself "
            "WIKIWHY_LLM_API_KEY."
        )
    if not settings.llm_model and (azure or not settings.llm_base_url):
        raise SettingsInvalid("A language model is configured without its name. Set WIKIWHY_LLM_MODEL.")
