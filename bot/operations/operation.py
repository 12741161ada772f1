"""The base class of operations, and their execution in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args

from bot.wiring import Application
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
