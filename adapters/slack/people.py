"""Slack users as members, and the audiences of channels."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from adapters.slack.calls import SlackCalls, SlackRefused
from core.languages import Language
from core.ports.chat import Audience, Member
from core.timing import Clock
from core.ttl_cache import TtlCache

_AUDIENCE_SECONDS = 30.0
"""How long a channel's audience is cached. ``channel_shared`` and events of a shared channel replace it at once."""

_FLAG_SECONDS = 900.0
"""How long an event's flag is valid if the app may not call ``conversations.info`` (see docs/slack.md)."""

_MOST_FLAGS = 10_000

logger = logging.getLogger(__name__)


def parse_member(user: Mapping[str, Any], team: str, user_id: str, enterprise: str = "") -> Member:
    """Parse Slack's user object. The e-mail address is used only if this workspace vouches for it."""
    profile = user.get("profile") or {}
    name = next(filter(None, (profile.get("display_name"), profile.get("real_name"), user.get("name"))), user_id)
    grid = user.get("enterprise_user") or {}
    # Other organisations have enterprise users too; only the own organisation's belong to this team or enterprise.
    ours = team in (grid.get("teams") or ()) or bool(enterprise and grid.get("enterprise_id") == enterprise)
    elsewhere = user.get("team_id") not in {team, None, ""} and not ours
    foreign = bool(elsewhere or user.get("is_stranger"))
    guest = foreign or any(user.get(flag) for flag in ("is_restricted", "is_ultra_restricted", "is_bot", "deleted"))
    confirmed = user.get("is_email_confirmed", True) and not guest
    email = (profile.get("email") or None) if confirmed else None
    spoken: Language = "de" if str(user.get("locale") or "").startswith("de") else "en"
    return Member(user_id, str(name), email, guest, foreign, spoken)


class SlackAudiences:
    """The audiences of channels. The clock returns monotonic seconds."""

    def __init__(self, calls: SlackCalls, clock: Clock) -> None:
        self._calls = calls
        self._clock = clock
        self._audiences: TtlCache[Audience] = TtlCache(_AUDIENCE_SECONDS, clock, failure_seconds=0)
        self._flags: dict[str, tuple[float, Audience]] = {}
        """Per channel: when the flag of its last event expires, and the audience that it says."""
        self._warned = False

    async def audience(self, channel: str) -> Audience:
        """Return a channel's audience. Raises ChatUnavailable if Slack does not answer after retries."""
        try:
            return await self._audiences.get(channel, lambda: self._request(channel))
        except SlackRefused as error:
            return self._by_flag(channel) if error.code == "missing_scope" else "unknown"

    def note_event(self, channel: str, shared: bool) -> None:
        """Store the flag ``is_ext_shared_channel`` of an event."""
        if shared:
            self._audiences.put(channel, "mixed")
        if len(self._flags) > _MOST_FLAGS:
            self._flags.clear()
        self._flags[channel] = (self._clock() + _FLAG_SECONDS, "mixed" if shared else "own")

    def forget(self, channel: str) -> None:
        """Drop a channel's audience after the channel was shared, or is no longer shared."""
        self._audiences.forget(channel)
        self._flags.pop(channel, None)

    def forget_all(self) -> None:
        """Drop the audiences of all channels."""
        self._audiences.forget()
        self._flags.clear()

    async def _request(self, channel: str) -> Audience:
        answer = await self._calls.read("conversations.info", channel=channel)
        return parse_audience(answer.get("channel"))

    def _by_flag(self, channel: str) -> Audience:
        if not self._warned:
            self._warned = True
            logger.warning(
                "Slack does not tell WikiWhy which channels are shared with other organisations: the app lacks "
                "channels:read, groups:read or mpim:read. Install what `wikiwhy slack manifest` prints again. Until "
                "then the buttons of answers work for 15 minutes after the last message in a channel."
            )
        until, audience = self._flags.get(channel, (0.0, "unknown"))
        return audience if self._clock() < until else "unknown"


def parse_audience(channel: Any) -> Audience:
    """Parse a conversation object. Other workspaces of the same Enterprise organisation are not foreign."""
    if not isinstance(channel, Mapping):
        return "unknown"
    if channel.get("is_im"):
        return "own"
    if not isinstance(channel.get("is_ext_shared"), bool):
        return "mixed" if channel.get("is_ext_shared") else "unknown"
    # A pending invitation of another organisation may be accepted at any moment.
    shared = channel["is_ext_shared"] or channel.get("is_pending_ext_shared") or channel.get("pending_shared")
    with_somebody = channel.get("is_shared") and not channel.get("is_org_shared")
    return "mixed" if shared or with_somebody else "own"
