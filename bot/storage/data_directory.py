"""The data directory: its paths, its owner, and the address at which a server that owns it takes requests.

One process at a time may open the embedded database and indexes. This owner holds a lock on a file in the directory,
which the operating system releases even after kill -9.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from adapters.private_files import find_public_files, make_private, make_private_folder, write_private
from core.errors import DataDirectoryInUse, DataDirectoryUnusable

_WAIT_SECONDS = 3.0  # long enough for another short command to finish


@dataclass(frozen=True, slots=True)
class DataDirectory:
    """The paths in the data directory."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / "wikiwhy.db"

    @property
    def lexical_index(self) -> Path:
        return self.path / "lexical.db"

    @property
    def dense_index(self) -> Path:
        return self.path / "chroma"

    @property
    def admin(self) -> Path:
        """The address of the server that owns the directory."""
        return self.path / "admin.json"

    @property
    def workflows(self) -> Path:
        """The workflow database."""
        return self.path / "workflows.db"

    @property
    def erasures(self) -> Path:
        """The erasure log, unless the settings name another file."""
        return self.path / "erasures.log"

    @property
    def evaluations(self) -> Path:
        return self.path / "evaluate"

    @property
    def databases(self) -> list[Path]:
        """The existing files of databases and indexes, which PostgreSQL replaces, and SQLite's additional files."""
        files = [f"{part.name}*" for part in (self.database, self.lexical_index, self.workflows)]
        return self._find([*files, self.dense_index.name])

    @property
    def parts(self) -> list[Path]:
        """All existing files of WikiWhy in the directory, and no others."""
        return self.databases + self._find([self.evaluations.name, self.erasures.name, "admin.*", "owner.*"])

    def _find(self, patterns: list[str]) -> list[Path]:
        return [path for pattern in patterns for path in sorted(self.path.glob(pattern))]


@contextmanager
def own_directory(path: Path, wait_seconds: float = _WAIT_SECONDS) -> Iterator[DataDirectory]:
    """Own the directory during the block; create it if needed. Raises DataDirectoryUnusable or DataDirectoryInUse."""
    _create(path)
    owner = path / "owner.json"
    lock = FileLock(path / "owner.lock")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise DataDirectoryInUse(
            f"{path} is in use by {_describe_owner(owner)}. Wait until it has ended or stop it, or name another "
            "directory with --data-dir."
        ) from error
    except OSError as error:
        raise _make_unusable(path, error) from error
    try:
        _sign(path, owner)
        directory = DataDirectory(path)
        keep_private(directory)
        directory.admin.unlink(missing_ok=True)  # left by a server that was killed
        yield directory
    finally:
        with suppress(OSError):  # a leftover file does no harm, since only the lock counts
            owner.unlink(missing_ok=True)
        lock.release()


def _sign(path: Path, owner: Path) -> None:
    """Write the pid and command of this process into the directory, for the error messages of other commands."""
    command = " ".join(["wikiwhy", *sys.argv[1:]])[:200]
    try:
        write_private(owner, json.dumps({"pid": os.getpid(), "command": command}))
    except OSError as error:
        raise _make_unusable(path, error) from error


def _create(path: Path) -> None:
    try:
        make_private_folder(path)
    except OSError as error:
        raise _make_unusable(path, error) from error
    check_writable(path)


def keep_private(directory: DataDirectory) -> None:
    """Remove the permissions of other users, which earlier versions left to the umask.

    The files are for their owner only. The directory itself stays accessible to its group, for example for a backup.
    A sticky directory that everybody may write, such as /tmp, is not changed.
    """
    for part in directory.parts:
        make_private(part)
    mode = stat.S_IMODE(directory.path.stat().st_mode)
    if mode & stat.S_IRWXO and not mode & stat.S_ISVTX:
        with suppress(OSError):  # another user may own it, such as a Kubernetes volume that we use through its group
            directory.path.chmod(mode & ~stat.S_IRWXO)


def find_files_open_to_others(directory: DataDirectory) -> list[Path]:
    """Return the files that other users of the machine may read or write."""
    return [found for part in directory.parts for found in find_public_files(part)]


def check_writable(path: Path) -> None:
    """Raise DataDirectoryUnusable unless this directory can be read and written."""
    try:
        next(path.iterdir(), None)
    except OSError as error:
        raise _make_unusable(path, error) from error
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise DataDirectoryUnusable(_advise(path, "you have no permission to read and write it"))


def _make_unusable(path: Path, error: OSError) -> DataDirectoryUnusable:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return DataDirectoryUnusable(
            f"The data directory {path} cannot be used: a file with this name exists. Move the file away, or name "
            "another directory with --data-dir."
        )
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DataDirectoryUnusable(
            f"The data directory {path} cannot be used: the disk is full. Free some space, or name another directory "
            "with --data-dir."
        )
    return DataDirectoryUnusable(_advise(path, (error.strerror or str(error)).lower()))


def _advise(path: Path, cause: str) -> str:
    return (
        f"The data directory {path} cannot be used: {cause}. Correct this, or name another directory with --data-dir."
    )


def delete(path: Path) -> None:
    """Delete a file or a folder with its content, if it exists. Raises DataDirectoryUnusable."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise DataDirectoryUnusable(f"{path} cannot be deleted: {error.strerror}. Delete it by hand.") from error


def describe_owner(path: Path) -> str:
    """Return the process that owns a data directory, as text for people; "" if none does. Changes nothing."""
    lock = FileLock(path / "owner.lock")
    if not (path / "owner.lock").exists():
        return ""
    try:
        with lock.acquire(timeout=0):
            return ""
    except Timeout:
        return _describe_owner(path / "owner.json")


def read_owner_pid(path: Path) -> int:
    """Return the pid that the last owner of a data directory wrote; 0 if there is none. Changes nothing."""
    try:
        return int(json.loads((path / "owner.json").read_text("utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _describe_owner(path: Path) -> str:
    try:
        owner = json.loads(path.read_text("utf-8"))
        return f"another process ({owner['command']}, pid {owner['pid']})"
    except (OSError, ValueError, KeyError, TypeError):  # the owner is just starting or ending
        return "another process"


def read_home(directory: DataDirectory) -> str:
    """Return an identity of the directory that is the same at each start: its path and a random number.

    The path is part of it because a copy of the directory has the same number: without the path, two bots on one
    machine would keep replacing each other. Raises DataDirectoryUnusable.
    """
    path = directory.path / "owner.id"
    try:
        if not path.exists():
            write_private(path, secrets.token_hex(8))
        return f"{directory.path.resolve()}:{path.read_text('utf-8').strip()}"
    except OSError as error:
        raise _make_unusable(directory.path, error) from error


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address at which the server that owns a directory takes requests of this user's commands.

    ``token``: proves that a request comes from this user. ``version``: the version of WikiWhy that the server runs.
    """

    port: int  # on 127.0.0.1
    token: str
    pid: int
    version: str

    def __repr__(self) -> str:
        """Leave out the token, so that it appears in no log or traceback."""
        return f"ServerAddress(port={self.port}, pid={self.pid})"


def publish_address(directory: DataDirectory, address: ServerAddress) -> None:
    """Write the address into the directory, readable for this user only. Raises OSError."""
    part = directory.admin.with_suffix(".part")
    part.unlink(missing_ok=True)  # an existing file would keep its permissions for a moment
    write_private(part, json.dumps(asdict(address)))
    part.replace(directory.admin)


def withdraw_address(directory: DataDirectory) -> None:
    """Remove the address. Raises OSError."""
    directory.admin.unlink(missing_ok=True)


def find_running_server(path: Path) -> ServerAddress | None:
    """Return the address of the server that owns this data directory now; None if none does. Changes nothing."""
    try:
        found = json.loads(DataDirectory(path).admin.read_text("utf-8"))
        address = ServerAddress(int(found["port"]), str(found["token"]), int(found["pid"]), str(found["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A server that was killed leaves the file, and the directory may have another owner by now, or none.
    return address if describe_owner(path) and read_owner_pid(path) == address.pid else None
