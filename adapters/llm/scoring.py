"""Scoring a fixed text, by whichever way the model's server has; which one is asked of it once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import openai

from adapters.llm import llama_cpp, vllm
from adapters.llm.calls import Calls
from adapters.llm.failures import NotAnAnswer
from adapters.llm.tokens import count_prompt_tokens
from core.errors import ScoringUnsupported
from core.model import Prompt, PromptMessage, Usage
from core.ports import Score

UsageListener = Callable[[Usage], None]

Way = Callable[[openai.AsyncOpenAI, Calls, Prompt, str], Awaitable[Score]]
"""Scores a text at one kind of server. Raises NotAnAnswer where the server is of another kind, and the SDK's errors."""

_WAYS: dict[str, Way] = {"llama.cpp": llama_cpp.score, "vLLM": vllm.score}
_TRIAL = Prompt("trial", (PromptMessage("user", "Say yes."),)), "Yes."

# What a server answers that does not know a path, a parameter or a grammar; whatever else goes wrong may pass.
_NOT_THIS_WAY = frozenset({400, 403, 404, 405, 410, 422, 501})


class ServerScorer:
    """Scores with a chat model's own calls: its server, key, slots, time limit and retries."""

    def __init__(self, calls: Calls, on_usage: UsageListener = lambda usage: None) -> None:
        """``on_usage`` hears what each scored text used, counted here: servers do not tell it of scores."""
        self._calls = calls
        self._on_usage = on_usage
        self._way: Way | None = None
        self._finding = asyncio.Lock()

    async def load(self) -> None:
        """Finds out how the server scores, with a word or two. Raises as :meth:`score`."""
        async with self._finding:
            if self._way is None:
                self._way = await self._found()

    async def score(self, prompt: Prompt, answer: str) -> Score:
        """As :meth:`core.ports.AnswerScorer.score` says."""
        await self.load()
        way = self._way
        if way is None or not answer:
            return Score(0.0, 0)
        score = await self._calls.run_within_limits(lambda client: way(client, self._calls, prompt, answer))
        self._on_usage(Usage(1, count_prompt_tokens(prompt), score.tokens))
        return score

    async def _found(self) -> Way:
        url = self._calls.endpoint.url
        if self._calls.endpoint.api_version:
            raise _unsupported(url, [])
        said: list[str] = []
        for name, way in _WAYS.items():
            failure = await self._calls.run_within_limits(partial(_tried, calls=self._calls, way=way))
            if not failure:
                return way
            said.append(f"as {name} does: {failure}")
        raise _unsupported(url, said)


async def _tried(client: openai.AsyncOpenAI, calls: Calls, way: Way) -> str:
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


def _unsupported(url: str, said: Sequence[str]) -> ScoringUnsupported:
    tried = f" ({'; '.join(said)})" if said else ""
    return ScoringUnsupported(
        f"The language model's server at {url} cannot score a text that is given{tried}. Set "
        "WIKIWHY_EXPLAIN_METHOD=counterfactual, or use llama.cpp's server or vLLM, of a recent version and without a "
        "proxy that hides their own endpoints."
    )
