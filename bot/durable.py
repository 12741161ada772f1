"""Durable work: a start that is committed once a key, and steps of which none that has ended is done again.

DBOS keeps the books (https://docs.dbos.dev/python/tutorials/workflow-tutorial). Here a workflow is a list of named
steps; each gets the payload that the work was started with and what the steps before it gave. A step that was cut off
runs again from its beginning: its effect has to be idempotent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._core import StepOptions
from dbos._error import DBOSException, DBOSMaxStepRetriesExceeded

from bot.books import Json, batches, books_engine, payloads_of, scrub
from core.errors import ChatRefused, ChatUnavailable

P = ParamSpec("P")
T = TypeVar("T")

StepFunction = Callable[[Json, Mapping[str, Json]], Coroutine[Any, Any, Json]]
"""From the payload and the outcomes of the steps before, by name, to this step's outcome."""

VERSION = "1"
"""Of the workflows' steps, not of WikiWhy: unfinished work of another version is not taken up. It changes only with
steps, and whoever changes it says how the unfinished work of the old version ends."""

_EXECUTOR = "serve"  # one process owns the data directory, so it takes up what any one before it left
_ATTEMPTS = 3  # of a step that fails for no known reason
_FIRST_PAUSE = 1.0  # seconds before a second try; then twice as long each time
_LONGEST_PAUSE = 60.0
_PATIENCE = 24 * 3600.0  # seconds that work waits for a platform that does not answer
_UNFINISHED = ["PENDING", "ENQUEUED"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Step:
    """``attempts``: how often one that raises is tried, with growing pauses. For a platform that is away it waits."""

    name: str
    run: StepFunction
    attempts: int = _ATTEMPTS


@dataclass(frozen=True, slots=True)
class Workflow:
    """``failed`` hears of work that went wrong for good, to tell those who wait; it is tried again as steps are."""

    name: str
    steps: Sequence[Step]
    failed: Callable[[Json, Exception], Coroutine[Any, Any, None]]


class Durable:
    """Runs workflows between :meth:`launch` and :meth:`close`, on the event loop that launched. One a process."""

    def __init__(self, url: str, first_pause: float = _FIRST_PAUSE) -> None:
        """``url``: of a database for the books, SQLite or PostgreSQL. ``first_pause``: seconds before a second try."""
        self._engine = books_engine(url)
        self._first_pause = first_pause
        self._workflows: list[Workflow] = []
        self._registered: dict[str, Callable[[Json], Any]] = {}
        self._started: set[str] = set()
        self._resumed: set[str] = set()
        self._starting: dict[str, asyncio.Future[Any]] = {}
        self._restarting = asyncio.Lock()
        self._launched = asyncio.Event()
        self._running: dict[str, asyncio.Task[Any]] = {}

    def add(self, workflow: Workflow) -> None:
        """Adds a kind of work, before the launch."""
        self._workflows.append(workflow)

    async def launch(self) -> None:
        """Takes up what was left unfinished, and can start work from now on."""
        DBOS.destroy(destroy_registry=True)
        config: DBOSConfig = {
            "name": "wikiwhy",
            "system_database_engine": self._engine,
            "system_database_url": self._engine.url.render_as_string(hide_password=False),
            "application_version": VERSION,
            "executor_id": _EXECUTOR,
            "enable_otlp": False,
            "log_level": "ERROR",  # what fails is logged here; its launch would praise a hosted console
        }
        # Else each call of DBOS makes its own threads the event loop's: the server would no longer know what a
        # cancelled sync has left running there, and nothing could run in a thread once DBOS is closed.
        DBOS._configure_asyncio_thread_pool = staticmethod(_left_alone)  # type: ignore[method-assign]
        DBOS(config=config)
        for workflow in self._workflows:
            self._registered[workflow.name] = self._as_workflow(workflow)
        DBOS.launch()
        self._resumed = set(await self._unfinished())
        self._launched.set()

    async def close(self, patience: float = 5.0) -> None:
        """Lets running work end for so many seconds; what has not ended then goes on at the next launch."""
        if not self._launched.is_set():
            return
        self._launched.clear()
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=round(patience), destroy_registry=True)
        self._engine.dispose()

    async def start(self, name: str, key: str, payload: Json) -> None:
        """Commits the start of a workflow; of a key that was started before nothing happens."""
        starting = self._starting.get(key)
        if starting is None:
            if key in self._started:
                return
            starting = asyncio.ensure_future(self._begun(name, key, payload))
            self._starting[key] = starting
            starting.add_done_callback(lambda _: self._starting.pop(key, None))
        await asyncio.shield(starting)  # one message comes as several events at once: each hears when it is committed

    def knows(self, key: str) -> bool:
        """Whether this process has started it, or is just committing that."""
        return key in self._started or key in self._starting

    async def wait_until_committed(self, key: str) -> None:
        """Returns when a start that is under way is committed. Raises what that raises."""
        if starting := self._starting.get(key):
            await asyncio.shield(starting)

    async def again(self, name: str, key: str, payload: Json) -> bool:
        """Starts work anew that has ended, or was never started; whether it did, for it may be under way."""
        await self._launched.wait()
        async with self._restarting:  # or two would both see that it has ended
            status = await DBOS.get_workflow_status_async(key)
            if status and status.status in _UNFINISHED:
                return False
            if status:
                await DBOS.delete_workflow_async(key)
            await self._begun(name, key, payload)
            return True

    async def run_to_end(self, name: str, key: str, payload: Json) -> None:
        """The same, and returns when the work has ended. Who is cancelled waiting for it does not end it."""
        handle = await self._begun(name, key, payload)
        await handle.get_result()

    def _as_workflow(self, workflow: Workflow) -> Callable[[Json], Any]:
        async def run(payload: Json) -> None:
            outcomes: dict[str, Json] = {}
            self._note_running(payload["key"])
            try:
                for step in workflow.steps:
                    options = _options(step.name, step.attempts, self._first_pause)
                    run_step = self._patient(step.run) if step.attempts > 1 else step.run
                    outcomes[step.name] = await DBOS.run_step_async(options, run_step, payload, dict(outcomes))
            except Exception as error:
                if isinstance(error, DBOSException) and not self._launched.is_set():
                    raise  # the books are closed already: the work has not failed, it goes on at the next launch
                cause = error.errors[-1] if isinstance(error, DBOSMaxStepRetriesExceeded) else error
                logger.error("%s failed: %s", payload["key"], cause, exc_info=cause)
                telling = _options("failed", _ATTEMPTS, self._first_pause)
                await DBOS.run_step_async(telling, self._patient(workflow.failed), payload, cause)

        return DBOS.workflow(name=workflow.name)(run)

    def _note_running(self, key: str) -> None:
        """So that :meth:`end` finds the task."""
        task = asyncio.current_task()
        if task:
            self._running[key] = task
            task.add_done_callback(
                lambda ended: self._running.pop(key, None) if self._running.get(key) is ended else None
            )

    def _patient(self, work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        """Work that is tried until the platform answers: people wait for it, and a message of ours says so."""

        async def tried(*args: P.args, **kwargs: P.kwargs) -> T:
            pause, waited = self._first_pause, 0.0
            while True:
                try:
                    return await work(*args, **kwargs)
                except ChatUnavailable as error:
                    if waited >= _PATIENCE:
                        raise
                    logger.warning("%s It is tried again in %g seconds.", error, pause)
                await asyncio.sleep(pause)
                waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)

        return tried

    async def _begun(self, name: str, key: str, payload: Json) -> Any:
        await self._launched.wait()  # a message may come before: its platform is there first
        self._started.add(key)
        try:
            with SetWorkflowID(key):
                return await DBOS.start_workflow_async(self._registered[name], {**payload, "key": key})
        except BaseException:
            self._started.discard(key)  # who hears of it again has to start it
            raise

    def is_fresh(self, key: str) -> bool:
        """Whether this process started it first: else it may have been cut off anywhere."""
        return key in self._started and key not in self._resumed

    async def sweep(self) -> None:
        """Forgets finished work and all that its books hold of it. Who starts work again by its key has to know."""
        ended = await DBOS.list_workflows_async(
            status=["SUCCESS", "ERROR", "CANCELLED"], load_input=False, load_output=False
        )
        keys = [workflow.workflow_id for workflow in ended]
        for some in batches(keys):
            await DBOS.delete_workflows_async(some)
        self._started.difference_update(keys)
        self._resumed.difference_update(keys)

    async def is_under_way(self, key: str) -> bool:
        """Whether work of this key has begun and not ended."""
        await self._launched.wait()
        if key in self._starting:
            return True
        status = await DBOS.get_workflow_status_async(key)
        return bool(status and status.status in _UNFINISHED)

    async def payloads(self) -> dict[str, Json]:
        """What all work in the books was started with, by key: of work under way, and of finished until the sweep."""
        await self._launched.wait()
        return payloads_of(await DBOS.list_workflows_async(load_output=False))

    async def end(self, keys: Collection[str]) -> None:
        """Ends work wherever it is, and removes it from the books as if it had never been started."""
        await self._launched.wait()
        for some in batches(keys):
            await DBOS.cancel_workflows_async(some)
            tasks = [self._running[key] for key in some if key in self._running]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await DBOS.delete_workflows_async(some)
        self._started.difference_update(keys)
        self._resumed.difference_update(keys)

    async def scrub(self) -> None:
        """Takes what was deleted out of the books' files."""
        await asyncio.to_thread(scrub, self._engine)

    async def count_unfinished(self) -> int:
        """How many workflows have not ended."""
        return len(await self._unfinished())

    async def _unfinished(self) -> list[str]:
        waiting = await DBOS.list_workflows_async(status=_UNFINISHED, load_input=False, load_output=False)
        return [workflow.workflow_id for workflow in waiting]


async def _left_alone() -> None:
    """In place of DBOS's way with the event loop's threads."""


def _options(name: str, attempts: int, first_pause: float) -> StepOptions:
    return {
        "name": name,
        "retries_allowed": attempts > 1,
        "max_attempts": attempts,
        "interval_seconds": first_pause,
        "backoff_rate": 2.0,
        "should_retry": _may_pass,
    }


def _may_pass(error: BaseException) -> bool:
    return not isinstance(error, ChatRefused | ChatUnavailable)
