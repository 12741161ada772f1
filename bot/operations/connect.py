"""Choose where a command's operations run: in this process, or in the server that owns the data directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bot.operations.operation import LocalOperations, Operations
from bot.settings import Settings
from bot.storage.data_directory import ServerAddress, find_running_server
from bot.wiring import open_application
from core.errors import DataDirectoryInUse


@contextmanager
def open_operations(settings: Settings) -> Iterator[Operations]:
    """Open the operations on the settings' data directory. Raises DataDirectoryInUse if its owner is not a server."""
    with ExitStack() as stack:
        server = find_running_server(settings.data_dir)
        if server is None:
            try:
                application = stack.enter_context(open_application(settings))
            except DataDirectoryInUse:
                server = find_running_server(settings.data_dir)  # it may have just started
                if server is None:
                    raise
            else:
                yield LocalOperations(application)
                return
        yield connect_to(server)


def connect_to(server: ServerAddress) -> Operations:
    """Return the operations of this server."""
    # Imported here because the HTTP client and serialisation load slowly, and a command without a server needs neither.
    from bot.operations.remote import RemoteOperations

    return RemoteOperations(server)


def require_stopped_server(path: Path) -> None:
    """Raise DataDirectoryInUse if a server owns the data directory, for commands that no server can run."""
    if server := find_running_server(path):
        raise DataDirectoryInUse(
            f"{path} is in use by `wikiwhy serve` (pid {server.pid}), and this command cannot run beside it. Stop the "
            f"server (Ctrl-C, or: kill {server.pid}), run the command again, then start the server again."
        )
