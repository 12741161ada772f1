"""A process that answers questions beside the server: what it does, and the messages between the two.

It has the models, and reads the store and the indexes by itself, in PostgreSQL with sessions of its own that can only
read. One index it does not open: chromadb's files, which only one process may open. It copies the vectors of small
spaces from the server's dense index, and asks the server for the others.
"""

from __future__ import annotations

import logging
import pickle
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from adapters.index.copied import CopiedDenseIndex
from adapters.index.lexical import SqliteLexicalIndex
from adapters.machine import end_first_without_memory
from adapters.store.database import Database
from bot.server.logs import log_to_stderr
from bot.settings import Settings
from bot.storage.data_directory import DataDirectory
from bot.storage.indexes import PostgresIndexes
from bot.threads import open_runner
from bot.tracing import work_on
from bot.wiring import Application, make_store_url
from core.conversation import Assistant
from core.errors import WikiWhyError
from core.work import Work

T = TypeVar("T")

logger = logging.getLogger(__name__)


# ------------------------------------------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True)
class Start:
    """The first message. ``bot``: the id of the server's bot. ``level``: of the log."""

    settings: Settings
    directory: Path
    bot: str
    level: str


@dataclass(frozen=True, slots=True)
class Do:
    """Do some work. ``turn_id``: for the log. ``changes``: of the server's dense index, if the process copies it."""

    work: Work[Any]
    turn_id: str
    changes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Clear:
    """Clear the caches that hold texts."""


@dataclass(frozen=True, slots=True)
class DenseCall:
    """A call of the server's dense index."""

    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done. The next message is the reply, which :func:`read_reply` reads."""


def make_reply(work: Callable[[], object]) -> bytes:
    """Do the work, and return its result, or the exception that it raised."""
    try:
        return pickle.dumps((work(), None))
    except Exception as error:  # raised again by the receiver
        with suppress(Exception):  # an exception may need more arguments than it was pickled with
            reply = pickle.dumps((None, error))
            pickle.loads(reply)  # noqa: S301 - written above
            return reply
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")))


def read_reply(reply: bytes) -> Any:
    """Return the result, or raise the exception."""
    result, error = pickle.loads(reply)  # noqa: S301 - from a process of this program
    if error is not None:
        raise error
    return result


# ------------------------------------------------------------------------------------------------- the process


def answer_for_server() -> None:
    """Do what the server asks through the socket whose number is the first argument, until it is closed."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # the server ends this process
    end_first_without_memory()  # the server does the work itself then
    connection = Connection(int(sys.argv[1]))
    with suppress(EOFError, ConnectionError), open_runner() as runner:
        start: Start = connection.recv()
        log_to_stderr(start.settings, start.level)
        application = open_for_reading(start, partial(_call_dense, connection))
        _send_reply(connection, lambda: runner.run(application.load_models()))
        assistant = application.make_assistant()
        while True:
            message: Do | Clear = connection.recv()
            if isinstance(message, Clear):
                _send_reply(connection, application.clear_caches)
                continue
            if isinstance(application.dense, CopiedDenseIndex):
                application.dense.note_changes(message.changes)
            work = partial(_work_on, message.turn_id, message.work, assistant)
            _send_reply(connection, lambda: runner.run(work()))  # noqa: B023 - called at once


def open_for_reading(start: Start, call_dense: Callable[..., Any]) -> Application:
    """Open the application of a server, so that it can only be read. ``call_dense``: calls its dense index."""
    settings, directory = start.settings, DataDirectory(start.directory)
    database = Database.open_reader(make_store_url(settings, directory), start.bot)
    application = Application(settings, directory, database)
    if application.uses_files:
        application.lexical = SqliteLexicalIndex.open_reader(directory.lexical_index)
        application.dense = CopiedDenseIndex(call_dense)
    else:
        application.indexes = PostgresIndexes.open_reader(settings.database_url, start.bot)
    return application


def _call_dense(connection: Connection, method: str, *arguments: Any) -> Any:
    """Call a method of the server's dense index."""
    connection.send(DenseCall(method, arguments))
    return read_reply(connection.recv_bytes())


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
    reply = make_reply(work)
    connection.send(Done())
    connection.send_bytes(reply)
