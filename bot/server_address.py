"""Where the server that owns a data directory takes work: a file in the directory, for those who may read it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from bot.data_directory import DataDirectory, owner_of, owner_pid


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server takes work. ``token``: what work has to prove itself by; ``version``: of the server's program."""

    port: int  # of 127.0.0.1
    token: str
    pid: int
    version: str

    def __repr__(self) -> str:
        """Without the token, which must not get into a log or a traceback."""
        return f"Address(port={self.port}, pid={self.pid})"


def publish(directory: DataDirectory, address: Address) -> None:
    """Writes the address for this user's other commands. Raises OSError."""
    part = directory.admin.with_suffix(".part")
    part.unlink(missing_ok=True)
    # Never for a moment readable by others.
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(address), file)
    part.replace(directory.admin)


def withdraw(directory: DataDirectory) -> None:
    """Takes the address away again. Raises OSError."""
    directory.admin.unlink(missing_ok=True)


def find_running_server(path: Path) -> Address | None:
    """The address of the server that owns this data directory now; None if none does. Changes nothing."""
    try:
        found = json.loads(DataDirectory(path).admin.read_text("utf-8"))
        address = Address(int(found["port"]), str(found["token"]), int(found["pid"]), str(found["version"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # A server that was killed leaves the file behind, and by now the directory may have another owner, or none.
    return address if owner_of(path) and owner_pid(path) == address.pid else None
