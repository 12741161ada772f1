"""Limits for connections, with a real server and real sockets."""

from __future__ import annotations

import asyncio
import errno
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from bot.server.connections import Connections, compute_most_connections, limit_accept_errors, raise_file_limit

MOST = 8
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
BODY_MISSING = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"


@dataclass
class Client:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def read_status(self) -> int:
        async with asyncio.timeout(5):
            head = await self.reader.readuntil(b"\r\n\r\n")
            await self.reader.readexactly(len("done"))
        return int(head.split()[1])

    async def is_closed(self, within: float = 5) -> bool:
        try:
            async with asyncio.timeout(within):
                return not await self.reader.read(1)
        except TimeoutError:
            return False
        except ConnectionError:
            return True


@dataclass
class Server:
    """A server whose only page reads the body, and answers when the gate is open."""

    port: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0
    clients: list[Client] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked += 1
        await request.read()
        await self.gate.wait()
        return web.Response(text="done")

    async def connect(self, count: int, data: bytes = b"") -> list[Client]:
        clients = [Client(*await asyncio.open_connection("127.0.0.1", self.port)) for _ in range(count)]
        for client in clients:
            client.send(data)
        self.clients += clients
        return clients

    async def until_asked(self, times: int) -> None:
        async with asyncio.timeout(5):
            while self.asked < times:  # noqa: ASYNC110 - over HTTP
                await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(request_seconds: float = 60) -> AsyncIterator[Server]:
    served, connections = Server(), Connections(MOST, request_seconds)
    served.gate.set()
    app = web.Application(middlewares=[connections.note_request])
    app.add_routes([web.get("/", served.answer), web.post("/", served.answer)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    assert runner.server
    server = await asyncio.get_running_loop().create_server(connections.limit(runner.server), "127.0.0.1", 0)
    served.port = server.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        for client in served.clients:
            client.writer.transport.abort()
        server.close()
        await runner.cleanup()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: ", BODY_MISSING])
async def test_a_request_is_answered_among_any_number_of_connections_without_one(sent: bytes) -> None:
    async with serving() as server:
        silent = await server.connect(5 * MOST, sent)
        for _ in range(2):
            (client,) = await server.connect(1, GET)
            assert await client.read_status() == 200
        closed = [await client.is_closed(0.05) for client in silent]
        assert closed == [True] * (4 * MOST + 2) + [False] * (MOST - 2)


async def test_a_complete_request_in_progress_keeps_its_connection() -> None:
    async with serving() as server:
        server.gate.clear()
        working = await server.connect(MOST - 1, GET)
        await server.until_asked(MOST - 1)
        await server.connect(5 * MOST)
        (last,) = await server.connect(1, GET)
        await server.until_asked(MOST)
        (refused,) = await server.connect(1)
        assert await refused.is_closed()
        server.gate.set()
        assert [await client.read_status() for client in [*working, last]] == [200] * MOST


async def test_the_connection_that_was_idle_for_longest_is_closed_first() -> None:
    async with serving() as server:
        clients = await server.connect(MOST, GET)
        for client in clients:
            assert await client.read_status() == 200
        clients[0].send(GET)
        assert await clients[0].read_status() == 200
        await server.connect(1)
        assert [await client.is_closed(0.05) for client in clients] == [False, True] + [False] * (MOST - 2)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: "])
async def test_headers_that_do_not_arrive_in_time_close_the_connection(sent: bytes) -> None:
    async with serving(request_seconds=0.2) as server:
        (first,) = await server.connect(1, sent)
        assert await first.is_closed()
        (further,) = await server.connect(1, GET)
        assert await further.read_status() == 200
        assert not await further.is_closed(0.5)
        further.send(sent or b"\r\n")
        assert await further.is_closed()


async def test_a_request_may_take_longer_than_its_headers() -> None:
    async with serving(request_seconds=0.2) as server:
        server.gate.clear()
        (client,) = await server.connect(1, GET)
        await asyncio.sleep(0.4)
        server.gate.set()
        assert await client.read_status() == 200


async def test_a_flood_of_closed_connections_makes_few_lines(caplog: pytest.LogCaptureFixture) -> None:
    async with serving() as server:
        await server.connect(5 * MOST)
        (client,) = await server.connect(1, GET)
        assert await client.read_status() == 200
    assert caplog.text.count("was closed") == 5


async def test_connections_that_cannot_be_accepted_make_few_lines(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.get_running_loop()
    with limit_accept_errors(loop):
        for _ in range(100):
            loop.call_exception_handler(
                {"message": "m", "socket": None, "exception": OSError(errno.EMFILE, "too many")}
            )
        loop.call_exception_handler({"message": "a defect", "exception": RuntimeError("odd")})
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 5 + ["ERROR"]
    assert "too many" in caplog.text
    assert "a defect" in caplog.text
    assert loop.get_exception_handler() is None


def test_the_limit_of_files_is_raised_and_connections_may_use_a_part_of_it() -> None:
    before = soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 512), hard))
        files = raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (files, hard)
        assert files == (8192 if hard == resource.RLIM_INFINITY else min(8192, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [compute_most_connections(each) for each in (256, 1024, 8192)] == [64, 256, 512]
