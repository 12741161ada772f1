"""Prompts: rendered from the templates in ``prompts/``.

There is one template per kind of call, with a block for each message.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.model import Prompt, PromptMessage
from core.ports.models import LanguageModel
from core.text import LATIN_LOOKALIKES

OPENING = frozenset("<\ufe64\uff1c[\ufe47\uff3b")
"""All characters that NFKC normalises to "<" or "["."""

# The tags of pages and sources in a prompt: a page must not be able to end its own or begin another. And the marks of
# chat templates, which some servers take for the end of the message. "<" at the end of a text may become one of these.
_MARK = re.compile(
    r"<(?=[\s/\\\u2044\u2215\u29f8]*+(?:source|page|\Z)|\||<?/?sys>|/?s>|(?:start|end)_of_turn>|/?think>)|\[(?=/?inst\])"
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


_MESSAGE_TOKENS = 8  # added by a chat template to each message


def tokens_of(prompt: Prompt, model: LanguageModel) -> int:
    """The estimated tokens of a prompt."""
    return sum(model.count_tokens(message.text) + _MESSAGE_TOKENS for message in prompt.messages)
