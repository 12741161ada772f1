"""What lets a bot answer a click: trigger ids and response URLs.

https://docs.slack.dev/interactivity/handling-user-interaction
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from tests.servers.slack.state import TEAM, Refused


@dataclass
class ResponseUrl:
    """``ts``: of the message it came from; None for a command."""

    channel: str
    user: str
    ts: str | None
    made: float
    uses: int = 0


class Triggers:
    """One use each, within ``life`` seconds."""

    def __init__(self) -> None:
        self.life = 3.0
        self._made: dict[str, tuple[float, str]] = {}
        self._used: set[str] = set()

    def new(self, user: str) -> str:
        trigger = f"{time.time_ns()}.{TEAM}.{secrets.token_hex(16)}"
        self._made[trigger] = (time.monotonic(), user)
        return trigger

    def use(self, given: object) -> str:
        """The user who clicked."""
        if not isinstance(given, str) or given not in self._made:
            raise Refused("invalid_trigger_id")
        made, user = self._made[given]
        if time.monotonic() - made > self.life:
            raise Refused("expired_trigger_id")
        if given in self._used:
            raise Refused("exchanged_trigger_id")
        self._used.add(given)
        return user


class ResponseUrls:
    """``uses`` each, within ``life`` seconds."""

    def __init__(self) -> None:
        self.life, self.uses = 1800.0, 5
        self._made: dict[str, ResponseUrl] = {}

    def new(self, channel: str, user: str, ts: str | None) -> str:
        """The last part of its path."""
        name = secrets.token_urlsafe(16)
        self._made[name] = ResponseUrl(channel, user, ts, time.monotonic())
        return name

    def use(self, name: str) -> ResponseUrl:
        found = self._made.get(name)
        if found is None:
            raise Refused("invalid_url")
        if time.monotonic() - found.made > self.life:
            raise Refused("expired_url")
        if found.uses >= self.uses:
            raise Refused("used_url")
        found.uses += 1
        return found
