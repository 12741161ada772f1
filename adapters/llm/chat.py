"""A language model behind OpenAI's chat API, of OpenAI, Azure OpenAI, vLLM, Ollama or llama.cpp."""

from __future__ import annotations

import asyncio
import logging
import re
from typing import Any

import openai

from adapters.llm.calls import CallLimits, Calls, Sleep, UsageListener
from adapters.llm.endpoint import Endpoint
from adapters.llm.failures import is_too_long, read_refusal
from adapters.llm.stream_reader import Response, read_response
from adapters.llm.tokens import count_prompt_tokens, count_tokens
from core.errors import ModelRejected
from core.model import Prompt, Usage
from core.ports.models import Generation, Sampling, TextListener

logger = logging.getLogger(__name__)

_LEFT_OUT_IF_REFUSED = ("temperature", "seed", "stream_options")


class OpenAIChat:
    """A chat model, called by the package openai. Cheap to create. It may be used from successive event loops."""

    def __init__(
        self,
        endpoint: Endpoint,
        model: str = "",
        limits: CallLimits | None = None,
        sleep: Sleep = asyncio.sleep,
        on_usage: UsageListener = lambda usage: None,
    ) -> None:
        """``model``: "" for the only model of the server. ``sleep``: called before a retry."""
        self._on_usage = on_usage
        self.calls = Calls(endpoint, model, limits or CallLimits(), sleep)
        self._parameters = _Parameters()

    @property
    def name(self) -> str:
        """The model's name, or its address before the server was asked for the name (see :meth:`load`)."""
        return self.calls.model or f"the model at {self.calls.endpoint.url}"

    @property
    def context_tokens(self) -> int:
        return self.calls.limits.context_tokens

    def count_tokens(self, text: str) -> int:
        return count_tokens(text)

    async def load(self) -> None:
        """Ask the server for the model's name if it is not set. Raises the errors of :meth:`generate`."""
        await self.calls.run_within_limits(self.calls.find_model)

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Answer a prompt. Always streams, so that the server notices when the client disconnects.

        Raises :class:`~core.errors.ModelUnavailable`, :class:`~core.errors.ModelRejected` (also if a content filter
        stops the answer) and :class:`~core.errors.ContextTooLong`.
        """

        async def once(client: openai.AsyncOpenAI) -> Response:
            await self.calls.find_model(client)
            return await self._request(client, prompt, sampling, on_text)

        written = await self.calls.run_within_limits(once)
        usage = written.usage or Usage(1, count_prompt_tokens(prompt), count_tokens(written.raw))
        self._on_usage(usage)  # also if a filter stopped the answer, because its tokens are charged
        if written.finish_reason == "content_filter":
            raise ModelRejected(
                f"The content filter of the language model at {self.calls.endpoint.url} stopped the answer. "
                "Ask differently, or change the filter there."
            )
        return Generation(written.text, written.finish_reason != "length", usage)

    async def _request(
        self, client: openai.AsyncOpenAI, prompt: Prompt, sampling: Sampling, on_text: TextListener | None
    ) -> Response:
        while True:
            sent = self._parameters.make_body(prompt, sampling)
            try:
                # As JSON: a typed object for each piece of text takes longer than all else that is done with it.
                stream = await client.post(
                    "/chat/completions",
                    body={"model": self.calls.model, **sent},
                    cast_to=object,
                    stream=True,
                    stream_cls=openai.AsyncStream[object],
                )
                break
            except (openai.BadRequestError, openai.UnprocessableEntityError) as refusal:
                if is_too_long(refusal, refusal.status_code) or not self._parameters.learn(sent, read_refusal(refusal)):
                    raise
                logger.info("%s does not take all parameters; trying without.", self.calls.endpoint.url)
        async with stream:
            return await read_response(stream, on_text)


class _Parameters:
    """Makes request bodies without the parameters that the server has refused before."""

    def __init__(self) -> None:
        self._length: str = "max_tokens"
        self._left_out: set[str] = set()

    def make_body(self, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
        """Return the body of a request without the model."""
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in prompt.messages],
            "stream": True,
            self._length: sampling.max_tokens,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "stream_options": {"include_usage": True},
        }
        return {name: value for name, value in body.items() if value is not None and name not in self._left_out}

    def learn(self, sent: dict[str, Any], refusal: str) -> bool:
        """Omit or rename the optional parameters that a refusal names. Returns whether a retry makes sense."""
        if "max_tokens" in sent and _names("max_tokens", refusal):
            self._length = "max_completion_tokens"
            return True
        if "max_completion_tokens" in sent and _names("max_completion_tokens", refusal):
            self._left_out.add("max_completion_tokens")
            return True
        refused = {name for name in _LEFT_OUT_IF_REFUSED if name in sent and _names(name, refusal)}
        self._left_out |= refused
        return bool(refused)


def _names(parameter: str, refusal: str) -> bool:
    return re.search(rf"(?<![a-z_]){parameter}(?![a-z_])", refusal) is not None
