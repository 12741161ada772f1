"""Durable workflows: a start is committed once per key, and finished steps are not run again.

DBOS stores them (https://docs.dbos.dev/python/tutorials/workflow-tutorial). A workflow is a coroutine of named steps.
After a restart it is called again: finished steps return their stored outcome, and the interrupted step runs again from
its beginning, so steps must be idempotent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._context import assert_current_dbos_context
from dbos._core import StepOptions, WorkflowHandleAsyncTask
from dbos._error import DBOSException, DBOSMaxStepRetriesExceeded

from bot.coordination.bots import Bots, OneBot
from bot.coordination.shared_workflows import find_busy, find_cancelled, take_over, wait_for_others
from bot.storage.workflow_database import (
    ON_FULL_DISK,
    NotStored,
    OnFullDisk,
    handle_full_disk,
    ignore_full_disk,
    open_workflow_database,
    parse_requests,
    scrub,
    split_into_batches,
)
from bot.tracing import trace, work_on
from bot.workflow import Request, RunStep, Workflow
from core.chat.requests import Json
from core.errors import OUTAGES, ChatRefused, ServerUnavailable

T = TypeVar("T")
R = TypeVar("R", bound=Request)

VERSION = "1"
"""Version of the workflows' steps, not of WikiWhy. Unfinished workflows of another version are not resumed.

Change it only when steps change, and say how unfinished workflows of the old version end.
"""

_ATTEMPTS = 3  # of a step that fails for an unknown reason
_FIRST_PAUSE = 1.0  # seconds before the second attempt; doubled for each further one
_LONGEST_PAUSE = 60.0
_LONGEST_OUTAGE = 24 * 3600.0  # seconds that a step retries during an outage
_LISTENER_PAUSE = 0.05  # seconds; notifications are unused, but closing DBOS waits for this interval
_UNFINISHED = ["PENDING", "ENQUEUED"]
_WAITING_FOR_EXIT: set[asyncio.Task[Any]] = set()

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UnfinishedWorkflow:
    """A workflow that has not ended. ``started_at``: Unix time in seconds."""

    workflow: str
    started_at: float


class Durable:
    """Runs workflows between :meth:`launch` and :meth:`close`, on the event loop that launched. One per process.

    What is called before the launch waits for it; after the close it raises ServerUnavailable.

    Several bots may share a database. DBOS gives each workflow one owner, and stores no outcome of a former owner.
    """

    def __init__(
        self,
        url: str,
        bots: Bots | None = None,
        first_pause: float = _FIRST_PAUSE,
        wait_for_threads: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """``url``: of the workflow database, SQLite or PostgreSQL. ``first_pause``: seconds before a second attempt.

        ``wait_for_threads``: waits until the steps of cancelled workflows that run in threads have ended.
        """
        self._bots = bots or OneBot()
        self._engine = open_workflow_database(url, self._bots.executor)
        handle_full_disk(self._engine)
        self._first_pause = first_pause
        self._wait_for_threads = wait_for_threads or _wait_for_nothing
        self._workflows: dict[str, tuple[type[Request], Workflow[Any]]] = {}
        self._registered: dict[str, Callable[[Json], Any]] = {}
        self._started: set[str] = set()
        self._fresh: set[str] = set()
        self._starting: dict[str, asyncio.Future[Any]] = {}
        self._is_open = False
        self._decided = asyncio.Event()  # set by the launch or the close
        self._running: dict[str, asyncio.Task[Any]] = {}

    def add(self, request: type[R], workflow: Workflow[R]) -> None:
        """Register the workflow for requests of this type, before the launch."""
        self._workflows[request.workflow] = (request, workflow)

    async def launch(self) -> None:
        """Resume unfinished workflows, and accept new ones from now on."""
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
        # DBOS would replace the event loop's executor by its own: the server could not wait for threads of a cancelled
        # sync, and nothing could run in a thread after DBOS is closed.
        DBOS._configure_asyncio_thread_pool = staticmethod(_keep_thread_pool)  # type: ignore[method-assign]
        DBOS(config=config)
        for name, (request, workflow) in self._workflows.items():
            self._registered[name] = self._register(request, workflow)
        DBOS.launch()
        self._is_open = True
        self._decided.set()

    async def close(self, patience: float = 5.0) -> None:
        """Wait up to ``patience`` seconds for running workflows; the others continue at the next launch."""
        self._decided.set()  # who waits for the launch gets an error
        if not self._is_open:
            return
        self._is_open = False
        ignore_full_disk(self._engine)
        seconds = round(patience) if self._running else 0  # otherwise DBOS waits at least a second
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=seconds, destroy_registry=True)
        self._engine.dispose()

    async def _wait_for_launch(self) -> None:
        """Wait for the launch. After the close, no launch follows: raises ServerUnavailable."""
        await self._decided.wait()
        if not self._is_open:
            raise ServerUnavailable("The server is stopping and starts no more work. Try again when it runs again.")

    # ----------------------------------------------------------------------------- starting workflows, and their state

    async def start(self, request: Request) -> None:
        """Commit the start of a workflow, unless its key was started before."""
        starting = self._starting.get(request.key)
        if starting is None:
            if request.key in self._started:
                return
            starting = asyncio.ensure_future(self._commit(request))
            self._starting[request.key] = starting
            starting.add_done_callback(lambda _: self._starting.pop(request.key, None))
        await asyncio.shield(starting)  # several events of one message wait for one commit

    async def restart(self, request: Request) -> bool:
        """Start a workflow that has ended or was never started; return False if it is running."""
        await self._wait_for_launch()
        async with self._bots.lock(f"restart:{request.key}"):  # otherwise two callers could both find it ended
            status = await DBOS.get_workflow_status_async(request.key)
            if status and status.status in _UNFINISHED:
                return False
            if status:
                await DBOS.delete_workflow_async(request.key)
            await self._commit(request)
            return True

    async def run_to_end(self, request: Request) -> None:
        """Start a workflow and wait for its end. Cancelling the waiter does not cancel the workflow."""
        handle = await self._commit(request)
        await handle.get_result()

    async def _commit(self, request: Request) -> Any:
        await self._wait_for_launch()  # platforms start first, so messages may come before the launch
        self._started.add(request.key)
        try:
            with SetWorkflowID(request.key):
                work = self._registered[request.workflow]
                handle = await DBOS.start_workflow_async(work, request.to_json())
        except BaseException:
            self._started.discard(request.key)  # a repeated delivery has to start it
            raise
        if isinstance(handle, WorkflowHandleAsyncTask):  # otherwise it was started before, here or by another bot
            self._fresh.add(request.key)
        return handle

    async def is_started_here(self, key: str) -> bool:
        """Whether this process has started the workflow. Waits for a start in progress, and raises what that raises."""
        if starting := self._starting.get(key):
            await asyncio.shield(starting)
            return True
        return key in self._started

    async def was_started(self, key: str) -> bool:
        """Whether any bot has started the workflow, or is committing its start, unless it was swept since."""
        if key in self._started or key in self._starting:
            return True
        if not self._bots.are_several:
            return False
        await self._wait_for_launch()
        return await DBOS.get_workflow_status_async(key) is not None

    async def is_under_way(self, key: str) -> bool:
        """Whether a workflow has begun and not ended."""
        await self._wait_for_launch()
        if key in self._starting:
            return True
        status = await DBOS.get_workflow_status_async(key)
        return bool(status and status.status in _UNFINISHED)

    def is_fresh(self, key: str) -> bool:
        """Whether the workflow began in this process. Otherwise it may have been interrupted anywhere."""
        return key in self._fresh

    async def list_unfinished(self) -> list[UnfinishedWorkflow]:
        """Return the unfinished workflows of all bots; none before the launch."""
        if not self._is_open:
            return []
        waiting = await DBOS.list_workflows_async(status=_UNFINISHED, load_input=False, load_output=False)
        return [UnfinishedWorkflow(each.name, (each.created_at or 0) / 1000) for each in waiting]

    # ----------------------------------------------------------------------------------------------- running workflows

    def _register(self, request_type: type[Request], workflow: Workflow[Any]) -> Callable[[Json], Any]:
        async def run(stored: Json) -> None:
            request = request_type.from_json(stored)
            self._note_running(request.key)
            with trace(request.workflow), work_on(getattr(request, "turn_id", "")):
                await self._run_until_stored(workflow, request)

        return DBOS.workflow(name=request_type.workflow)(run)

    async def _run_until_stored(self, workflow: Workflow[Any], request: Request) -> None:
        """Run a workflow, and again from its beginning whenever the disk is too full to store the outcome of a step.

        Stored steps are not run again, nor is the step whose outcome could not be stored. Otherwise the workflow would
        stay unfinished, and be continued only by the next launch.
        """
        context, steps, pause = assert_current_dbos_context(), _RememberedSteps(self._run_step), self._first_pause
        first_step = context.function_id
        ON_FULL_DISK.set(OnFullDisk.INTERRUPT)
        try:
            while True:
                try:
                    return await self._run_or_report(workflow, request, steps)
                except NotStored as error:
                    if not self._is_open:
                        await _wait_for_exit()  # it continues at the next launch
                    logger.warning("%s Trying again in %g seconds.", error, pause)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                context.function_id = first_step
                steps.begin_again()
        finally:
            ON_FULL_DISK.set(OnFullDisk.WAIT)  # DBOS now stores that the workflow has ended

    async def _run_or_report(self, workflow: Workflow[Any], request: Request, step: RunStep) -> None:
        try:
            await workflow.run(request, step)
        except Exception as error:
            if isinstance(error, DBOSException) and not self._is_open:
                raise  # closing: the workflow has not failed, it continues at the next launch
            cause = error.errors[-1] if isinstance(error, DBOSMaxStepRetriesExceeded) else error
            expected = isinstance(cause, ChatRefused)  # its message says everything
            logger.error("%s failed: %s", request.key, cause, exc_info=None if expected else cause)
            await step("failed", lambda: workflow.report_failure(request))

    async def _run_step(self, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Implements :class:`RunStep`. Raises NotStored if the disk is too full to store the outcome."""

        async def run() -> T:
            reaction = ON_FULL_DISK.set(OnFullDisk.RAISE)  # other workflows that the work starts or looks for
            try:
                return await wait_for_outages()
            finally:
                ON_FULL_DISK.reset(reaction)

        async def wait_for_outages() -> T:
            pause, waited = self._first_pause, 0.0
            while True:
                try:
                    with trace(f"step {name}"):
                        return await self._do_as_owner(work)
                except OUTAGES as error:
                    if waited >= _LONGEST_OUTAGE:
                        raise
                    logger.warning("%s Trying again in %g seconds.", error, pause)
                await asyncio.sleep(pause)
                waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)

        options: StepOptions = {
            "name": name,
            "retries_allowed": True,
            "max_attempts": _ATTEMPTS,
            "interval_seconds": self._first_pause,
            "backoff_rate": 2.0,
            "should_retry": _is_worth_retrying,
        }
        return await DBOS.run_step_async(options, run)

    async def _do_as_owner(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do the work of a step.

        If another bot has taken over the workflow, this never returns, so that the outcome is not stored. Nor does it
        if the work asked for something after the close: it has not failed, it continues at the next launch.
        """
        try:
            return await work()
        except ServerUnavailable:
            if not self._is_open:
                await _wait_for_exit()
            raise
        finally:
            if self._bots.was_replaced:
                await _wait_for_exit()

    def _note_running(self, key: str) -> None:
        """Store the current task, for :meth:`remove`."""
        task = asyncio.current_task()
        if task:
            self._running[key] = task
            task.add_done_callback(
                lambda ended: self._running.pop(key, None) if self._running.get(key) is ended else None
            )

    # ----------------------------------------------------------------------------------- ending and removing workflows

    async def remove(self, keys: Collection[str]) -> None:
        """Cancel workflows on any bot, and delete them as if they had never been started.

        On return, no bot is working on them any more.
        """
        await self._wait_for_launch()
        for some in split_into_batches(keys):
            await DBOS.cancel_workflows_async(some)
            await self._end_here(some)
            if self._bots.are_several:
                await wait_for_others(self._bots, some)
            await DBOS.delete_workflows_async(some)
        self._forget(keys)

    async def follow_heartbeat(self, living: Collection[str]) -> None:
        """Resume the unfinished workflows of bots that are not in ``living``, which was read before.

        Then end and delete workflows of this bot that another bot has cancelled; that bot waits for it.
        """
        if self._is_open:
            await take_over(self._bots, living)
        if self._is_open and (keys := await find_cancelled(self._bots)):
            await self._end_here(keys)
            await self._wait_for_threads()
            await DBOS.delete_workflows_async(keys)
            self._forget(keys)

    async def _end_here(self, keys: Collection[str]) -> None:
        tasks = [self._running[key] for key in keys if key in self._running]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def load_requests(self) -> dict[str, Json]:
        """Return the stored requests of all workflows by key, including finished ones that were not swept yet."""
        await self._wait_for_launch()
        return parse_requests(await DBOS.list_workflows_async(load_output=False))

    async def sweep(self) -> None:
        """Delete finished workflows. After that, only their posts (``Post.finished``) show that they were done."""
        ended = await DBOS.list_workflows_async(
            status=["SUCCESS", "ERROR", "CANCELLED"], load_input=False, load_output=False
        )
        keep = await find_busy(self._bots, ended)
        keys = [workflow.workflow_id for workflow in ended if workflow.workflow_id not in keep]
        for some in split_into_batches(keys):
            await DBOS.delete_workflows_async(some)
        self._forget(keys)

    async def forget_swept(self) -> None:
        """Forget the keys of workflows that another bot has deleted."""
        known = {*self._started} - {*self._starting}
        stored = await DBOS.list_workflows_async(load_input=False, load_output=False)
        self._forget(known - {workflow.workflow_id for workflow in stored})

    def _forget(self, keys: Collection[str]) -> None:
        self._started.difference_update(keys)
        self._fresh.difference_update(keys)

    async def scrub(self) -> None:
        """Remove deleted data from the database's file."""
        await asyncio.to_thread(scrub, self._engine)


class _RememberedSteps:
    """Runs the steps of one workflow, and remembers an outcome until it is stored. Implements :class:`RunStep`."""

    def __init__(self, run_step: RunStep) -> None:
        self._run_step = run_step
        self._position = 0
        self._outcomes: dict[int, Any] = {}

    def begin_again(self) -> None:
        """The next step is the first one again."""
        self._position = 0

    async def __call__(self, name: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self._position += 1
        position = self._position

        async def remember() -> T:
            if position not in self._outcomes:
                self._outcomes[position] = await work()
            outcome: T = self._outcomes[position]
            return outcome

        outcome = await self._run_step(name, remember)
        self._outcomes.pop(position, None)
        return outcome


async def _wait_for_exit() -> None:
    """Never return. The event loop cancels the task when it ends.

    A loop holds no references to its tasks: without one, the garbage collector would close the workflow's coroutine,
    and DBOS would take that for an error of the workflow.
    """
    if task := asyncio.current_task():
        _WAITING_FOR_EXIT.add(task)
        task.add_done_callback(_WAITING_FOR_EXIT.discard)
    await asyncio.Event().wait()


async def _wait_for_nothing() -> None:
    """Default for ``wait_for_threads``."""


async def _keep_thread_pool() -> None:
    """Replaces DBOS's method that changes the event loop's executor."""


def _is_worth_retrying(error: BaseException) -> bool:
    return not isinstance(error, (ChatRefused, *OUTAGES))
