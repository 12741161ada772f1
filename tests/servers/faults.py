"""What can go wrong between the bot and a chat platform, and when it does.

world.faults.add("chat.postMessage", Fault(status=429, retry_after=1), times=2)
world.faults.add("chat.*", Fault(drop_after=True), times=1, where=lambda arguments: arguments.get("channel") == eng)
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Where = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Fault:
    """``status`` or ``error`` replace the answer; ``drop`` cuts the connection without the work, ``drop_after`` after.

    ``delay``: seconds before anything. ``retry_after``: seconds, the header of a 429. ``error``: the platform's name.
    """

    status: int | None = None
    error: str | None = None
    retry_after: float | None = None
    delay: float = 0.0
    drop: bool = False
    drop_after: bool = False


@dataclass
class _Rule:
    method: str
    fault: Fault
    left: int | None
    skip: int
    where: Where | None


class Faults:
    """The plan: the first rule that fits a call is done."""

    def __init__(self) -> None:
        self._rules: list[_Rule] = []

    def add(
        self, method: str, fault: Fault, *, times: int | None = 1, skip: int = 0, where: Where | None = None
    ) -> None:
        """For calls of this method (or pattern: ``chat.*``) with such arguments: ``times`` of them (None: all).

        The first ``skip`` of them go well.
        """
        self._rules.append(_Rule(method, fault, times, skip, where))

    def clear(self) -> None:
        self._rules.clear()

    def choose(self, method: str, arguments: Mapping[str, Any]) -> Fault | None:
        for rule in self._rules:
            if rule.left == 0 or not fnmatch.fnmatchcase(method, rule.method):
                continue
            if rule.where is not None and not rule.where(arguments):
                continue
            if rule.skip:
                rule.skip -= 1
                continue
            if rule.left is not None:
                rule.left -= 1
            return rule.fault
        return None
