"""Who can read a channel of Slack now (https://docs.slack.dev/reference/methods/conversations.info)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from adapters.slack.calls import SlackCalls, SlackRefused
from core.identity.ttl_cache import TtlCache
from core.ports import Audience
from core.timing import Clock

_SECONDS = 30.0
"""How long an answer of Slack counts. ``channel_shared`` and events of a shared channel end it at once."""

_SECONDS_WITHOUT_SCOPE = 900.0
"""How long the flag of an event counts where the app may not ask Slack (see docs/slack.md)."""

_MOST_FLAGS = 10_000

logger = logging.getLogger(__name__)


class SlackAudiences:
    """The audiences of channels. The clock gives seconds, monotonic."""

    def __init__(self, calls: SlackCalls, clock: Clock) -> None:
        self._calls = calls
        self._clock = clock
        self._told: TtlCache[Audience] = TtlCache(_SECONDS, clock, failure_seconds=0)
        self._flags: dict[str, tuple[float, Audience]] = {}
        """By channel, what its last event said, and until when that counts."""
        self._warned = False

    async def audience(self, channel: str) -> Audience:
        """Raises ChatUnavailable where Slack does not answer after retries."""
        try:
            return await self._told.get(channel, lambda: self._asked(channel))
        except SlackRefused as error:
            return self._of_events(channel) if error.code == "missing_scope" else "unknown"

    def note_event(self, channel: str, shared: bool) -> None:
        """Notes the flag ``is_ext_shared_channel`` that an event of a channel has."""
        if shared:
            self._told.put(channel, "mixed")
        if len(self._flags) > _MOST_FLAGS:
            self._flags.clear()
        self._flags[channel] = (self._clock() + _SECONDS_WITHOUT_SCOPE, "mixed" if shared else "own")

    def forget(self, channel: str) -> None:
        """Asks again next time: the channel was shared with others, or is not any more."""
        self._told.forget(channel)
        self._flags.pop(channel, None)

    async def _asked(self, channel: str) -> Audience:
        answer = await self._calls.read("conversations.info", channel=channel)
        return audience_of(answer.get("channel"))

    def _of_events(self, channel: str) -> Audience:
        if not self._warned:
            self._warned = True
            logger.warning(
                "Slack does not tell WikiWhy which channels are shared with other organisations: the app lacks "
                "channels:read, groups:read or mpim:read. Install what `wikiwhy slack manifest` prints again. Until "
                "then the buttons of answers work for 15 minutes after the last message in a channel."
            )
        until, audience = self._flags.get(channel, (0.0, "unknown"))
        return audience if self._clock() < until else "unknown"


def audience_of(channel: Any) -> Audience:
    """The audience by a conversation's object. A workspace of the same Enterprise organisation is no other one."""
    if not isinstance(channel, Mapping):
        return "unknown"
    if channel.get("is_im"):
        return "own"
    if not isinstance(channel.get("is_ext_shared"), bool):
        return "mixed" if channel.get("is_ext_shared") else "unknown"
    # An invitation of another organisation may be accepted at any moment.
    shared = channel["is_ext_shared"] or channel.get("is_pending_ext_shared") or channel.get("pending_shared")
    with_somebody = channel.get("is_shared") and not channel.get("is_org_shared")
    return "mixed" if shared or with_somebody else "own"
