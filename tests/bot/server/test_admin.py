"""The socket by which commands hand their work to the server: who may, and what becomes of errors and of who leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession

from bot.data_directory import own_directory
from bot.health.finding import Finding
from bot.operations.address import Address, find_running_server
from bot.operations.operations import AnswerListener, AskRequest, Spaces, Synced, SyncListener, SyncOrder
from bot.operations.remote import RemoteOperations
from bot.operations.serialisation import VERSION_HEADER, ServerFailed
from bot.server.admin import AdminSocket
from core import errors
from core.attribution.explainer import Explanation
from core.errors import DataDirectoryInUse, ServerUnavailable, SpaceUnknown, WikiWhyError
from core.model import Answer, Question, Scope, Turn
from core.ports import Progress, ProgressListener, Traffic

TURN = Turn(
    "1", "2", "2026-01-01", Question("a", "b"), (), Answer("x" * 300_000, True), Scope(), {"k": 1}, {"total": 1.5}
)


@dataclass
class ScriptedWork:
    """Does what a test tells it to."""

    raises: Exception | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[AskRequest] = field(default_factory=list)

    async def begin(self, spaces: Sequence[str]) -> str:
        if self.raises:
            raise self.raises
        return ",".join(spaces)

    async def ask(self, asking: AskRequest, listener: AnswerListener) -> Turn:
        self.asked.append(asking)
        listener.on_question(TURN.question)
        listener.on_text("so far\nand on")
        return TURN

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        return replace(TURN, turn_id=turn_id, conversation_id="|".join(earlier))

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        on_progress(Progress("take sources away", 1, None))
        return TURN, Explanation(turn_id, "counterfactual")

    async def spaces(self) -> Spaces:
        return Spaces()

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        listener.on_traffic(Traffic(3, 1, 0.5))
        self.begun.set()
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Synced()

    async def forget(self, key: str) -> None: ...

    async def check_indexes(self) -> list[Finding]:
        return []


@dataclass
class Socket:
    work: ScriptedWork
    admin: AdminSocket
    address: Address

    @property
    def remote(self) -> RemoteOperations:
        return RemoteOperations(self.address)

    async def post(self, headers: dict[str, str], path: str = "/work/spaces", body: bytes = b"null") -> int:
        async with ClientSession() as session:
            url = f"http://127.0.0.1:{self.address.port}{path}"
            async with session.post(url, data=body, headers={**self.headers, **headers}) as response:
                return response.status

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.address.token}", VERSION_HEADER: self.address.version}


class Heard:
    def __init__(self) -> None:
        self.all: list[Any] = []

    def on_question(self, question: Question) -> None:
        self.all.append(question)

    def on_text(self, text: str) -> None:
        self.all.append(text)

    def on_progress(self, progress: Progress) -> None:
        self.all.append(progress)

    def on_traffic(self, traffic: Traffic) -> None:
        self.all.append(traffic)


@pytest.fixture
async def socket(tmp_path: Path) -> AsyncIterator[Socket]:
    with own_directory(tmp_path) as directory:
        work = ScriptedWork()
        admin = AdminSocket(work, directory)
        await admin.start()
        address = find_running_server(tmp_path)
        assert address
        yield Socket(work, admin, address)
        await admin.stop(0)
        assert find_running_server(tmp_path) is None


async def test_work_and_what_it_tells_arrive_as_they_were(socket: Socket) -> None:
    heard = Heard()
    asking = AskRequest("c", "Why?", (), ("ENG",))
    assert await socket.remote.ask(asking, heard) == TURN
    assert heard.all == [TURN.question, "so far\nand on"]
    assert socket.work.asked == [asking]
    assert await socket.remote.explain("7", heard.on_progress) == (TURN, Explanation("7", "counterfactual"))
    assert heard.all[-1] == Progress("take sources away", 1, None)
    assert await socket.remote.begin(["ENG", "PEO"]) == "ENG,PEO"
    assert (await socket.remote.suggest("9", ["x", "y"])).conversation_id == "x|y"


async def test_who_does_not_know_the_token_is_refused(socket: Socket) -> None:
    assert await socket.post({}) == 200
    for wrong in ("Bearer x", "Bearer ", "", f"Bearer {socket.address.token}x", f"Basic {socket.address.token}", "é"):
        assert await socket.post({"Authorization": wrong}) == 401
    with pytest.raises(DataDirectoryInUse, match="does not take work from this command"):
        await RemoteOperations(replace(socket.address, token="another")).spaces()


async def test_a_web_page_is_refused_whatever_it_knows(socket: Socket) -> None:
    assert await socket.post({"Host": "evil.example"}) == 403
    assert await socket.post({"Host": f"localhost:{socket.address.port}"}) == 403
    assert await socket.post({"Origin": "http://evil.example"}) == 403


async def test_what_nobody_offers_is_refused(socket: Socket) -> None:
    assert await socket.post({}, "/work/nothing") == 404
    for body in (b"", b"{", b"[1]", b'{"turn_id": 3}'):
        assert await socket.post({}, "/work/suggest", body) == 400


async def test_another_version_is_told_to_restart_the_server(socket: Socket) -> None:
    assert await socket.post({VERSION_HEADER: "9.9"}) == 409


@pytest.mark.parametrize(
    "kind", [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, WikiWhyError)]
)
async def test_an_error_is_raised_again_as_what_it_was(socket: Socket, kind: type[WikiWhyError]) -> None:
    socket.work.raises = kind("What happened, and what to do.")
    with pytest.raises(kind, match=r"What happened, and what to do\.") as raised:
        await socket.remote.begin([])
    assert type(raised.value) is kind


async def test_a_subclass_that_only_the_server_knows_is_still_a_message(socket: Socket) -> None:
    class Own(SpaceUnknown): ...

    socket.work.raises = Own("What happened.")
    with pytest.raises(WikiWhyError, match="What happened"):
        await socket.remote.begin([])


async def test_an_error_that_nobody_thought_of_says_where_it_was(socket: Socket) -> None:
    socket.work.raises = ZeroDivisionError("odd")
    with pytest.raises(ServerFailed, match="in the server: ZeroDivisionError: odd"):
        await socket.remote.begin([])


async def test_who_leaves_has_the_work_cancelled(socket: Socket) -> None:
    waiting = asyncio.create_task(socket.remote.sync(SyncOrder("due"), Heard()))
    await socket.work.begun.wait()
    waiting.cancel()
    await asyncio.wait_for(socket.work.cancelled.wait(), 30)


async def test_a_server_that_stops_lets_work_end(socket: Socket) -> None:
    heard = Heard()
    waiting = asyncio.create_task(socket.remote.sync(SyncOrder("due"), heard))
    await socket.work.begun.wait()
    stopping = asyncio.create_task(socket.admin.stop(30))
    socket.work.let_go.set()
    assert await waiting == Synced()
    assert heard.all == [Traffic(3, 1, 0.5)]
    await stopping


async def test_a_server_that_stops_says_so_to_who_waits_longer(socket: Socket) -> None:
    waiting = asyncio.create_task(socket.remote.sync(SyncOrder("due"), Heard()))
    await socket.work.begun.wait()
    await socket.admin.stop(0.01)
    with pytest.raises(ServerUnavailable, match="The server was stopped"):
        await waiting
    assert socket.work.cancelled.is_set()
    with pytest.raises(ServerUnavailable, match="was stopped, or does not answer"):
        await socket.remote.spaces()
