"""Mentions and links that Slack detects in a text.

https://docs.slack.dev/messaging/formatting-message-text
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
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*(?=:)")


@dataclass(frozen=True)
class Ping:
    """``target``: an id, ``channel``/``here``/``everyone``, or a URL. ``where``: JSON pointer of the field."""

    kind: Kind
    target: str
    where: str


def pings_in(message: Message | Json) -> list[Ping]:
    """Return everything that a message's fields ping or link, by the type of each field.

    ``message`` may be an API argument. Mentions in code count too, since Slack does not document whether it ignores
    them. Bare addresses are links.
    """
    if isinstance(message, Message):
        text, blocks, kind = message.text, message.blocks, "mrkdwn"
    else:
        text, blocks = str(message.get("text") or ""), list(message.get("blocks") or [])
        kind = "mrkdwn" if message.get("mrkdwn", True) else "plain_text"
    return [*_of_text(text, kind, "/text"), *_of_object(blocks, "/blocks")]


def _of_object(item: Any, where: str) -> Iterator[Ping]:
    if isinstance(item, list):
        for number, element in enumerate(item):
            yield from _of_object(element, f"{where}/{number}")
    if not isinstance(item, dict):
        return
    kind = item.get("type")
    if kind in ("mrkdwn", "plain_text") and isinstance(item.get("text"), str):
        yield from _of_text(item["text"], str(kind), f"{where}/text")
        return
    if kind in ("button", "link") and item.get("url"):  # link: an element of rich text
        yield Ping("link", str(item["url"]), f"{where}/url")
    for name, value in item.items():
        if isinstance(value, dict | list):
            yield from _of_object(value, f"{where}/{name}")


def _of_text(text: str, kind: str, where: str) -> Iterator[Ping]:
    if kind == "plain_text":
        return
    for inside in _ANGLE.findall(text):
        ping = _of_angle(inside, where)
        if ping:
            yield ping
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
