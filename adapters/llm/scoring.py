"""Scoring a fixed text by endpoints that model servers have besides OpenAI's; which ones is found out once.

llama.cpp writes the text under a grammar that allows nothing else, token by token. Its logarithms are those before the
grammar and all other sampling (``post_sampling_probs`` false). Checked with a server of llama.cpp (by xllamacpp, 2026)
and Qwen2.5. API: tools/server/README.md and grammars/README.md of llama.cpp.

vLLM reads the text as the end of the prompt, and gives the prompt's probabilities, without writing the text. Written
after vLLM's own protocol (``entrypoints/serve/tokenize`` and ``entrypoints/openai/completion``, versions 0.15 to 2026)
and tested with a server that speaks it, not with vLLM itself.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import openai

from adapters.llm.calls import Calls, UsageListener
from adapters.llm.endpoint import Endpoint
from adapters.llm.failures import NotAnAnswer, StreamBroken
from adapters.llm.tokens import count_prompt_tokens
from core.errors import ScoringUnsupported
from core.model import Prompt, PromptMessage, Usage
from core.ports.models import Score

Way = Callable[[openai.AsyncOpenAI, Calls, Prompt, str], Awaitable[Score]]
"""Scores a text that is not empty at one kind of server.

Raises NotAnAnswer where the server is of another kind, StreamBroken, and the SDK's errors.
"""

# Servers say "impossible" as -inf, as the lowest float32 (llama.cpp) or as -9999 (vLLM). Softmax in float32 tells
# nothing apart below about e^-100, and one such token must not drown all others.
_LOWEST = -100.0
_TRIAL = Prompt("trial", (PromptMessage("user", "Say yes."),)), "Yes."
# What a server answers that does not know a path, a parameter or a grammar; whatever else goes wrong may pass.
_NOT_THIS_WAY = frozenset({400, 403, 404, 405, 410, 422, 501})


class ServerScorer:
    """Scores with a chat model's own calls: its server, key, slots, time limit and retries."""

    def __init__(self, calls: Calls, on_usage: UsageListener = lambda usage: None) -> None:
        """``on_usage`` gets what each scored text used, counted here: servers do not tell it for scores."""
        self._calls = calls
        self._on_usage = on_usage
        self._way: Way | None = None
        self._finding = asyncio.Lock()

    async def load(self) -> None:
        """Finds out how the server scores, with a word or two. Raises as :meth:`score`."""
        async with self._finding:
            if self._way is None:
                self._way = await self._find_way()

    async def score(self, prompt: Prompt, answer: str) -> Score:
        await self.load()
        way = self._way
        if way is None or not answer:
            return Score(0.0, 0)
        score = await self._calls.run_within_limits(lambda client: way(client, self._calls, prompt, answer))
        self._on_usage(Usage(1, count_prompt_tokens(prompt), score.tokens))
        return score

    async def _find_way(self) -> Way:
        url = self._calls.endpoint.url
        if self._calls.endpoint.api_version:
            raise _unsupported_error(url, [])
        said: list[str] = []
        for name, way in WAYS.items():
            failure = await self._calls.run_within_limits(partial(_try, calls=self._calls, way=way))
            if not failure:
                return way
            said.append(f"as {name} does: {failure}")
        raise _unsupported_error(url, said)


async def _try(client: openai.AsyncOpenAI, calls: Calls, way: Way) -> str:
    """Why a server does not score in this way; "" if it does. Raises what may pass, and what a setting can correct."""
    await calls.find_model(client)
    try:
        await way(client, calls, *_TRIAL)
    except openai.APIStatusError as error:
        if error.status_code not in _NOT_THIS_WAY:
            raise
        return f"status {error.status_code}"
    except NotAnAnswer as error:
        return str(error)
    return ""


def _unsupported_error(url: str, said: Sequence[str]) -> ScoringUnsupported:
    tried = f" ({'; '.join(said)})" if said else ""
    return ScoringUnsupported(
        f"The language model's server at {url} cannot score a text that is given{tried}. Set "
        "WIKIWHY_EXPLAIN_METHOD=counterfactual, or use llama.cpp's server or vLLM, of a recent version and without a "
        "proxy that hides their own endpoints."
    )


async def _score_by_llama_cpp(client: openai.AsyncOpenAI, calls: Calls, prompt: Prompt, answer: str) -> Score:
    template = await _post(client, _make_url(calls.endpoint, "/apply-template"), {"messages": _make_messages(prompt)})
    text = template.get("prompt")
    if not isinstance(text, str) or not text:
        raise NotAnAnswer("no prompt from /apply-template")
    # A text that names a mark of the chat template is not that mark.
    wanted = {"content": answer, "add_special": False, "parse_special": False}
    tokens = _read_tokens(await _post(client, _make_url(calls.endpoint, "/tokenize"), wanted))
    written = await _post(
        client, _make_url(calls.endpoint, "/completion"), _make_completion_request(calls, text, tokens)
    )
    return _read_completion_score(written, tokens)


def _make_completion_request(calls: Calls, text: str, tokens: Sequence[int]) -> dict[str, Any]:
    return {
        "model": calls.model,  # for a router in front of several servers
        "prompt": text,
        "n_predict": len(tokens),
        # Token ids, since a text may be cut into tokens in several ways.
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
        "temperature": 0,
        "n_probs": 1,
        "post_sampling_probs": False,
        "cache_prompt": True,  # ablations begin alike
    }


def _read_completion_score(answer: dict[str, Any], tokens: Sequence[int]) -> Score:
    items = answer.get("completion_probabilities")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise NotAnAnswer("no probabilities")
    if [item.get("id") for item in items] != list(tokens):
        raise NotAnAnswer("the probabilities of another text")
    return _sum_logprobs(item.get("logprob") for item in items)


async def _score_by_vllm(client: openai.AsyncOpenAI, calls: Calls, prompt: Prompt, answer: str) -> Score:
    tokenize = _make_url(calls.endpoint, "/tokenize")
    asked = {"model": calls.model, "messages": _make_messages(prompt), "add_generation_prompt": True}
    before = _read_tokens(await _post(client, tokenize, asked))
    said = {"model": calls.model, "prompt": answer, "add_special_tokens": False}
    tokens = _read_tokens(await _post(client, tokenize, said))
    body = {
        "model": calls.model,
        "prompt": [*before, *tokens],
        "max_tokens": 1,  # it refuses 0
        "temperature": 0,
        "prompt_logprobs": 1,
    }
    return _read_prompt_score(await _post(client, "/completions", body), len(before), tokens)


def _read_prompt_score(answer: dict[str, Any], start: int, tokens: Sequence[int]) -> Score:
    """``start``: how many tokens of the prompt come before the scored ones."""
    try:
        of_prompt = answer["choices"][0]["prompt_logprobs"]
        if len(of_prompt) != start + len(tokens):
            raise NotAnAnswer("the probabilities of another text")
        # At each place the likeliest token and the one that stands there, by id.
        found = [place[str(token)]["logprob"] for place, token in zip(of_prompt[start:], tokens, strict=True)]
    except (KeyError, IndexError, TypeError):
        raise NotAnAnswer("no probabilities of the prompt") from None
    return _sum_logprobs(found)


WAYS: dict[str, Way] = {"llama.cpp": _score_by_llama_cpp, "vLLM": _score_by_vllm}


def _make_messages(prompt: Prompt) -> list[dict[str, str]]:
    """A prompt as the chat API has it."""
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


async def _post(client: openai.AsyncOpenAI, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
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


def _make_url(endpoint: Endpoint, path: str) -> str:
    """The address of an endpoint outside of the chat API, whose base URL mostly ends in /v1."""
    return f"{endpoint.url.removesuffix('/v1')}{path}"


def _read_tokens(answer: Mapping[str, Any]) -> list[int]:
    """The token ids of an answer of ``/tokenize``. Raises NotAnAnswer where it has none."""
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(type(token) is int for token in tokens):
        raise NotAnAnswer("no token ids")
    return tokens


def _sum_logprobs(logprobs: Iterable[object]) -> Score:
    """The score of tokens with these natural logarithms. Raises StreamBroken where one is no number."""
    values: list[float] = []
    for value in logprobs:
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise StreamBroken("a token of it has no probability")
        values.append(min(0.0, max(_LOWEST, float(value))))
    return Score(math.fsum(values), len(values))
