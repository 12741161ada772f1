"""The socket by which commands hand their work to the server: who may, and what becomes of errors and of who leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.operations.operation import Event, EventListener, Operation, ignore_events
from bot.operations.questions import AskQuestion, BeginConversation, ExplainAnswer, SuggestQuestions
from bot.operations.remote import RemoteOperations
from bot.operations.serialisation import VERSION_HEADER, ServerFailed
from bot.operations.spaces import ListSpaces, SpaceList
from bot.operations.sync import SyncResult, SyncSpaces
from bot.server.admin import AdminSocket
from bot.storage.data_directory import ServerAddress, find_running_server, own_directory
from core import errors
from core.attribution.explainer import Explanation
from core.errors import DataDirectoryInUse, ServerUnavailable, SpaceUnknown, WikiWhyError
from core.model import Answer, Question, Scope, Turn
from core.ports.wiki import Traffic
from core.timing import Progress

TURN = Turn(
    "1", "2", "2026-01-01", Question("a", "b"), (), Answer("x" * 300_000, True), Scope(), {"k": 1}, {"total": 1.5}
)


@dataclass
class ScriptedOperations:
    """Executes what a test says."""

    raises: Exception | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[AskQuestion] = field(default_factory=list)

    async def execute(self, operation: Operation[Any], on_event: EventListener = ignore_events) -> Any:
        if self.raises:
            raise self.raises
        match operation:
            case BeginConversation(spaces):
                return ",".join(spaces)
            case AskQuestion():
                self.asked.append(operation)
                on_event(TURN.question)
                on_event("so far\nand on")
                return TURN
            case SuggestQuestions(turn_id, earlier):
                return replace(TURN, turn_id=turn_id, conversation_id="|".join(earlier))
            case ExplainAnswer(turn_id):
                on_event(Progress("take sources away", 1, None))
                return TURN, Explanation(turn_id, "counterfactual")
            case ListSpaces():
                return SpaceList()
            case SyncSpaces():
                on_event(Traffic(3, 1, 0.5))
                return await self.wait()
            case _:
                raise NotImplementedError

    async def wait(self) -> SyncResult:
        self.begun.set()
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return SyncResult()


@dataclass
class Socket:
    operations: ScriptedOperations
    admin: AdminSocket
    address: ServerAddress

    @property
    def remote(self) -> RemoteOperations:
        return RemoteOperations(self.address)

    async def post(self, headers: dict[str, str], path: str = "/work/ListSpaces", body: bytes = b"{}") -> int:
        async with ClientSession() as session:
            url = f"http://127.0.0.1:{self.address.port}{path}"
            async with session.post(url, data=body, headers={**self.headers, **headers}) as response:
                return response.status

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.address.token}", VERSION_HEADER: self.address.version}


@pytest.fixture
async def socket(tmp_path: Path) -> AsyncIterator[Socket]:
    with own_directory(tmp_path) as directory:
        operations = ScriptedOperations()
        admin = AdminSocket(operations, directory)
        await admin.start()
        address = find_running_server(tmp_path)
        assert address
        yield Socket(operations, admin, address)
        await admin.stop(0)
        assert find_running_server(tmp_path) is None


async def test_work_and_what_it_tells_arrive_as_they_were(socket: Socket) -> None:
    events: list[Event] = []
    question = AskQuestion("c", "Why?", (), ("ENG",))
    assert await socket.remote.execute(question, events.append) == TURN
    assert events == [TURN.question, "so far\nand on"]
    assert socket.operations.asked == [question]
    explained = await socket.remote.execute(ExplainAnswer("7"), events.append)
    assert explained == (TURN, Explanation("7", "counterfactual"))
    assert events[-1] == Progress("take sources away", 1, None)
    assert await socket.remote.execute(BeginConversation(("ENG", "PEO"))) == "ENG,PEO"
    assert (await socket.remote.execute(SuggestQuestions("9", ("x", "y")))).conversation_id == "x|y"


async def test_who_does_not_know_the_token_is_refused(socket: Socket) -> None:
    assert await socket.post({}) == 200
    for wrong in ("Bearer x", "Bearer ", "", f"Bearer {socket.address.token}x", f"Basic {socket.address.token}", "é"):
        assert await socket.post({"Authorization": wrong}) == 401
    with pytest.raises(DataDirectoryInUse, match="refuses this command"):
        await RemoteOperations(replace(socket.address, token="another")).execute(ListSpaces())


async def test_a_web_page_is_refused_whatever_it_knows(socket: Socket) -> None:
    assert await socket.post({"Host": "evil.example"}) == 403
    assert await socket.post({"Host": f"localhost:{socket.address.port}"}) == 403
    assert await socket.post({"Origin": "http://evil.example"}) == 403


async def test_what_nobody_offers_is_refused(socket: Socket) -> None:
    assert await socket.post({}, "/work/nothing") == 404
    for body in (b"", b"{", b"[1]", b'{"turn_id": 3}'):
        assert await socket.post({}, "/work/SuggestQuestions", body) == 400


async def test_another_version_is_told_to_restart_the_server(socket: Socket) -> None:
    assert await socket.post({VERSION_HEADER: "9.9"}) == 409


@pytest.mark.parametrize(
    "kind", [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, WikiWhyError)]
)
async def test_an_error_is_raised_again_as_what_it_was(socket: Socket, kind: type[WikiWhyError]) -> None:
    socket.operations.raises = kind("What happened, and what to do.")
    with pytest.raises(kind, match=r"What happened, and what to do\.") as raised:
        await socket.remote.execute(BeginConversation())
    assert type(raised.value) is kind


async def test_a_subclass_that_only_the_server_knows_is_still_a_message(socket: Socket) -> None:
    class Own(SpaceUnknown): ...

    socket.operations.raises = Own("What happened.")
    with pytest.raises(WikiWhyError, match="What happened"):
        await socket.remote.execute(BeginConversation())


async def test_an_error_that_nobody_thought_of_says_where_it_was(socket: Socket) -> None:
    socket.operations.raises = ZeroDivisionError("odd")
    with pytest.raises(ServerFailed, match="in the server: ZeroDivisionError: odd"):
        await socket.remote.execute(BeginConversation())


async def test_who_leaves_has_the_work_cancelled(socket: Socket) -> None:
    waiting = asyncio.create_task(socket.remote.execute(SyncSpaces("due")))
    await socket.operations.begun.wait()
    waiting.cancel()
    await asyncio.wait_for(socket.operations.cancelled.wait(), 30)


async def test_a_server_that_stops_lets_work_end(socket: Socket) -> None:
    events: list[Event] = []
    waiting = asyncio.create_task(socket.remote.execute(SyncSpaces("due"), events.append))
    await socket.operations.begun.wait()
    stopping = asyncio.create_task(socket.admin.stop(30))
    socket.operations.let_go.set()
    assert await waiting == SyncResult()
    assert events == [Traffic(3, 1, 0.5)]
    await stopping


async def test_a_server_that_stops_says_so_to_who_waits_longer(socket: Socket) -> None:
    waiting = asyncio.create_task(socket.remote.execute(SyncSpaces("due")))
    await socket.operations.begun.wait()
    await socket.admin.stop(0.01)
    with pytest.raises(ServerUnavailable, match="The server was stopped"):
        await waiting
    assert socket.operations.cancelled.is_set()
    with pytest.raises(ServerUnavailable, match="was stopped or does not answer"):
        await socket.remote.execute(ListSpaces())
