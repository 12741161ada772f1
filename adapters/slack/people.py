"""Who a Slack user is (https://docs.slack.dev/reference/methods/users.info)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.slack.calls import SlackCalls, SlackRefused
from core.identity.ttl_cache import TtlCache
from core.ports import Member
from core.timing import Clock

_SECONDS = 900.0  # that what Slack told is relied on: a guest may become a member, and the reverse


class SlackPeople:
    """Members of the workspace, and guests. The clock gives seconds, monotonic."""

    def __init__(self, calls: SlackCalls, clock: Clock) -> None:
        self._calls = calls
        self._known: TtlCache[Member] = TtlCache(_SECONDS, clock, failure_seconds=0)

    async def member(self, team: str, user: str, enterprise: str = "") -> Member:
        """Raises :class:`core.errors.ChatUnavailable`; of whom Slack does not tell nothing is believed.

        ``enterprise``: the organisation that the workspace belongs to, "" if to none.
        """
        return await self._known.get(f"{team}:{user}", lambda: self._asked(team, user, enterprise))

    def clear(self) -> None:
        """Forgets everybody."""
        self._known.forget()

    async def _asked(self, team: str, user: str, enterprise: str) -> Member:
        try:
            answer = await self._calls.read("users.info", user=user)
        except SlackRefused:
            return Member(user, user, guest=True)
        return member_of(answer.get("user") or {}, team, user, enterprise)


def member_of(user: Mapping[str, Any], team: str, user_id: str, enterprise: str = "") -> Member:
    """A member from Slack's user object. An address counts only where this workspace vouches for it."""
    profile = user.get("profile") or {}
    name = next(filter(None, (profile.get("display_name"), profile.get("real_name"), user.get("name"))), user_id)
    grid = user.get("enterprise_user") or {}
    # Other organisations have enterprise users too: only one of ours is at home in more than one workspace.
    ours = team in (grid.get("teams") or ()) or bool(enterprise and grid.get("enterprise_id") == enterprise)
    elsewhere = user.get("team_id") not in {team, None, ""} and not ours
    foreign = bool(elsewhere or user.get("is_stranger"))
    guest = foreign or any(user.get(flag) for flag in ("is_restricted", "is_ultra_restricted", "is_bot", "deleted"))
    confirmed = user.get("is_email_confirmed", True) and not guest
    return Member(user_id, str(name), (profile.get("email") or None) if confirmed else None, guest, foreign)
