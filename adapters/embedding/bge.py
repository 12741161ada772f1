"""bge-m3 (Chen et al., 2024, https://arxiv.org/abs/2402.03216) by FlagEmbedding: its dense vectors."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adapters import flag_models
from core.errors import EmbedderUnavailable
from core.ports.models import Vectors
from core.text import encodable

SETTING = "WIKIWHY_BGE_MODEL"


@dataclass(frozen=True, slots=True)
class _Loaded:
    flag: Any  # FlagEmbedding.BGEM3FlagModel
    device: str
    name: str
    dimension: int
    max_tokens: int
    at_once: int  # texts of a batch


class BgeM3Embedder:
    """Embeds with bge-m3, which needs no prefixes: a question and a passage of one text have one vector.

    Cheap to create: the model is loaded at first use, and downloaded where it is not on this machine. In half precision
    on a GPU, else in single. Texts are cut at 1,024 tokens, control characters left out. Methods may be called
    concurrently; one batch is computed at a time, so that a question waits for a batch of a sync, not for all of it.
    """

    def __init__(self, model: str = "BAAI/bge-m3") -> None:
        """``model``: a folder, or a name on the Hugging Face Hub."""
        self._model = model
        self._loaded = flag_models.Lazy(self._load)
        self._computing = threading.Lock()

    @property
    def name(self) -> str:
        """Model, digest of its weights, and numerics. Loads the model; raises EmbedderUnavailable."""
        return self._loaded().name

    @property
    def dimension(self) -> int:
        """1,024 for bge-m3. Loads the model; raises EmbedderUnavailable."""
        return self._loaded().dimension

    async def load(self) -> None:
        """Loads the model now, beside the event loop. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await asyncio.to_thread(self._loaded)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, tuple(texts))

    def _embed(self, texts: Sequence[str]) -> Vectors:
        loaded = self._loaded()
        vectors = np.empty((len(texts), loaded.dimension), np.float32)
        cleaned = [encodable(text) for text in texts]
        by_length = sorted(range(len(texts)), key=lambda index: len(cleaned[index]))  # the least padding
        for start in range(0, len(texts), loaded.at_once):
            batch = by_length[start : start + loaded.at_once]
            vectors[batch] = self._batch(loaded, [cleaned[index] for index in batch])
        return vectors

    def _batch(self, loaded: _Loaded, texts: list[str]) -> Vectors:
        import torch

        # Tokenizers refuse a second thread ("Already borrowed"), and threads of torch would fight for the cores.
        with self._computing, torch.inference_mode():
            try:
                inputs = loaded.flag.tokenizer(
                    texts, padding=True, truncation=True, max_length=loaded.max_tokens, return_tensors="pt"
                ).to(loaded.device)
                dense = loaded.flag.model(inputs, return_dense=True)["dense_vecs"].float().cpu().numpy()
            except RuntimeError as cause:
                raise EmbedderUnavailable(
                    f"{loaded.name} failed on {loaded.device}: {flag_models.first_line(cause)}. "
                    "If that is a lack of memory, free some, or hide the GPU (CUDA_VISIBLE_DEVICES=) to use the CPU."
                ) from cause
        vectors: Vectors = dense / np.linalg.norm(dense, axis=1, keepdims=True)  # half precision is off by 1e-3
        return vectors

    def _load(self) -> _Loaded:
        return flag_models.load(self._model, SETTING, self._make, EmbedderUnavailable)

    def _make(self, folder: str, device: str) -> _Loaded:
        from FlagEmbedding import BGEM3FlagModel

        on_gpu = device.startswith("cuda")
        # On the CPU it would round the weights to half precision and then compute in single.
        flag = BGEM3FlagModel(folder, use_fp16=on_gpu, devices=[device])
        flag.model.to(device).eval()
        encoder = flag.model.model
        numerics = "fp16" if on_gpu else "fp32"
        name = f"{Path(self._model).name}/{flag_models.weights_digest(encoder)}/{numerics}"
        dimension, longest = int(encoder.config.hidden_size), flag_models.max_tokens(encoder)
        return _Loaded(flag, device, name, dimension, longest, at_once=32 if on_gpu else 8)
