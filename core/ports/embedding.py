"""Embedding: texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), rows L2-normalised."""


class Embedder(Protocol):
    """Turns texts into vectors. Queries and passages differ for models trained that way (e5).

    All members may raise :class:`core.errors.EmbedderUnavailable`.
    """

    @property
    def name(self) -> str:
        """Names model AND numerics: two embedders with one name give interchangeable vectors."""
        ...

    @property
    def dimension(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...
