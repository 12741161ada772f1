"""Client for Teams' connector: retries and error messages.

https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference. A send is not
idempotent and is retried only after a 429; other calls are retried after server errors too.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
from typing import Any
from urllib.parse import quote

import aiohttp
from yarl import URL

from adapters.retries import note_rate_limit, note_retry
from adapters.sending import CheckMaySend, open_session
from adapters.teams.credentials import Credentials
from core.errors import ChatRefused, ChatUnavailable

_SECONDS = 20
_RATE_RETRIES = 6
_RETRIES = 2
_LONGEST_PAUSE = 60.0
_MEMBER_PATIENCE = 6.0  # seconds of waiting for a rate limit, since the person who clicked waits too
_MOST_MEMBERS = 500  # per page
_TOO_MANY = 429
_ADVICE = {
    400: "Teams does not understand the message.",
    401: "Teams does not accept the bot's token: check WIKIWHY_TEAMS_APP_ID, _APP_PASSWORD and _TENANT_ID.",
    403: "The person has blocked WikiWhy, or it was removed from this conversation: add it again.",
    404: "The conversation or the message is gone, or WikiWhy was removed from it.",
    413: "The message is too long for Teams.",
}

_TARGETED = "?isTargetedActivity=true"
"""Query that makes a message visible only to its recipient."""

logger = logging.getLogger(__name__)

Json = dict[str, Any]


class TeamsRefused(ChatRefused):
    """``status``: the HTTP status. ``code``: Teams' error code."""

    def __init__(self, status: int, code: str) -> None:
        self.status = status
        self.code = code
        super().__init__(
            f"Teams refuses: {' '.join(filter(None, (str(status), code)))}. {_ADVICE.get(status, '')}".rstrip()
        )


class Connector:
    """Sends activities to the service URL of a conversation."""

    def __init__(self, credentials: Credentials, check_may_send: CheckMaySend | None = None) -> None:
        self._credentials = credentials
        self._check_may_send = check_may_send
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Open a session that keeps connections."""
        self._session = open_session(self._check_may_send, _SECONDS)

    async def close(self) -> None:
        if self._session:
            await self._session.close()

    async def send(self, service_url: str, conversation: str, activity: Json, targeted: bool = False) -> str:
        """Send an activity and return its id, "" if Teams returns none. Raises ChatUnavailable and TeamsRefused.

        ``targeted``: whether only its ``recipient`` sees it
        (https://learn.microsoft.com/microsoftteams/platform/agents-in-teams/targeted-messages).
        """
        address = _make_activities_url(service_url, conversation) + (_TARGETED if targeted else "")
        answer = await self._call("POST", address, activity, retries=0)
        return str(answer.get("id") or "")

    async def update(self, service_url: str, conversation: str, message_id: str, activity: Json) -> None:
        """Replace an activity that was sent. Raises as :meth:`send` does."""
        address = f"{_make_activities_url(service_url, conversation)}/{quote(message_id, safe='')}"
        await self._call("PUT", address, {**activity, "id": message_id}, retries=_RETRIES)

    async def delete(self, service_url: str, conversation: str, message_id: str, targeted: bool = False) -> None:
        """Delete an activity that was sent. Raises as :meth:`send` does."""
        address = f"{_make_activities_url(service_url, conversation)}/{quote(message_id, safe='')}"
        await self._call("DELETE", address + (_TARGETED if targeted else ""), None, retries=_RETRIES)

    async def find_member(self, service_url: str, conversation: str, account: str) -> Json:
        """Return Teams' record of a person of a conversation. Raises as :meth:`send` does."""
        address = f"{_make_conversation_url(service_url, conversation)}/members/{quote(account, safe='')}"
        return await self._call("GET", address, None, retries=_RETRIES, patience=_MEMBER_PATIENCE)

    async def list_members(self, service_url: str, conversation: str, token: str = "") -> Json:
        """Return a page of a conversation's roster, for a channel of its team's. Raises as :meth:`send` does.

        ``token``: the ``continuationToken`` of the previous page.
        """
        more = f"&continuationToken={quote(token, safe='')}" if token else ""
        address = f"{_make_conversation_url(service_url, conversation)}/pagedmembers?pageSize={_MOST_MEMBERS}{more}"
        return await self._call("GET", address, None, retries=_RETRIES, patience=_MEMBER_PATIENCE)

    async def _call(
        self, method: str, address: str, activity: Json | None, retries: int, patience: float = math.inf
    ) -> Json:
        """Call the connector with retries. ``patience``: the longest total wait for rate limits, in seconds."""
        slowed = broken = 0
        while True:
            status, answer, pause = await self._request(method, address, activity)
            if 200 <= status < 300:
                return answer
            if status == _TOO_MANY:
                note_rate_limit("teams")
            if status == _TOO_MANY and slowed < _RATE_RETRIES:
                slowed += 1
                wanted = min(pause or 2.0**slowed / 2, _LONGEST_PAUSE) + random.uniform(0, 0.5)  # noqa: S311
                patience -= wanted
                if patience < 0:
                    raise ChatUnavailable(f"Teams asks to wait {wanted:.0f} s.")
                note_retry("teams")
                await asyncio.sleep(wanted)
            elif _is_transient(status) and broken < retries:
                broken += 1
                note_retry("teams")
                await asyncio.sleep(random.uniform(0.1, 0.5) * 2**broken)  # noqa: S311
            elif status == _TOO_MANY or _is_transient(status):
                raise ChatUnavailable(f"Teams does not answer: {status or 'no connection'}.")
            else:
                raise TeamsRefused(status, _parse_code(answer))

    async def _request(self, method: str, address: str, activity: Json | None) -> tuple[int, Json, float]:
        """Call the connector once; return the status (0 for no response), the body, and the seconds to wait."""
        if self._session is None:
            await self.open()
        assert self._session is not None
        token = await self._credentials.get_token()
        headers = {"Content-Type": "application/json; charset=utf-8"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if activity is None else serialise_activity(activity)
        try:
            where = URL(address, encoded=True)
            async with self._session.request(method, where, data=data, headers=headers) as response:
                answer = await _read_body(response)
                return response.status, answer, _parse_seconds(response.headers.get("Retry-After", ""))
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            logger.info("Teams does not answer: %s", type(error).__name__)
            return 0, {}, 0.0


def serialise_activity(activity: Json) -> bytes:
    """Return an activity as JSON."""
    return json.dumps(activity, ensure_ascii=False, separators=(",", ":")).encode()


def _is_transient(status: int) -> bool:
    """Whether a retry may succeed: Teams answers 412 to two concurrent calls."""
    return status == 0 or status == 412 or status >= 500


def _make_conversation_url(service_url: str, conversation: str) -> str:
    return f"{service_url.rstrip('/')}/v3/conversations/{quote(conversation, safe='')}"


def _make_activities_url(service_url: str, conversation: str) -> str:
    return f"{_make_conversation_url(service_url, conversation)}/activities"


async def _read_body(response: aiohttp.ClientResponse) -> Json:
    try:
        answer: Any = await response.json(content_type=None)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _parse_seconds(text: str) -> float:
    try:
        return max(float(text), 0.0)
    except ValueError:  # empty, or a date
        return 0.0


def _parse_code(answer: Json) -> str:
    error = answer.get("error")
    return str(error.get("code") or "")[:80] if isinstance(error, dict) else ""
