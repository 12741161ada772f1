"""One or more bots on one chat platform's test server, with files or with one PostgreSQL database."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chat.served import Server
from benchmarks.chat.talk import Chat, World
from benchmarks.child import MeasurementFailed
from tests.servers import postgres
from tests.servers.postgres import PostgresServer

DURABLE = ("synchronous_commit=on", "shared_buffers=256MB")
"""Settings of PostgreSQL: what it has committed must be there after a crash."""


@dataclass(frozen=True, slots=True)
class PlatformServer:
    """A platform's test server with people and places.

    ``path``: of a bot, where it receives requests. ``environment``: the bot's settings. ``chat``: makes the chat.
    """

    name: str
    world: World
    path: str
    environment: Mapping[str, str]
    chat: Callable[[Server], Chat]

    def deliver_to(self, *urls: str) -> None:
        self.world.deliver_to(*(f"{url}{self.path}" for url in urls))


"""Starts the test server of a platform, by the platform's name."""


@dataclass(frozen=True, slots=True)
class Bots:
    """The bots that take part in a chat. Requests go to them in turn, and to another one after a failure."""

    platform: PlatformServer
    servers: list[Server]
    chat: Chat

    @property
    def ready(self) -> list[bool]:
        return [server.ready() for server in self.servers]

    def await_ready(self, seconds: float) -> float:
        """Wait until all bots are ready, and return the seconds. Raises MeasurementFailed."""
        began = time.monotonic()
        while not all(self.ready):
            if time.monotonic() - began > seconds:
                raise MeasurementFailed(f"the bots are not ready after {seconds:.0f} s: {self.ready}")
            time.sleep(0.1)
        return time.monotonic() - began


@contextmanager
def start_bots(platform: PlatformServer, folder: Path, count: int, settings: Mapping[str, str]) -> Iterator[Bots]:
    """Start bots with data directories in ``folder``, and yield them when they are ready."""
    environment = {**platform.environment, **settings}
    servers = [Server(folder / f"bot{number}", environment, lambda url: None) for number in range(count)]
    with ExitStack() as stack:
        for server in servers:
            stack.callback(_stop, server)
            server.start()
        for server in servers:
            server.wait_for_processes()
        platform.deliver_to(*(server.url for server in servers))
        yield Bots(platform, servers, platform.chat(servers[0]))


def _stop(server: Server) -> None:
    try:
        server.stop()
    except Exception:  # a bot that does not end must not outlive the measurement
        server.kill()
        server.gone()


@contextmanager
def start_postgres(*settings: str, within: Path | None = None) -> Iterator[PostgresServer]:
    """Start the PostgreSQL of the tests. ``within``: the folder of its data. Raises MeasurementFailed."""
    programs = postgres.find_programs()
    if programs is None:
        raise MeasurementFailed("there is no PostgreSQL for this machine")
    with postgres.running(programs, *DURABLE, *settings, within=within) as server:
        yield server


def empty(folder: Path) -> Path:
    """Return the folder without files."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder
