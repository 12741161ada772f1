"""Durable work: workflows whose start is committed once per key, and whose finished steps are not run again.

DBOS stores them (https://docs.dbos.dev/python/tutorials/workflow-tutorial). A workflow is a coroutine that works in
named steps. After a restart it is called again: steps that ended give their stored outcome, the one that was cut off
runs again from its beginning, so its effect has to be idempotent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._core import StepOptions, WorkflowHandleAsyncTask
from dbos._error import DBOSException, DBOSMaxStepRetriesExceeded

from bot.coordination.bots import Bots, OneBot
from bot.coordination.shared_workflows import find_busy, find_cancelled, take_over, wait_for_others
from bot.storage.workflow_database import open_workflow_database, parse_requests, scrub, split_into_batches
from bot.tracing import trace, work_on
from core.chat.requests import Json
from core.errors import ChatRefused, ChatUnavailable

T = TypeVar("T")

VERSION = "1"
"""Of the workflows' steps, not of WikiWhy: unfinished workflows of another version are not taken up. Change it only
when steps change, and say how unfinished workflows of the old version end."""

_ATTEMPTS = 3  # of a step that fails for an unknown reason
_FIRST_PAUSE = 1.0  # seconds before a second try; then twice as long each time
_LONGEST_PAUSE = 60.0
_PATIENCE = 24 * 3600.0  # seconds that a step waits for a platform that does not answer
_LISTENER_PAUSE = 0.05  # seconds; workflows get no notifications here, but DBOS closes only after its listener's pause
_UNFINISHED = ["PENDING", "ENQUEUED"]

logger = logging.getLogger(__name__)


class Request(Protocol):
    """What a workflow is started with (see :mod:`core.chat.requests`). ``workflow``: its name."""

    workflow: ClassVar[str]

    @property
    def key(self) -> str: ...

    def to_json(self) -> Json: ...

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self: ...


R = TypeVar("R", bound=Request)
R_contra = TypeVar("R_contra", bound=Request, contravariant=True)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A workflow that has not ended. ``started_at``: seconds since 1970."""

    workflow: str
    started_at: float


class RunStep(Protocol):
    """Runs a step and stores its outcome, which has to be JSON; one that was stored is returned at once.

    ``attempts``: how often a step that raises is tried, with growing pauses. A platform that does not answer is waited
    for in addition to that, if a step has more than one attempt.
    """

    async def __call__(self, name: str, work: Callable[[], Coroutine[Any, Any, T]], attempts: int = _ATTEMPTS) -> T: ...


class Workflow(Protocol[R_contra]):
    """A kind of durable work."""

    async def run(self, request: R_contra, step: RunStep) -> None:
        """Does the work. The steps' names and order stay the same, or :data:`VERSION` changes."""
        ...

    async def report_failure(self, request: R_contra) -> None:
        """Tells the people who wait that the work failed for good; tried again as steps are."""
        ...


class Durable:
    """Runs workflows between :meth:`launch` and :meth:`close`, on the event loop that launched. One per process.

    Several bots may have one database. DBOS gives each workflow one owner, and stores nothing of a step of another.
    """

    def __init__(
        self,
        url: str,
        bots: Bots | None = None,
        first_pause: float = _FIRST_PAUSE,
        wait_for_threads: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """``url``: of the workflow database, SQLite or PostgreSQL. ``first_pause``: seconds before a second try.

        ``wait_for_threads``: until the steps of cancelled work that run in threads have ended.
        """
        self._engine = open_workflow_database(url)
        self._bots = bots or OneBot()
        self._first_pause = first_pause
        self._wait_for_threads = wait_for_threads or _have_no_threads
        self._workflows: dict[str, tuple[type[Request], Workflow[Any]]] = {}
        self._registered: dict[str, Callable[[Json], Any]] = {}
        self._started: set[str] = set()
        self._fresh: set[str] = set()
        self._starting: dict[str, asyncio.Future[Any]] = {}
        self._launched = asyncio.Event()
        self._running: dict[str, asyncio.Task[Any]] = {}

    def add(self, request: type[R], workflow: Workflow[R]) -> None:
        """Adds the workflow that requests of this type start, before the launch."""
        self._workflows[request.workflow] = (request, workflow)

    async def launch(self) -> None:
        """Takes up unfinished workflows; from now on others can be started."""
        DBOS.destroy(destroy_registry=True)
        config: DBOSConfig = {
            "name": "wikiwhy",
            "system_database_engine": self._engine,
            "system_database_url": self._engine.url.render_as_string(hide_password=False),
            "application_version": VERSION,
            "executor_id": self._bots.executor,
            "enable_otlp": False,
            "notification_listener_polling_interval_sec": _LISTENER_PAUSE,
            "log_level": "ERROR",  # failures are logged here; its launch would advertise a hosted console
        }
        # Otherwise each call of DBOS would set its own threads as the event loop's: the server would not know what a
        # cancelled sync left running there, and nothing could run in a thread once DBOS is closed.
        DBOS._configure_asyncio_thread_pool = staticmethod(_keep_thread_pool)  # type: ignore[method-assign]
        DBOS(config=config)
        for name, (request, workflow) in self._workflows.items():
            self._registered[name] = self._register(request, workflow)
        DBOS.launch()
        self._launched.set()

    async def close(self, patience: float = 5.0) -> None:
        """Lets running workflows end for so many seconds; the others go on at the next launch."""
        if not self._launched.is_set():
            return
        self._launched.clear()
        seconds = round(patience) if self._running else 0  # DBOS waits a second at least, also for nothing
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=seconds, destroy_registry=True)
        self._engine.dispose()

    async def start(self, request: Request) -> None:
        """Commits the start of a workflow; does nothing for a key that was started before."""
        starting = self._starting.get(request.key)
        if starting is None:
            if request.key in self._started:
                return
            starting = asyncio.ensure_future(self._commit(request))
            self._starting[request.key] = starting
            starting.add_done_callback(lambda _: self._starting.pop(request.key, None))
        await asyncio.shield(starting)  # one message may come as several events at once: each waits for the commit

    def knows(self, key: str) -> bool:
        """Whether this process has started the workflow, or is just committing its start."""
        return key in self._started or key in self._starting

    async def was_started(self, key: str) -> bool:
        """Whether any bot has started the workflow, as far as it was not swept."""
        if self.knows(key) or not self._bots.are_several:
            return self.knows(key)
        await self._launched.wait()
        return await DBOS.get_workflow_status_async(key) is not None

    async def wait_until_committed(self, key: str) -> None:
        """Returns when a start that is under way is committed. Raises what the commit raises."""
        if starting := self._starting.get(key):
            await asyncio.shield(starting)

    async def restart(self, request: Request) -> bool:
        """Starts a workflow that has ended, or was never started; returns False if it is under way."""
        await self._launched.wait()
        async with self._bots.lock(f"restart:{request.key}"):  # or two callers would both see that it has ended
            status = await DBOS.get_workflow_status_async(request.key)
            if status and status.status in _UNFINISHED:
                return False
            if status:
                await DBOS.delete_workflow_async(request.key)
            await self._commit(request)
            return True

    async def run_to_end(self, request: Request) -> None:
        """Starts a workflow and returns when it has ended. Cancelling the waiter does not cancel the work."""
        handle = await self._commit(request)
        await handle.get_result()

    async def _commit(self, request: Request) -> Any:
        await self._launched.wait()  # messages may come before: platforms are started first
        self._started.add(request.key)
        try:
            with SetWorkflowID(request.key):
                work = self._registered[request.workflow]
                handle = await DBOS.start_workflow_async(work, request.to_json())
        except BaseException:
            self._started.discard(request.key)  # a repeated delivery has to start it
            raise
        if isinstance(handle, WorkflowHandleAsyncTask):  # else it was started before, here or by another bot
            self._fresh.add(request.key)
        return handle

    def _register(self, request_type: type[Request], workflow: Workflow[Any]) -> Callable[[Json], Any]:
        async def run(stored: Json) -> None:
            request = request_type.from_json(stored)
            self._note_running(request.key)
            with trace(request.workflow), work_on(getattr(request, "turn_id", "")):
                await self._run_or_report(workflow, request)

        return DBOS.workflow(name=request_type.workflow)(run)

    async def _run_or_report(self, workflow: Workflow[Any], request: Request) -> None:
        try:
            await workflow.run(request, self._run_step)
        except Exception as error:
            if isinstance(error, DBOSException) and not self._launched.is_set():
                raise  # the database is closed already: the work has not failed, it goes on at the next launch
            cause = error.errors[-1] if isinstance(error, DBOSMaxStepRetriesExceeded) else error
            logger.error("%s failed: %s", request.key, cause, exc_info=cause)
            await self._run_step("failed", lambda: workflow.report_failure(request))

    async def _run_step(self, name: str, work: Callable[[], Coroutine[Any, Any, T]], attempts: int = _ATTEMPTS) -> T:
        """See :class:`RunStep`."""

        async def run() -> T:
            pause, waited = self._first_pause, 0.0
            while True:
                try:
                    with trace(f"step {name}"):
                        return await self._do_as_owner(work)
                except ChatUnavailable as error:
                    if attempts == 1 or waited >= _PATIENCE:
                        raise
                    logger.warning("%s It is tried again in %g seconds.", error, pause)
                await asyncio.sleep(pause)
                waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)

        options: StepOptions = {
            "name": name,
            "retries_allowed": attempts > 1,
            "max_attempts": attempts,
            "interval_seconds": self._first_pause,
            "backoff_rate": 2.0,
            "should_retry": _is_worth_retrying,
        }
        return await DBOS.run_step_async(options, run)

    async def _do_as_owner(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Does the work of a step. Once another bot has it, this one never goes on: its outcome counts no more."""
        try:
            return await work()
        finally:
            if self._bots.was_replaced:
                await asyncio.Event().wait()

    def _note_running(self, key: str) -> None:
        """Notes the task, for :meth:`remove`."""
        task = asyncio.current_task()
        if task:
            self._running[key] = task
            task.add_done_callback(
                lambda ended: self._running.pop(key, None) if self._running.get(key) is ended else None
            )

    def is_fresh(self, key: str) -> bool:
        """Whether the workflow began in this process: otherwise it may have been cut off anywhere before."""
        return key in self._fresh

    async def sweep(self) -> None:
        """Deletes finished workflows. From then on only their messages (``Post.finished``) tell that they were done."""
        ended = await DBOS.list_workflows_async(
            status=["SUCCESS", "ERROR", "CANCELLED"], load_input=False, load_output=False
        )
        keep = await find_busy(self._bots, ended)
        keys = [workflow.workflow_id for workflow in ended if workflow.workflow_id not in keep]
        for some in split_into_batches(keys):
            await DBOS.delete_workflows_async(some)
        self._forget(keys)

    async def forget_swept(self) -> None:
        """Forgets workflows that another bot has deleted."""
        known = {*self._started} - {*self._starting}
        stored = await DBOS.list_workflows_async(load_input=False, load_output=False)
        self._forget(known - {workflow.workflow_id for workflow in stored})

    def _forget(self, keys: Collection[str]) -> None:
        self._started.difference_update(keys)
        self._fresh.difference_update(keys)

    async def is_under_way(self, key: str) -> bool:
        """Whether a workflow has begun and not ended."""
        await self._launched.wait()
        if key in self._starting:
            return True
        status = await DBOS.get_workflow_status_async(key)
        return bool(status and status.status in _UNFINISHED)

    async def requests(self) -> dict[str, Json]:
        """The stored requests of all workflows by key: of those under way, and of finished ones until the sweep."""
        await self._launched.wait()
        return parse_requests(await DBOS.list_workflows_async(load_output=False))

    async def remove(self, keys: Collection[str]) -> None:
        """Cancels workflows wherever they are, and removes them as if they had never been started.

        What another bot is doing for them has ended on return.
        """
        await self._launched.wait()
        for some in split_into_batches(keys):
            await DBOS.cancel_workflows_async(some)
            await self._end_here(some)
            if self._bots.are_several:
                await wait_for_others(self._bots, some)
            await DBOS.delete_workflows_async(some)
        self._forget(keys)

    async def _end_here(self, keys: Collection[str]) -> None:
        tasks = [self._running[key] for key in keys if key in self._running]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def end_cancelled(self) -> None:
        """Ends what another bot has cancelled, and deletes it: the other one waits for that."""
        if not self._launched.is_set():
            return
        if keys := await find_cancelled(self._bots):
            await self._end_here(keys)
            await self._wait_for_threads()
            await DBOS.delete_workflows_async(keys)
            self._forget(keys)

    async def take_over(self, living: Collection[str]) -> None:
        """Takes up the unfinished workflows of bots that are not alive. ``living``: read before."""
        if self._launched.is_set():
            await take_over(self._bots, living)

    async def scrub(self) -> None:
        """Removes deleted data from the database's file."""
        await asyncio.to_thread(scrub, self._engine)

    async def count_unfinished(self) -> int:
        """How many workflows have not ended."""
        return len(await self.list_unfinished())

    async def list_unfinished(self) -> list[Unfinished]:
        """The workflows that have not ended, of all bots; none before the launch."""
        if not self._launched.is_set():
            return []
        waiting = await DBOS.list_workflows_async(status=_UNFINISHED, load_input=False, load_output=False)
        return [Unfinished(each.name, (each.created_at or 0) / 1000) for each in waiting]


async def _have_no_threads() -> None:
    """What a workflow without threads waits for."""


async def _keep_thread_pool() -> None:
    """Replaces DBOS's change of the event loop's threads."""


def _is_worth_retrying(error: BaseException) -> bool:
    return not isinstance(error, ChatRefused | ChatUnavailable)
