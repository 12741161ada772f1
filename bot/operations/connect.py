"""Who executes a command's operations: this process, or the server that owns the data directory."""

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
    """Operations on the settings' data directory. Raises DataDirectoryInUse where its owner is no server."""
    with ExitStack() as stack:
        server = find_running_server(settings.data_dir)
        if server is None:
            try:
                application = stack.enter_context(open_application(settings))
            except DataDirectoryInUse:
                server = find_running_server(settings.data_dir)  # one that was just starting
                if server is None:
                    raise
            else:
                yield LocalOperations(application)
                return
        yield connect_to(server)


def connect_to(server: ServerAddress) -> Operations:
    """Operations that this server executes."""
    # Importing the HTTP client and serialisation takes a moment, which a command without a server need not wait for.
    from bot.operations.remote import RemoteOperations

    return RemoteOperations(server)


def require_stopped_server(path: Path) -> None:
    """For what no server does. Raises DataDirectoryInUse while one owns the data directory."""
    if server := find_running_server(path):
        raise DataDirectoryInUse(
            f"{path} is served by `wikiwhy serve` (pid {server.pid}), and this cannot be done meanwhile. Stop the "
            f"server (Ctrl-C, or: kill {server.pid}), run the command again, then start the server again."
        )
