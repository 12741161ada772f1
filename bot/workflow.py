"""Workflows and the requests that start them, as :mod:`bot.durable` runs them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar, Protocol, Self, TypeVar

from core.chat.requests import Json

T = TypeVar("T")


class Request(Protocol):
    """A request that starts a workflow (see :mod:`core.chat.requests`). ``workflow``: the workflow's name."""

    workflow: ClassVar[str]

    @property
    def key(self) -> str: ...

    def to_json(self) -> Json: ...

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self: ...


R_contra = TypeVar("R_contra", bound=Request, contravariant=True)


class RunStep(Protocol):
    """Runs a step and stores its outcome, which must be JSON; a stored outcome is returned without running the step.

    A step that raises is tried three times, with growing pauses. While the platform or the database is unavailable, or
    the disk is full, it is tried for up to a day.
    """

    async def __call__(self, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T: ...


class Workflow(Protocol[R_contra]):
    """A kind of workflow."""

    async def run(self, request: R_contra, step: RunStep) -> None:
        """Run the workflow. The steps' names and order must stay the same, or :data:`bot.durable.VERSION` must
        change.
        """
        ...

    async def report_failure(self, request: R_contra) -> None:
        """Tell the people who wait that the workflow failed; retried as steps are."""
        ...
