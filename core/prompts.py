"""Renders prompts from the templates in ``prompts/``: one per kind of model call, with one block per message."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.model import Prompt, PromptMessage
from core.ports.models import LanguageModel
from core.text import LATIN_LOOKALIKES
from core.text_caches import cache_texts

OPENING = frozenset("<\ufe64\uff1c[\ufe47\uff3b")
"""All characters that NFKC normalises to "<" or "["."""

# Tags of pages and sources in a prompt, because a page must not close its own tag or open another, and control tokens
# of chat templates, which some servers interpret inside a message. A final "<" could become one of these.
_MARK = re.compile(
    r"<(?=[\s/\\\u2044\u2215\u29f8]*+(?:source|page|\Z)|\||<?/?sys>|/?s>|(?:start|end)_of_turn>|/?think>)|\[(?=/?inst\])"
)
_IGNORED = frozenset(["Cf", "Cc", "Cn", "Co", "Cs", "Mn", "Me"])  # invisible characters and marks on letters
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # invisible letters and symbols


def render(name: str, **values: Any) -> Prompt:
    """Render a template. Raises jinja2's UndefinedError if a value is missing."""
    template = _make_environment().get_template(f"{name}.jinja")
    context = template.new_context(values)
    blocks = {role: "".join(template.blocks[role](context)).strip() for role in ("system", "user")}
    return Prompt(name, (PromptMessage("system", blocks["system"]), PromptMessage("user", blocks["user"])))


def escape_data(text: str) -> str:
    """Escape a text of a page or person, so that it cannot close its tag in the prompt."""
    text = text.replace("\x00", "")
    if OPENING.isdisjoint(text):
        return text
    plain, positions = _normalise(text)
    shown = list(text)
    for mark in _MARK.finditer(plain):
        shown[positions[mark.start()]] = "‹"
    return "".join(shown)


def _normalise(text: str) -> tuple[str, list[int]]:
    """Return the text as a model may read it, in lower case, and the index of each character in the original.

    Drops invisible characters, and replaces look-alikes and wide, small or decorated characters by plain ones.
    """
    plain: list[str] = []
    positions: list[int] = []
    for at, character in enumerate(text):
        for read in _normalise_character(character):
            plain.append(read)
            positions.append(at)
    return "".join(plain), positions


@cache_texts(10_000)
def _normalise_character(character: str) -> str:
    if character.isspace():
        return " "
    if character in _BLANK or unicodedata.category(character) in _IGNORED:
        return ""
    return unicodedata.normalize("NFKC", character).translate(LATIN_LOOKALIKES).casefold()


@cache
def _make_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("prompts", package_path=""),
        undefined=StrictUndefined,
        autoescape=False,  # noqa: S701 - prompts are no HTML; texts of pages are escaped by as_data
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["as_data"] = escape_data
    return environment


_MESSAGE_TOKENS = 8  # added by a chat template to each message


def count_prompt_tokens(prompt: Prompt, model: LanguageModel) -> int:
    """Estimate the number of tokens of a prompt."""
    return sum(model.count_tokens(message.text) + _MESSAGE_TOKENS for message in prompt.messages)
