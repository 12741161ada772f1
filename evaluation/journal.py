"""Journals of results by key, so that an interrupted evaluation can continue."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")

ROOT = Path(__file__).parents[1]
_CODE = ("core", "adapters", "prompts", "bot", "evaluation")  # the code on which figures depend


class Journal(Protocol[T]):
    """Results by key."""

    def get(self, key: str) -> T | None: ...

    def put(self, key: str, value: T) -> None: ...


class MemoryJournal(dict[str, T]):
    """A journal in memory."""

    def put(self, key: str, value: T) -> None:
        self[key] = value


class FileJournal(Generic[T]):
    """A file with one JSON line per result, written at once. An incomplete last line after a crash is ignored."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path = path
        self._adapter = TypeAdapter(kind)
        self._kept: dict[str, T] = dict(self._read())

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> T | None:
        return self._kept.get(key)

    def put(self, key: str, value: T) -> None:
        self._kept[key] = value
        line = json.dumps([key, self._adapter.dump_python(value, mode="json")], ensure_ascii=False)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def finish(self) -> None:
        """Remove the file: the work is complete, and the next run starts over."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> Iterator[tuple[str, T]]:
        if not self._path.is_file():
            return
        lines = self._path.read_bytes().split(b"\n")
        if lines[-1]:
            # A crash cut off the last line. End it, so that the next result is not appended to it.
            with self._path.open("ab") as file:
                file.write(b"\n")
        for line in lines:
            try:
                key, value = json.loads(line)
                yield key, self._adapter.validate_python(value)
            except (ValueError, TypeError, ValidationError):
                continue


@contextmanager
def open_journal(folder: Path, kind: type[T], work: Sequence[str], anew: bool = False) -> Iterator[FileJournal[T]]:
    """Open the journal of a task, and remove it after the block. After an error or interrupt it stays for the next run.

    ``work``: everything that the results depend on. ``anew``: ignore the results of an earlier run.
    """
    digest = hashlib.sha256("\x1f".join((kind.__name__, *work)).encode("utf-8", "surrogatepass")).hexdigest()[:24]
    path = folder / f"{digest}.jsonl"
    if anew:
        path.unlink(missing_ok=True)
    opened = FileJournal(path, kind)
    yield opened
    opened.finish()


def digest_code() -> str:
    """Return a digest of the code, committed or not, so that figures of two versions are not mixed."""
    digest = hashlib.sha256()
    for part in _CODE:
        for path in sorted((ROOT / part).rglob("*")):
            if path.suffix in {".py", ".jinja"}:
                digest.update(f"{path.relative_to(ROOT)}\x1f".encode() + path.read_bytes())
    return digest.hexdigest()
