"""Rendering of text as Slack's mrkdwn: escaping, links, styles, code and bars; and the objects that contain texts.

All text from pages, models and people passes through :func:`escape` exactly once. After that ``<`` starts only links
made here, so no text can mention anybody (https://docs.slack.dev/messaging/formatting-message-text).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from core.text import ZERO_WIDTH, clean, count_units, is_visible, make_caption, shorten, surround
from core.views.document import Bar, Block, Code, Paragraph, Run, Style

Json = dict[str, Any]

_URL, _LABEL = 1_200, 400  # characters of a link as it is sent
_MENTION = re.compile(r"<(?:@[UW]|#C)[A-Z0-9]{2,20}>")
_FENCE = re.compile("`{3,}")
_BAR = 12  # characters of a bar
_SIGNS = {"info": "", "problem": ":warning: ", "done": ":white_check_mark: "}
_MARKS: dict[Style, str] = {"bold": "*", "italic": "_", "strike": "~"}


def escape(text: str) -> str:
    """Clean a text, escape ``&``, ``<`` and ``>``, as Slack requires, and break code fences."""
    return _break_fences(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def join_texts(blocks: Sequence[Block]) -> str:
    """Join paragraphs and code with blank lines between them, but none around code."""
    text = ""
    for before, block in zip([None, *blocks], blocks, strict=False):
        is_tight = isinstance(before, Code) or not isinstance(block, Paragraph) or block.tight
        shown = render_text(block)
        if is_visible(shown):
            text += ("\n" if is_tight else "\n\n") * bool(text) + shown
    return text


def render_text(block: Block) -> str:
    """Return a paragraph or code in mrkdwn, "" for any other block."""
    if isinstance(block, Code):
        return render_code(block)
    return render_paragraph(block) if isinstance(block, Paragraph) else ""


def render_paragraph(block: Paragraph) -> str:
    """Return a paragraph in mrkdwn."""
    if block.look == "heading":
        text = _wrap(render_runs([replace(run, styles=(), code=False) for run in block.runs]), "*")
    else:
        text = render_runs(block.runs)
    text = (block.lead + text).rstrip()
    if block.quoted:  # Slack has no nested quotes: one mark per line
        text = "\n".join(f"> {line}" for line in text.split("\n") if line.strip())
    return _SIGNS[block.sign] + _break_fences(text)


def render_code(block: Code) -> str:
    """Return a code block whose lines cannot close its fence."""
    lines = escape("\n".join(block.lines))
    return f"```\n{lines}\n```"


def render_bar(bar: Bar, drawn: bool) -> str:
    """Return a share with its locations, and a bar of characters if the client draws none.

    The characters have the same width, so bars are comparable; at least one is filled. The bar is not code, which Slack
    shows in red.
    """
    full = min(_BAR, max(1, round(bar.share * _BAR)))
    signs = "" if drawn else f"{'█' * full}{'░' * (_BAR - full)} "
    return "\n".join([f"{signs}*{escape(bar.percent)}*", *map(render_paragraph, bar.locations)])


def render_runs(runs: Sequence[Run], depth: int = 0) -> str:
    """Return runs with their styles from this depth on; adjacent runs of one style share a pair of marks."""
    parts: list[str] = []
    for style, group in groupby(runs, lambda run: run.styles[depth] if len(run.styles) > depth else None):
        if style:
            parts.append(_wrap(render_runs(list(group), depth + 1), _MARKS[style]))
        else:
            parts += map(_render_run, group)
    return "".join(parts)


def _render_run(run: Run) -> str:
    if is_mention(run):
        return run.text
    if run.url:
        return _render_link(run.url, run.text)
    if not run.code:
        return escape(run.text)
    text = escape(run.text.replace("`", "ˋ")).replace("\n", " ").strip()  # code has no backticks, no breaks
    return f"`{text}`" if text else ""


def is_mention(run: Run) -> bool:
    """Whether a run is exactly one mention of a person or channel, and is allowed to be one."""
    return run.may_mention and _MENTION.fullmatch(run.text) is not None


def _render_link(url: str, label: str) -> str:
    """Return ``<url|label>``, or only the label if the address is too long."""
    escaped, url = escape(label.replace("`", "ˋ")), url.replace("&", "&amp;")
    label = escaped if count_units(escaped) <= _LABEL else escape(shorten(label.replace("`", "ˋ"), _LABEL // 5))
    return f"<{url}|{label}>" if len(url) <= _URL else label


def _wrap(text: str, mark: str) -> str:
    """Put marks around each line: in mrkdwn they cannot span lines or touch spaces."""
    return "\n".join(surround(line, mark) for line in text.split("\n"))


def _break_fences(text: str) -> str:
    """Insert zero-width spaces so that no run of backticks opens or closes a code block."""
    return _FENCE.sub(lambda found: ZERO_WIDTH.join(found[0]), text)


def make_section(text: str) -> Json:
    """Return a section of a text in mrkdwn."""
    return {"type": "section", "text": make_text_object(text)}


def make_text_object(text: str) -> Json:
    """Return a text object in which Slack does not detect links, names or channels itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def make_plain_object(text: str, limit: int) -> Json:
    """Return a text object without markup, on one line."""
    return {"type": "plain_text", "text": make_caption(text, limit), "emoji": False}
