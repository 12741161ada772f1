"""Processes that answer questions beside the server, so that the server uses all cores of its machine.

Python runs one thread at a time, so the threads of one process use little more than one core. A process
(:mod:`bot.server.answer_process`) only reads, and does one task at a time. If it ends or is stuck, the server does its
work itself, and starts another process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from aiohttp import web

from adapters.index.dense import ChromaDenseIndex
from adapters.machine import count_cores, measure_memory
from bot.server.answer_process import Clear, DenseCall, Do, Start, make_reply, read_reply
from bot.server.metrics import Metrics
from bot.threads import open_runner
from bot.tracing import TURN
from bot.wiring import Application
from core.conversation import Assistant
from core.errors import WikiWhyError
from core.work import Work, WorkRunner

T = TypeVar("T")

MOST_PROCESSES = 4
"""More do not answer more questions a minute: for each, the server needs about as much processor time as a process."""

_PROGRAM = "from bot.server.answer_process import answer_for_server; answer_for_server()"
_PROCESS_BYTES, _SERVER_BYTES = 400_000_000, 600_000_000  # measured, with e5
_LONGEST_WORK = 120.0  # seconds; then a process is taken for stuck
_PAUSE, _LONGEST_PAUSE = 1.0, 600.0  # seconds before a process that ended is started again, doubled each time
_HEALTHY = 60.0  # seconds after which a process that ended counts as the first one

logger = logging.getLogger(__name__)


def choose_count(application: Application) -> int:
    """Return how many processes to start.

    With a Chroma server: 0. Otherwise the number in the settings, if they have one. Otherwise one for each core, at
    most :data:`MOST_PROCESSES`, and only as many as fit into half of the memory; 0 on a single core, and 0 with other
    models than e5, because an embedding server usually waits, and each process would load bge's weights.
    """
    settings = application.settings
    if settings.chroma_url:
        return 0
    if settings.answer_processes is not None:
        return settings.answer_processes
    cores = count_cores()
    if cores == 1 or settings.embedder != "e5" or settings.reranker != "none":
        return 0
    return max(min(cores, MOST_PROCESSES, (measure_memory() // 2 - _SERVER_BYTES) // _PROCESS_BYTES), 0)


class _ProcessEnded(Exception):
    """The process has ended, was ended, or is stuck."""


class _Process:
    """A running process. It does one task at a time; further callers wait."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lock = threading.Lock()
        self.ended = False
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - this program
                [sys.executable, "-I", "-c", _PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")},
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # so that Ctrl-C reaches the server only
            )
        self._connection = Connection(os.dup(self._socket.fileno()))
        self._runner = open_runner()

    def load(self) -> None:
        """Wait until the process has loaded the models. Raises what it raised, or _ProcessEnded."""
        application, level = self._application, logging.getLevelName(logging.getLogger().level)
        start = Start(application.settings, application.directory.path, application.bots.executor, level)
        read_reply(self.exchange(start))

    def do(self, work: Work[Any], turn_id: str) -> bytes:
        """Let the process do some work, and return the reply; see :meth:`exchange`."""
        dense = self._application.dense
        return self.exchange(Do(work, turn_id, dense.changes if isinstance(dense, ChromaDenseIndex) else {}))

    def exchange(self, message: object) -> bytes:
        """Send a message and return the reply for :func:`bot.server.answer_process.read_reply`. Raises _ProcessEnded.

        The reply is not read here, so that the process may get its next work before.
        """
        sent = pickle.dumps(message)
        with self._lock:
            try:
                self._connection.send_bytes(sent)
                while isinstance(received := self._read_message(), DenseCall):
                    self._connection.send_bytes(make_reply(partial(self._call_dense, received)))
                return self._connection.recv_bytes()
            except BaseException as error:  # what it sends now would be taken for the reply to the next message
                self.end()
                raise _ProcessEnded(f"{type(error).__name__}: {error}") from error

    def _read_message(self) -> Any:
        if not self._connection.poll(_LONGEST_WORK):
            raise TimeoutError(f"it has worked for {_LONGEST_WORK:g} s")
        return self._connection.recv()

    def _call_dense(self, call: DenseCall) -> Any:
        return self._runner.run(getattr(self._application.dense, call.method)(*call.arguments))

    def wait(self) -> int:
        """Wait until the process ends. Returns its exit code, or minus the signal that ended it."""
        return self._process.wait()

    def end(self) -> None:
        """End the process at once; it only reads. Callers get _ProcessEnded."""
        self.ended = True
        self._process.kill()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the process, and close the connection when nobody uses it any more."""
        self.end()
        self._process.wait()
        with self._lock:
            self._runner.close()
            self._connection.close()
            self._socket.close()


class AnswerProcesses:
    """A number of processes that answer questions, as a :class:`bot.server.service.Service`."""

    name = "answer processes"
    early = False

    def __init__(self, application: Application, count: int, metrics: Metrics) -> None:
        metrics.answer_processes.set_function(self.count_running)
        self._application = application
        self._started: set[_Process] = set()
        self._running: set[_Process] = set()  # these have loaded the models
        self._free: SimpleQueue[_Process] = SimpleQueue()
        self._count = count
        self._threads = ThreadPoolExecutor(2 * count, thread_name_prefix="answers")
        self._keepers: list[threading.Thread] = []
        self._stopping = threading.Event()
        self._run_here: WorkRunner = application.run_work

    def count_running(self) -> int:
        """Return how many processes have loaded the models."""
        return len(self._running)

    def list_routes(self) -> Sequence[web.RouteDef]:
        return []

    def find_problem(self) -> str:
        return ""  # the server answers without them

    async def start(self) -> None:
        """Start the processes, without waiting until they have loaded the models; none if the index is damaged."""
        try:
            await asyncio.to_thread(lambda: self._application.dense)
        except WikiWhyError as error:
            logger.warning("No processes are started to answer questions: %s", error)
            return
        self._run_here = self._application.run_work
        self._application.run_work, self._application.on_clear = self.run, self.clear
        self._keepers = [threading.Thread(target=self._keep_one) for _ in range(self._count)]
        for thread in self._keepers:
            thread.start()

    async def stop(self) -> None:
        """End the processes. Their work, and all later work, is done here."""
        self._application.run_work, self._application.on_clear = self._run_here, lambda: None
        self._stopping.set()
        await asyncio.to_thread(self._end_all)

    def _end_all(self) -> None:
        for process in list(self._started):
            process.end()
        for thread in self._keepers:
            thread.join()
        self._threads.shutdown()

    async def run(self, work: Work[T], assistant: Assistant) -> T:
        """Do the work in a process, as soon as one is free; in this process if none is running.

        Cancelling the waiter does not cancel work that has begun.
        """
        if self._running:
            do = partial(self._do, work, TURN.get())
            with suppress(_ProcessEnded):
                result: T = await asyncio.get_running_loop().run_in_executor(self._threads, do)
                return result
        return await self._run_here(work, assistant)

    def clear(self) -> None:
        """Clear the caches of the processes, as soon as each of them has done its work."""
        for process in list(self._running):
            self._threads.submit(process.exchange, Clear())

    def _do(self, work: Work[Any], turn_id: str) -> Any:
        """Let a free process do the work, in a thread. Raises _ProcessEnded if none is running."""
        while self._running:
            with suppress(Empty):  # then look whether the last process has ended meanwhile
                process = self._free.get(timeout=1)
                if not process.ended:
                    try:
                        reply = process.do(work, turn_id)
                    finally:
                        if not process.ended:
                            self._free.put(process)
                    return read_reply(reply)
        raise _ProcessEnded

    def _keep_one(self) -> None:
        """Keep one process running, in a thread."""
        pause = _PAUSE
        while not self._stopping.is_set():
            began = time.monotonic()
            problem = self._run_one()
            if self._stopping.is_set():
                return
            if time.monotonic() - began > _HEALTHY:
                pause = _PAUSE
            logger.warning("A process that answers questions %s. Another one is started in %g s.", problem, pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _run_one(self) -> str:
        """Start a process, wait until it ends, and return what happened."""
        try:
            process = _Process(self._application)
        except OSError as error:
            return f"could not be started: {error}"
        self._started.add(process)
        try:
            if not self._stopping.is_set():
                process.load()
                self._running.add(process)
                self._free.put(process)
            else:
                process.end()
            return f"has ended with code {process.wait()}"
        except _ProcessEnded:
            return f"has ended with code {process.wait()}, before its models were loaded"
        except Exception as error:  # raised in the process
            return f"could not load its models: {type(error).__name__}: {error}"
        finally:
            self._running.discard(process)
            process.close()
            self._started.discard(process)
