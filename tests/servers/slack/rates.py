"""How often a method may be called.

https://docs.slack.dev/apis/web-api/rate-limits
"""

from __future__ import annotations

import math
import time

from tests.servers.slack.state import Json

_TIERS = {
    "chat.startStream": 20, "chat.stopStream": 20, "chat.update": 50, "chat.delete": 50, "chat.appendStream": 100,
    "chat.postEphemeral": 100, "conversations.replies": 50, "conversations.history": 50, "conversations.info": 50,
    "conversations.open": 50, "users.info": 100, "users.list": 20, "views.open": 100, "views.update": 100,
    "assistant.threads.setStatus": 600,
}  # fmt: skip
_BURST = 4
"""Messages at once in one channel."""


class Rates:
    """Buckets that fill steadily: messages one a second in a channel, other methods by the minute of their tier."""

    def __init__(self) -> None:
        self.on = False
        self._left: dict[tuple[str, str], tuple[float, float]] = {}

    def wait(self, method: str, arguments: Json) -> int:
        """Seconds until this call would be let through; 0: now, and it is counted."""
        if not self.on:
            return 0
        if method == "chat.postMessage":
            return self._take((method, str(arguments.get("channel"))), 1.0, _BURST)
        minute = _TIERS.get(method)
        return self._take((method, ""), minute / 60, minute) if minute else 0

    def _take(self, key: tuple[str, str], a_second: float, most: int) -> int:
        now = time.monotonic()
        left, at = self._left.get(key, (float(most), now))
        left = min(most, left + (now - at) * a_second)
        self._left[key] = (left - 1 if left >= 1 else left, now)
        return 0 if left >= 1 else math.ceil((1 - left) / a_second)
