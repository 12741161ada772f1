"""Messages and modals as HTML, roughly as Slack shows them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt

from tests.servers.slack.state import Json, Message, View

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_CODE = re.compile(r"```(.+?)```|`([^`\n]+)`", re.DOTALL)
_STYLES = [
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"), r"<i>\1</i>"),
    (re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"), r"<s>\1</s>"),
]
_ANGLE = re.compile(r"<([^<>\n]+)>")
_QUOTE = re.compile(r"^(?:&gt;|>) ?(.*)$", re.MULTILINE)

Names = Mapping[str, str]
"""What is shown for the ids of users and channels."""


def html_of(message: Message | View | Json, names: Names | None = None) -> str:
    """Its blocks, or its text where it has none. Buttons are ``<button name="action" value="ID">``, feedback's
    ``ID|positive`` and ``ID|negative``: put it into a form to have them do something.
    """
    names = names or {}
    if isinstance(message, View):
        return "".join(_block(block, names) for block in message.view["blocks"])
    text, blocks = (message.text, message.blocks) if isinstance(message, Message) else _parts(message)
    if blocks:
        return "".join(_block(block, names) for block in blocks)
    markdown = isinstance(message, Message) and message.markdown
    return f'<div class="text">{_markdown(text, names) if markdown else mrkdwn(text, names)}</div>'


def _parts(message: Json) -> tuple[str, list[Json]]:
    return str(message.get("text") or ""), list(message.get("blocks") or [])


def mrkdwn(text: str, names: Names) -> str:
    """Slack's own markup, whose ``&``, ``<`` and ``>`` come escaped."""
    kept: list[str] = []

    def keep(shown: str) -> str:
        kept.append(shown)
        return f"\x00{len(kept) - 1}\x00"

    def code(found: re.Match[str]) -> str:
        inside = _safe(found[1] if found[1] is not None else found[2])
        return keep(f"<pre>{inside.strip()}</pre>" if found[1] is not None else f"<code>{inside}</code>")

    text = _CODE.sub(code, text)
    text = _ANGLE.sub(lambda found: keep(_angle(found[1], names)), text)
    text = _QUOTE.sub(lambda found: keep("<blockquote>") + found[1] + keep("</blockquote>"), _safe(text))
    for pattern, shown in _STYLES:
        text = pattern.sub(shown, text)
    text = text.replace("\n", "<br>").replace("</blockquote><br>", "</blockquote>")
    while "\x00" in text:
        text = re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], text)
    return text


def _safe(text: str) -> str:
    """Escaped, but not twice."""
    return html.escape(html.unescape(text), quote=False)


def _angle(inside: str, names: Names) -> str:
    target, _, label = inside.partition("|")
    if target[0] in "@#":
        return f'<span class="mention">{target[0]}{_safe(label or names.get(target[1:], target[1:]))}</span>'
    if target[0] == "!":
        return f'<span class="mention loud">@{_safe(label or target[1:])}</span>'
    return link(target, label or target)


def link(url: str, label: str) -> str:
    """A link for the schemes that Slack links, else the label alone."""
    url = html.unescape(url)
    if not re.match(r"(?:https?|mailto|slack):", url):
        return _safe(label)
    return f'<a href="{html.escape(url)}" target="_blank" rel="noopener">{_safe(label)}</a>'


def _markdown(text: str, names: Names) -> str:
    shown = str(_MARKDOWN.render(text))
    return re.sub(r"&lt;([@#!][\w^]+)(?:\|[^&]*)?&gt;", lambda found: _angle(found[1], names), shown)


def _object(item: Json, names: Names) -> str:
    """A text object."""
    if item.get("type") == "mrkdwn":
        return mrkdwn(item["text"], names)
    return html.escape(str(item.get("text", "")), quote=False).replace("\n", "<br>")


def _block(block: Json, names: Names) -> str:
    kind = block["type"]
    inner = _INNER[kind](block, names) if kind in _INNER else html.escape(str(block))
    return f'<div class="block {kind}">{inner}</div>'


def _section(block: Json, names: Names) -> str:
    shown = f'<div class="text">{_object(block["text"], names)}</div>' if "text" in block else ""
    fields = "".join(f"<div>{_object(field, names)}</div>" for field in block.get("fields", []))
    shown += f'<div class="fields">{fields}</div>' if fields else ""
    return shown + (f'<div class="accessory">{_element(block["accessory"])}</div>' if "accessory" in block else "")


def _context(block: Json, names: Names) -> str:
    parts = [_element(one) if one["type"] == "image" else _object(one, names) for one in block["elements"]]
    return "".join(f"<span>{part}</span>" for part in parts)


def _input(block: Json, names: Names) -> str:
    optional = ' <small class="hint">(optional)</small>' if block.get("optional") else ""
    hint = f'<small class="hint">{_object(block["hint"], names)}</small>' if "hint" in block else ""
    return f"<label>{_object(block['label'], names)}{optional}</label>{_element(block['element'])}{hint}"


def _table(block: Json, names: Names) -> str:
    rows = ""
    for number, row in enumerate(block["rows"]):
        tag = "td" if number else "th"
        cells = [_rich(cell, names) if cell["type"] == "rich_text" else html.escape(cell["text"]) for cell in row]
        rows += "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"
    return f"<table>{rows}</table>"


def _rich(block: Json, names: Names) -> str:
    return "".join(_rich_part(part, names) for part in block["elements"])


def _rich_part(part: Json, names: Names) -> str:
    if part["type"] == "rich_text_list":
        tag = "ol" if part["style"] == "ordered" else "ul"
        return f"<{tag}>" + "".join(f"<li>{_rich_part(one, names)}</li>" for one in part["elements"]) + f"</{tag}>"
    inside = "".join(_leaf(leaf, names) for leaf in part["elements"])
    tags = {"rich_text_preformatted": "pre", "rich_text_quote": "blockquote"}
    return f"<{tags.get(part['type'], 'div')}>{inside}</{tags.get(part['type'], 'div')}>"


def _leaf(leaf: Json, names: Names) -> str:
    kind = leaf["type"]
    if kind == "link":
        return link(leaf["url"], leaf.get("text") or leaf["url"])
    ids = {"user": "@" + str(leaf.get("user_id")), "channel": "#" + str(leaf.get("channel_id"))}
    ids |= {"broadcast": "!" + str(leaf.get("range")), "usergroup": "!" + str(leaf.get("usergroup_id"))}
    if kind in ids:
        return _angle(ids[kind], names)
    shown = html.escape(str(leaf.get("text") or f":{leaf.get('name')}:"), quote=False).replace("\n", "<br>")
    for style, tag in (("bold", "b"), ("italic", "i"), ("strike", "s"), ("code", "code")):
        shown = f"<{tag}>{shown}</{tag}>" if leaf.get("style", {}).get(style) else shown
    return shown


def _element(element: Json) -> str:
    kind, name = element["type"], html.escape(str(element.get("action_id", "")))
    if kind in ("button", "icon_button"):
        label = html.escape(element["text"]["text"])
        if element.get("url"):
            return f'<span class="button">{link(element["url"], element["text"]["text"])}</span>'
        return f'<button name="action" value="{name}" class="{html.escape(element.get("style", ""))}">{label}</button>'
    if kind == "feedback_buttons":
        return "".join(_thumb(element, name, one) for one in ("positive", "negative"))
    if kind == "image":
        return f'<img src="{html.escape(element.get("image_url", ""))}" alt="{html.escape(element["alt_text"])}">'
    if "options" in element:
        return _select(element, name)
    value = html.escape(str(element.get("initial_value", "")))
    if element.get("multiline"):
        return f'<textarea name="{name}" rows="4">{value}</textarea>'
    return f'<input name="{name}" value="{value}">'


def _thumb(element: Json, name: str, which: str) -> str:
    sign = "👍" if which == "positive" else "👎"
    title = html.escape(element[f"{which}_button"]["text"]["text"])
    return f'<button name="action" value="{name}|{which}" title="{title}" class="thumb">{sign}</button>'


def _select(element: Json, name: str) -> str:
    def shown(option: Json) -> str:
        return f'<option value="{html.escape(option["value"])}">{html.escape(option["text"]["text"])}</option>'

    return f'<select name="{name}">' + "".join(map(shown, element["options"])) + "</select>"


_INNER: dict[str, Any] = {
    "section": _section,
    "header": lambda block, names: f"<h3>{_object(block['text'], names)}</h3>",
    "divider": lambda block, names: "<hr>",
    "markdown": lambda block, names: f'<div class="text">{_markdown(block["text"], names)}</div>',
    "context": _context,
    "actions": lambda block, names: "".join(map(_element, block["elements"])),
    "context_actions": lambda block, names: "".join(map(_element, block["elements"])),
    "image": lambda block, names: _element(block),
    "rich_text": lambda block, names: f'<div class="text">{_rich(block, names)}</div>',
    "table": _table,
    "input": _input,
}
