"""Prompts from the templates in ``prompts/``: one template a call, with a block for each message."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from core.model import Prompt, PromptMessage

# What delimits a source in a prompt, however it is written: a page must not be able to end its source or begin another.
# The others are the marks of chat templates, which some servers would read as the end of the message.
_MARK = re.compile(
    r"<(?=\s*/?\s*source|\||<?/?SYS>|/?s>|(?:start|end)_of_turn>|/?think>|[\uff5c])|\[(?=/?INST\])", re.IGNORECASE
)


def render(name: str, **values: Any) -> Prompt:
    """The prompt of template ``name``. Raises jinja2's UndefinedError for a value that is missing."""
    template = _environment().get_template(f"{name}.jinja")
    context = template.new_context(values)
    blocks = {role: "".join(template.blocks[role](context)).strip() for role in ("system", "user")}
    return Prompt(name, (PromptMessage("system", blocks["system"]), PromptMessage("user", blocks["user"])))


def as_data(text: str) -> str:
    """Text of a page or of a person, unable to end its place in the prompt."""
    return _MARK.sub("‹", text).replace("\x00", "")


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
