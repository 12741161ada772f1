"""Client for Slack's Web API (https://docs.slack.dev/apis/web-api): retries and error messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
    AsyncServerErrorRetryHandler,
)
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.retries import note_rate_limit, note_retry
from adapters.sending import CheckMaySend, open_session
from core.errors import ChatRefused, ChatUnavailable

TOO_LONG = frozenset(
    {"msg_too_long", "msg_blocks_too_long", "invalid_blocks", "invalid_blocks_format", "too_long", "413"}
)
"""Errors of Slack, or of a proxy before it, for a message that exceeds a limit."""

_TOO_MANY = frozenset({"ratelimited", "rate_limited"})
_TRANSIENT = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_ADVICE = {
    "channel_not_found": "The channel is gone, or WikiWhy was removed from it.",
    "not_in_channel": "Invite WikiWhy to the channel: /invite @WikiWhy.",
    "is_archived": "The channel is archived.",
    "invalid_auth": "WIKIWHY_SLACK_BOT_TOKEN is not valid: take the bot token from the app's page in Slack.",
    "not_authed": "WIKIWHY_SLACK_BOT_TOKEN is not set.",
    "account_inactive": "The app was removed from the workspace: install it again.",
    "token_revoked": "The bot token was revoked: install the app again and set WIKIWHY_SLACK_BOT_TOKEN anew.",
    "missing_scope": "The app lacks a permission: give it what `wikiwhy slack manifest` prints, and install it again.",
    "not_allowed_token_type": "Tokens are mixed up: the bot token begins with xoxb-, the app-level token with xapp-.",
    "restricted_action": "A setting of the workspace or channel keeps apps from this: let WikiWhy post in the channel.",
}
_ADVICE_ON_CONNECTING = (
    "Set WIKIWHY_SLACK_APP_TOKEN to an app-level token with connections:write, from the app's Basic Information."
)
_SECONDS = 20
_RATE_RETRIES = 6


Json = Mapping[str, Any]


class SlackRefused(ChatRefused):
    """``code``: Slack's error code."""

    def __init__(self, method: str, code: str) -> None:
        self.code = code
        meaning = f"What this means: https://docs.slack.dev/reference/methods/{method}"
        advice = _ADVICE_ON_CONNECTING if method.startswith("apps.") else _ADVICE.get(code, meaning)
        super().__init__(f"Slack refuses {method}: {code}. {advice}")


class SlackRateLimited(ChatUnavailable):
    """Slack did not do what a request asked for, because there were too many requests."""


class _RetryCounter(AsyncRetryHandler):
    """Counts the retries of another handler."""

    async def prepare_for_next_attempt_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        note_retry("slack")
        if response and response.status_code == 429:
            note_rate_limit("slack")
        await super().prepare_for_next_attempt_async(state=state, request=request, response=response, error=error)


class _RateLimitRetries(_RetryCounter, AsyncRateLimitErrorRetryHandler): ...


class _ConnectionRetries(_RetryCounter, AsyncConnectionErrorRetryHandler): ...


class _ServerErrorRetries(_RetryCounter, AsyncServerErrorRetryHandler): ...


class SlackCalls:
    """Calls methods of the Web API. A method that is not idempotent is retried only after a rate limit."""

    def __init__(self, token: str, api_url: str = "", check_may_send: CheckMaySend | None = None) -> None:
        """``api_url``: the base URL, ending with a slash; "" for Slack's own. ``check_may_send``: called before each
        request, once the session is open; None if there is only one bot.
        """
        self._check_may_send = check_may_send
        once: list[AsyncRetryHandler] = [_RateLimitRetries(max_retry_count=_RATE_RETRIES)]
        again = [*once, _ConnectionRetries(max_retry_count=2), _ServerErrorRetries(max_retry_count=2)]
        base_url = api_url or AsyncWebClient.BASE_URL
        self._session: aiohttp.ClientSession | None = None
        self._never = AsyncWebClient(token, base_url, _SECONDS, retry_handlers=[])
        self._once = AsyncWebClient(token, base_url, _SECONDS, retry_handlers=once)
        self._again = AsyncWebClient(token, base_url, _SECONDS, retry_handlers=again)

    @property
    def client(self) -> AsyncWebClient:
        """The SDK's client, for bolt."""
        return self._again

    async def open(self) -> None:
        """Open a session that keeps connections: a new connection for each call would double its time."""
        self._session = open_session(self._check_may_send, _SECONDS)
        for client in (self._never, self._once, self._again):
            client.session = self._session

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def read(self, method: str, **arguments: Any) -> Json:
        """Call a method that changes nothing. Raises :class:`core.errors.ChatUnavailable` and :class:`SlackRefused`."""
        return await self._call(self._again, method, "GET", {"params": _drop_none(arguments)})

    async def set(self, method: str, **arguments: Any) -> Json:
        """Call an idempotent method. Raises as :meth:`read` does."""
        return await self._call(self._again, method, "POST", {"json": _drop_none(arguments)})

    async def write(self, method: str, **arguments: Any) -> Json:
        """Call a method that is not idempotent. Raises as :meth:`read` does."""
        return await self._call(self._once, method, "POST", {"json": _drop_none(arguments)})

    async def try_once(self, method: str, **arguments: Any) -> Json:
        """Call a method that is not idempotent, and can be left out or is in vain later: without a retry.

        Raises as :meth:`read` does; :class:`SlackRateLimited` if Slack did nothing.
        """
        return await self._call(self._never, method, "POST", {"json": _drop_none(arguments)})

    async def test_auth(self) -> tuple[Json, frozenset[str] | None]:
        """Return the result of ``auth.test``, and the token's scopes if Slack names them. Raises as :meth:`read`."""
        response = await self._request(self._again, "auth.test", "POST", {})
        scopes = response.headers.get("x-oauth-scopes")
        named = None if scopes is None else frozenset(filter(None, map(str.strip, scopes.split(","))))
        return response.data if isinstance(response.data, dict) else {}, named

    async def _call(self, client: AsyncWebClient, method: str, verb: str, content: dict[str, Any]) -> Json:
        response = await self._request(client, method, verb, content)
        return response.data if isinstance(response.data, dict) else {}

    async def _request(
        self, client: AsyncWebClient, method: str, verb: str, content: dict[str, Any]
    ) -> AsyncSlackResponse:
        try:
            return await client.api_call(method, http_verb=verb, **content)
        except SlackApiError as error:
            code = str(error.response.get("error", "")) if isinstance(error.response.data, dict) else ""
            status = error.response.status_code
            if status == 429 or code in _TOO_MANY:
                note_rate_limit("slack")
                raise SlackRateLimited(f"Slack does not answer {method}: {code or status}.") from error
            if status >= 429 or code in _TRANSIENT:
                raise ChatUnavailable(f"Slack does not answer {method}: {code or status}.") from error
            raise SlackRefused(method, code or str(status)) from error
        except (SlackClientError, aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise ChatUnavailable(f"Slack does not answer {method}: {type(error).__name__}.") from error


def _drop_none(arguments: Json) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}
