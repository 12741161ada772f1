"""Damaged indexes: their error message, and a check of chromadb's files before they are opened.

chromadb's native code does not validate its files: a damaged link ends the process with a segmentation fault. So a
child process opens the files first and searches them: once for all entries, which follows every link of the graph's
lowest level, and for a thousand entries each, which follows links above it. The check takes about a second, mostly for
importing chromadb. It is skipped if the files have not changed since a process closed or checked them.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from adapters.private_files import write_private
from core.errors import IndexDamaged

_RECORD = "checked.json"
_SEARCHES = 1000
_SECONDS = 600.0


def make_damage_error(index: str, place: str, cause: str) -> IndexDamaged:
    """Return the error for an index that cannot be used."""
    return IndexDamaged(
        f"The {index} index {place} cannot be used: {cause}. Check that there is room and it can be written, then run "
        "`wikiwhy db rebuild-index`: it makes the indexes anew from the database."
    )


def find_damage(folder: Path) -> str | None:
    """Return why chromadb's files in a folder must not be opened, None if they can be opened."""
    if _list_files(folder) == _read_record(folder):
        return None
    command = [sys.executable, "-m", "adapters.index.damage", str(folder)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)  # noqa: S603 - this module
    except subprocess.TimeoutExpired:
        return f"opening it does not end within {_SECONDS:g} seconds"
    if ran.returncode < 0:
        return f"opening it ends the process ({signal.Signals(-ran.returncode).name})"
    if ran.returncode > 0:
        return ran.stderr.strip().rpartition("\n")[2][:300] or "it cannot be opened"
    record_files(folder)
    return None


def record_files(folder: Path) -> None:
    """Record the state of the files as undamaged."""
    with suppress(OSError):  # without the record they are checked next time
        write_private(folder / _RECORD, json.dumps(_list_files(folder)))


def _read_record(folder: Path) -> object:
    try:
        return json.loads((folder / _RECORD).read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None


def _list_files(folder: Path) -> dict[str, list[int]]:
    """Return file name to size and time of change, of the files of all segments."""
    found = {str(path.relative_to(folder)): path.stat() for path in sorted(folder.glob("*/*"))}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in found.items()}


def _open_and_search(folder: str) -> None:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(folder, settings=Settings(anonymized_telemetry=False))
    offset = 0
    while page := client.list_collections(limit=500, offset=offset):
        for collection in page:
            vectors = collection.get(limit=_SEARCHES, include=["embeddings"])["embeddings"]
            if vectors is not None and len(vectors):
                collection.query(query_embeddings=vectors[:1], n_results=collection.count(), include=[])
                collection.query(query_embeddings=vectors, n_results=1, include=[])
        offset += len(page)


if __name__ == "__main__":
    _open_and_search(sys.argv[1])
