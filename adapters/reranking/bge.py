"""bge-reranker-v2-m3, a multilingual cross-encoder, by FlagEmbedding.

https://huggingface.co/BAAI/bge-reranker-v2-m3
"""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters import flag_models
from core.errors import RerankerUnavailable
from core.text import encodable

SETTING = "WIKIWHY_BGE_RERANKER_MODEL"


@dataclass(frozen=True, slots=True)
class _Loaded:
    flag: Any  # FlagEmbedding.FlagReranker
    device: str
    name: str
    max_tokens: int
    at_once: int  # pairs of a batch


class BgeReranker:
    """Scores as the model's logits, without a sigmoid, which would make the best ones equal.

    Cheap to create: the model is loaded at first use, and downloaded where it is not on this machine. In half precision
    on a GPU, else in single. A question with a text is cut at 1,024 tokens, the question alone at three quarters of
    that, as FlagEmbedding does. May be called concurrently; one batch is computed at a time.
    """

    def __init__(self, model: str = "BAAI/bge-reranker-v2-m3") -> None:
        """``model``: a folder, or a name on the Hugging Face Hub."""
        self._model = model
        self._loaded = flag_models.Lazy(self._load)
        self._computing = threading.Lock()

    @property
    def name(self) -> str:
        """Model, digest of its weights, and numerics. Loads the model; raises RerankerUnavailable."""
        return self._loaded().name

    async def load(self) -> None:
        """Loads the model now, beside the event loop. Raises :class:`~core.errors.RerankerUnavailable`."""
        await asyncio.to_thread(self._loaded)

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """One score a text, in their order. Raises :class:`~core.errors.RerankerUnavailable`."""
        return await asyncio.to_thread(self._rerank, question, tuple(texts))

    def _rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        loaded = self._loaded()
        cleaned = [encodable(text) for text in texts]
        asked = self._cut(loaded, encodable(question))
        scores = [0.0] * len(texts)
        by_length = sorted(range(len(texts)), key=lambda index: len(cleaned[index]))  # the least padding
        for start in range(0, len(texts), loaded.at_once):
            batch = by_length[start : start + loaded.at_once]
            for index, score in zip(batch, self._batch(loaded, asked, [cleaned[i] for i in batch]), strict=True):
                scores[index] = score
        if not all(map(math.isfinite, scores)):
            raise RerankerUnavailable(
                f"{loaded.name} gives scores that are no numbers. Set {SETTING} to another model."
            )
        return scores

    def _cut(self, loaded: _Loaded, question: str) -> str:
        """The question without what would leave no place for a text."""
        with self._computing:
            offsets = loaded.flag.tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)[
                "offset_mapping"
            ]
        longest = loaded.max_tokens * 3 // 4
        return question if len(offsets) <= longest else question[: offsets[longest - 1][1]]

    def _batch(self, loaded: _Loaded, question: str, texts: list[str]) -> list[float]:
        import torch

        # Tokenizers refuse a second thread ("Already borrowed"), and threads of torch would fight for the cores.
        with self._computing, torch.inference_mode():
            try:
                inputs = loaded.flag.tokenizer(
                    [question] * len(texts),
                    texts,
                    padding=True,
                    truncation="only_second",
                    max_length=loaded.max_tokens,
                    return_tensors="pt",
                ).to(loaded.device)
                logits: list[float] = loaded.flag.model(**inputs, return_dict=True).logits.view(-1).float().tolist()
            except RuntimeError as cause:
                raise RerankerUnavailable(
                    f"{loaded.name} failed on {loaded.device}: {flag_models.first_line(cause)}. "
                    "If that is a lack of memory, free some, or set WIKIWHY_RERANK_CANDIDATES lower."
                ) from cause
        return logits

    def _load(self) -> _Loaded:
        return flag_models.load(self._model, SETTING, self._make, RerankerUnavailable)

    def _make(self, folder: str, device: str) -> _Loaded:
        from FlagEmbedding import FlagReranker

        on_gpu = device.startswith("cuda")
        flag = FlagReranker(folder, use_fp16=on_gpu, devices=[device])
        kinds = flag.model.config.architectures or []
        if flag.model.config.num_labels != 1 or not any(kind.endswith("ForSequenceClassification") for kind in kinds):
            # transformers gives such a model a head of random weights, and says so only in a warning.
            raise RerankerUnavailable(
                f"{self._model} is no reranker: set {SETTING} to one, such as bge-reranker-v2-m3."
            )
        if on_gpu:
            flag.model.half()
        flag.model.to(device).eval()
        name = f"{Path(self._model).name}/{flag_models.weights_digest(flag.model)}/{'fp16' if on_gpu else 'fp32'}"
        return _Loaded(flag, device, name, flag_models.max_tokens(flag.model), at_once=32 if on_gpu else 8)
