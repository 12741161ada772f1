"""The base class of operations, and where they run: in this process, or in the server that owns the data directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args

from bot.settings import Settings
from bot.storage.data_directory import ServerAddress, find_running_server
from bot.wiring import Application, open_application
from core.errors import DataDirectoryInUse
from core.model import Question
from core.ports.wiki import Traffic
from core.timing import Progress

R = TypeVar("R")

Event = Question | str | Progress | Traffic
"""Reported before the result: the completed question, the answer so far, progress, and requests to the wiki."""

EventListener = Callable[[Event], None]


def ignore_events(event: Event) -> None:
    """Do nothing, for callers that need the result only."""


class Operation(Generic[R]):
    """Base of operations: frozen dataclasses whose fields are the arguments and whose type parameter is the result."""

    needs_models: ClassVar[bool] = True
    """Whether a server executes it only after the models are loaded."""

    metric: ClassVar[Literal["question", "explanation", "sync"] | None] = None
    """The metric by which a server counts it."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}  # unknown arguments

    async def run(self, application: Application, on_event: EventListener) -> R:
        """Execute it on a data directory that this process owns. Raises errors of ``core.errors``."""
        raise NotImplementedError

    def make_paths_absolute(self) -> Operation[R]:
        """Return the same operation for a process with another working directory."""
        return self

    @classmethod
    def find_result_type(cls) -> Any:
        """Return the type parameter."""
        return get_args(cls.__orig_bases__[0])[0]  # type: ignore[attr-defined]


class Operations(Protocol):
    """Executes operations on one data directory.

    A cancelled operation ends after its current step, and keeps the results of its completed steps.
    """

    async def execute(self, operation: Operation[R], on_event: EventListener = ignore_events) -> R: ...


class LocalOperations:
    """Executes operations in this process, which owns the data directory."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def execute(self, operation: Operation[R], on_event: EventListener = ignore_events) -> R:
        return await operation.run(self._application, on_event)


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
