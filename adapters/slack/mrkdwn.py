"""Text as Slack's mrkdwn: what is cleaned and escaped, links, styles and code.

Whatever comes from pages, models and people passes through :func:`escape` exactly once. After that ``<`` begins nothing
but a link of ours, so that nothing pings anybody (https://docs.slack.dev/messaging/formatting-message-text).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from core.views.document import Code, Paragraph, Run, Style, clean, shorten, units

_URL, _LABEL = 1_200, 400  # characters of a link as they are sent; more would not fit into a text
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
        text = _wrap(inline([replace(run, styles=(), code=False) for run in block.runs]), "*")
    else:
        text = inline(block.runs)
    text = (block.lead + text).rstrip()
    if block.quoted:  # quotes do not nest: one mark a line
        text = "\n".join(f"> {line}" for line in text.split("\n") if line.strip())
    return _break_fences(text)


def code_text(block: Code) -> str:
    """Lines between fences that they cannot close."""
    lines = escape("\n".join(block.lines))
    return f"```\n{lines}\n```"


def inline(runs: Sequence[Run], depth: int = 0) -> str:
    """Runs with their styles from this depth on; neighbours in the same style stand between the same marks."""
    parts: list[str] = []
    for style, group in groupby(runs, lambda run: run.styles[depth] if len(run.styles) > depth else None):
        if style:
            parts.append(_wrap(inline(list(group), depth + 1), _MARKS[style]))
        else:
            parts += map(_run_text, group)
    return "".join(parts)


def _run_text(run: Run) -> str:
    if is_mention(run):
        return run.text
    if run.url:
        return _link(run.url, run.text)
    if not run.code:
        return escape(run.text)
    text = escape(run.text.replace("`", "ˋ")).replace("\n", " ").strip()  # code can hold no backtick and no line break
    return f"`{text}`" if text else ""


def is_mention(run: Run) -> bool:
    """Whether it is exactly one mention of a person or a channel, which this text may have."""
    return run.may_mention and _MENTION.fullmatch(run.text) is not None


def _link(url: str, label: str) -> str:
    """``<url|label>``; the label alone where the address is too long."""
    escaped, url = escape(label.replace("`", "ˋ")), url.replace("&", "&amp;")
    label = escaped if units(escaped) <= _LABEL else escape(shorten(label.replace("`", "ˋ"), _LABEL // 5))
    return f"<{url}|{label}>" if len(url) <= _URL else label


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
