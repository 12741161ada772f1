"""Teams' view of messages as HTML: the activities are those that the bot sends, and the look is imitated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt

from adapters.teams.cards import render_message
from adapters.teams.elements import Delivery
from benchmarks.child import MeasurementFailed
from core.model.views import View

Json = dict[str, Any]

LIGHT = {
    "page": "#fff",
    "bubble": "#f5f5f5",
    "text": "#242424",
    "subtle": "#616161",
    "link": "#4f52b2",
    "line": "#d1d1d1",
}
DARK = {
    "page": "#1f1f1f",
    "bubble": "#292929",
    "text": "#fff",
    "subtle": "#adadad",
    "link": "#9299f7",
    "line": "#525252",
}

_MARKDOWN = MarkdownIt("commonmark").enable("strikethrough")
_MARK = re.compile(r"\[(\d+)\]")


def draw_said(question: str) -> str:
    """Return a person's message as HTML."""
    return f"<div class=own>{escape(question)}</div>"


def draw_posted(view: View, way: Delivery) -> str:
    """Return a message of the bot as HTML."""
    activity = render_message(view, way)
    text = _MARK.sub(r"<sup>\1</sup>", _MARKDOWN.render(activity.get("text", "")))
    cards = "".join(
        f"<div class=card>{_elements(attached['content']['body'])}</div>"
        for attached in activity.get("attachments", ())
    )
    label = "<small class=label>AI generated</small>" if activity.get("entities") else ""
    thumbs = "<div class=thumbs>Like &nbsp; Dislike</div>" if "channelData" in activity else ""
    return f"<small>WikiWhy {label} 08:55</small><div class=bubble>{text}{cards}</div>{thumbs}"


def draw_card(card: Json) -> str:
    """Return a card below a person's link as HTML."""
    return f"<div class=card>{_elements(card['body'])}</div>"


def _elements(elements: Sequence[Json]) -> str:
    return "".join(map(_element, elements))


def _element(element: Json) -> str:
    if "targetWidth" in element:
        widths = "on-phones" if element["targetWidth"].startswith("atMost") else "on-wide"
        own = {name: value for name, value in element.items() if name != "targetWidth"}
        return f"<div class={widths}>{_element(own)}</div>"
    if not element.get("isVisible", True):
        return ""
    match element["type"]:
        case "TextBlock":
            return f"<p><b>{escape(element['text'])}</b></p>"
        case "RichTextBlock":
            tight = " class=tight" if element.get("spacing") == "None" else ""
            return f"<p{tight}>{''.join(map(_run, element['inlines']))}</p>"
        case "Table":
            lines = "".join(
                _row(row, at == 0 and element["firstRowAsHeaders"]) for at, row in enumerate(element["rows"])
            )
            total = sum(column["width"] for column in element["columns"])
            widths = "".join(f"<col style='width:{column['width'] / total:.0%}'>" for column in element["columns"])
            return f"<table class={'grid' if element.get('showGridLines', True) else 'plain'}>{widths}{lines}</table>"
        case "Input.Text":
            entered = element.get("value") or element["placeholder"]
            return f"<p class=tight>{escape(element['label'])}</p><div class=input>{escape(entered)}</div>"
        case "ActionSet":
            return "".join(f"<button>{escape(action['title'])}</button>" for action in element["actions"])
        case "Container":
            style = " class=emphasis" if element.get("style") == "emphasis" else ""
            return f"<div{style}>{_elements(element['items'])}</div>"
        case "Chart.HorizontalBar":
            return "".join(map(_bar, element["data"]))
    raise MeasurementFailed(f"this picture has no element of type {element['type']!r}")


def _bar(bar: Json) -> str:
    name = f"<p class=tight>{escape(bar['x'])} <b>{bar['y']}</b></p>"
    return f"{name}<div class=bar style='width:{bar['y']}%'></div>"


def _row(row: Json, head: bool) -> str:
    tag = "th" if head else "td"
    cells = (f"<{tag}>{_elements(cell['items'])}</{tag}>" for cell in row["cells"])
    return f"<tr>{''.join(cells)}</tr>"


def _run(run: Json) -> str:
    text = escape(run["text"])
    if run.get("weight") == "Bolder":
        text = f"<b>{text}</b>"
    if run.get("italic"):
        text = f"<i>{text}</i>"
    if run.get("isSubtle"):
        text = f"<small>{text}</small>"
    return f"<a>{text}</a>" if "selectAction" in run else text


STYLE = """
* { box-sizing: border-box }
body { margin: 0; padding: 12px 14px; background: var(--page); color: var(--text);
  font: 14px/1.43 "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif }
a { color: var(--link) }
p { margin: 8px 0 }
p.tight { margin: 0 }
ul { margin: 4px 0; padding-left: 22px }
small { color: var(--subtle); font-size: 12px }
.label { border: 1px solid var(--line); border-radius: 4px; padding: 0 4px; font-size: 10px }
.own { margin: 4px 0 14px 60px; padding: 8px 12px; border-radius: 6px; background: var(--bubble);
  overflow-wrap: anywhere; border: 1px solid var(--link) }
.bubble { background: var(--bubble); border-radius: 6px; padding: 4px 14px; margin-top: 2px }
.card { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 6px 14px 12px;
  margin: 8px 0 }
.input { border: 1px solid var(--line); border-radius: 4px; padding: 6px 10px; margin: 2px 0; min-height: 60px }
.emphasis { background: var(--bubble); border-radius: 4px; padding: 4px 10px; margin: 6px 0 }
@media (min-width: 400px) { .on-phones { display: none } }
@media (max-width: 399px) { .on-wide { display: none } }
.thumbs { color: var(--subtle); font-size: 12px; margin: 2px 0 14px }
.bar { height: 10px; background: var(--link); border-radius: 3px; margin: 2px 0 8px }
sup { border: 1px solid var(--line); border-radius: 3px; padding: 0 3px; font-size: 10px; color: var(--link) }
button { border: 1px solid var(--line); border-radius: 4px; background: var(--page); color: var(--text); font: inherit;
  font-weight: 600; padding: 4px 12px; margin: 8px 8px 2px 0 }
a small { color: inherit }
table { border-collapse: collapse; width: 100%; margin: 6px 0 }
.grid { table-layout: fixed; overflow-wrap: anywhere }
td p, th p { margin: 2px 0 }
td, th { text-align: left; vertical-align: top; padding: 2px 8px 2px 0 }
.grid td, .grid th { border: 1px solid var(--line); padding: 2px 6px }
"""
