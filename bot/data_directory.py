"""The data directory, its one owner, and where an owner that is a server takes requests.

The embedded database and indexes serve one process. The owner holds a lock on a file in the directory, which the
operating system releases even after kill -9.
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
        """The erasure log, where no setting names another file."""
        return self.path / "erasures.log"

    @property
    def evaluations(self) -> Path:
        return self.path / "evaluate"

    @property
    def databases(self) -> list[Path]:
        """The databases and indexes that exist, with SQLite's files beside them: what PostgreSQL has otherwise."""
        files = [f"{part.name}*" for part in (self.database, self.lexical_index, self.workflows)]
        return self._find([*files, self.dense_index.name])

    @property
    def parts(self) -> list[Path]:
        """WikiWhy's files that exist, and nothing else."""
        return self.databases + self._find([self.evaluations.name, self.erasures.name, "admin.*", "owner.*"])

    def _find(self, patterns: list[str]) -> list[Path]:
        return [path for pattern in patterns for path in sorted(self.path.glob(pattern))]


@contextmanager
def own_directory(path: Path, wait_seconds: float = _WAIT_SECONDS) -> Iterator[DataDirectory]:
    """Creates the directory if need be and owns it. Raises DataDirectoryUnusable or DataDirectoryInUse."""
    _create(path)
    owner = path / "owner.json"
    lock = FileLock(path / "owner.lock")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise DataDirectoryInUse(
            f"{path} is in use by {_owner(owner)}. Wait until that is done or stop it, or name another --data-dir."
        ) from error
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        _sign(path, owner)
        directory = DataDirectory(path)
        keep_private(directory)
        directory.admin.unlink(missing_ok=True)  # of a server that was killed
        yield directory
    finally:
        with suppress(OSError):  # a file left behind does no harm: only the lock counts
            owner.unlink(missing_ok=True)
        lock.release()


def _sign(path: Path, owner: Path) -> None:
    """Writes who owns the directory, for the error message of other commands."""
    command = " ".join(["wikiwhy", *sys.argv[1:]])[:200]
    try:
        write_private(owner, json.dumps({"pid": os.getpid(), "command": command}))
    except OSError as error:
        raise _unusable(path, error) from error


def _create(path: Path) -> None:
    try:
        make_private_folder(path)
    except OSError as error:
        raise _unusable(path, error) from error
    check_writable(path)


def keep_private(directory: DataDirectory) -> None:
    """Removes permissions of other users, which an earlier version left to the umask.

    The directory itself stays open to a group that it was given to, say for a backup that runs as root in it: what is
    in there is for its owner alone. A directory that everybody may write and only owners delete from, as /tmp, is not
    ours to close.
    """
    for part in directory.parts:
        make_private(part)
    mode = stat.S_IMODE(directory.path.stat().st_mode)
    if mode & stat.S_IRWXO and not mode & stat.S_ISVTX:
        with suppress(OSError):  # somebody else's, as a volume of Kubernetes that we may use as a group
            directory.path.chmod(mode & ~stat.S_IRWXO)


def open_to_others(directory: DataDirectory) -> list[Path]:
    """The files that other users may read or write."""
    return [found for part in directory.parts for found in find_public_files(part)]


def check_writable(path: Path) -> None:
    """Raises DataDirectoryUnusable unless this directory can be read and written."""
    try:
        next(path.iterdir(), None)
    except OSError as error:
        raise _unusable(path, error) from error
    if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        raise DataDirectoryUnusable(_advice(path, "you may not read and write it"))


def _unusable(path: Path, error: OSError) -> DataDirectoryUnusable:
    if isinstance(error, FileExistsError | NotADirectoryError):
        return DataDirectoryUnusable(
            f"The data directory {path} cannot be used: a file is in its place. Move the file away, or name another "
            "directory with --data-dir."
        )
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DataDirectoryUnusable(
            f"The data directory {path} cannot be used: the disk is full. Make room, or name another with --data-dir."
        )
    return DataDirectoryUnusable(_advice(path, (error.strerror or str(error)).lower()))


def _advice(path: Path, cause: str) -> str:
    return f"The data directory {path} cannot be used: {cause}. Correct that, or name another one with --data-dir."


def delete(path: Path) -> None:
    """Deletes a file or a folder with all that is in it, if it is there. Raises DataDirectoryUnusable."""
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise DataDirectoryUnusable(f"{path} cannot be deleted: {error.strerror}. Delete it by hand.") from error


def owner_of(path: Path) -> str:
    """The process that owns a data directory, for people; "" if none does. Changes nothing there."""
    lock = FileLock(path / "owner.lock")
    if not (path / "owner.lock").exists():
        return ""
    try:
        with lock.acquire(timeout=0):
            return ""
    except Timeout:
        return _owner(path / "owner.json")


def owner_pid(path: Path) -> int:
    """The pid that the last owner of a data directory signed with; 0 if none did. Changes nothing there."""
    try:
        return int(json.loads((path / "owner.json").read_text("utf-8"))["pid"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _owner(path: Path) -> str:
    try:
        owner = json.loads(path.read_text("utf-8"))
        return f"another process ({owner['command']}, pid {owner['pid']})"
    except (OSError, ValueError, KeyError, TypeError):  # it is just starting or ending
        return "another process"


def read_home(directory: DataDirectory) -> str:
    """The directory's place and a number of its own, the same at each start. Raises DataDirectoryUnusable.

    With its place: a copy on the same machine has the number too, and two bots would keep replacing each other.
    """
    path = directory.path / "owner.id"
    try:
        if not path.exists():
            write_private(path, secrets.token_hex(8))
        return f"{directory.path.resolve()}:{path.read_text('utf-8').strip()}"
    except OSError as error:
        raise _unusable(directory.path, error) from error


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the server that owns a directory takes requests of this user's other commands.

    ``token``: proves that a request comes from this user. ``version``: of the server's program.
    """

    port: int  # of 127.0.0.1
    token: str
    pid: int
    version: str

    def __repr__(self) -> str:
        """Without the token, which belongs in no log or traceback."""
        return f"ServerAddress(port={self.port}, pid={self.pid})"


def publish_address(directory: DataDirectory, address: ServerAddress) -> None:
    """Writes the address into the directory, for this user only. Raises OSError."""
    part = directory.admin.with_suffix(".part")
    part.unlink(missing_ok=True)  # or it would keep its permissions for a moment
    write_private(part, json.dumps(asdict(address)))
    part.replace(directory.admin)


def withdraw_address(directory: DataDirectory) -> None:
    """Removes the address. Raises OSError."""
    directory.admin.unlink(missing_ok=True)


def find_running_server(path: Path) -> ServerAddress | None:
    """The address of the server that owns this data directory now; None if none does. Changes nothing."""
    try:
        found = json.loads(DataDirectory(path).admin.read_text("utf-8"))
        address = ServerAddress(int(found["port"]), str(found["token"]), int(found["pid"]), str(found["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A server that was killed leaves the file behind, and by now the directory may have another owner, or none.
    return address if owner_of(path) and owner_pid(path) == address.pid else None
