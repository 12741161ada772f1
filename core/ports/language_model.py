"""Language models: a prompt to a text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from core.model import Prompt, Usage

TextListener = Callable[[str], None]
"""Called with a text while it is being written: each time all of it so far, which may start over."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a text is drawn. ``temperature`` 0 is greedy; ``seed`` makes a draw repeatable where the server can."""

    max_tokens: int = 400
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """What a model wrote. ``finished`` is False where ``max_tokens`` cut it off."""

    text: str
    finished: bool = True
    usage: Usage = field(default_factory=Usage)


class LanguageModel(Protocol):
    """A chat model. Calls may run concurrently; the implementation limits how many do."""

    @property
    def name(self) -> str:
        """The model's name, for the turn's configuration."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens of a prompt and its answer together, at most."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a text; an estimate, rather too many than too few."""
        ...

    async def generate(self, prompt: Prompt, sampling: Sampling, on_text: TextListener | None = None) -> Generation:
        """Answers a prompt.

        Raises :class:`core.errors.ModelUnavailable` if the model does not answer now, after retries;
        :class:`core.errors.ModelRejected` if it will not answer until a setting is corrected;
        :class:`core.errors.ContextTooLong` if the prompt does not fit into its window.
        """
        ...
