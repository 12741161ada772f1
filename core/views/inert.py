"""Text from pages, models and people that clients would replace or link: it is broken up by a zero-width space."""

from __future__ import annotations

import re

from core.text import ZERO_WIDTH, clean

_MACRO = re.compile(r"\{\{(?=\s*(?:DATE|TIME))")  # clients replace these by dates
_HOST_OR_MAIL = re.compile(r"(?:(?<![^\W_])www(?=\.))|(?=@)", re.IGNORECASE)
_LINE_BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")


def break_macros(text: str) -> str:
    """Break up macros that clients would replace by a date."""
    return _MACRO.sub(f"{{{ZERO_WIDTH}{{", clean(text))


def break_links(text: str) -> str:
    """Break up addresses that clients would link, and macros."""
    return break_macros(text).replace("://", f":{ZERO_WIDTH}//")


def break_addresses(text: str) -> str:
    """Break up ``www.…`` and mail addresses, which clients link in the text of a message."""
    return _HOST_OR_MAIL.sub(rf"\g<0>{ZERO_WIDTH}", text)


def join_lines(text: str) -> str:
    """Join lines by single spaces."""
    return _LINE_BREAK.sub(" ", text)
