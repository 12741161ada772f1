"""Files that documents of a folder name as attached to their pages."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.indexing.files import FileTexts
from core.model import AttachedFile
from core.ports.files import FILE_READING_VERSION, MOST_FILE_BYTES, FileUnavailable


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file as it is now. ``version`` of ``file``: "" where it cannot be read."""

    file: AttachedFile
    path: Path
    size: int | None


def find_files(document: dict[str, object], folder: Path, page_url: str) -> Iterator[FolderFile]:
    """The files that a document names, as far as they are in the folder or below it."""
    listed = document.get("attachments")
    for item in listed if isinstance(listed, list) else ():
        given = item if isinstance(item, dict) else {"file": item}
        name = given.get("file")
        if not isinstance(name, str) or not name.strip():
            continue
        path = (folder / name).resolve()
        url = given.get("url")
        version, size = _version(path) if path.is_relative_to(folder.resolve()) else ("", None)
        file = AttachedFile(f"file:{name}", path.name, version, url if isinstance(url, str) else page_url)
        yield FolderFile(file, path, size)


def _version(path: Path) -> tuple[str, int | None]:
    try:
        size = path.stat().st_size
        if size > MOST_FILE_BYTES:
            return f"{FILE_READING_VERSION}.{size} bytes", size
        return f"{FILE_READING_VERSION}.{hashlib.sha256(path.read_bytes()).hexdigest()}", size
    except OSError:
        return "", None


async def read_file(texts: FileTexts, page_id: str, found: FolderFile) -> AttachedFile:
    """The file with its text."""
    return await texts.add_text(page_id, found.file, found.size, _fetch(found))


def _fetch(found: FolderFile) -> Callable[[int], Awaitable[bytes]]:
    async def fetch(most: int) -> bytes:
        if not found.file.version:
            raise FileUnavailable("is not in the folder, or cannot be opened.")
        try:
            with found.path.open("rb") as file:
                return file.read(most + 1)
        except OSError as error:
            raise FileUnavailable(f"cannot be read: {error.strerror}.") from error

    return fetch
