"""A data directory with the synced sample wiki, made once and copied from then on: a sync takes 20 seconds."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import platformdirs
from chromadb.api.shared_system_client import SharedSystemClient
from filelock import FileLock

from adapters.folder.wiki import FolderWiki
from bot.settings import Settings
from bot.wiring import now, open_application

_ROOT = Path(__file__).parents[2]
_DOCUMENTS = _ROOT / "samples" / "documents"
_DEPENDS_ON = [
    "samples/documents", "adapters/embedding", "adapters/files", "adapters/folder", "adapters/index", "adapters/store",
    "core/evidence", "core/indexing", "core/model", "core/text.py", "migrations",
    "bot/settings.py", "bot/wiring.py", "tests/servers/sample_data.py",
]  # fmt: skip
_EMBEDDING = ["adapters/embedding"]  # what the vectors of a text depend on
_UNUSED_SECONDS = 30 * 24 * 3600
_KEPT = 10  # directories of earlier versions, and of other checkouts


def copy_sample_data(folder: Path) -> Path:
    """Makes ``folder`` a data directory with all sample spaces synced, and returns it."""
    shutil.copytree(_synced(), folder)
    return folder


def vectors_file() -> Path:
    """The file for the vectors of texts, another one whenever the code that computes them changes."""
    file = _caches() / f"{_digest(_EMBEDDING)}.vectors"
    for old in _caches().glob("*.vectors"):
        if old != file and time.time() - old.stat().st_mtime > _UNUSED_SECONDS:
            old.unlink(missing_ok=True)
    return file


def _caches() -> Path:
    folder = Path(platformdirs.user_cache_dir("wikiwhy")) / "sample-data"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _synced() -> Path:
    """The one in the user's cache, made anew where anything that it depends on has changed."""
    caches, folder = _caches(), _caches() / _digest(_DEPENDS_ON)
    with FileLock(caches / ".lock"):
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            asyncio.run(_sync(part))
            SharedSystemClient.clear_system_cache()  # chromadb remembers what it opened
            part.rename(folder)
            others = sorted((path for path in caches.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
            for old in others[:-_KEPT]:
                shutil.rmtree(old)
    return folder


async def _sync(folder: Path) -> None:
    with open_application(Settings(data_dir=folder)) as application:
        wiki = FolderWiki(_DOCUMENTS, files=application.file_texts)
        for space in await wiki.list_spaces():
            await application.make_synchroniser().sync_all(wiki, [space], now(), lambda progress: None)


def _digest(names: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for path in _files(names):
        digest.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(names: Sequence[str]) -> Iterator[Path]:
    for name in names:
        path = _ROOT / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in found if file.is_file() and "__pycache__" not in file.parts)
