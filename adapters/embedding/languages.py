"""Takes the language out of the vector of a question.

Vectors of multilingual-e5-small say in which language a text is, so that pages in the question's language are found
before those that answer it. The part that says so is the span of the differences between the mean vectors of the same
sentences in several languages (as in Yang et al., 2021, https://aclanthology.org/2021.emnlp-main.612, who take it out
of all vectors). To take it out of the question is enough: a dot product has no part of the other vector along it then.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

import numpy as np

from adapters.embedding.e5 import E5Embedder
from core.ports.models import Embedder, Vectors
from core.retrieval.retriever import keep_unchanged

DIRECTIONS = "language_directions.npy"
"""Shape (3, 384), orthonormal: English, German, French and Spanish. `python -m benchmarks.language_directions`."""


def find_language_removal(embedder: Embedder) -> Callable[[Vectors], Vectors]:
    """What removes the language from this embedder's vectors; of others than e5 nothing is known."""
    return remove_language if isinstance(embedder, E5Embedder) else keep_unchanged


def remove_language(vectors: Vectors) -> Vectors:
    """The vectors, shape (n, 384), without the part along the directions of languages; length 1."""
    directions = _load_directions()
    rest = vectors - (vectors @ directions.T) @ directions
    left: Vectors = rest / np.linalg.norm(rest, axis=1, keepdims=True)
    return left


def find_directions(means: Vectors) -> Vectors:
    """Orthonormal directions in which the mean vectors of n languages differ: shape (n - 1, dimension)."""
    _, _, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    return np.asarray(directions[: len(means) - 1], np.float32)


@cache
def _load_directions() -> Vectors:
    with files("adapters.embedding").joinpath(DIRECTIONS).open("rb") as file:
        directions: Vectors = np.load(file, allow_pickle=False)
    return directions
