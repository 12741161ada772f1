"""Slack's markup (https://docs.slack.dev/messaging/formatting-message-text): paragraphs, code and tables, escaped.

Whatever comes from pages, models and people passes through :func:`escape` exactly once. After that ``<`` begins nothing
but a link of ours, so that nothing pings anybody.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from core.views.document import Code, Paragraph, Run, Style, clean, shorten, units

WIDEST = 76
"""Columns that fit beside each other on a screen; a wider table reads better row by row."""
_URL = 1_200  # characters as they are sent; a longer one would not fit into a text
_LABEL = 150
_LABEL_ESCAPED = 400
_MENTION = re.compile(r"<(?:@[UW]|#C)[A-Z0-9]{2,20}>")
_FENCE = re.compile("`{3,}")
_BREAKER = "\u200b"  # a zero-width space
_MARKS: dict[Style, str] = {"bold": "*", "italic": "_", "strike": "~"}


def escape(text: str) -> str:
    """Cleaned, and exactly the three characters escaped that Slack asks for; nothing in it opens a block of code."""
    return _break_fences(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def paragraph_text(block: Paragraph) -> str:
    """A paragraph as it stands in a message."""
    if block.look == "heading":
        text = _wrap(_inline([replace(run, styles=(), code=False) for run in block.runs]), "*")
    else:
        text = _inline(block.runs)
    text = (block.lead + text).rstrip()
    if block.quoted:  # quotes do not nest: one mark a line
        text = "\n".join(f"> {line}" for line in text.split("\n") if line.strip())
    return _break_fences(text)


def code_text(block: Code) -> str:
    """Lines between fences that they cannot close."""
    lines = escape("\n".join(block.lines))
    return f"```\n{lines}\n```"


def _inline(runs: Sequence[Run], depth: int = 0) -> str:
    """Runs with their styles from this depth on; neighbours in the same style stand between the same marks."""
    parts: list[str] = []
    for style, group in groupby(runs, lambda run: run.styles[depth] if len(run.styles) > depth else None):
        if style:
            parts.append(_wrap(_inline(list(group), depth + 1), _MARKS[style]))
        else:
            parts += map(_run_text, group)
    return "".join(parts)


def _run_text(run: Run) -> str:
    if is_mention(run):
        return run.text
    if run.url:
        return _link(run.url, run.text)
    return _code(run.text) if run.code else escape(run.text)


def is_mention(run: Run) -> bool:
    """Whether an admin wrote exactly one mention of a person or a channel."""
    return run.by_admin and _MENTION.fullmatch(run.text) is not None


def _link(url: str, label: str) -> str:
    """``<url|label>``; the label alone where the address is too long."""
    label, limit = label.replace("`", "ˋ"), _LABEL
    while units(escape(shorten(label, limit))) > _LABEL_ESCAPED:
        limit //= 2
    label, url = escape(shorten(label, limit)), url.replace("&", "&amp;")
    return f"<{url}|{label}>" if len(url) <= _URL else label


def _code(text: str) -> str:
    """Inline code; it has no way to hold a backtick, nor a line break."""
    text = escape(text.replace("`", "ˋ")).replace("\n", " ").strip()
    return f"`{text}`" if text else ""


def _wrap(text: str, mark: str) -> str:
    """Each line between marks, which do not reach over line breaks nor touch spaces."""
    return "\n".join(_wrap_line(line, mark) for line in text.split("\n"))


def _wrap_line(line: str, mark: str) -> str:
    inner = line.strip()
    if not inner:
        return line
    before, _, after = line.partition(inner)
    return f"{before}{mark}{inner}{mark}{after}"


def _break_fences(text: str) -> str:
    """Escaped text in which no run of backticks opens or closes a block of code."""
    return _FENCE.sub(lambda found: _BREAKER.join(found[0]), text)


def width(text: str) -> int:
    """Columns that a text takes in a fixed-width font: wide letters and emoji two, combining marks none."""
    columns = 0
    for character in text:
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
            continue
        columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def align_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str] | None:
    """The lines: header, rule, rows. None where they would be too wide."""
    cells = [[*row, *[""] * (len(header) - len(row))][: len(header)] for row in (header, *rows)]
    widths = [max(width(row[column]) for row in cells) for column in range(len(header))]
    if sum(widths) + 3 * (len(widths) - 1) > WIDEST:
        return None
    lines = [" │ ".join(_padded(cell, wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in cells]
    return [lines[0], "─┼─".join("─" * wide for wide in widths), *lines[1:]]


def _padded(text: str, wide: int) -> str:
    return text + " " * (wide - width(text))
