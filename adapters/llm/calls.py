"""Calls to a model's server, with limited concurrency, a time limit and retries."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import openai
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay

from adapters.llm.endpoint import Connection, Endpoint
from adapters.llm.failures import Failure, NotAnAnswer, StreamBroken, interpret_failure
from adapters.retries import compute_pause, note_model_error, note_rate_limit, note_retry
from core.errors import ModelRejected, ModelUnavailable, WikiWhyError
from core.model import Usage

logger = logging.getLogger(__name__)
T = TypeVar("T")

Sleep = Callable[[float], Awaitable[None]]
UsageListener = Callable[[Usage], None]
"""Called with the usage of each answered call."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 8.0  # seconds
_LONGEST_WISH = 60.0  # seconds; if a server asks to wait longer, the call fails
_NAMES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class CallLimits:
    """``seconds``: for a whole call with its retries, after it has got one of the ``concurrency`` slots."""

    context_tokens: int = 8192
    seconds: float = 180.0
    concurrency: int = 4
    retries: int = 3


class _Failed(Exception):
    """One attempt failed. ``served``: a sentence with the server's models if it does not have the requested one."""

    def __init__(self, failure: Failure, served: str) -> None:
        super().__init__()
        self.failure = failure
        self.served = served


class Calls:
    """One model on one server. Cheap to create. It may be used from successive event loops."""

    def __init__(self, endpoint: Endpoint, model: str, limits: CallLimits, sleep: Sleep) -> None:
        """``model``: "" for the only model of the server. ``sleep``: called before a retry."""
        self.endpoint = endpoint
        self.model = model
        self.limits = limits
        self._sleep = sleep
        self._connection: Connection | None = None

    async def run_within_limits(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Run ``once`` with a client in a slot, within the time limit and with retries.

        Errors of the SDK, StreamBroken and NotAnAnswer are translated into errors of :mod:`core.errors`.
        """
        try:
            return await self._run(once)
        except WikiWhyError as error:
            note_model_error(error)
            raise

    async def _run(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        connection = await self._connect()
        async with connection.slots:
            try:
                async with asyncio.timeout(self.limits.seconds) as limit:
                    return await self._retry(once, connection.client)
            except TimeoutError:
                if not limit.expired():
                    raise
                raise ModelUnavailable(
                    f"The language model at {self.endpoint.url} did not finish within {self.limits.seconds:g} s. "
                    "Try again later, or raise WIKIWHY_LLM_TIMEOUT."
                ) from None

    async def find_model(self, client: openai.AsyncOpenAI) -> None:
        """Ask for the model's name if it is unknown. Raises ModelRejected if the server does not have just one."""
        if self.model:
            return
        names = await _list_models(client)
        if len(names) != 1:
            found = f"has these models: {_join_names(names)}" if names else "has no model"
            raise ModelRejected(f"The server at {self.endpoint.url} {found}. Set WIKIWHY_LLM_MODEL to the one to use.")
        self.model = names[0]

    async def _retry(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]], client: openai.AsyncOpenAI) -> T:
        async def attempt() -> T:
            try:
                return await once(client)
            except (openai.OpenAIError, StreamBroken, NotAnAnswer) as cause:
                failure = interpret_failure(cause, self.endpoint, self.model)
                if isinstance(cause, openai.RateLimitError):
                    note_rate_limit("model")
                served = await self._list_served(client) if isinstance(cause, openai.NotFoundError) else ""
            # Raised outside "except", because the cause has the server's original message, perhaps with the key.
            raise _Failed(failure, served)

        retrying = AsyncRetrying(
            retry=retry_if_exception(lambda error: isinstance(error, _Failed) and error.failure.again),
            wait=_compute_pause,
            stop=stop_after_attempt(self.limits.retries + 1) | stop_before_delay(self.limits.seconds),
            sleep=self._sleep,
            before_sleep=_log_pause,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except _Failed as failed:
            error = type(failed.failure.error)(f"{failed.failure.error}{failed.served}")
        raise error

    async def _list_served(self, client: openai.AsyncOpenAI) -> str:
        try:
            names = await _list_models(client)
        except (openai.OpenAIError, NotAnAnswer):
            return ""
        return f" That server has: {_join_names(names)}." if names else ""

    async def _connect(self) -> Connection:
        """Return the connection of the running event loop. Sockets work only in the loop that opened them."""
        if self._connection is None or self._connection.loop is not asyncio.get_running_loop():
            self._connection = Connection(self.endpoint, self.limits.concurrency)
            await self._connection.hold()
        return self._connection


async def _list_models(client: openai.AsyncOpenAI) -> list[str]:
    try:
        models = (await client.models.list()).data
    except (ValueError, AttributeError) as cause:  # the SDK returns a web page as a string
        raise NotAnAnswer("something that is no list of models") from cause
    return sorted({model.id for model in models or ()})


def _join_names(names: list[str]) -> str:
    return ", ".join(names[:_NAMES_SHOWN]) + (
        f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    )


def _compute_pause(state: RetryCallState) -> float:
    """Return the seconds before a retry: the server's wish plus a growing pause, inf if the wish is too long."""
    wish = _make_failure(state).wait or 0.0
    return (
        math.inf if wish > _LONGEST_WISH else wish + compute_pause(state.attempt_number, _FIRST_PAUSE, _LONGEST_PAUSE)
    )


def _log_pause(state: RetryCallState) -> None:
    note_retry("model")
    logger.info("%s Trying again in %.1f s.", _make_failure(state).error, state.upcoming_sleep)


def _make_failure(state: RetryCallState) -> Failure:
    failed = state.outcome.exception() if state.outcome else None
    assert isinstance(failed, _Failed)
    return failed.failure
