"""Prompts: rendered from the templates in ``prompts/``, with evidences as numbered sources, as many as fit.

There is one template per kind of call, with a block for each message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeVar

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.errors import ContextTooLong
from core.model import Evidence, Prompt, PromptMessage, RankedEvidence
from core.ports.models import LanguageModel
from core.text import LATIN_LOOKALIKES

OPENING = frozenset("<\ufe64\uff1c[\ufe47\uff3b")
"""All characters that NFKC normalises to "<" or "["."""

# The tags of sources in a prompt: a page must not be able to end its source or begin another. And the marks of chat
# templates, which some servers take for the end of the message. "<" at the end of a text may become one of these.
_MARK = re.compile(
    r"<(?=[\s/\\\u2044\u2215\u29f8]*+(?:source|\Z)|\||<?/?sys>|/?s>|(?:start|end)_of_turn>|/?think>)|\[(?=/?inst\])"
)
_IGNORED = frozenset(["Cf", "Cc", "Cn", "Co", "Cs", "Mn", "Me"])  # invisible characters and marks on letters
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # invisible letters and symbols


def render(name: str, **values: Any) -> Prompt:
    """Renders template ``name``. Raises jinja2's UndefinedError for a missing value."""
    template = _environment().get_template(f"{name}.jinja")
    context = template.new_context(values)
    blocks = {role: "".join(template.blocks[role](context)).strip() for role in ("system", "user")}
    return Prompt(name, (PromptMessage("system", blocks["system"]), PromptMessage("user", blocks["user"])))


def as_data(text: str) -> str:
    """Escapes a text of a page or a person, so that it cannot end its place in the prompt."""
    text = text.replace("\x00", "")
    if OPENING.isdisjoint(text):
        return text
    plain, places = _normalise(text)
    shown = list(text)
    for mark in _MARK.finditer(plain):
        shown[places[mark.start()]] = "‹"
    return "".join(shown)


def _normalise(text: str) -> tuple[str, list[int]]:
    """The text as a model may read it, lower-cased, and for each of its characters the index in the original.

    Invisible characters are dropped; wide, small and decorated ones and look-alikes become what they look like.
    """
    plain: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for read in _normalise_character(character):
            plain.append(read)
            places.append(at)
    return "".join(plain), places


@lru_cache(maxsize=10_000)
def _normalise_character(character: str) -> str:
    if character.isspace():
        return " "
    if character in _BLANK or unicodedata.category(character) in _IGNORED:
        return ""
    return unicodedata.normalize("NFKC", character).translate(LATIN_LOOKALIKES).casefold()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("prompts", package_path=""),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - nothing is HTML here; texts of pages go through as_data
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["as_data"] = as_data
    return environment


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
