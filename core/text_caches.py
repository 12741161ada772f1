"""Caches whose keys or values may have text of pages or people. An erasure clears all of them.

A cache is registered when it is made, so that none can be forgotten.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import _lru_cache_wrapper, lru_cache
from typing import Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class TextCache(Protocol):
    """A cache that is not a function's."""

    def clear(self) -> None: ...


_of_functions: list[_lru_cache_wrapper[object]] = []
_others: WeakSet[TextCache] = WeakSet()
_lock = threading.Lock()  # of the others, which several threads make


def cache_texts(most: int) -> Callable[[Callable[..., T]], _lru_cache_wrapper[T]]:
    """Cache the last results of a function whose arguments may have text. ``most``: of the results."""

    def decorate(function: Callable[..., T]) -> _lru_cache_wrapper[T]:
        cached = lru_cache(maxsize=most)(function)
        _of_functions.append(cached)
        return cached

    return decorate


def register_text_cache(cache: TextCache) -> None:
    """Let erasures clear this cache, as long as it exists."""
    with _lock:
        _others.add(cache)


def clear_text_caches() -> None:
    """Clear all caches of this process that may have text."""
    for cached in _of_functions:
        cached.cache_clear()
    with _lock:
        others = list(_others)
    for other in others:
        other.clear()
