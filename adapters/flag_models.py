"""Loading bge models by FlagEmbedding: once, without output, and named by their weights.

Read in FlagEmbedding 1.4.2 (``inference/embedder/encoder_only/m3.py``, ``inference/reranker/encoder_only/base.py``):
its ``encode`` and ``compute_score`` compute the first batch twice, to find a batch size that fits, and take any
RuntimeError for a lack of memory; they draw progress bars from one full batch on, and on several devices start
processes of their own. The adapters therefore call its tokenizer and model themselves, on one device.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from core.errors import WikiWhyError

logger = logging.getLogger(__name__)

MAX_TOKENS = 1024
"""Of a text, or of a question with a text. The longest evidence with its context has fewer in most scripts."""

# Everything but the copies for other runtimes, which are as large as the weights.
_FILES = ["*.json", "*.safetensors", "*.bin", "*.pt", "*.model"]
_INSTALL = "Run `make setup-bge` (pip: the extra wikiwhy[bge])"

T = TypeVar("T")


class Lazy(Generic[T]):
    """A model that is loaded at its first use, once, whichever thread comes first; a failure is tried again."""

    def __init__(self, load: Callable[[], T]) -> None:
        self._load = load
        self._loading = threading.Lock()
        self._model: T | None = None

    def __call__(self) -> T:
        """The loaded model. Raises what loading raises."""
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model


def load(model: str, setting: str, make: Callable[[str, str], T], unavailable: type[WikiWhyError]) -> T:
    """What ``make`` makes of the model's folder and the device. ``model``: a folder, or a name on the Hugging Face Hub.

    Raises ``unavailable`` where the extra is not installed, or the weights cannot be had or loaded.
    """
    try:
        _quieten()
        device = _device()
    except (ImportError, OSError) as cause:  # OSError: a library that torch is linked to
        raise unavailable(
            f"{model} needs FlagEmbedding and torch, which are not installed ({cause}). {_INSTALL}."
        ) from cause
    folder = _folder(model, setting, unavailable)
    try:
        return make(folder, device)
    except unavailable:
        raise
    except Exception as cause:  # a foreign library may raise anything
        raise unavailable(
            f"{model} cannot be loaded from {folder}: {first_line(cause)}. "
            f"Set {setting} to a folder with this kind of model, or delete that folder to have it downloaded again."
        ) from cause


def weights_digest(model: Any) -> str:
    """8 hex digits that differ between weights of one name, from a few values of every tensor."""
    digest = hashlib.sha256()
    for _, values in sorted(model.state_dict().items()):
        digest.update(values.flatten()[:64].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:8]


def max_tokens(model: Any) -> int:
    """How many tokens a model takes: XLM-RoBERTa counts positions from its padding's on, so two are lost."""
    return min(MAX_TOKENS, int(model.config.max_position_embeddings) - 2)


def first_line(cause: BaseException) -> str:
    """The first line of a foreign error: they print whole paragraphs."""
    first = next((line.strip() for line in str(cause).splitlines() if line.strip()), type(cause).__name__)
    return first.rstrip(".")[:300]


def _quieten() -> None:
    """Imports everything. Their progress bars and advice do not belong on a server's standard error."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # else it warns whenever the process forks
    import FlagEmbedding  # noqa: F401 - whether it is there
    from huggingface_hub.utils import disable_progress_bars
    from transformers.utils import logging as transformers_logging

    disable_progress_bars()
    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()


def _device() -> str:
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _folder(model: str, setting: str, unavailable: type[WikiWhyError]) -> str:
    """The folder with the weights; the network is asked only for what is not on this machine yet."""
    path = Path(model).expanduser()
    if path.is_dir():
        return str(path)
    if path.is_absolute() or model.startswith((".", "~")) or model.count("/") != 1:
        raise unavailable(f"{setting}: there is no folder {model}. Name one with the model, or its name on the Hub.")
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
        raise unavailable(
            f"The weights of {model} cannot be downloaded from the Hugging Face Hub: {first_line(cause)}. "
            f"Where they can, run `hf download {model} --local-dir FOLDER`, and set {setting} to that folder."
        ) from cause


def _is_complete(folder: Path) -> bool:
    """Whether an earlier download reached the files that come last."""
    weights = [*folder.glob("*.safetensors"), *folder.glob("*.bin")]
    return bool(weights) and (folder / "config.json").exists() and (folder / "tokenizer.json").exists()
