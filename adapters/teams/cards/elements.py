"""Elements of Adaptive Cards as JSON (https://adaptivecards.io/explorer).

Whatever comes from pages, models and people stands in text runs, which have no markup at all: nothing in them can be
bold, a link, a mention or HTML. A ``TextBlock``, which has Markdown, holds words of ours only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from adapters.teams.json import Json
from core.text import encodable
from core.views.answer import PageLink

_URL = 1_200  # characters; longer ones would eat up the message
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # makes a text read as another one
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_NO_URL = re.compile("[^!#-;=?-Z\\[\\]_a-z~]")
_MACRO = re.compile(r"\{\{(?=\s*(?:DATE|TIME))")  # clients put dates there
_TITLE = 80  # characters on a button
_WIDE = "\u00a0"


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style. ``url``: what it leads to, "" for nothing."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    url: str = ""


Runs = tuple[Run, ...]


def clean(text: str) -> str:
    """Without what no message can carry or what reorders it; every line ends with a newline."""
    text = _CONTROLS.sub("", _BREAKS.sub("\n", _REORDERING.sub("", encodable(text))))
    return _MACRO.sub("{\u200b{", text)


def one_line(text: str) -> str:
    """Cleaned, all white space single spaces."""
    return " ".join(clean(text).split())


def shorten(text: str, limit: int) -> str:
    """A text of at most so many characters, "…" at its end where it was longer."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def units(text: str) -> int:
    """Characters as Teams counts them, in UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


def shorten_units(text: str, limit: int) -> str:
    """A text of at most so many characters as Teams counts them."""
    shown = shorten(text, limit)
    while units(shown) > limit:
        shown = shown[:-2].rstrip() + "…"
    return shown


def visible(text: str) -> bool:
    """Whether there is anything to see in a text."""
    return any(not character.isspace() and unicodedata.category(character) != "Cf" for character in text)


def web_address(url: str) -> str:
    """The address as it may be linked to: http or https, with a host, of a sane length; "" for any other."""
    try:
        parts = urlsplit(url.strip())
        if parts.scheme.lower() not in {"http", "https"} or not parts.hostname:
            return ""
    except ValueError:  # such as "http://[x"
        return ""
    scheme, _, rest = url.strip().partition(":")
    url = f"{scheme.lower()}:{rest}"
    address = _NO_URL.sub(lambda found: quote(found[0], safe="%&+"), encodable(url.strip()))
    return address if len(address) <= _URL else ""


def text(words: str, limit: int = 500) -> Runs:
    """Text of others, on one line, of at most so many characters; no client makes links of addresses in it."""
    return (Run(break_links(shorten(one_line(words), limit))),)


def break_links(words: str) -> str:
    """The text with its addresses broken, so that none leads anywhere but ours."""
    return words.replace("://", ":\u200b//")


def link(url: str, label: str, limit: int = 150) -> Run:
    """A label that leads somewhere; only itself where the address is none to lead to."""
    address = web_address(url)
    return Run(break_links(shorten(one_line(label), limit) or shorten(address, limit)), url=address)


def page_lines(pages: Sequence[PageLink]) -> list[Json]:
    """A line a page."""
    return [line([Run("• "), link(page.url, page.title)], tight=True) for page in pages]


def run_json(run: Run) -> Json:
    """A ``TextRun``; outside of code its addresses are broken."""
    element: Json = {"type": "TextRun", "text": run.text if run.code else break_links(run.text)}
    if run.bold:
        element["weight"] = "Bolder"
    if run.italic:
        element["italic"] = True
    if run.strike:
        element["strikethrough"] = True
    if run.code:
        element["fontType"] = "Monospace"
    if run.url:
        element["selectAction"] = {"type": "Action.OpenUrl", "url": run.url}
    return element


def line(runs: Sequence[Run], *, tight: bool = False, subtle: bool = False, indent: int = 0) -> Json:
    """A paragraph; clients wrap it. ``tight``: without space above it. ``subtle``: small and grey."""
    shown = [run for run in runs if run.text]
    if indent:
        shown = [Run(_WIDE * 4 * indent), *shown]
    inlines = [run_json(replace(run, text=run.text.replace("\n", " "))) for run in shown] or [run_json(Run("…"))]
    if subtle:
        inlines = [{**inline, "isSubtle": True, "size": "Small"} for inline in inlines]
    block: Json = {"type": "RichTextBlock", "inlines": inlines}
    return {**block, "spacing": "None"} if tight else block


def heading(words: str) -> Json:
    return line([replace(run, bold=True) for run in text(words)])


def code(lines: Sequence[str]) -> Json:
    """Lines in a fixed width, their indentation kept."""
    shown = [_kept(each) or _WIDE for each in lines]
    blocks = [line([Run(each, code=True)], tight=at > 0) for at, each in enumerate(shown)]
    return {"type": "Container", "style": "emphasis", "items": blocks}


def _kept(text: str) -> str:
    inner = text.lstrip(" \t")
    return _WIDE * len(text[: len(text) - len(inner)].expandtabs(4)) + inner


def table(rows: Sequence[Sequence[Runs]]) -> Json:
    """A table, its first row the head."""
    columns = max(len(row) for row in rows)
    return {
        "type": "Table",
        "firstRowAsHeaders": True,
        "columns": [{"width": 1}] * columns,
        "rows": [
            {"type": "TableRow", "cells": [{"type": "TableCell", "items": [line(cell)]} for cell in row]}
            for row in rows
        ],
    }


def execute(title: str, name: str, turn_id: str, language: str, **data: object) -> Json:
    """A button of ours; clients without ``Action.Execute`` send the same by ``Action.Submit``."""
    content: Json = {"wikiwhy": name, "turn": turn_id, "language": language, **data}
    shown = shorten(one_line(title), _TITLE) or "…"
    fallback: Json = {"type": "Action.Submit", "title": shown, "data": content}
    return {"type": "Action.Execute", "title": shown, "verb": name, "data": content, "fallback": fallback}


def in_place(button: Json) -> Json:
    """The button where clients have ``Action.Execute`` only: what it leads to takes the place of its card."""
    return {**button, "fallback": "drop"}


def action_set(actions: Sequence[Json]) -> list[Json]:
    return [{"type": "ActionSet", "actions": list(actions)}] if actions else []


def card(body: Sequence[Json]) -> Json:
    """The card. 1.5 is what Teams shows everywhere."""
    return {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.5",
        "body": list(body) or [line([Run("…")])],
    }
