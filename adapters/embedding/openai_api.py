"""Embedding by any server that speaks OpenAI's API (``POST /embeddings``): OpenAI, vLLM, TEI, llama.cpp, Ollama, ….

https://platform.openai.com/docs/api-reference/embeddings/create
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn
from urllib.parse import urlsplit

import numpy as np

from adapters.retries import note_rate_limit
from core.errors import EmbedderUnavailable
from core.ports.models import Vectors
from core.text import remove_unencodable

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

_BATCH = 32  # texts; the default limit of Text Embeddings Inference, the lowest of all servers
_AT_ONCE = 8  # batches of passages in flight
PASSAGES_AT_ONCE = _BATCH * _AT_ONCE
"""The number of passages that are best embedded by one call."""
_MAX_CHARS = 8_000  # about 2,000 tokens, more than the longest evidence with its context
_MIN_CHARS = 100  # a shorter text was not refused for its length
_SECONDS = 60.0
_RETRIES = 3  # by the SDK, with exponential backoff, for 408, 409, 429, 5xx and broken connections
_TOO_LONG = re.compile(r"(?i)too (long|large|many)|context|maximum|exceed|tokens")


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """The address of a model, and the prefixes of its texts. ``repr`` hides the key. Raises EmbedderUnavailable."""

    base_url: str
    model: str
    api_key: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise EmbedderUnavailable(
                "WIKIWHY_EMBEDDING_BASE_URL is no address of a server. Set it, for example, to http://127.0.0.1:8000/v1"
            )

    def __repr__(self) -> str:
        return f"EmbeddingServer({self.name})"

    @property
    def name(self) -> str:
        """Model, server, and a digest of the prefixes if there are any. No credentials."""
        prefixes = self.query_prefix + "\x1f" + self.passage_prefix
        digest = "" if prefixes == "\x1f" else "/" + hashlib.sha256(prefixes.encode()).hexdigest()[:8]
        return f"{self.model}@{self.place}{digest}"

    @property
    def place(self) -> str:
        """Host, port and path of the address, without user and password."""
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2]
        return (host + parts.path).rstrip("/")


class OpenAIEmbedder:
    """Embeds over the network. All texts of synced pages, and all questions, are sent to the server.

    A text that the server refuses for its length is halved until it is accepted. Control characters are removed.
    Methods may be called concurrently, from any event loop: the SDK's blocking client runs in threads. Passages have
    threads of their own, so that a question never waits for a sync.
    """

    def __init__(self, server: EmbeddingServer) -> None:
        self._server = server
        self._client: OpenAI | None = None
        self._dimension = 0
        self._preparing = threading.Lock()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="embedding")
        # Base64 takes a tenth of the time to read. Servers that do not know it send numbers, or refuse the request.
        self._encoding: Literal["base64", "float"] = "base64"
        self._knows_base64 = False  # until a server has accepted it

    @property
    def name(self) -> str:
        """Model and server, because another server may quantise or pool the same model differently."""
        return self._server.name

    @property
    def dimension(self) -> int:
        """The length of a vector. Embeds a text to find it out. Raises EmbedderUnavailable."""
        if not self._dimension:
            self._embed([""], "")
        return self._dimension

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return await self._embed_nothing()
        batches = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
        return np.concatenate(
            [await asyncio.to_thread(self._embed, batch, self._server.query_prefix) for batch in batches]
        )

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return await self._embed_nothing()
        loop, prefix = asyncio.get_running_loop(), self._server.passage_prefix
        batches = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
        asked = [loop.run_in_executor(self._threads, self._embed, batch, prefix) for batch in batches]
        try:
            return np.concatenate(await asyncio.gather(*asked))
        finally:
            for each in asked:  # after an error, batches that have not begun
                each.cancel()

    async def _embed_nothing(self) -> Vectors:
        return np.empty((0, await asyncio.to_thread(lambda: self.dimension)), np.float32)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        # Servers refuse an empty text, so it is replaced by a full stop.
        prepared = [prefix + (remove_unencodable(text).strip()[:_MAX_CHARS] or ".") for text in texts]
        vectors = self._embed_batch(prepared, prefix)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(vectors).all() and lengths.all()):
            raise EmbedderUnavailable(
                f"{self.name} answers with vectors that have no direction. Is it an embedding model?"
            )
        self._dimension = vectors.shape[1]
        normalised: Vectors = vectors / lengths
        return normalised

    def _embed_batch(self, texts: list[str], prefix: str) -> Vectors:
        """Return one row per text, not normalised. A batch that is refused for its length is halved, then its texts."""
        from openai import APIStatusError

        try:
            return self._request(texts)
        except APIStatusError as error:
            if error.status_code not in {400, 413, 422, 500} or not _TOO_LONG.search(str(error.message)):
                self._raise_refusal(error)
            if len(texts) > 1:
                middle = len(texts) // 2
                halves = (texts[:middle], texts[middle:])
                return np.concatenate([self._embed_batch(half, prefix) for half in halves])
            own = texts[0][len(prefix) :]
            if len(own) < _MIN_CHARS:
                self._raise_refusal(error)
            return self._embed_batch([prefix + own[: len(own) // 2]], prefix)

    def _request(self, texts: list[str]) -> Vectors:
        """Return rows in the order of the texts, as :meth:`_request_encoded`."""
        from openai import APIStatusError

        encoding = self._encoding
        try:
            vectors = self._request_encoded(texts, encoding)
            self._knows_base64 = self._knows_base64 or encoding == "base64"
        except APIStatusError as error:
            if encoding == "float" or self._knows_base64 or error.status_code not in {400, 422}:
                raise
            vectors = self._request_encoded(texts, "float")  # it may have refused base64, and not the texts
            self._encoding = "float"
        return vectors

    def _request_encoded(self, texts: list[str], encoding: Literal["base64", "float"]) -> Vectors:
        """Return rows in the order of the texts.

        Raises APIStatusError, and EmbedderUnavailable for all other errors.
        """
        from openai import APIStatusError, OpenAIError

        try:
            answer = self._connect().embeddings.create(input=texts, model=self._server.model, encoding_format=encoding)
            data = sorted(answer.data, key=lambda item: item.index)
            vectors = np.array([_read_vector(item.embedding) for item in data], np.float32)
        except APIStatusError:
            raise
        except OpenAIError as error:
            raise EmbedderUnavailable(
                f"The embedding server {self._server.place} does not answer: {self._clean(str(error))} "
                "Start it, or correct WIKIWHY_EMBEDDING_BASE_URL."
            ) from error
        except (AttributeError, TypeError, ValueError) as error:  # unexpected JSON
            raise self._make_no_endpoint_error() from error
        width = vectors.shape[1] if vectors.ndim == 2 else 0
        if len(vectors) != len(texts) or not width or width != (self._dimension or width):
            raise self._make_no_endpoint_error()
        return vectors

    def _connect(self) -> OpenAI:
        with self._preparing:
            if self._client is None:
                from openai import OpenAI  # slow, about a second

                # Always pass both, or the SDK uses OPENAI_API_KEY and OPENAI_BASE_URL, which are for another server.
                self._client = OpenAI(
                    api_key=self._server.api_key or "none",
                    base_url=self._server.base_url,
                    max_retries=_RETRIES,
                    timeout=_SECONDS,
                )
            return self._client

    def _raise_refusal(self, error: APIStatusError) -> NoReturn:
        place, model = self._server.place, self._server.model
        if error.status_code == 429:
            note_rate_limit("embedder")
        if error.status_code in {401, 403}:
            advice = "The key is wrong or may not use this model: set WIKIWHY_EMBEDDING_API_KEY."
        elif error.status_code == 404:
            advice = f"WIKIWHY_EMBEDDING_MODEL ({model}) or the path in WIKIWHY_EMBEDDING_BASE_URL is wrong."
        elif error.status_code == 429:
            advice = "It is overloaded, or the account's limit is reached: try again later."
        else:
            advice = f"It said: {self._clean(str(error.message))}"
        raise EmbedderUnavailable(
            f"The embedding server {place} refused with status {error.status_code}. {advice}"
        ) from error

    def _make_no_endpoint_error(self) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"{self._server.place} does not answer as an embedding endpoint does, with one vector a text. "
            "Correct WIKIWHY_EMBEDDING_BASE_URL (it usually ends in /v1) or WIKIWHY_EMBEDDING_MODEL."
        )

    def _clean(self, message: str) -> str:
        """Shorten a message, and remove the key, which some servers repeat."""
        key = self._server.api_key
        text = " ".join(message.split())[:300]
        return text.replace(key, "…") if key else text


def _read_vector(sent: object) -> object:
    """Return the numbers of a vector, which base64 encodes as little-endian float32."""
    return np.frombuffer(base64.b64decode(sent), "<f4") if isinstance(sent, str) else sent
