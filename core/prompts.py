"""Prompts from the templates in ``prompts/``: one template a call, with a block for each message."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.model import Prompt, PromptMessage
from core.text import LATIN_LOOKALIKES

OPENING = frozenset("<\ufe64\uff1c[\ufe47\uff3b")
"""All characters that are "<" or "[" in Unicode's form NFKC."""

# What delimits a source in a prompt, however it is written: a page must not be able to end its source or begin another.
# The others are the marks of chat templates, which some servers would read as the end of the message. At the end of a
# text "<" may become such a mark with what follows it.
_MARK = re.compile(
    r"<(?=[\s/\\\u2044\u2215\u29f8]*+(?:source|\Z)|\||<?/?sys>|/?s>|(?:start|end)_of_turn>|/?think>)|\[(?=/?inst\])"
)
_IGNORED = frozenset(["Cf", "Cc", "Cn", "Co", "Cs", "Mn", "Me"])  # categories that show nothing, or a mark on a letter
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that show nothing


def render(name: str, **values: Any) -> Prompt:
    """The prompt of template ``name``. Raises jinja2's UndefinedError for a value that is missing."""
    template = _environment().get_template(f"{name}.jinja")
    context = template.new_context(values)
    blocks = {role: "".join(template.blocks[role](context)).strip() for role in ("system", "user")}
    return Prompt(name, (PromptMessage("system", blocks["system"]), PromptMessage("user", blocks["user"])))


def as_data(text: str) -> str:
    """Text of a page or of a person, unable to end its place in the prompt."""
    text = text.replace("\x00", "")
    if OPENING.isdisjoint(text):
        return text
    plain, places = _as_read(text)
    shown = list(text)
    for mark in _MARK.finditer(plain):
        shown[places[mark.start()]] = "‹"
    return "".join(shown)


def _as_read(text: str) -> tuple[str, list[int]]:
    """The text as a model may read it, in small letters, and where in the text each of its characters stands.

    Without what is invisible; wide, small and decorated characters and look-alikes are what they look like.
    """
    plain: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        for read in _character_as_read(character):
            plain.append(read)
            places.append(at)
    return "".join(plain), places


@lru_cache(maxsize=10_000)
def _character_as_read(character: str) -> str:
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
        autoescape=False,  # noqa: S701 - nothing is HTML here; what comes from pages goes through as_data
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters["as_data"] = as_data
    return environment
