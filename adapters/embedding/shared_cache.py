"""A cache that several threads share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from cachetools import LRUCache

from core.text_caches import register_text_cache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class SharedCache(Generic[K, V]):
    """Caches the last used values, up to a total size. May be used by several threads, unlike ``LRUCache``.

    Keys and values may have text: an erasure clears it.
    """

    def __init__(self, most: float, get_size: Callable[[V], float] = lambda value: 1) -> None:
        self._values: LRUCache[K, V] = LRUCache(most, get_size)
        self._lock = threading.Lock()
        register_text_cache(self)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        with self._lock:
            return self._values.get(key)

    def find(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the cached ones of these keys with their values."""
        with self._lock:
            return {key: self._values[key] for key in keys if key in self._values}

    def add(self, values: Iterable[tuple[K, V]]) -> None:
        """Add values. One that is larger than the cache is ignored."""
        with self._lock:
            for key, value in values:
                if self._values.getsizeof(value) <= self._values.maxsize:
                    self._values[key] = value

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
