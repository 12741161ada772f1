"""Files and folders that only their owner may read, independent of the umask."""

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
    """Create a folder and its missing parents for this user alone. Existing folders are not changed."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        folder.chmod(FOLDER_MODE)


def make_private_file(path: Path) -> None:
    """Create an empty file for this user alone, unless it exists.

    Used for database files before SQLite opens them, because SQLite gives its journals the permissions of the file.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE_MODE))


def write_private(path: Path, content: str) -> None:
    """Write a text file for this user alone. Other users lose their permissions on an existing file."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE), "w", encoding="utf-8") as file:
        with suppress(PermissionError):  # another user's file that this user may write
            os.fchmod(file.fileno(), FILE_MODE)
        file.write(content)


def is_private(path: Path) -> bool:
    """Whether only the owner (and root) has permissions."""
    return not stat.S_IMODE(path.lstat().st_mode) & _OTHERS


def find_public_files(path: Path) -> Iterator[Path]:
    """Yield the file or folder, and the content of a folder, if other users may access it. Links are not followed."""
    if not is_private(path) and not path.is_symlink():
        yield path
        if path.is_dir():
            for child in path.iterdir():
                yield from find_public_files(child)


def make_private(path: Path) -> None:
    """Remove the permissions of other users from a file, or a folder and its content. Other users' files stay as is."""
    with suppress(OSError):  # it may be deleted meanwhile
        if path.is_symlink():
            return
        if path.is_dir():
            for child in path.iterdir():
                make_private(child)
        if not is_private(path):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~_OTHERS)
