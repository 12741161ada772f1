"""Exact search among vectors in memory, for collections that are small."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.ports.models import Vectors

_EXCLUDED = -2.0


@dataclass(frozen=True, slots=True)
class FlatVectors:
    """The entries of a collection. ``vectors``: shape (entries, dimension). ``access``: of each, "" if it is open."""

    keys: tuple[str, ...]
    vectors: Vectors
    access: tuple[str, ...]

    def admit(self, access: Collection[str]) -> np.ndarray:
        """Return per entry whether a filter with these access ids admits it."""
        return np.array([not each or each in access for each in self.access], bool)


class VectorCache:
    """The vectors of collections, by name. May be used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[str, FlatVectors] = {}
        self._dropped = 0

    def get(self, name: str, load: Callable[[], FlatVectors]) -> FlatVectors:
        """Return the vectors of a collection, loaded if they are not cached."""
        with self._lock:
            found, dropped = self._loaded.get(name), self._dropped
        if found is not None:
            return found
        loaded = load()
        with self._lock:
            if dropped == self._dropped:  # else the collection may have changed while it was read
                self._loaded[name] = loaded
        return loaded

    def drop(self, name: str) -> None:
        """Forget the vectors of a collection after it has changed."""
        with self._lock:
            self._loaded.pop(name, None)
            self._dropped += 1


def find_nearest(
    collections: Sequence[FlatVectors], vector: Vectors, access: Collection[str], limit: int
) -> list[tuple[str, float]]:
    """Return keys and cosines of the nearest admitted entries, best first, ties by key. ``vector``: (dimension,).

    Raises ValueError for vectors of another dimension.
    """
    compared: list[tuple[FlatVectors, np.ndarray]] = []
    for each in collections:
        if not each.keys:
            continue
        if each.vectors.shape[1] != len(vector):
            raise ValueError(f"its vectors have dimension {each.vectors.shape[1]}, the question's {len(vector)}")
        cosines = np.einsum("ed,d->e", each.vectors, vector)  # unlike BLAS the same for equal vectors, on one thread
        if any(each.access):
            cosines = np.where(each.admit(access), cosines, _EXCLUDED)
        compared.append((each, cosines))
    least = _find_least([cosines for _, cosines in compared], limit)
    found = [
        (each.keys[at], float(cosines[at]))
        for each, cosines in compared
        for at in np.flatnonzero((cosines >= least) & (cosines > _EXCLUDED)).tolist()
    ]
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]


def _find_least(cosines: Sequence[np.ndarray], limit: int) -> float:
    """Return the lowest of the ``limit`` highest cosines of all collections, or of all if there are fewer."""
    together = np.concatenate([np.empty(0, np.float32), *cosines])
    return float(np.partition(together, -limit)[-limit]) if len(together) > limit else -np.inf
