"""How often a bot may send.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit
"""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque

_THREAD = {
    "send": ((7, 1), (8, 2), (60, 30), (1800, 3600)),
    "create": ((7, 1), (8, 2), (60, 30), (1800, 3600)),
    "members": ((14, 1), (16, 2), (120, 30), (3600, 3600)),
}
"""Calls within seconds, in one thread."""
_TENANT = ((30, 1),)
_KINDS = {"post": "send", "reply": "send", "update": "send", "create": "create", "member": "members",
    "members": "members", "pagedmembers": "members"}  # fmt: skip


class Rates:
    """Sliding windows, per thread and for the whole tenant. ``scale``: stretches the windows; 0.1 makes tests quick."""

    def __init__(self) -> None:
        self.on = False
        self.scale = 1.0
        self._made: dict[tuple[str, str], deque[float]] = defaultdict(deque)

    def wait(self, route: str, thread: str) -> int:
        """Whole seconds until such a call would be let through; 0: now, and it is counted."""
        kind = _KINDS.get(route)
        if not self.on or kind is None:
            return 0
        keys = [((kind, thread), _THREAD[kind]), (("", ""), _TENANT)]
        now = time.monotonic()
        left = max(self._left(self._made[key], windows, now) for key, windows in keys)
        if left <= 0:
            for key, _ in keys:
                self._made[key].append(now)
        return math.ceil(left) if left > 0 else 0

    def _left(self, made: deque[float], windows: tuple[tuple[int, int], ...], now: float) -> float:
        while made and made[0] <= now - windows[-1][1] * self.scale:
            made.popleft()
        waits = [made[-most] + seconds * self.scale - now for most, seconds in windows if len(made) >= most]
        return max(waits, default=0.0)
