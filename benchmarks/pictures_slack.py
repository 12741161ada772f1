"""Slack's view of messages and windows as HTML: the blocks are those that the bot sends, and the look is imitated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape, unescape
from typing import Any

from adapters.slack.blocks import render_message
from benchmarks.child import MeasurementFailed
from core.model.views import View

Json = dict[str, Any]

LIGHT = {"page": "#fff", "text": "#1d1c1d", "subtle": "#616061", "link": "#1264a3", "line": "#ccc"}
DARK = {"page": "#1a1d21", "text": "#d1d2d3", "subtle": "#9b9c9e", "link": "#1d9bd1", "line": "#565856"}

_LINK = re.compile(r"<([^|<>]+)\|([^<>]*)>")
_MENTION = re.compile(r"<@\w+>")
_MARKS = (
    (re.compile(r"(?<!\w)\*(\S|\S.*?\S)\*(?!\w)"), r"<b>\1</b>"),
    (re.compile(r"(?<!\w)_(\S|\S.*?\S)_(?!\w)"), r"<i>\1</i>"),
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
)


def draw_said(question: str, mention: str = "@WikiWhy") -> str:
    """Return a person's message as HTML."""
    said = f"<section><a>{mention}</a> {escape(question)}</section>"
    return _message("A", "#7c3aa0", "Ada Lovelace", "", said)


def draw_posted(view: View) -> str:
    blocks = "".join(map(draw_block, render_message(view, "")["blocks"]))
    return _message("W", "#4aa0a0", "WikiWhy", "<small class=app>APP</small>", blocks)


def draw_window(modal: Json) -> str:
    labels = [modal[name]["text"] for name in ("close", "submit") if name in modal]
    buttons = "".join(f"<button>{escape(label)}</button>" for label in labels)
    head = f"<h3>{escape(modal['title']['text'])}</h3>"
    return f"{head}{''.join(map(draw_block, modal['blocks']))}<section class=buttons>{buttons}</section>"


def _message(letter: str, colour: str, name: str, badge: str, body: str) -> str:
    head = f"<b>{name}</b> {badge} <small>08:55</small>"
    return f"<article><div class=face style='background:{colour}'>{letter}</div><div>{head}{body}</div></article>"


def draw_block(block: Json) -> str:
    match block["type"]:
        case "section":
            return _section(block)
        case "data_table":
            head, *rows = block["rows"]
            lines = [_row(head, "th"), *(_row(row, "td") for row in rows[: block["page_size"]])]
            return f"<div class=wide><table>{''.join(lines)}</table></div>"
        case "data_visualization":
            return _chart(block)
        case "context":
            return "".join(f"<section class=subtle>{_markup(each['text'])}</section>" for each in block["elements"])
        case "actions":
            labels = "".join(f"<button>{escape(each['text']['text'])}</button>" for each in block["elements"])
            return f"<section>{labels}</section>"
        case "context_actions":
            return f"<section class=subtle>{' &nbsp; '.join(_thumbs(block))}</section>"
        case "divider":
            return "<hr>"
        case "container":
            return f"<section><small>▸</small> <b>{escape(block['title']['text'])}</b></section>"
        case "input":
            entered = block["element"].get("initial_value") or block["element"]["placeholder"]["text"]
            return f"<section>{escape(block['label']['text'])}<div class=input>{escape(entered)}</div></section>"
    raise MeasurementFailed(f"this picture has no block of type {block['type']!r}")


def _section(block: Json) -> str:
    if "fields" in block:
        fields = "".join(f"<div>{_markup(field['text'])}</div>" for field in block["fields"])
        return f"<section class=fields>{fields}</section>"
    button = f"<button>{escape(block['accessory']['text']['text'])}</button>" if "accessory" in block else ""
    return f"<section class=beside><div>{_markup(block['text']['text'])}</div>{button}</section>"


def _chart(block: Json) -> str:
    """Return vertical bars, as Slack draws them."""
    bars = "".join(
        f"<div><span style='height:{point['value']}%'></span><small>{escape(point['label'])}</small></div>"
        for point in block["chart"]["series"][0]["data"]
    )
    return f"<section class=chart><b>{escape(block['title'])}</b><div>{bars}</div></section>"


def _row(cells: Sequence[Json], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{_cell(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(cell: Json) -> str:
    if cell["type"] == "raw_text":
        return escape(cell["text"])
    [section] = cell["elements"]
    return "".join(map(_element, section["elements"]))


def _element(element: Json) -> str:
    shown = escape(element["text"])
    if element["type"] == "link":
        return f"<a>{shown}</a>"
    return f"<b>{shown}</b>" if element.get("style", {}).get("bold") else shown


def _thumbs(block: Json) -> list[str]:
    """Return the names of the two thumbs, since not every machine has a font with their signs."""
    [element] = block["elements"]
    return [escape(element[name]["text"]["text"]) for name in ("positive_button", "negative_button")]


def _markup(text: str) -> str:
    """Convert Slack's mrkdwn to HTML (https://docs.slack.dev/messaging/formatting-message-text)."""
    pieces = text.split("```")
    return "".join(
        f"<pre>{escape(unescape(piece.strip()))}</pre>" if at % 2 else _lines(piece) for at, piece in enumerate(pieces)
    )


def _lines(text: str) -> str:
    lines = []
    for line in text.strip("\n").split("\n"):
        is_quoted = line.startswith("> ")
        shown = _inline(line[2:] if is_quoted else line)
        lines.append(f"<blockquote>{shown}</blockquote>" if is_quoted else f"<div>{shown or '&nbsp;'}</div>")
    return "".join(lines)


def _inline(line: str) -> str:
    """Convert inline markup. The text is escaped already, so that only our links have angle brackets."""
    shown = _LINK.sub(lambda link: f"<a>{link[2]}</a>", _MENTION.sub("<a>@Ada Lovelace</a>", line))
    shown = shown.replace(":white_check_mark:", "✓").replace(":warning:", "⚠")
    for pattern, markup in _MARKS:
        shown = pattern.sub(markup, shown)
    return shown


STYLE = """
* { box-sizing: border-box }
body { margin: 0; padding: 10px 14px; background: var(--page); color: var(--text);
  font: 15px/1.47 Lato, Roboto, "Noto Sans", "DejaVu Sans", sans-serif }
article { display: flex; gap: 8px; margin: 4px 0 16px }
article > div:last-child { min-width: 0; flex: 1 }
section { margin: 3px 0 }
a { color: var(--link) }
section { overflow-wrap: anywhere }
small { color: var(--subtle); font-size: 12px }
.app { border: 1px solid var(--line); border-radius: 2px; padding: 0 3px; font-size: 9px }
.face { width: 36px; height: 36px; line-height: 36px; margin-top: 4px; flex: none; border-radius: 4px; color: #fff;
  text-align: center; font-weight: 700 }
.subtle { color: var(--subtle); font-size: 13px }
button { border: 1px solid var(--line); border-radius: 4px; background: var(--page); color: var(--text); font: inherit;
  font-size: 13px; font-weight: 700; padding: 4px 12px; margin: 2px 8px 2px 0 }
.beside button { white-space: nowrap; flex: none }
.buttons { text-align: right; margin-top: 12px }
blockquote { margin: 0; padding-left: 10px; border-left: 4px solid var(--line) }
.fields { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 16px; max-width: 420px }
.beside { display: flex; gap: 12px; align-items: flex-start; justify-content: space-between }
.chart { border: 1px solid var(--line); border-radius: 8px; padding: 10px }
.chart > div { display: flex; gap: 12px; height: 140px; margin-top: 8px }
.chart > div > div { flex: 1; display: flex; flex-direction: column; justify-content: flex-end; min-width: 0 }
.chart span { background: #1d9bd1; border-radius: 3px 3px 0 0 }
.chart small { text-align: center }
.wide { overflow: hidden }
.input { border: 1px solid var(--line); border-radius: 4px; padding: 6px 10px; margin: 4px 0; min-height: 60px }
table { border-collapse: collapse; margin: 6px 0; font-size: 13px; min-width: 100% }
th, td { border: 1px solid var(--line); padding: 4px 8px; text-align: left; vertical-align: top }
h3 { margin: 0 0 8px }
hr { border: 0; border-top: 1px solid var(--line); margin: 10px 0 }
pre { border: 1px solid var(--line); border-radius: 4px; padding: 6px 8px; margin: 4px 0; font-size: 12px;
  white-space: pre-wrap }
"""
