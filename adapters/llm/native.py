"""The endpoints that model servers have besides OpenAI's, and reading what they answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import openai

from adapters.llm.endpoint import Endpoint
from adapters.llm.failures import NotAnAnswer, StreamBroken
from core.model import Prompt
from core.ports import Score

# Servers say "impossible" as -inf, as the lowest float32 (llama.cpp) or as -9999 (vLLM). Softmax in float32 tells
# nothing apart below about e^-100, and one such token must not drown all others.
_LOWEST = -100.0


def messages_of(prompt: Prompt) -> list[dict[str, str]]:
    """A prompt as the chat API has it."""
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


async def post(client: openai.AsyncOpenAI, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON object that a server answers. ``url``: whole, or a path after the base URL.

    Raises NotAnAnswer where it is none, StreamBroken where it ends too early, and what the SDK raises.
    """
    try:
        answer = await client.post(url, cast_to=object, body=dict(body))
    except ValueError as cause:
        raise StreamBroken("it is not whole") from cause
    if not isinstance(answer, dict):
        raise NotAnAnswer("a web page" if str(answer).lstrip().startswith("<") else "something that is no JSON object")
    return answer


def at_root(endpoint: Endpoint, path: str) -> str:
    """The address of an endpoint outside of the chat API, whose base URL mostly ends in /v1."""
    return f"{endpoint.url.removesuffix('/v1')}{path}"


def tokens_in(answer: Mapping[str, Any]) -> list[int]:
    """The token ids of an answer of ``/tokenize``. Raises NotAnAnswer where it has none."""
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(type(token) is int for token in tokens):
        raise NotAnAnswer("no token ids")
    return tokens


def sum_logprobs(logprobs: Iterable[object]) -> Score:
    """The score of tokens with these natural logarithms. Raises StreamBroken where one is no number."""
    values: list[float] = []
    for value in logprobs:
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise StreamBroken("a token of it has no probability")
        values.append(min(0.0, max(_LOWEST, float(value))))
    return Score(math.fsum(values), len(values))
