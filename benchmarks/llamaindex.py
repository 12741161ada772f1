"""LlamaIndex with its defaults, on the same pages, embedder and language model as WikiWhy.

Chunks of 1,024 tokens that overlap by 200, the two best by vectors, its own prompts; storage format becomes text by
html2text, as in its Confluence reader. It is no dependency: see the command in `docs/benchmarks.md`.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.model import Prompt, PromptMessage, Usage
from core.ports.models import Embedder, LanguageModel, Sampling, Vectors

_MAX_TOKENS = 400  # of an answer, as in WikiWhy
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class PeerAnswer:
    """LlamaIndex's answer, and the tokens of its model."""

    text: str
    page_ids: tuple[str, ...]
    usage: Usage


class LlamaIndex:
    """An index of a documents folder. Raises ImportError if LlamaIndex is not installed."""

    def __init__(self, embedder: Embedder, model: LanguageModel) -> None:
        import html2text  # type: ignore[import-not-found]
        import llama_index.core as llama_index  # type: ignore[import-not-found]

        self._library, self._converter = llama_index, html2text.HTML2Text()
        self._embedder, self._model = embedder, model
        self._retriever: Any = None
        self._usage = Usage()

    async def index(self, documents: Path, cache: Path) -> None:
        """Split and embed the pages. Vectors are cached in the folder ``cache``."""
        from llama_index.core.node_parser import SentenceSplitter  # type: ignore[import-not-found]
        from llama_index.core.schema import MetadataMode  # type: ignore[import-not-found]

        pages = await asyncio.to_thread(_read_pages, documents)
        read = [
            self._library.Document(
                text=self._converter.handle(page["content"]), metadata={"title": page["title"], "page_id": page["id"]}
            )
            for page in pages
        ]
        nodes = SentenceSplitter().get_nodes_from_documents(read)
        texts = [node.get_content(MetadataMode.EMBED) for node in nodes]
        for node, vector in zip(nodes, await self._embed(texts, cache), strict=True):
            node.embedding = vector.tolist()
        index = self._library.VectorStoreIndex(nodes, embed_model=self._library.MockEmbedding(embed_dim=1))
        self._retriever = index.as_retriever()

    async def _embed(self, texts: Sequence[str], cache: Path) -> Vectors:
        key = hashlib.sha256("\x1f".join((self._embedder.name, *texts)).encode()).hexdigest()[:16]
        kept = cache / f"llamaindex-{key}.npy"
        known = await asyncio.to_thread(_load, kept)
        if known is not None:
            return known
        parts = [
            await self._embedder.embed_passages(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)
        ]
        await asyncio.to_thread(_keep, kept, np.concatenate(parts))
        return np.concatenate(parts)

    async def answer(self, question: str) -> PeerAnswer:
        """Answer one question."""
        from llama_index.core.response_synthesizers import get_response_synthesizer  # type: ignore[import-not-found]

        vector = (await self._embedder.embed_queries([question]))[0]
        found = self._retriever.retrieve(self._library.QueryBundle(question, embedding=vector.tolist()))
        self._usage = Usage()
        response = await get_response_synthesizer(llm=self._llm()).asynthesize(question, nodes=found)
        pages = tuple(str(each.node.metadata["page_id"]) for each in found)
        return PeerAnswer(str(response), pages, self._usage)

    def _llm(self) -> Any:
        from llama_index.core.base.llms.types import (  # type: ignore[import-not-found]
            ChatMessage,
            ChatResponse,
            CompletionResponse,
            LLMMetadata,
        )
        from llama_index.core.llms import CustomLLM  # type: ignore[import-not-found]

        peer = self

        class OurModel(CustomLLM):  # type: ignore[misc]
            """Passes LlamaIndex's prompts to WikiWhy's language model."""

            @property
            def metadata(self) -> Any:
                tokens = peer._model.context_tokens
                return LLMMetadata(context_window=tokens, num_output=_MAX_TOKENS, is_chat_model=True)

            async def achat(self, messages: Sequence[Any], **_: Any) -> Any:
                said = tuple(PromptMessage(message.role.value, message.content) for message in messages)
                generation = await peer._model.generate(Prompt("llamaindex", said), Sampling(_MAX_TOKENS))
                peer._usage += generation.usage
                return ChatResponse(message=ChatMessage(role="assistant", content=generation.text))

            def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
                raise NotImplementedError

            def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
                raise NotImplementedError

        return OurModel()


def _read_pages(documents: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(documents.glob("*.json"))]


def _load(kept: Path) -> Vectors | None:
    return np.asarray(np.load(kept)) if kept.is_file() else None


def _keep(kept: Path, vectors: Vectors) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.save(kept, vectors)
