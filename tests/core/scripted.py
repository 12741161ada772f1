"""A language model for tests of core: says what the test tells it to, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.errors import WikiWhyError
from core.model import Prompt, Usage
from core.ports.models import Generation, Sampling, TextListener

Reply = str | Generation | WikiWhyError | Callable[[Prompt], str]


class ScriptedModel:
    """Gives one reply after the other, the last one again and again; a reply that is an error is raised."""

    name = "scripted"

    def __init__(self, *replies: Reply, context_tokens: int = 8192) -> None:
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []
        self.samplings: list[Sampling] = []
        self._replies: Sequence[Reply] = replies

    def count_tokens(self, text: str) -> int:
        return len(text) // 3 + 1

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        reply = self._replies[min(len(self.prompts), len(self._replies) - 1)]
        self.prompts.append(prompt)
        self.samplings.append(sampling)
        if isinstance(reply, WikiWhyError):
            raise reply
        if callable(reply):
            reply = reply(prompt)
        generation = reply if isinstance(reply, Generation) else Generation(reply, usage=Usage(1, 100, 10))
        for end in range(1, len(generation.text) + 1) if on_text else ():
            on_text(generation.text[:end])
        return generation
