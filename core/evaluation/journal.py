"""What an evaluation has done so far, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

from typing import Protocol, TypeVar

T = TypeVar("T")


class Journal(Protocol[T]):
    """Results by key. What is put is there after a crash."""

    def get(self, key: str) -> T | None: ...

    def put(self, key: str, value: T) -> None: ...


class MemoryJournal(dict[str, T]):
    """A journal that ends with the process."""

    def put(self, key: str, value: T) -> None:
        self[key] = value
