"""The endpoints by which llama.cpp and vLLM score a text, for a :class:`ScriptedModel` to have besides its chat.

Words and the spaces between them are the tokens; a word that the prompt has is likely, another one is not.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from aiohttp import web

from tests.servers.scripted_model import Reply, Request

Body = Mapping[str, Any]

LIKELY, UNLIKELY = -0.05, -2.0

Instead = Callable[[Request], "Reply | None"]
"""What to answer instead; None: as usual."""


class ScoringServer:
    """``requests``: to the endpoints of its own, in order. ``instead``: by path; ``cut``: answers end in the middle."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.instead: dict[str, Instead] = {}
        self.cut: set[str] = set()
        self.logprob: Callable[[float], object] = lambda value: value
        self.at_once = 0
        self._open = 0
        self._vocabulary: dict[str, int] = {}

    def llama_cpp(self) -> list[web.RouteDef]:
        """What llama.cpp's server has."""
        return [
            self._post("/apply-template", lambda body: {"prompt": _template(body["messages"])}),
            self._post("/tokenize", lambda body: {"tokens": self._tokens(body.get("content", ""))}),
            self._post("/completion", self._forced),
        ]

    def vllm(self) -> list[web.RouteDef]:
        """What vLLM's server has."""
        return [self._post("/tokenize", self._tokenized), self._post("/v1/completions", self._completed)]

    def at(self, path: str) -> list[Request]:
        """The requests to one endpoint."""
        return [request for request in self.requests if request.path == path]

    # ------------------------------------------------------------------------------------ llama.cpp

    def _forced(self, body: Body) -> dict[str, Any]:
        tokens = [int(token) for token in re.findall(r"<\[(\d+)\]>", body["grammar"])][: body["n_predict"]]
        values = zip(tokens, self._logprobs(body["prompt"], tokens), strict=True)
        found = [{"id": token, "token": "…", "logprob": value, "top_logprobs": []} for token, value in values]
        return {"content": self._text(tokens), "completion_probabilities": found, "stop_type": "limit"}

    # ----------------------------------------------------------------------------------------- vLLM

    def _tokenized(self, body: Body) -> dict[str, Any]:
        text = _template(body["messages"]) if "messages" in body else body["prompt"]
        tokens = self._tokens(text)
        return {"count": len(tokens), "max_model_len": 8192, "tokens": tokens, "token_strs": None}

    def _completed(self, body: Body) -> dict[str, Any]:
        tokens = body["prompt"]
        # Of where the answer begins the server knows nothing: each token is likely if it stood there before.
        values = [self._logprobs(self._text(tokens[:at]), [token])[0] for at, token in enumerate(tokens)]
        places: list[Any] = [
            {str(token): {"logprob": value, "rank": 2, "decoded_token": "…"}, "0": {"logprob": -0.01, "rank": 1}}
            for token, value in zip(tokens, values, strict=True)
        ]
        choice = {"index": 0, "text": "!", "finish_reason": "length", "prompt_logprobs": [None, *places[1:]]}
        return {"object": "text_completion", "choices": [choice]}

    # --------------------------------------------------------------------------------------- both

    def _post(self, path: str, answer: Callable[[Body], dict[str, Any]]) -> web.RouteDef:
        async def handle(request: web.Request) -> web.StreamResponse:
            asked = Request(path, dict(request.headers), await request.json())
            self.requests.append(asked)
            self._open += 1
            self.at_once = max(self.at_once, self._open)
            try:
                reply = self.instead.get(path, lambda _: None)(asked)
                await asyncio.sleep(reply.delay if reply else 0.005)
                if reply and isinstance(reply.body, str):
                    return web.Response(text=reply.body, status=reply.status, content_type="text/html")
                if reply and (reply.body is not None or reply.status != 200):
                    return web.json_response(reply.body, status=reply.status)
                whole = web.json_response(answer(asked.body))
                if path in self.cut:
                    return web.Response(text=(whole.text or "")[:-9], content_type="application/json")
                return whole
            finally:
                self._open -= 1

        return web.post(path, handle)

    def _tokens(self, text: str) -> list[int]:
        words = re.findall(r"\S+|\s+", text)
        return [self._vocabulary.setdefault(word, len(self._vocabulary) + 1) for word in words]

    def _text(self, tokens: Sequence[int]) -> str:
        words = {token: word for word, token in self._vocabulary.items()}
        return "".join(words[token] for token in tokens)

    def _logprobs(self, before: str, tokens: Sequence[int]) -> list[Any]:
        said = set(re.findall(r"\S+|\s+", before))
        words = [self._text([token]) for token in tokens]
        return [self.logprob(LIKELY if word in said or word.isspace() else UNLIKELY) for word in words]


def _template(messages: Sequence[Mapping[str, str]]) -> str:
    return "".join(f"<{message['role']}>\n{message['content']}\n" for message in messages) + "<assistant>\n"


def once(reply: Reply, *, after: int = 0) -> Instead:
    """This reply to one request, after so many that are answered as usual."""
    replies: Iterator[Reply | None] = itertools.chain([None] * after, [reply], itertools.repeat(None))
    return lambda request: next(replies)
