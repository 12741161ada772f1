"""A language model behind OpenAI's chat API, as OpenAI, Azure OpenAI, vLLM, Ollama and llama.cpp speak it."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import openai

from adapters.llm.endpoint import Connection, Endpoint
from adapters.llm.failures import NotAnAnswer, StreamBroken, failure_of, is_too_long, words
from adapters.llm.parameters import Parameters
from adapters.llm.reading import Written, read
from adapters.llm.tokens import count_prompt_tokens, count_tokens
from core.errors import ModelRejected, ModelUnavailable
from core.model import Prompt, Usage
from core.ports import Generation, Sampling, TextListener

logger = logging.getLogger(__name__)
T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds
_LONGEST_WISH = 60.0  # seconds that a server may ask us to wait
_NAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds``: for a whole call with its retries, from when it has one of ``concurrency`` slots."""

    context_tokens: int = 8192
    seconds: float = 180.0
    concurrency: int = 4
    retries: int = 3


class OpenAIChat:
    """A chat model by the openai package. Cheap to create; usable from one event loop after the other."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str = "",
        limits: Limits | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``model`` "": the only one that the server has. ``sleep``: waits before another try."""
        self._endpoint = endpoint
        self._model = model
        self._limits = limits or Limits()
        self._sleep = sleep
        self._parameters = Parameters()
        self._connection: Connection | None = None

    @property
    def name(self) -> str:
        """The model's name; before the server was asked for it (see :meth:`load`), where it is."""
        return self._model or f"the model at {self._endpoint.url}"

    @property
    def context_tokens(self) -> int:
        return self._limits.context_tokens

    def count_tokens(self, text: str) -> int:
        return count_tokens(text)

    async def load(self) -> None:
        """Finds out the model's name where no setting gives it. Raises as :meth:`generate`."""
        await self._limited(self._find_model)

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Answers a prompt; always streams, so that a server notices when nobody listens any more.

        Raises :class:`~core.errors.ModelUnavailable`, :class:`~core.errors.ModelRejected` (also where a content filter
        stops the answer) and :class:`~core.errors.ContextTooLong`.
        """

        async def once(client: openai.AsyncOpenAI) -> Written:
            await self._find_model(client)
            return await self._request(client, prompt, sampling, on_text)

        written = await self._limited(once)
        if written.finish_reason == "content_filter":
            raise ModelRejected(
                f"The content filter of the language model at {self._endpoint.url} stopped the answer. "
                "Ask differently, or change the filter there."
            )
        usage = written.usage or Usage(1, count_prompt_tokens(prompt), count_tokens(written.raw))
        return Generation(written.text, written.finish_reason != "length", usage)

    async def _limited(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Work with the client: in a slot, within the time limit, tried again where that may help."""
        connection = await self._connected()
        async with connection.slots:
            try:
                async with asyncio.timeout(self._limits.seconds) as limit:
                    return await self._retried(once, connection.client)
            except TimeoutError:
                if not limit.expired():
                    raise
                raise ModelUnavailable(
                    f"The language model at {self._endpoint.url} did not finish within {self._limits.seconds:g} s. "
                    "Try again later, or raise WIKIWHY_LLM_TIMEOUT."
                ) from None

    async def _retried(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]], client: openai.AsyncOpenAI) -> T:
        deadline = time.monotonic() + self._limits.seconds
        tries = 0
        while True:
            try:
                return await once(client)
            except (openai.OpenAIError, StreamBroken, NotAnAnswer) as cause:
                failure = failure_of(cause, self._endpoint, self._model)
                served = await self._served(client) if isinstance(cause, openai.NotFoundError) else ""
            pause = _pause(tries, failure.wait)
            if not failure.again or tries >= self._limits.retries or time.monotonic() + pause > deadline:
                # Without its cause, in which the server's words stand as they came, perhaps with a key.
                raise type(failure.error)(f"{failure.error}{served}")
            logger.info("%s Trying again in %.1f s.", failure.error, pause)
            await self._sleep(pause)
            tries += 1

    async def _request(
        self, client: openai.AsyncOpenAI, prompt: Prompt, sampling: Sampling, on_text: TextListener | None
    ) -> Written:
        while True:
            sent = self._parameters.of(prompt, sampling)
            try:
                stream = await client.chat.completions.create(model=self._model, **sent)
                break
            except (openai.BadRequestError, openai.UnprocessableEntityError) as refusal:
                if is_too_long(refusal, refusal.status_code) or not self._parameters.learn(sent, words(refusal)):
                    raise
                logger.info("%s does not take all parameters; trying without.", self._endpoint.url)
        async with stream:
            return await read(stream, on_text)

    async def _find_model(self, client: openai.AsyncOpenAI) -> None:
        if self._model:
            return
        names = await _models(client)
        if len(names) != 1:
            found = f"has these models: {_some(names)}" if names else "has no model"
            raise ModelRejected(f"The server at {self._endpoint.url} {found}. Set WIKIWHY_LLM_MODEL to the one to use.")
        self._model = names[0]

    async def _served(self, client: openai.AsyncOpenAI) -> str:
        try:
            names = await _models(client)
        except (openai.OpenAIError, NotAnAnswer):
            return ""
        return f" That server has: {_some(names)}." if names else ""

    async def _connected(self) -> Connection:
        """The running loop's connection: a client's sockets serve only the loop that they were opened in."""
        if self._connection is None or self._connection.loop is not asyncio.get_running_loop():
            self._connection = Connection(self._endpoint, self._limits.concurrency)
            await self._connection.hold()
        return self._connection


async def _models(client: openai.AsyncOpenAI) -> list[str]:
    try:
        models = (await client.models.list()).data
    except (ValueError, AttributeError) as cause:  # the SDK hands on a web page as a string
        raise NotAnAnswer("something that is no list of models") from cause
    return sorted({model.id for model in models or ()})


def _some(names: list[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (
        f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    )


def _pause(tries: int, wish: float | None) -> float:
    """Seconds before the next try: exponential with jitter, on top of the server's wish; inf if that is too long."""
    if wish is not None and wish > _LONGEST_WISH:
        return float("inf")
    pause: float = min(_FIRST_PAUSE * 2**tries, _LONGEST_PAUSE) * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load
    return pause + (wish or 0.0)
