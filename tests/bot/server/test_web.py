"""What the server answers over HTTP, and to whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request

from bot.server import web as server_web
from bot.server.metrics import Metrics
from bot.server.service import Readiness
from bot.server.web import MOST_BYTES, StartEvents, make_web_application
from bot.settings import load_settings
from bot.wiring import open_application
from core.errors import DatabaseUnavailable
from core.model import Answer, Question, Scope, Turn, Usage

TOKEN = "a-token-of-some-length"

Client = TestClient[web.Request, web.Application]


@dataclass
class Chat:
    """A service with a route for each thing that may go wrong."""

    name: str = "chat"
    early: bool = False
    problem: str = ""

    def list_routes(self) -> Sequence[web.RouteDef]:
        async def echo(request: web.Request) -> web.Response:
            return web.Response(body=await request.read())

        async def fail(request: web.Request) -> web.Response:
            raise RuntimeError("a detail that is nobody's business")

        async def miss(request: web.Request) -> web.Response:
            raise DatabaseUnavailable("The database is away.")

        return [web.post("/chat/{room}", echo), web.post("/fail", fail), web.post("/miss", miss)]

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def find_problem(self) -> str:
        return self.problem


@dataclass
class Web:
    client: Client
    chat: Chat
    readiness: Readiness
    metrics: Metrics
    started: StartEvents

    async def status(self, path: str, **headers: str) -> int:
        return (
            await self.client.get(path, headers={name.replace("_", "-"): each for name, each in headers.items()})
        ).status


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Web]:
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        chat, counted, started = Chat(), Metrics(), StartEvents()
        readiness = Readiness(application, [chat])
        app = make_web_application([chat], readiness, counted, TOKEN, started)
        server = TestServer(app)
        await server.start_server(auto_decompress=False)  # as bot.server.serving has it
        async with TestClient(server) as client:
            started.early.set()
            started.all.set()
            yield Web(client, chat, readiness, counted, started)


@pytest.mark.parametrize(
    "header",
    [
        {"X_Forwarded_For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"X_Real_IP": "10.0.0.1"},
        {"Host": "evil.example"},
    ],
)
async def test_who_comes_through_a_proxy_or_by_another_name_needs_the_token(
    served: Web, header: dict[str, str]
) -> None:
    assert await served.status("/metrics") == 200
    assert await served.status("/metrics", **header) == 401
    assert await served.status("/metrics", **header, Authorization="Bearer another-token-of-it") == 401
    assert await served.status("/metrics", **header, Authorization=f"Bearer {TOKEN}") == 200


async def test_another_machine_needs_the_token(served: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_web, "is_local", lambda request: False)
    assert await served.status("/metrics") == 401
    assert await served.status("/metrics", Authorization=f"Bearer {TOKEN}") == 200


async def test_without_a_token_there_is_none_to_know(tmp_path: Path) -> None:
    with open_application(load_settings(data_dir=tmp_path / "data")) as application:
        app = make_web_application([], Readiness(application, []), Metrics(), "", StartEvents())
        async with TestClient(TestServer(app)) as client:
            for given in ("Bearer ", "Bearer", ""):
                headers = {"Authorization": given, "Forwarded": "for=10.0.0.1"}
                assert (await client.get("/metrics", headers=headers)).status == 401


@pytest.mark.parametrize(
    ("peer", "host", "here"),
    [("127.0.0.1", "localhost:8080", True), ("127.3.2.1", "127.0.0.1", True), ("::1", "[::1]:8080", True),
     ("::ffff:127.0.0.1", "localhost", True), ("10.0.0.7", "localhost", False), ("127.0.0.1", "evil.example", False),
     ("fe80::1%eth0", "localhost", False), ("::ffff:10.0.0.7", "localhost", False)],
)  # fmt: skip
def test_this_machine_is_told_from_others_by_its_address(peer: str, host: str, here: bool) -> None:
    class Transport(asyncio.Transport):
        def get_extra_info(self, name: str, default: object = None) -> object:
            return (peer, 1234) if name == "peername" else default

    request = make_mocked_request("GET", "/metrics", headers={"Host": host}, transport=Transport())
    assert server_web.is_local(request) is here


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "x"])
async def test_a_compressed_body_is_refused_before_it_is_read(served: Web, encoding: str) -> None:
    answer = await served.client.post("/chat/one", data=b"broken", headers={"Content-Encoding": encoding})
    assert answer.status == 415


async def test_services_are_served_only_when_they_were_started(served: Web) -> None:
    served.started.all.clear()
    answer = await served.client.post("/chat/one", data=b"hello")
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
    assert await served.status("/healthz") == 200
    assert await served.status("/nothing") == 404
    served.started.all.set()
    assert await (await served.client.post("/chat/one", data=b"hello")).read() == b"hello"


async def test_a_service_that_is_not_ready_is_named(served: Web) -> None:
    await served.readiness.load()
    assert await served.status("/readyz") == 200
    served.chat.problem = "cannot reach its platform"
    answer = await served.client.get("/readyz")
    assert answer.status == 503
    assert (await answer.json())["parts"]["chat"] == "cannot reach its platform"


async def test_nothing_is_ready_before_it_is_loaded(served: Web) -> None:
    answer = await served.client.get("/readyz")
    assert answer.status == 503
    assert (await answer.json())["parts"]["models"] == "starting"


async def test_an_error_tells_its_sender_nothing(served: Web, caplog: pytest.LogCaptureFixture) -> None:
    answer = await served.client.post("/fail", data=b"hello")
    assert answer.status == 500
    assert "detail" not in await answer.text()
    assert "a detail that is nobody's business" in caplog.text
    assert 'wikiwhy_http_requests_total{method="POST",route="/fail",status="500"} 1.0' in await metrics_of(served)


async def test_an_outage_is_logged_in_one_line(served: Web, caplog: pytest.LogCaptureFixture) -> None:
    assert (await served.client.post("/miss", data=b"hello")).status == 500
    (record,) = (each for each in caplog.records if "The database is away." in each.getMessage())
    assert record.exc_info is None


async def test_a_body_that_is_too_long_is_refused(served: Web) -> None:
    assert (await served.client.post("/chat/one", data=b"x" * (MOST_BYTES + 1))).status == 413


async def test_a_body_that_does_not_come_is_not_waited_for(served: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_web, "_BODY_SECONDS", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", served.client.port)
    writer.write(b"POST /chat/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhel")
    assert (await reader.readline()).startswith(b"HTTP/1.1 408")
    writer.close()


@pytest.mark.parametrize("sent", [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"nonsense\r\n\r\n"])
async def test_no_answer_says_what_program_it_comes_from(served: Web, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.client.port)
    writer.write(sent)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    writer.close()
    assert b"server: wikiwhy\r\n" in head
    assert b"python" not in head
    assert b"aiohttp" not in head


async def test_requests_are_counted_by_route_never_by_path(served: Web) -> None:
    for room in ("one", "two"):
        await served.client.post(f"/chat/{room}")
    for path in ("/wp-admin", "/.env"):
        await served.client.get(path)
    counted = await metrics_of(served)
    assert 'wikiwhy_http_requests_total{method="POST",route="/chat/{room}",status="200"} 2.0' in counted
    assert 'wikiwhy_http_requests_total{method="any",route="none",status="404"} 2.0' in counted
    assert "wp-admin" not in counted


async def metrics_of(served: Web) -> str:
    return await (await served.client.get("/metrics")).text()


def test_a_question_is_counted_by_what_became_of_it() -> None:
    counted = Metrics()
    for answered in (True, False):
        with counted.count_question() as outcome:
            answer = Answer("text", answered)
            outcome.turn = Turn("1", "2", "", Question("q", "q"), (), answer, Scope(), {}, {}, Usage(1, 10, 5))
    with pytest.raises(RuntimeError), counted.count_question():
        raise RuntimeError
    values = {
        outcome: counted.registry.get_sample_value("wikiwhy_questions_total", {"outcome": outcome})
        for outcome in ("answered", "not_found", "failed")
    }
    assert values == {"answered": 1, "not_found": 1, "failed": 1}
    assert counted.registry.get_sample_value("wikiwhy_questions_asked_total") == 3
    assert counted.registry.get_sample_value("wikiwhy_questions_in_flight") == 0
    assert counted.registry.get_sample_value("wikiwhy_model_tokens_total", {"kind": "prompt"}) == 20
