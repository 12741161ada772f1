"""A data directory with the synced sample wiki, made once and copied from then on: a sync takes 20 seconds."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import platformdirs
from chromadb.api.shared_system_client import SharedSystemClient
from filelock import FileLock

from adapters.embedding.late_interaction import E5WordMatcher
from adapters.folder.wiki import FolderWiki
from bot.settings import Settings
from bot.wiring import now, open_application
from core.ports.models import TokenVectors, Vectors

_ROOT = Path(__file__).parents[2]
_DOCUMENTS = _ROOT / "samples" / "documents"
_DEPENDS_ON = [
    "samples/documents", "adapters/embedding", "adapters/files", "adapters/folder", "adapters/index", "adapters/store",
    "core/evidence", "core/indexing", "core/model.py", "core/retrieval/entries.py", "core/text.py", "migrations",
    "bot/settings.py", "bot/wiring.py", "tests/servers/sample_data.py",
]  # fmt: skip
_EMBEDDING = ["adapters/embedding"]  # what the vectors of a text depend on
_KEPT = 10  # directories of earlier versions, and of other checkouts


def copy_sample_data(folder: Path) -> Path:
    """Makes ``folder`` a data directory with all sample spaces synced, and returns it."""
    shutil.copytree(_synced(), folder)
    return folder


def _synced() -> Path:
    """The one in the user's cache, made anew where anything that it depends on has changed."""
    caches = Path(platformdirs.user_cache_dir("wikiwhy")) / "sample-data"
    folder = caches / _digest(_DEPENDS_ON)
    caches.mkdir(parents=True, exist_ok=True)
    with FileLock(caches / ".lock"):
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            asyncio.run(_sync(part, caches / f"{_digest(_EMBEDDING)}.npz"))
            SharedSystemClient.clear_system_cache()  # chromadb remembers what it opened
            part.rename(folder)
            others = sorted((path for path in caches.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
            for old in others[:-_KEPT]:
                shutil.rmtree(old)
    return folder


class _KnownTexts:
    """What the default matcher makes of texts at sync; of some an earlier run has left it in a file."""

    def __init__(self, file: Path, matcher: E5WordMatcher) -> None:
        self._file, self._matcher = file, matcher
        self.name, self.embedder = matcher.name, matcher.embedder
        self._known: dict[str, tuple[Vectors, TokenVectors]] = {}
        if file.exists():
            with np.load(file) as kept:
                tokens = np.split(kept["tokens"], np.cumsum(kept["lengths"])[:-1])
                found = zip(kept["vectors"], (each.tobytes() for each in tokens), strict=True)
                self._known = dict(zip(kept["texts"].tolist(), found, strict=True))

    async def embed(self, texts: Sequence[str]) -> tuple[Vectors, list[TokenVectors]]:
        new = [text for text in texts if text not in self._known]
        vectors, tokens = await self._matcher.embed(new)
        self._known.update(zip(new, zip(vectors, tokens, strict=True), strict=True))
        found = [self._known[text] for text in texts]
        return np.stack([vector for vector, _ in found]), [tokens for _, tokens in found]

    def save(self) -> None:
        vectors, tokens = zip(*self._known.values(), strict=True)
        np.savez(
            self._file,
            texts=np.array(list(self._known)),
            vectors=np.stack(vectors),
            tokens=np.frombuffer(b"".join(tokens), np.uint8),
            lengths=np.array([len(each) for each in tokens]),
        )


async def _sync(folder: Path, vectors: Path) -> None:
    with open_application(Settings(data_dir=folder)) as application:
        known = _KnownTexts(vectors, application.matcher)
        application.__dict__["matcher"] = known  # the cached property
        wiki = FolderWiki(_DOCUMENTS, files=application.file_texts)
        for space in await wiki.spaces():
            await application.synchroniser().sync_all(wiki, [space], now(), lambda progress: None)
    known.save()


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
