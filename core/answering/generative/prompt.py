"""The prompt for an answer: evidences as numbered sources, as many as fit into the model's window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import ContextTooLong
from core.model import NOT_FOUND, Evidence, Prompt, RankedEvidence
from core.ports.models import LanguageModel
from core.prompts import render
from core.text import LANGUAGE_NAMES, Language

T = TypeVar("T")

_BEFORE_CHARS = 200  # of the text before a list or a table, which introduces it
_MESSAGE_TOKENS = 8  # added by a chat template to each message


@dataclass(frozen=True, slots=True)
class Source:
    """An evidence as it stands in a prompt. ``number`` counts from 1."""

    number: int
    ranked: RankedEvidence
    title: str
    section: str
    before: str
    text: str

    @property
    def evidence(self) -> Evidence:
        return self.ranked.evidence

    @property
    def whole(self) -> str:
        """All of its text in the prompt."""
        return "\n".join((self.title, self.section, self.before, self.text))


def sources_of(evidences: Sequence[RankedEvidence]) -> list[Source]:
    """The evidences in order, numbered from 1."""
    return [_source(number, ranked) for number, ranked in enumerate(evidences, start=1)]


def _source(number: int, ranked: RankedEvidence) -> Source:
    evidence, context = ranked.evidence, ranked.evidence.context
    before = context.before[-_BEFORE_CHARS:] if evidence.kind != "passage" else ""
    return Source(number, ranked, context.title, " › ".join(context.heading_path), before, evidence.text)


def answer_prompt(question: str, sources: Sequence[Source], wanted: Language, reminder: str = "") -> Prompt:
    """The prompt for an answer from these sources in this language."""
    return render(
        "answer",
        question=question,
        sources=sources,
        language=LANGUAGE_NAMES[wanted],
        not_found=NOT_FOUND,
        reminder=reminder,
    )


def fit_prompt(
    items: Sequence[T], prompt_of: Callable[[Sequence[T]], Prompt], model: LanguageModel, answer_tokens: int
) -> tuple[Prompt, int]:
    """The prompt with as many items as fit into the model's window, from the first, and their number.

    Items are left out whole, from the last, never cut. Raises ContextTooLong if not even one fits.
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
