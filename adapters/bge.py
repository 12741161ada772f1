"""bge-m3 as an embedder and bge-reranker-v2-m3 as a reranker, both by FlagEmbedding.

Chen et al., 2024, https://arxiv.org/abs/2402.03216; https://huggingface.co/BAAI/bge-reranker-v2-m3

This module calls FlagEmbedding's tokenizers and models directly, on one device. Its own ``encode`` and
``compute_score`` (1.4.2, ``inference/embedder/encoder_only/m3.py`` and ``inference/reranker/encoder_only/base.py``)
compute the first batch twice to find a batch size, treat every RuntimeError as a lack of memory, draw progress bars,
and start processes if there are several devices.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import EmbedderUnavailable, RerankerUnavailable, WikiWhyError
from core.ports.models import Vectors
from core.text import remove_unencodable

logger = logging.getLogger(__name__)

MAX_TOKENS = 1024
"""Limit of a text, or of a question with a text. The longest evidence with its context has fewer in most scripts."""

# All files except copies for other runtimes, which are as large as the weights.
_FILES = ["*.json", "*.safetensors", "*.bin", "*.pt", "*.model"]
_INSTALL = "Run `make setup-bge` (pip: the extra wikiwhy[bge])"


class BgeM3Embedder:
    """Embeds with bge-m3's dense vectors. The model has no prefixes for questions and passages.

    Cheap to create. The model is loaded at its first use, and downloaded if it is not on this machine. It computes in
    half precision on a GPU, else in single precision. Texts are cut at 1,024 tokens, and control characters removed.
    Methods may be called concurrently. One batch is computed at a time, so that a question waits for one batch of a
    sync only.
    """

    def __init__(self, model: str = "BAAI/bge-m3") -> None:
        """``model``: a folder, or a name on the Hugging Face Hub."""
        advice = "hide the GPU (CUDA_VISIBLE_DEVICES=) to use the CPU"
        self._model = _FlagModel(model, "WIKIWHY_BGE_MODEL", EmbedderUnavailable, _make_embedder, advice)

    @property
    def name(self) -> str:
        """Model, digest of its weights, and numerics. Loads the model. Raises EmbedderUnavailable."""
        return self._model.load().name

    @property
    def dimension(self) -> int:
        """The length of a vector, 1,024 for bge-m3. Loads the model. Raises EmbedderUnavailable."""
        return int(self._model.load().encoder.config.hidden_size)

    async def load(self) -> None:
        """Load the model now, in a thread. Raises :class:`~core.errors.EmbedderUnavailable`."""
        await asyncio.to_thread(self._model.load)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, tuple(texts))

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await asyncio.to_thread(self._embed, tuple(texts))

    def _embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        dense = self._model.compute(texts, _compute_vectors)
        vectors: Vectors = dense / np.linalg.norm(dense, axis=1, keepdims=True)  # half precision is off by 1e-3
        return vectors


class BgeReranker:
    """Scores texts by the model's logits. A sigmoid would make the best scores equal.

    Loading, precision and concurrency are the same as of :class:`BgeM3Embedder`. A question with a text is cut at 1,024
    tokens, and the question alone at three quarters of that, as in FlagEmbedding.
    """

    def __init__(self, model: str = "BAAI/bge-reranker-v2-m3") -> None:
        """``model``: a folder, or a name on the Hugging Face Hub."""
        advice = "set WIKIWHY_RERANK_CANDIDATES lower"
        self._model = _FlagModel(model, "WIKIWHY_BGE_RERANKER_MODEL", RerankerUnavailable, self._make, advice)

    @property
    def name(self) -> str:
        """Model, digest of its weights, and numerics. Loads the model. Raises RerankerUnavailable."""
        return self._model.load().name

    async def load(self) -> None:
        """Load the model now, in a thread. Raises :class:`~core.errors.RerankerUnavailable`."""
        await asyncio.to_thread(self._model.load)

    async def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        return await asyncio.to_thread(self._rerank, question, tuple(texts))

    def _rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        asked = self._cut(remove_unencodable(question))
        logits = self._model.compute(texts, lambda model, some: _compute_logits(model, asked, some))
        scores: list[float] = logits.tolist()
        if not all(map(math.isfinite, scores)):
            raise RerankerUnavailable(
                f"{self.name} gives scores that are no numbers. Set {self._model.setting} to another model."
            )
        return scores

    def _cut(self, question: str) -> str:
        """Cut a long question, so that there is room for a text."""
        loaded = self._model.load()
        with self._model.computing:
            pieces = loaded.flag.tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)
        offsets, longest = pieces["offset_mapping"], loaded.max_tokens * 3 // 4
        return question if len(offsets) <= longest else question[: offsets[longest - 1][1]]

    def _make(self, folder: str, device: str) -> tuple[Any, Any]:
        from FlagEmbedding import FlagReranker

        flag = FlagReranker(folder, use_fp16=_is_gpu(device), devices=[device])
        kinds = flag.model.config.architectures or []
        if flag.model.config.num_labels != 1 or not any(kind.endswith("ForSequenceClassification") for kind in kinds):
            # transformers gives such a model a head of random weights, with only a warning.
            raise RerankerUnavailable(
                f"{self._model.model} is no reranker: set {self._model.setting} to one, such as bge-reranker-v2-m3."
            )
        if _is_gpu(device):
            flag.model.half()
        return flag, flag.model


def _make_embedder(folder: str, device: str) -> tuple[Any, Any]:
    from FlagEmbedding import BGEM3FlagModel

    # With use_fp16 on the CPU it would round the weights to half precision and compute in single precision.
    flag = BGEM3FlagModel(folder, use_fp16=_is_gpu(device), devices=[device])
    return flag, flag.model.model


def _compute_vectors(model: _LoadedModel, texts: list[str]) -> Vectors:
    inputs = model.flag.tokenizer(
        texts, padding=True, truncation=True, max_length=model.max_tokens, return_tensors="pt"
    ).to(model.device)
    dense: Vectors = model.flag.model(inputs, return_dense=True)["dense_vecs"].float().cpu().numpy()
    return dense


def _compute_logits(model: _LoadedModel, question: str, texts: list[str]) -> Vectors:
    inputs = model.flag.tokenizer(
        [question] * len(texts),
        texts,
        padding=True,
        truncation="only_second",
        max_length=model.max_tokens,
        return_tensors="pt",
    ).to(model.device)
    logits: Vectors = model.flag.model(**inputs, return_dict=True).logits.view(-1).float().cpu().numpy()
    return logits


@dataclass(frozen=True, slots=True)
class _LoadedModel:
    """A loaded model. ``flag``: FlagEmbedding's object. ``batch``: number of texts of a batch."""

    flag: Any
    encoder: Any
    device: str
    name: str
    max_tokens: int
    batch: int


class _FlagModel:
    """A model that is loaded once, at its first use in any thread. After a failure, the next use tries again.

    ``make``: returns FlagEmbedding's object and its encoder for a folder and a device. ``advice``: what to do if memory
    runs out, besides freeing some. ``computing``: a lock that is held while a batch is computed.
    """

    def __init__(
        self,
        model: str,
        setting: str,
        unavailable: type[WikiWhyError],
        make: Callable[[str, str], tuple[Any, Any]],
        advice: str,
    ) -> None:
        self.model = model
        self.setting = setting
        # Tokenizers refuse a second thread ("Already borrowed"), and torch's threads would compete for the cores.
        self.computing = threading.Lock()
        self._unavailable = unavailable
        self._make = make
        self._advice = advice
        self._loading = threading.Lock()
        self._loaded: _LoadedModel | None = None

    def load(self) -> _LoadedModel:
        """Return the model, and load it if necessary.

        Raises ``unavailable`` if the extra is not installed, or if the weights cannot be downloaded or loaded.
        """
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def compute(self, texts: Sequence[str], compute_batch: Callable[[_LoadedModel, list[str]], Vectors]) -> Vectors:
        """Return a row for each text, in order. Texts of similar length form a batch, which needs the least padding."""
        loaded = self.load()
        import torch

        cleaned = [remove_unencodable(text) for text in texts]
        by_length = sorted(range(len(texts)), key=lambda index: len(cleaned[index]))
        batches: list[Vectors] = []
        for start in range(0, len(texts), loaded.batch):
            with self.computing, torch.inference_mode():
                batch = [cleaned[index] for index in by_length[start : start + loaded.batch]]
                try:
                    batches.append(compute_batch(loaded, batch))
                except RuntimeError as cause:
                    raise self._unavailable(
                        f"{loaded.name} failed on {loaded.device}: {_get_first_line(cause)}. "
                        f"If that is a lack of memory, free some, or {self._advice}."
                    ) from cause
        rows = np.concatenate(batches)
        rows[by_length] = rows.copy()
        return rows

    def _load(self) -> _LoadedModel:
        try:
            _import_quietly()
            device = _choose_device()
        except (ImportError, OSError) as cause:  # OSError: a missing library of torch
            raise self._unavailable(
                f"{self.model} needs FlagEmbedding and torch, which are not installed ({cause}). {_INSTALL}."
            ) from cause
        folder = self._find_folder()
        try:
            flag, encoder = self._make(folder, device)
            flag.model.to(device).eval()
            name = f"{Path(self.model).name}/{_digest_weights(encoder)}/{'fp16' if _is_gpu(device) else 'fp32'}"
            # XLM-RoBERTa's positions start after the padding's id, so two are unused.
            max_tokens = min(MAX_TOKENS, int(encoder.config.max_position_embeddings) - 2)
        except self._unavailable:
            raise
        except Exception as cause:  # the library may raise anything
            raise self._unavailable(
                f"{self.model} cannot be loaded from {folder}: {_get_first_line(cause)}. Set {self.setting} to a "
                "folder with this kind of model, or delete that folder to have it downloaded again."
            ) from cause
        return _LoadedModel(flag, encoder, device, name, max_tokens, batch=32 if _is_gpu(device) else 8)

    def _find_folder(self) -> str:
        """Return the folder with the weights. Uses the network only for files that are not on this machine yet."""
        model, setting = self.model, self.setting
        path = Path(model).expanduser()
        if path.is_dir():
            return str(path)
        if path.is_absolute() or model.startswith((".", "~")) or model.count("/") != 1:
            raise self._unavailable(
                f"{setting}: there is no folder {model}. Name one with the model, or its name on the Hub."
            )
        from huggingface_hub import snapshot_download

        try:
            folder = snapshot_download(model, local_files_only=True)
            if _is_complete(Path(folder)):
                return str(folder)
        except Exception:
            logger.debug("%s is not in the cache", model, exc_info=True)
        logger.info("Downloading %s; this can take minutes", model)
        try:
            return str(snapshot_download(model, allow_patterns=_FILES))
        except Exception as cause:
            raise self._unavailable(
                f"The weights of {model} cannot be downloaded from the Hugging Face Hub: {_get_first_line(cause)}. "
                f"Where they can, run `hf download {model} --local-dir FOLDER`, and set {setting} to that folder."
            ) from cause


def _import_quietly() -> None:
    """Import the libraries, and disable their progress bars and advice on standard error."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # otherwise it warns whenever the process forks
    import FlagEmbedding  # noqa: F401 - raises ImportError if it is missing
    from huggingface_hub.utils import disable_progress_bars
    from transformers.utils import logging as transformers_logging

    disable_progress_bars()
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()


def _choose_device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _is_gpu(device: str) -> bool:
    return device.startswith("cuda")


def _is_complete(folder: Path) -> bool:
    """Whether an earlier download was complete."""
    weights = [*folder.glob("*.safetensors"), *folder.glob("*.bin")]
    return bool(weights) and (folder / "config.json").exists() and (folder / "tokenizer.json").exists()


def _digest_weights(encoder: Any) -> str:
    """Return 8 hex digits of a hash of a few values of every tensor, to distinguish weights with the same name."""
    digest = hashlib.sha256()
    for _, values in sorted(encoder.state_dict().items()):
        digest.update(values.flatten()[:64].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:8]


def _get_first_line(cause: BaseException) -> str:
    """Return the first line of a library's error, which may have several paragraphs."""
    first = next((line.strip() for line in str(cause).splitlines() if line.strip()), type(cause).__name__)
    return first.rstrip(".")[:300]
