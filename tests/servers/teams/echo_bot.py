"""A bot on the bare SDK, to see what the SDK does by itself."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from botbuilder.core import TurnContext
from botbuilder.integration.aiohttp import CloudAdapter, ConfigurationBotFrameworkAuthentication
from botbuilder.schema import Activity


class EchoBot:
    """Repeats every message in the tenant's thread. ``heard``: the activities that got past the SDK's authentication.

    ``reference``: the last conversation's, with which :meth:`say` writes unasked.
    """

    def __init__(self, configuration: Any, *, port: int = 0) -> None:
        self.adapter = CloudAdapter(ConfigurationBotFrameworkAuthentication(configuration))
        self.app_id: str = configuration.APP_ID
        self.heard: list[Activity] = []
        self.reference: Any = None
        self.url = ""
        self._port = port
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> EchoBot:
        application = web.Application()
        application.router.add_post("/api/messages", self._receive)
        self._runner = web.AppRunner(application, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/api/messages"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def say(self, activity: Activity | str) -> None:
        async def send(turn: TurnContext) -> None:
            await turn.send_activity(activity)

        await self.adapter.continue_conversation(self.reference, send, self.app_id)

    async def on_turn(self, turn: TurnContext) -> None:
        self.heard.append(turn.activity)
        self.reference = TurnContext.get_conversation_reference(turn.activity)
        if turn.activity.type == "message":
            await turn.send_activity(f"You said: {turn.activity.text}")

    async def _receive(self, request: web.Request) -> web.StreamResponse:
        answer: web.Response | None = await self.adapter.process(request, self)
        return answer or web.Response(status=201)
