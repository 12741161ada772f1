"""Files and folders that only their owner may read, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private_folder(path: Path) -> None:
    """Creates a folder, and those above it that are missing, for this user alone; one that is there stays as it is."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        folder.chmod(FOLDER_MODE)


def make_private_file(path: Path) -> None:
    """Creates an empty file for this user alone, unless there is one.

    A database file is made so before SQLite opens it: its journals get the permissions that the file has.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def write_private(path: Path, content: str) -> None:
    """Writes a text file that this user alone may read; one that is there loses what others might do with it."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "w", encoding="utf-8") as file:
        with suppress(PermissionError):  # somebody else's file, which we may write
            os.fchmod(file.fileno(), FILE_MODE)
        file.write(content)


def is_private(path: Path) -> bool:
    """Whether nobody but its owner (and root) may do anything with it."""
    return not stat.S_IMODE(path.lstat().st_mode) & _OTHERS


def find_public_files(path: Path) -> Iterator[Path]:
    """What others may use: the file or folder, or anything in a folder that they may enter. Links are not followed."""
    if not is_private(path) and not path.is_symlink():
        yield path
        if path.is_dir():
            for child in path.iterdir():
                yield from find_public_files(child)


def make_private(path: Path) -> None:
    """Takes a file, or a folder with all that is in it, from others. What belongs to somebody else stays as it is."""
    with suppress(OSError):  # it may be gone by now
        if path.is_symlink():
            return
        if path.is_dir():
            for child in path.iterdir():
                make_private(child)
        if not is_private(path):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~_OTHERS)
