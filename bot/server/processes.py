"""Processes that answer questions beside the server, so that a server with files uses all cores of its machine.

Python runs one thread at a time, so the threads of one process use little more than one core. Each of these processes
has the models and reads the store and the full-text index by itself. The dense index stays in the server, because only
one process may open chromadb's files: a process copies the vectors of small spaces, and asks the server for the others.

A process only reads, and does one work at a time. If it ends or is stuck, the server does its work itself, in a thread,
and starts another process.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from aiohttp import web

from adapters.index.copied import CopiedDenseIndex
from adapters.index.dense import ChromaDenseIndex
from adapters.index.lexical import SqliteLexicalIndex
from adapters.machine import count_cores, measure_memory
from adapters.store.database import Database
from bot.server.logs import log_to_stderr
from bot.server.metrics import Metrics
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from bot.threads import open_runner
from bot.tracing import TURN, work_on
from bot.wiring import Application, make_store_url
from core.conversation import Assistant, Run, Work
from core.errors import WikiWhyError

T = TypeVar("T")

MOST_PROCESSES = 4
"""More do not answer more questions a minute: the server needs a third of a process's time for each question."""

_PROGRAM = "from bot.server.processes import answer_for_server; answer_for_server()"
_PROCESS_BYTES, _SERVER_BYTES = 400_000_000, 600_000_000  # measured, with e5
_LONGEST_WORK = 120.0  # seconds; then a process is taken for stuck
_PAUSE, _LONGEST_PAUSE = 1.0, 600.0  # seconds before a process that ended is started again, doubled each time
_HEALTHY = 60.0  # seconds after which a process that ended counts as the first one

logger = logging.getLogger(__name__)


def choose_count(application: Application) -> int:
    """Return how many processes to start.

    None with PostgreSQL, where several bots do the same. Unless the settings say how many: as many as there are cores,
    if there is more than one, and as half of the memory is enough for. None if other models than e5 are used: an
    embedding server mostly waits, and each process would load bge's weights.
    """
    settings = application.settings
    if not application.uses_files:
        return 0
    if settings.answer_processes is not None:
        return settings.answer_processes
    cores = count_cores()
    if cores == 1 or settings.embedder != "e5" or settings.reranker != "none":
        return 0
    return max(min(cores, MOST_PROCESSES, (measure_memory() // 2 - _SERVER_BYTES) // _PROCESS_BYTES), 0)


# ------------------------------------------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True)
class _Start:
    settings: Settings
    directory: Path
    level: str  # of the log


@dataclass(frozen=True, slots=True)
class _Do:
    work: Work[Any]
    turn_id: str  # for the log
    changes: Mapping[str, int]  # of the dense index


@dataclass(frozen=True, slots=True)
class _Clear:
    """Clear the caches that hold texts."""


@dataclass(frozen=True, slots=True)
class _DenseCall:
    """A call of the server's dense index."""

    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Done:
    """The work is done. The next message is the reply, which :func:`_read_reply` reads."""


def _make_reply(work: Callable[[], object]) -> bytes:
    """Do the work, and return its result, or the exception that it raised."""
    try:
        return pickle.dumps((work(), None))
    except Exception as error:  # raised again by the receiver
        with suppress(Exception):  # an exception may need more arguments than it was pickled with
            reply = pickle.dumps((None, error))
            pickle.loads(reply)  # noqa: S301 - written above
            return reply
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))


def _read_reply(reply: bytes) -> Any:
    """Return the result, or raise the exception."""
    result, error = pickle.loads(reply)  # noqa: S301 - from a process of this program
    if error is not None:
        raise error
    return result


# ------------------------------------------------------------------------------------------------- the server's side


class _ProcessEnded(Exception):
    """The process has ended, was ended, or is stuck."""


class _Process:
    """A running process. It does one work at a time; further callers wait."""

    def __init__(self, application: Application, dense: ChromaDenseIndex) -> None:
        self._application = application
        self.dense = dense
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
        settings, directory = self._application.settings, self._application.directory.path
        _read_reply(self.exchange(_Start(settings, directory, logging.getLevelName(logging.getLogger().level))))

    def exchange(self, message: object) -> bytes:
        """Send a message and return the reply for :func:`_read_reply`. Raises _ProcessEnded.

        The reply is not read here, so that the process may get its next work before.
        """
        sent = pickle.dumps(message)
        with self._lock:
            try:
                self._connection.send_bytes(sent)
                while isinstance(received := self._read_message(), _DenseCall):
                    self._connection.send_bytes(_make_reply(partial(self._call_dense, received)))
                return self._connection.recv_bytes()
            except BaseException as error:  # what it sends now would be taken for the reply to the next message
                self.end()
                raise _ProcessEnded(f"{type(error).__name__}: {error}") from error

    def _read_message(self) -> Any:
        if not self._connection.poll(_LONGEST_WORK):
            raise TimeoutError(f"it has worked for {_LONGEST_WORK:g} s")
        return self._connection.recv()

    def _call_dense(self, call: _DenseCall) -> Any:
        return self._runner.run(getattr(self.dense, call.method)(*call.arguments))

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
        self._run_here: Run = application.run

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
            dense = await asyncio.to_thread(lambda: self._application.dense)
        except WikiWhyError as error:
            logger.warning("No processes are started to answer questions: %s", error)
            return
        assert isinstance(dense, ChromaDenseIndex)  # with another one, there are no processes
        self._run_here = self._application.run
        self._application.run, self._application.on_clear = self.run, self.clear
        self._keepers = [threading.Thread(target=self._keep_one, args=[dense]) for _ in range(self._count)]
        for thread in self._keepers:
            thread.start()

    async def stop(self) -> None:
        """End the processes. Their work, and all later work, is done here."""
        self._application.run, self._application.on_clear = self._run_here, lambda: None
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
            exchange = partial(self._exchange, work, TURN.get())
            with suppress(_ProcessEnded):
                result: T = await asyncio.get_running_loop().run_in_executor(self._threads, exchange)
                return result
        return await self._run_here(work, assistant)

    def clear(self) -> None:
        """Clear the caches of the processes, as soon as each of them has done its work."""
        for process in list(self._running):
            self._threads.submit(process.exchange, _Clear())

    def _exchange(self, work: Work[Any], turn_id: str) -> Any:
        """Let a free process do the work, in a thread. Raises _ProcessEnded if none is running."""
        while self._running:
            with suppress(Empty):  # then look whether the last process has ended meanwhile
                process = self._free.get(timeout=1)
                if not process.ended:
                    try:
                        reply = process.exchange(_Do(work, turn_id, process.dense.changes))
                    finally:
                        if not process.ended:
                            self._free.put(process)
                    return _read_reply(reply)
        raise _ProcessEnded

    def _keep_one(self, dense: ChromaDenseIndex) -> None:
        """Keep one process running, in a thread."""
        pause = _PAUSE
        while not self._stopping.is_set():
            began = time.monotonic()
            problem = self._run_one(dense)
            if self._stopping.is_set():
                return
            if time.monotonic() - began > _HEALTHY:
                pause = _PAUSE
            logger.warning("A process that answers questions %s. Another one is started in %g s.", problem, pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _run_one(self, dense: ChromaDenseIndex) -> str:
        """Start a process, wait until it ends, and return what happened."""
        try:
            process = _Process(self._application, dense)
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


# ------------------------------------------------------------------------------------------------- the process


def _call_dense(connection: Connection, method: str, *arguments: Any) -> Any:
    """Call a method of the server's dense index."""
    connection.send(_DenseCall(method, arguments))
    return _read_reply(connection.recv_bytes())


def answer_for_server() -> None:
    """Do what the server asks through the socket whose number is the first argument, until it is closed."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # the server ends this process
    connection = Connection(int(sys.argv[1]))
    with suppress(EOFError, ConnectionError), open_runner() as runner:
        start: _Start = connection.recv()
        log_to_stderr(start.settings, start.level)
        directory = DataDirectory(start.directory)
        database = Database.open_reader(make_store_url(start.settings, directory))
        application = Application(start.settings, directory, database)
        application.lexical = SqliteLexicalIndex.open_reader(directory.lexical_index)
        application.dense = dense = CopiedDenseIndex(partial(_call_dense, connection))
        _send_reply(connection, lambda: runner.run(application.load_models()))
        assistant = application.make_assistant()
        while True:
            message: _Do | _Clear = connection.recv()
            if isinstance(message, _Clear):
                _send_reply(connection, application.clear_caches)
                continue
            dense.note_changes(message.changes)
            work = partial(_work_on, message.turn_id, message.work, assistant)
            _send_reply(connection, lambda: runner.run(work()))  # noqa: B023 - called at once


async def _work_on(turn_id: str, work: Work[T], assistant: Assistant) -> T:
    with work_on(turn_id):
        try:
            return await work.run(assistant)
        except WikiWhyError:
            raise
        except Exception:
            logger.exception("A question could not be answered.")  # here, since no traceback is sent
            raise


def _send_reply(connection: Connection, work: Callable[[], object]) -> None:
    reply = _make_reply(work)
    connection.send(_Done())
    connection.send_bytes(reply)
