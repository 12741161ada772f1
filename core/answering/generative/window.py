"""A prompt that fits into the model's window: evidences are left out whole, from the last, never cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from core.errors import ContextTooLong
from core.model import Prompt
from core.ports import LanguageModel

T = TypeVar("T")

_MESSAGE_TOKENS = 8  # that a chat template adds around each message


def fit_prompt(
    items: Sequence[T], prompt_of: Callable[[Sequence[T]], Prompt], model: LanguageModel, answer_tokens: int
) -> tuple[Prompt, int]:
    """The prompt with as many of the items, from the first, as fit; and how many these are.

    Raises ContextTooLong if not even one fits.
    """
    room = model.context_tokens - answer_tokens
    for count in range(len(items), 0, -1):
        prompt = prompt_of(items[:count])
        if tokens_of(prompt, model) <= room:
            return prompt, count
    raise ContextTooLong(
        f"Not even one source fits into the {model.context_tokens} tokens of the language model's window. "
        "Give WIKIWHY_LLM_CONTEXT_TOKENS the window that your server has, or use a model with a larger one."
    )


def tokens_of(prompt: Prompt, model: LanguageModel) -> int:
    """The estimated tokens of a prompt."""
    return sum(model.count_tokens(message.text) + _MESSAGE_TOKENS for message in prompt.messages)
