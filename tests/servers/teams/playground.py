"""The Microsoft 365 Agents Playground, Microsoft's test client for Teams apps, between a test and a bot.

It is a development tool with its own licence: installed from npm when needed, never part of this project. It has no
tokens, so the bot has to run anonymously, no deletion and no repeated deliveries.

async with Playground("http://127.0.0.1:3978/api/messages") as playground:
    thread = await playground.post(playground.channel, "Who is on call?")
    answer = await playground.message_comes(thread.conversation, lambda message: "Grace" in message.text)
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.servers import npm
from tests.servers.chat_server import Json
from tests.servers.teams.state import ADAPTIVE

HERE = Path(__file__).parent
_STARTED = "Listening on "
_START, _ANSWER = 60.0, 30.0
"""Timeouts in seconds for the start and for responses: a malformed stream gets no response."""


@functools.cache
def why_no_playground() -> str:
    """Install the Playground; return why that is impossible, "" on success."""
    if missing := npm.why_not("the Agents Playground"):
        return missing
    try:
        npm.installed("teams-client", HERE)
    except RuntimeError as error:
        return f"the Agents Playground could not be installed: {error}"
    return ""


@dataclass(frozen=True)
class Posted:
    """A person's message. ``conversation``: where the answers are; for a new post in a channel its thread."""

    conversation: str
    message_id: str


class Playground:
    """A process of the Playground for the duration of the ``async with`` block; it listens on loopback only.

    ``me``, ``others``: ids of people; ``personal``, ``group``, ``channel``: ids of conversations.
    """

    def __init__(self, bot_url: str, *, port: int = 0) -> None:
        """``port``: 0 for any free one."""
        self.bot_url, self._wanted = bot_url, port
        self.url = ""
        self.screen = Screen()
        self.config: Json = {}
        self._folder = tempfile.TemporaryDirectory(prefix="playground-")  # it writes a log into its working directory
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._said: list[str] = []
        self._session: aiohttp.ClientSession

    async def __aenter__(self) -> Playground:
        cli = npm.installed("teams-client", HERE) / "node_modules/@microsoft/m365agentsplayground/cli.js"
        self._process = await asyncio.create_subprocess_exec(
            "node", "--require", str(HERE / "loopback.cjs"), str(cli), "--app-endpoint", self.bot_url,
            "--channel-id", "msteams", "--port", str(self._wanted), "--disable-telemetry",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "TEAMSAPPTESTER_BROWSER": "none"}, cwd=self._folder.name,
        )  # fmt: skip
        self.url = f"http://127.0.0.1:{await asyncio.wait_for(self._port(), _START)}"
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_ANSWER))
        self.config = (await self._call("GET", "/_internal/v1/testConfig"))["config"]
        watched = asyncio.Event()
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch(watched))]
        await asyncio.wait_for(watched.wait(), _ANSWER)
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._session.close()
        if self._process and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._folder.cleanup()

    @property
    def bot(self) -> str:
        return str(self.config["bot"]["id"])

    @property
    def bot_name(self) -> str:
        return str(self.config["bot"]["name"])

    @property
    def me(self) -> str:
        return str(self.config["currentUser"]["id"])

    @property
    def others(self) -> list[str]:
        return [str(user["id"]) for user in self.config["users"]]

    @property
    def personal(self) -> str:
        return str(self.config["personalChat"]["id"])

    @property
    def group(self) -> str:
        return str(self.config["groupChats"][0]["id"])

    @property
    def channel(self) -> str:
        return str(self.config["teams"][0]["channels"][0]["id"])

    # What people do

    async def post(self, where: str, text: str, *, mention: bool = True, user: str = "") -> Posted:
        """Post a message, with a mention except in the personal chat. ``where``: a conversation or a thread."""
        body: Json = {"type": "text", "text": text, "textFormat": "plain", "from": {"id": user or self.me}}
        if mention and where != self.personal:
            tag = f"<at>{self.bot_name}</at>"
            body |= {"text": f"{tag} {text}", "mentions": [{"mentioned": {"id": self.bot}, "text": tag}]}
        answer = await self._call("POST", f"/_conversation/v1/conversations/{where}/messages", body)
        return Posted(str(answer.get("postConversationId") or where), str(answer.get("messageId")))

    async def submit(self, where: str, message_id: str, value: Json, *, user: str = "") -> None:
        """Press an Action.Submit of a message's card; the bot receives a message without text."""
        await self._call("POST", "/_conversation/v1/submit", self._about(where, message_id, value, user))

    async def execute(self, where: str, message_id: str, action: Json, *, user: str = "") -> Json:
        """Press an Action.Execute of a message's card; return the response, which replaces the card."""
        sent = {name: action[name] for name in ("type", "id", "title", "verb", "data") if name in action}
        value = {"action": sent, "trigger": "manual"}
        return await self.invoke("adaptiveCard/action", where, message_id, value, user=user)

    async def feedback(self, where: str, message_id: str, *, positive: bool, text: str = "", user: str = "") -> Json:
        reaction = {"reaction": "like" if positive else "dislike", "feedback": json.dumps({"feedbackText": text})}
        value = {"actionName": "feedback", "actionValue": reaction}
        return await self.invoke("message/submitAction", where, message_id, value, user=user)

    async def invoke(self, name: str, where: str, message_id: str, value: Json, *, user: str = "") -> Json:
        body = {"name": name} | self._about(where, message_id, value, user)
        return await self._call("POST", "/_conversation/v1/invoke", body)

    async def install(self, where: str) -> None:
        """Install the app: send installationUpdate and conversationUpdate."""
        await self._call("POST", f"/_debug/conversation/{where}/installation", {})

    def _about(self, where: str, message_id: str, value: Json, user: str) -> Json:
        who = {"id": user or self.me}
        return {"conversation": {"id": where}, "from": who, "replyToId": message_id, "value": value}

    # What people see

    async def message_comes(
        self,
        where: str,
        predicate: Callable[[Shown], object] = lambda message: True,
        timeout: float = 20.0,  # noqa: ASYNC109
    ) -> Shown:
        """Wait for the bot's first message that fulfils the predicate."""

        def found() -> list[Shown]:
            return [one for one in self.screen.messages(where) if one.by_bot(self.bot) and predicate(one)]

        await self.until(found, timeout)
        return found()[0]

    async def until(self, condition: Callable[[], Any], timeout: float = 20.0) -> None:  # noqa: ASYNC109
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"the Playground shows {self.screen.everywhere[-3:]}, and says {self._said[-5:]}")
            await asyncio.sleep(0.01)

    # Implementation

    async def _call(self, verb: str, path: str, body: Json | None = None) -> Json:
        """Call the Playground. Raises RuntimeError with its error text."""
        async with self._session.request(verb, self.url + path, json=body) as response:
            text = await response.text()
            if response.status >= 400:
                raise RuntimeError(f"the Playground answered {response.status} to {path}: {text[:500]}")
        try:
            answer = json.loads(text)
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    async def _watch(self, watched: asyncio.Event) -> None:
        async with self._session.ws_connect(f"{self.url}/_ws_conversation/v1/conversations/stream") as socket:
            watched.set()
            async for message in socket:
                if message.type == aiohttp.WSMsgType.TEXT:
                    self.screen.see(json.loads(message.data))

    async def _port(self) -> int:
        async for line in self._lines():
            if line.startswith(_STARTED):
                return int(line.removeprefix(_STARTED))
        raise RuntimeError(f"the Agents Playground did not start: {self._said}")

    async def _read(self) -> None:
        async for _ in self._lines():
            pass

    async def _lines(self) -> AsyncIterator[str]:
        assert self._process
        assert self._process.stdout
        while raw := await self._process.stdout.readline():
            self._said.append(raw.decode(errors="replace").strip())
            yield self._said[-1]


@dataclass
class Shown:
    """A message as it is now. ``raw``: as the page receives it; ``updates``: its earlier versions."""

    id: str
    conversation: str
    raw: Json
    updates: list[Json] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.raw.get("text") or "")

    @property
    def cards(self) -> list[Json]:
        return [one["content"] for one in self.raw.get("attachments") or [] if one["contentType"] == ADAPTIVE]

    @property
    def citations(self) -> list[Json]:
        given = (self.raw.get("aiEntity") or {}).get("citation") or []
        return [one["appearance"] | {"position": one["position"]} for one in given]

    @property
    def ai_generated(self) -> bool:
        return "AIGeneratedContent" in ((self.raw.get("aiEntity") or {}).get("additionalType") or [])

    def by_bot(self, bot: str) -> bool:
        return bool(self.raw["from"]["id"] == bot)


class Screen:
    """State from the websocket. ``events``: all events in order; ``typing``: conversations with typing indicators."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self.typing: list[str] = []
        self._messages: dict[str, Shown] = {}

    def see(self, event: Json) -> None:
        self.events.append(event)
        where = str(event.get("actionConversationId"))
        if event["action"] == "typing":
            self.typing.append(where)
            return
        message = event["message"]
        message_id = str(message["messageId"])
        there = self._messages.get(message_id)
        if there is None:
            where = str(message.get("postConversationId") or where)
            self._messages[message_id] = Shown(message_id, where, message)
            return
        there.updates.append(there.raw)
        there.raw = message

    def messages(self, where: str) -> list[Shown]:
        """Return the messages of a conversation or a channel's thread, oldest first."""
        return [one for one in self.everywhere if one.conversation == where]

    @property
    def everywhere(self) -> list[Shown]:
        """All messages in order of arrival."""
        return list(self._messages.values())
