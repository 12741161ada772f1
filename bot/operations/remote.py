"""The work done by the server that owns the data directory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout

from bot.audit import command_line_user
from bot.health.finding import Finding
from bot.operations.address import Address
from bot.operations.operations import (
    AnswerListener,
    AskRequest,
    ForgetPerson,
    Judged,
    Spaces,
    Synced,
    SyncListener,
    SyncOrder,
)
from bot.operations.serialisation import (
    ACTOR_HEADER,
    METHODS,
    VERSION_HEADER,
    Suggesting,
    dump_value,
    event_of,
    result_of,
)
from bot.privacy import PersonExport, PersonForgotten
from bot.version import version
from core.attribution.explainer import Explanation
from core.errors import DataDirectoryInUse, ServerUnavailable
from core.identity.person import PersonId
from core.model import Turn
from core.ports import AuditEntry, ProgressListener

_CONNECT_SECONDS = 5.0

_Listeners = Mapping[str, Callable[[Any], None]]


class RemoteOperations:
    """Hands work to a server (see `Operations`); cancelled, it has the server cancel it too.

    Besides what the work raises, each method raises ServerUnavailable and DataDirectoryInUse where the server does
    not do it.
    """

    def __init__(self, server: Address) -> None:
        self._server = server

    async def begin(self, spaces: Sequence[str]) -> str:
        """See :meth:`bot.operations.operations.Operations.begin`."""
        begun: str = await self._done("begin", tuple(spaces))
        return begun

    async def ask(self, asking: AskRequest, listener: AnswerListener) -> Turn:
        """See :meth:`bot.operations.operations.Operations.ask`."""
        turn: Turn = await self._done("ask", asking, {"question": listener.on_question, "text": listener.on_text})
        return turn

    async def suggest(self, turn_id: str, earlier: Sequence[str]) -> Turn:
        """See :meth:`bot.operations.operations.Operations.suggest`."""
        turn: Turn = await self._done("suggest", Suggesting(turn_id, tuple(earlier)))
        return turn

    async def explain(self, turn_id: str, on_progress: ProgressListener) -> tuple[Turn, Explanation]:
        """See :meth:`bot.operations.operations.Operations.explain`."""
        explained: tuple[Turn, Explanation] = await self._done("explain", turn_id, {"progress": on_progress})
        return explained

    async def spaces(self) -> Spaces:
        """See :meth:`bot.operations.operations.Operations.spaces`."""
        spaces: Spaces = await self._done("spaces", None)
        return spaces

    async def sync(self, order: SyncOrder, listener: SyncListener) -> Synced:
        """See :meth:`bot.operations.operations.Operations.sync`. A folder is the one that this process calls so."""
        order = _with_whole_path(order)
        listeners: _Listeners = {"progress": listener.on_progress, "traffic": listener.on_traffic}
        synced: Synced = await self._done("sync", order, listeners)
        return synced

    async def forget(self, key: str) -> None:
        """See :meth:`bot.operations.operations.Operations.forget`."""
        await self._done("forget", key)

    async def feedback(self) -> list[Judged]:
        """See :meth:`bot.operations.operations.Operations.feedback`."""
        judged: list[Judged] = await self._done("feedback", None)
        return judged

    async def export_person(self, person: PersonId) -> PersonExport:
        """See :meth:`bot.operations.operations.Operations.export_person`."""
        exported: PersonExport = await self._done("export_person", person)
        return exported

    async def forget_person(self, order: ForgetPerson) -> PersonForgotten:
        """See :meth:`bot.operations.operations.Operations.forget_person`."""
        forgotten: PersonForgotten = await self._done("forget_person", order)
        return forgotten

    async def audit(self, since: str) -> list[AuditEntry]:
        """See :meth:`bot.operations.operations.Operations.audit`."""
        entries: list[AuditEntry] = await self._done("audit", since)
        return entries

    async def clean_files(self, on_begin: Callable[[], None]) -> bool:
        """See :meth:`bot.operations.operations.Operations.clean_files`: the server's upkeep does it."""
        return True

    async def check_indexes(self) -> list[Finding]:
        """See :meth:`bot.operations.operations.Operations.check_indexes`."""
        findings: list[Finding] = await self._done("check_indexes", None)
        return findings

    async def _done(self, name: str, argument: object, listeners: _Listeners | None = None) -> Any:
        """Has a method done. Every call has a connection of its own: it may be made in another event loop."""
        method = METHODS[name]
        headers = {"Authorization": f"Bearer {self._server.token}", VERSION_HEADER: version()}
        headers[ACTOR_HEADER] = command_line_user()
        timeout = ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
        url = f"http://127.0.0.1:{self._server.port}/work/{name}"
        try:
            async with (
                ClientSession(timeout=timeout, headers=headers) as session,
                session.post(url, data=dump_value(method.argument, argument).encode()) as response,
            ):
                await self._check(response)
                async for line in _lines(response):
                    if event := event_of(line):
                        told, value = event
                        if listeners and told in listeners:
                            listeners[told](value)
                    else:
                        return result_of(method.result, line)
        except ClientError as error:
            raise self._gone() from error
        raise self._gone()

    async def _check(self, response: ClientResponse) -> None:
        if response.status == 409:
            raise ServerUnavailable(
                f"The server (pid {self._server.pid}) runs version {self._server.version} of WikiWhy, this command is "
                f"version {version()}. Restart the server."
            )
        if response.status == 503:
            raise self._gone()
        if response.status != 200:
            # Whoever listens there is not the server that wrote the address.
            raise DataDirectoryInUse(
                f"The server that owns the data directory (pid {self._server.pid}) does not take work from this "
                f"command ({response.status}). Restart it, or stop it."
            )

    def _gone(self) -> ServerUnavailable:
        return ServerUnavailable(
            f"The server that owns the data directory (pid {self._server.pid}) was stopped, or does not answer. "
            "Run the command again."
        )


def _with_whole_path(order: SyncOrder) -> SyncOrder:
    return replace(order, path=str(Path(order.path).absolute())) if order.path else order


async def _lines(response: ClientResponse) -> AsyncIterator[Mapping[str, Any]]:
    """The lines of an answer; of any length, for an explanation is long."""
    rest = b""
    async for chunk in response.content.iter_any():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield json.loads(line)
