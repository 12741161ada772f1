"""Generated files in the user's cache folder.

A file's name contains a key of its sources and the hash of its content, so that damage is detected. Several processes
may write at the same time, because each writes a temporary file and renames it.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import platformdirs

from adapters.private_files import make_private_folder

logger = logging.getLogger(__name__)

_ASIDE = ".building-"
_UNUSED_SECONDS = 30 * 24 * 3600


def find_cache_folder() -> Path:
    """Return the cache folder of this user."""
    return Path(platformdirs.user_cache_dir("wikiwhy"))


def get_cached_file(folder: Path, key: str, suffix: str, build: Callable[[], bytes]) -> Path | bytes:
    """Return the file for ``key`` in ``folder``, and build it if there is no undamaged one.

    If the folder cannot be written, logs a warning and returns the content itself. Building a file removes other files
    that were not used for a month.
    """
    for path in sorted(folder.glob(f"{key}-*{suffix}")):
        if path.name == _name(key, suffix, _digest(path)):
            with contextlib.suppress(OSError):
                os.utime(path)
            return path
        logger.warning("%s is damaged and is built again", path)
        with contextlib.suppress(OSError):
            path.unlink()
    content = build()
    try:
        path = _write(folder, _name(key, suffix, hashlib.sha256(content).hexdigest()), content)
    except OSError as error:
        logger.warning("%s cannot be written (%s): it is built anew at every start", folder, error.strerror)
        return content
    _remove_unused(folder, suffix)
    return path


def _name(key: str, suffix: str, digest: str) -> str:
    return f"{key}-{digest[:32]}{suffix}"


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unreadable"


def _write(folder: Path, name: str, content: bytes) -> Path:
    make_private_folder(folder)
    handle, aside = tempfile.mkstemp(dir=folder, prefix=_ASIDE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(aside).replace(folder / name)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    return folder / name


def _remove_unused(folder: Path, suffix: str) -> None:
    """Delete old files, including temporary files of processes that were killed while writing."""
    for path in [*folder.glob(f"*{suffix}"), *folder.glob(f"{_ASIDE}*")]:
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _UNUSED_SECONDS:
                path.unlink()
