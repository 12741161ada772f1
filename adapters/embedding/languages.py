"""Removing the language component from the vector of a question.

Vectors of multilingual-e5-small encode the language of a text, which ranks pages in the question's language before
better answers in another language. The language subspace is spanned by the differences between the mean vectors of the
same sentences in several languages (as in Yang et al., 2021, https://aclanthology.org/2021.emnlp-main.612, who remove
it from all vectors). Removing it from the question is enough, because then it does not contribute to a dot product.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np

from adapters.embedding.cached import CachedEmbedder
from adapters.embedding.e5 import E5Embedder
from core.ports.models import Embedder, Vectors
from core.retrieval.retriever import VectorFilter, keep_unchanged

DIRECTIONS = "language_directions.npy"
"""Shape (3, 384), orthonormal: English, German, French and Spanish. `python -m benchmarks.language_directions`."""


def find_language_removal(embedder: Embedder) -> VectorFilter:
    """Return the function that removes the language from this embedder's vectors; only for e5 it does anything."""
    while isinstance(embedder, CachedEmbedder):
        embedder = embedder.model
    return remove_language if isinstance(embedder, E5Embedder) else keep_unchanged


def remove_language(vectors: Vectors) -> Vectors:
    """Return the vectors, shape (n, 384), without the language component, L2-normalised."""
    directions = _load_directions()
    rest = vectors - (vectors @ directions.T) @ directions
    left: Vectors = rest / np.linalg.norm(rest, axis=1, keepdims=True)
    return left


@cache
def _load_directions() -> Vectors:
    with files("adapters.embedding").joinpath(DIRECTIONS).open("rb") as file:
        directions: Vectors = np.load(file, allow_pickle=False)
    return directions
