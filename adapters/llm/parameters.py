"""The parameters of a call, and which of them a server does not take."""

from __future__ import annotations

import re
from typing import Any

from core.model import Prompt
from core.ports import Sampling

_LEFT_OUT_IF_REFUSED = ("temperature", "seed", "stream_options")


class Parameters:
    """Makes a call's parameters; learns what the server refuses, and does without from then on."""

    def __init__(self) -> None:
        self._length: str = "max_tokens"
        self._left_out: set[str] = set()

    def of(self, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
        """The body of a request, but for the model."""
        body: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.text} for message in prompt.messages],
            "stream": True,
            self._length: sampling.max_tokens,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "stream_options": {"include_usage": True},
        }
        return {name: value for name, value in body.items() if value is not None and name not in self._left_out}

    def learn(self, sent: dict[str, Any], refusal: str) -> bool:
        """Whether the refusal is about parameters that were sent and need not be, so that it is worth a new try."""
        if "max_tokens" in sent and _names("max_tokens", refusal):
            self._length = "max_completion_tokens"
            return True
        if "max_completion_tokens" in sent and _names("max_completion_tokens", refusal):
            self._left_out.add("max_completion_tokens")
            return True
        refused = {name for name in _LEFT_OUT_IF_REFUSED if name in sent and _names(name, refusal)}
        self._left_out |= refused
        return bool(refused)


def _names(parameter: str, refusal: str) -> bool:
    return re.search(rf"(?<![a-z_]){parameter}(?![a-z_])", refusal) is not None
