"""What Slack makes of a text: who is pinged, what is linked.

https://docs.slack.dev/messaging/formatting-message-text
https://docs.slack.dev/reference/block-kit/blocks/markdown-block
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.servers.chat_server import Json
from tests.servers.slack.state import Message

Kind = Literal["user", "channel", "broadcast", "group", "date", "link"]

_ANGLE = re.compile(r"<([^<>\n]+)>")
_BARE = re.compile(r"(?<![\w<|(\[])(?:https?://|mailto:)[^\s<>|]+")
_MARKDOWN_LINK = re.compile(r"!?\[(?:\\.|[^\]\\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_MARKDOWN_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)", re.MULTILINE)
_MARKDOWN_CODE = re.compile(r"^(```+|~~~+).*?^\1|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")


@dataclass(frozen=True)
class Ping:
    """``target``: an id, ``channel``/``here``/``everyone``, or a URL. ``where``: JSON pointer of the field."""

    kind: Kind
    target: str
    where: str


def pings_in(message: Message | Json) -> list[Ping]:
    """Everything that its fields ping or link, each field read by its type; links and dates are kinds as well.

    ``message`` may be one as the API takes it. Mentions count within code and after a backslash too, since Slack
    documents nowhere whether it spares those. Bare addresses are links.
    """
    if isinstance(message, Message):
        text, blocks = message.text, message.blocks
        kind = "markdown" if message.markdown else "mrkdwn"
    else:
        text, blocks = str(message.get("text") or ""), list(message.get("blocks") or [])
        kind = "mrkdwn" if message.get("mrkdwn", True) else "plain_text"
    found = list(_of_text(text, kind, "/text"))
    if not isinstance(message, Message) and message.get("markdown_text"):
        found += _of_text(str(message["markdown_text"]), "markdown", "/markdown_text")
    for number, block in enumerate(blocks):
        found += _of_object(block, f"/blocks/{number}")
    return found


def _of_object(item: Any, where: str) -> Iterator[Ping]:
    if isinstance(item, list):
        for number, element in enumerate(item):
            yield from _of_object(element, f"{where}/{number}")
    if not isinstance(item, dict):
        return
    kind = item.get("type")
    if kind in ("mrkdwn", "plain_text", "markdown") and isinstance(item.get("text"), str):
        yield from _of_text(item["text"], str(kind), f"{where}/text")
        return
    yield from _of_rich_element(item, where)
    if kind == "button" and item.get("url"):
        yield Ping("link", str(item["url"]), f"{where}/url")
    for name, value in item.items():
        if isinstance(value, dict | list):
            yield from _of_object(value, f"{where}/{name}")


def _of_rich_element(item: Json, where: str) -> Iterator[Ping]:
    targets: dict[str, tuple[Kind, str]] = {
        "user": ("user", "user_id"), "usergroup": ("group", "usergroup_id"), "channel": ("channel", "channel_id"),
        "broadcast": ("broadcast", "range"), "link": ("link", "url"),
    }  # fmt: skip
    found = targets.get(str(item.get("type")))
    if found and found[1] in item:
        yield Ping(found[0], str(item[found[1]]), where)


def _of_text(text: str, kind: str, where: str) -> Iterator[Ping]:
    if kind == "plain_text":
        return
    for inside in _ANGLE.findall(text):
        ping = _of_angle(inside, where)
        if ping:
            yield ping
    if kind == "markdown":
        text = _MARKDOWN_CODE.sub(" ", text)
        for pattern in (_MARKDOWN_LINK, _MARKDOWN_REFERENCE):
            for url in pattern.findall(text):
                yield Ping("link", html.unescape(url), where)
        text = _MARKDOWN_LINK.sub(" ", text)
    for bare in _BARE.findall(_ANGLE.sub(" ", text)):
        yield Ping("link", html.unescape(bare).rstrip(".,;:!?)"), where)


def _of_angle(inside: str, where: str) -> Ping | None:
    target, _, _ = inside.partition("|")
    if re.match(r"@[UWB]\w+$", target):
        return Ping("user", target[1:], where)
    if re.match(r"#[CGD]\w+$", target):
        return Ping("channel", target[1:], where)
    if target.startswith("!"):
        name, _, rest = target[1:].partition("^")
        if name in ("channel", "here", "everyone", "group"):
            return Ping("broadcast", name, where)
        if name in ("subteam", "date"):
            return Ping("group" if name == "subteam" else "date", rest, where)
        return None
    return Ping("link", html.unescape(target), where) if _SCHEME.match(target) else None
