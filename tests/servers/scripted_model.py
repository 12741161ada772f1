"""A server of OpenAI's chat API that says what a test tells it to, over real HTTP.

    with ScriptedModel(["Ada Lovelace. [1]", Reply(status=429, headers={"retry-after": "1"})]) as server:
        ...  # base_url=server.base_url
        assert server.requests[0].question == "Who wrote it?"

The script has one reply a request; the last one serves for all further requests. A reply is a text, a
:class:`Reply`, or a function of the request that gives either.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web

from tests.servers.threaded import ThreadedApplication

CONTEXT_ERRORS: dict[str, tuple[int, Any]] = {
    "OpenAI": (400, {"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages "
        "resulted in 10010 tokens. Please reduce the length of the messages.", "type": "invalid_request_error",
        "param": "messages", "code": "context_length_exceeded"}}),
    "OpenAI, newer": (400, {"error": {"message": "Your input exceeds the context window of this model.",
        "type": "invalid_request_error", "param": "input", "code": "context_length_exceeded"}}),
    "vLLM": (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you "
        "requested 5000 tokens (4600 in the messages, 400 in the completion).", "type": "BadRequestError",
        "param": None, "code": 400}),
    "vLLM, max_tokens": (400, {"error": {"message": "'max_tokens' or 'max_completion_tokens' is too large: 400. This "
        "model's maximum context length is 4096 tokens and your request has 4000 input tokens.",
        "type": "BadRequestError", "param": None, "code": 400}}),
    "vLLM, decoder": (400, {"object": "error", "message": "The decoder prompt (length 21535) is longer than the "
        "maximum model length of 16384.", "type": "BadRequestError", "param": None, "code": 400}),
    "llama.cpp": (400, {"error": {"code": 400, "message": "request (18031 tokens) exceeds the available context size "
        "(8192 tokens), try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 18031,
        "n_ctx": 8192}}),
    "llama.cpp, older": (500, {"error": {"code": 500, "message": "Context size has been exceeded.",
        "type": "server_error"}}),
    "Ollama": (400, {"error": {"message": "the input length exceeds the context length", "type": "api_error",
        "param": None, "code": None}}),
    "Ollama, newer": (400, {"error": {"message": "prompt too long; exceeded max context length by 12 tokens",
        "type": "invalid_request_error"}}),
    "a proxy": (413, "<html><body>413 Request Entity Too Large</body></html>"),
}  # fmt: skip
"""How servers say that a prompt does not fit: status and body."""


@dataclass(frozen=True)
class Request:
    """What the server was asked. ``body``: the JSON, ``path`` with its query."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        return list(self.body["messages"])

    @property
    def question(self) -> str:
        """The last message's text."""
        return self.messages[-1]["content"]


@dataclass(frozen=True)
class Reply:
    """One response. With ``status`` other than 200 or a ``body``, that; else ``text``, piece by piece."""

    text: str = ""
    pieces: Sequence[str | None] | None = None  # of the text, as they are sent; default: its words
    delay: float = 0.0  # seconds before the first piece
    pause: float = 0.0  # seconds between pieces
    cut_after: int | None = None  # pieces, after which the connection is cut
    finish_reason: str | None = "stop"  # None: ends without one
    usage: tuple[int, int] | None = (11, 7)  # prompt's and answer's tokens; None: not said
    status: int = 200
    body: Any = None  # JSON, or a string that is sent as HTML; as a stream's event where ``as_event``
    as_event: bool = False
    streams: bool = True  # False: one JSON object, also where a stream was asked for
    headers: Mapping[str, str] = field(default_factory=dict)


Step = str | Reply | Callable[[Request], "str | Reply"]


def refusing(parameter: str, then: str | Reply) -> Callable[[Request], str | Reply]:
    """Refuses requests that have this parameter, as OpenAI does."""
    message = f"Unsupported parameter: '{parameter}' is not supported with this model."
    error = {"message": message, "type": "invalid_request_error", "param": parameter, "code": "unsupported_parameter"}
    refusal = Reply(status=400, body={"error": error})
    return lambda request: refusal if parameter in request.body else then


def failing(status: int, message: str, **headers: str) -> Reply:
    """An error as most servers say it. Header names with ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body={"error": {"message": message, "type": "error"}}, headers=named)


class ScriptedModel:
    """The server, in a thread of its own while the ``with`` block lasts; ``requests`` are those for chat, in order."""

    def __init__(
        self,
        script: Sequence[Step] | Step = "Yes.",
        models: Sequence[str] = ("scripted",),
        routes: Sequence[web.RouteDef] = (),
    ) -> None:
        """``routes``: that the server has besides."""
        self.script: list[Step] = [script] if isinstance(script, str | Reply) or callable(script) else list(script)
        self.models = models
        self._routes = routes
        self.models_reply: Reply | None = None
        self.requests: list[Request] = []
        self.at_once = 0
        """The most requests that were being answered at the same time."""
        self.base_url = ""
        self._open = 0
        self._server = ThreadedApplication()

    def __enter__(self) -> ScriptedModel:
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/v1/chat/completions", self._chat)
        application.router.add_get("/v1/models", self._models)
        application.router.add_post("/openai/deployments/{deployment}/chat/completions", self._chat)
        application.add_routes(self._routes)
        self._server.start(application)
        self.base_url = f"{self._server.url}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.stop()

    @property
    def azure_endpoint(self) -> str:
        """The base URL of the same server where it speaks Azure's classic paths."""
        return self.base_url.removesuffix("/v1")

    async def _models(self, request: web.Request) -> web.StreamResponse:
        if self.models_reply:
            return _plain(self.models_reply)
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in self.models]
        return web.json_response({"object": "list", "data": data})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = Request(request.path_qs, dict(request.headers), await request.json())
        self.requests.append(asked)
        reply = self._next(asked)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        try:
            await asyncio.sleep(reply.delay)
            if reply.status != 200 or (reply.body is not None and not reply.as_event):
                return _plain(reply)
            if not reply.streams or not asked.body.get("stream"):
                return web.json_response(_whole(reply), headers=reply.headers)
            return await _streamed(request, reply, asked)
        finally:
            self._open -= 1

    def _next(self, asked: Request) -> Reply:
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        said = step if isinstance(step, str | Reply) else step(asked)
        return Reply(said) if isinstance(said, str) else said


def _plain(reply: Reply) -> web.Response:
    if isinstance(reply.body, str):
        return web.Response(text=reply.body, status=reply.status, content_type="text/html", headers=reply.headers)
    return web.json_response(reply.body, status=reply.status, headers=reply.headers)


def _whole(reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    whole: dict[str, Any] = {"choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}]}
    return whole | ({"usage": _usage(reply.usage)} if reply.usage else {})


async def _streamed(request: web.Request, reply: Reply, asked: Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": "text/event-stream", **reply.headers})
    await response.prepare(request)
    pieces = re.findall(r"\S*\s*", reply.text)[:-1] if reply.pieces is None else reply.pieces
    await _send(response, [_choice({"role": "assistant", "content": None}, None)])
    for number, piece in enumerate(pieces):
        if number == reply.cut_after:
            break
        await _send(response, [_choice({"content": piece}, None)])
        await asyncio.sleep(reply.pause)
    if reply.cut_after is not None:
        if request.transport:
            request.transport.abort()
        return response
    if reply.body is not None:
        await response.write(b"data: " + json.dumps(reply.body).encode() + b"\n\n")
        return response
    await _send(response, [_choice({}, reply.finish_reason)])
    if reply.usage and "stream_options" in asked.body:
        await _send(response, [], usage=_usage(reply.usage))
    await response.write(b"data: [DONE]\n\n")
    return response


async def _send(response: web.StreamResponse, choices: list[dict[str, Any]], **more: Any) -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices, **more}
    await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")


def _choice(delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish_reason}


def _usage(counts: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}
