"""A language model with a cache on disk, so that an interrupted benchmark can continue."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

from core.model import Prompt, Usage
from core.ports.models import Generation, LanguageModel, Sampling, TextListener


class CachedModel:
    """A model whose generations are cached in ``folder`` by prompt and sampling. Failed calls are not cached.

    For benchmarks only, since it does not notice a new model of the same name. ``fresh``: ignore cached texts.
    """

    def __init__(self, model: LanguageModel, folder: Path, served_by: str, fresh: bool = False) -> None:
        """``served_by``: distinguishes models of the same name."""
        self._model = model
        self._folder = folder
        self._served_by = served_by
        self._fresh = fresh
        self.asked = 0
        """The number of calls that the model itself answered."""

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def context_tokens(self) -> int:
        return self._model.context_tokens

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Raises what the model raises."""
        kept = self._folder / f"{self._key(prompt, sampling)}.json"
        if kept.is_file() and not self._fresh:
            generation = _read(kept)
            if on_text:
                on_text(generation.text)
            return generation
        generation = await self._model.generate(prompt, sampling, on_text)
        self.asked += 1
        self._folder.mkdir(parents=True, exist_ok=True)
        half = kept.with_suffix(f".{os.getpid()}")
        half.write_text(json.dumps(asdict(generation), ensure_ascii=False), "utf-8")
        half.replace(kept)
        return generation

    def _key(self, prompt: Prompt, sampling: Sampling) -> str:
        asked = (self._served_by, self.name, asdict(prompt), asdict(sampling))
        return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).hexdigest()


def _read(path: Path) -> Generation:
    kept = json.loads(path.read_text("utf-8"))
    return Generation(kept["text"], kept["finished"], Usage(**kept["usage"]))
