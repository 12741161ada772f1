"""Who does a command's work: this process, or the server that owns the data directory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bot.operations.address import Address, find_running_server
from bot.operations.local import LocalOperations
from bot.operations.operations import Operations
from bot.settings import Settings
from bot.wiring import open_application
from core.errors import DataDirectoryInUse


@contextmanager
def open_work(settings: Settings) -> Iterator[Operations]:
    """The one who works on the settings' data directory. Raises DataDirectoryInUse where its owner is no server."""
    with ExitStack() as stack:
        server = find_running_server(settings.data_dir)
        if server is None:
            try:
                application = stack.enter_context(open_application(settings))
            except DataDirectoryInUse:
                server = find_running_server(settings.data_dir)  # it was just starting
                if server is None:
                    raise
            else:
                yield LocalOperations(application)
                return
        yield by_server(server)


def by_server(server: Address) -> Operations:
    """Has the server do the work."""
    # Loading what speaks to a server takes a moment, which who works alone need not wait.
    from bot.operations.remote import RemoteOperations

    return RemoteOperations(server)


def require_stopped_server(path: Path) -> None:
    """For work that no server does. Raises DataDirectoryInUse while one owns the data directory."""
    if server := find_running_server(path):
        raise DataDirectoryInUse(
            f"{path} is served by `wikiwhy serve` (pid {server.pid}), and this cannot be done meanwhile. Stop the "
            f"server (Ctrl-C, or: kill {server.pid}), run the command again, then start the server again."
        )
