"""Scoring a fixed text by endpoints of model servers that OpenAI's API does not have.

llama.cpp generates the text under a grammar that allows nothing else. Its log probabilities are those before the
grammar and all other sampling (``post_sampling_probs`` false). Tested with llama.cpp's server (of xllamacpp, 2026) and
Qwen2.5. API: tools/server/README.md and grammars/README.md of llama.cpp.

vLLM reads the text as the end of the prompt, and returns the prompt's log probabilities without generating the text.
Implemented from vLLM's protocol (``entrypoints/serve/tokenize`` and ``entrypoints/openai/completion``, versions 0.15 to
2026), and tested with a server of that protocol, but not with vLLM itself.
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
"""Scores a text that is not empty with one kind of server.

Raises NotAnAnswer if the server is of another kind, StreamBroken, and the SDK's errors.
"""

# Servers return -inf, the lowest float32 (llama.cpp) or -9999 (vLLM) for an impossible token. A float32 softmax is
# meaningless below about e^-100, and one such token must not outweigh all others.
_LOWEST = -100.0
_TRIAL = Prompt("trial", (PromptMessage("user", "Say yes."),)), "Yes."
# The status of a server that does not know a path, a parameter or a grammar. All other errors may be temporary.
_NOT_THIS_WAY = frozenset({400, 403, 404, 405, 410, 422, 501})


class ServerScorer:
    """Scores texts with the server, key, slots, time limit and retries of a chat model."""

    def __init__(self, calls: Calls, on_usage: UsageListener = lambda usage: None) -> None:
        """``on_usage``: called with the estimated usage of each scored text, which servers do not return."""
        self._calls = calls
        self._on_usage = on_usage
        self._way: Way | None = None
        self._finding = asyncio.Lock()

    async def load(self) -> None:
        """Find out how the server scores, with a short text. Raises the errors of :meth:`score`."""
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
            raise _make_unsupported_error(url, [])
        said: list[str] = []
        for name, way in WAYS.items():
            failure = await self._calls.run_within_limits(partial(_try, calls=self._calls, way=way))
            if not failure:
                return way
            said.append(f"as {name} does: {failure}")
        raise _make_unsupported_error(url, said)


async def _try(client: openai.AsyncOpenAI, calls: Calls, way: Way) -> str:
    """Return why a server does not score in this way, "" if it does.

    Raises errors that may be temporary or that a setting can correct.
    """
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


def _make_unsupported_error(url: str, said: Sequence[str]) -> ScoringUnsupported:
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
    # parse_special false: a special token's name in the text is ordinary text.
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
        # Token ids, because a text may be split into tokens in several ways.
        "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
        "temperature": 0,
        "n_probs": 1,
        "post_sampling_probs": False,
        "cache_prompt": True,  # prompts of one explanation have a common beginning
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
        "max_tokens": 1,  # 0 is refused
        "temperature": 0,
        "prompt_logprobs": 1,
    }
    return _read_prompt_score(await _post(client, "/completions", body), len(before), tokens)


def _read_prompt_score(answer: dict[str, Any], start: int, tokens: Sequence[int]) -> Score:
    """``start``: the number of tokens of the prompt before the scored ones."""
    try:
        of_prompt = answer["choices"][0]["prompt_logprobs"]
        if len(of_prompt) != start + len(tokens):
            raise NotAnAnswer("the probabilities of another text")
        # Each place has the most probable token and the actual token, by id.
        found = [place[str(token)]["logprob"] for place, token in zip(of_prompt[start:], tokens, strict=True)]
    except (KeyError, IndexError, TypeError):
        raise NotAnAnswer("no probabilities of the prompt") from None
    return _sum_logprobs(found)


WAYS: dict[str, Way] = {"llama.cpp": _score_by_llama_cpp, "vLLM": _score_by_vllm}


def _make_messages(prompt: Prompt) -> list[dict[str, str]]:
    """Return a prompt's messages in the format of the chat API."""
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


async def _post(client: openai.AsyncOpenAI, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object of a server's response. ``url``: absolute, or a path after the base URL.

    Raises NotAnAnswer if the response is no JSON object, StreamBroken if it ends early, and the SDK's errors.
    """
    try:
        answer = await client.post(url, cast_to=object, body=dict(body))
    except ValueError as cause:
        raise StreamBroken("it is not whole") from cause
    if not isinstance(answer, dict):
        raise NotAnAnswer("a web page" if str(answer).lstrip().startswith("<") else "something that is no JSON object")
    return answer


def _make_url(endpoint: Endpoint, path: str) -> str:
    """Return the URL of an endpoint outside the chat API, whose base URL usually ends in /v1."""
    return f"{endpoint.url.removesuffix('/v1')}{path}"


def _read_tokens(answer: Mapping[str, Any]) -> list[int]:
    """Return the token ids in a response of ``/tokenize``. Raises NotAnAnswer if it has none."""
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(type(token) is int for token in tokens):
        raise NotAnAnswer("no token ids")
    return tokens


def _sum_logprobs(logprobs: Iterable[object]) -> Score:
    """Return the score of tokens with these natural log probabilities. Raises StreamBroken if one is no number."""
    values: list[float] = []
    for value in logprobs:
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise StreamBroken("a token of it has no probability")
        values.append(min(0.0, max(_LOWEST, float(value))))
    return Score(math.fsum(values), len(values))
