"""Slack's markup, safe: escaping, links, code (https://docs.slack.dev/messaging/formatting-message-text).

Whatever comes from pages, models and people passes through :func:`escaped` or :func:`link` exactly once. After that
``<`` begins nothing but a link of ours, so that nothing pings anybody.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

from core.text import encodable

Json = dict[str, Any]

_URL = 1_200  # characters; longer ones would eat up the message
_LABEL = 150
_LABEL_ESCAPED = 400
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # makes a text read as another one
_ENDS_LINK = re.compile('[\\s<>|`"\x00-\x20\x7f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]')
_FENCE = re.compile("`{3,}")
_BREAKER = "\u200b"  # a zero-width space


def size(text: str) -> int:
    """Characters as Slack may count them: in UTF-16, which is never fewer than Python's."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def shorten(text: str, limit: int) -> str:
    """A text of at most so many characters, "…" at its end where it was longer. Nothing escaped may come in."""
    if size(text) <= limit:
        return text
    wide = text[: limit - 1].encode("utf-16-le", "surrogatepass")
    return wide[: 2 * (limit - 1)].decode("utf-16-le", "ignore").rstrip() + "…"


def clean(text: str) -> str:
    """Without what no message can carry or what reorders it; every line ends with a newline."""
    return _BREAKS.sub("\n", _REORDERING.sub("", encodable(text)))


def one_line(text: str) -> str:
    """Cleaned, all white space single spaces."""
    return " ".join(clean(text).split())


def escape(text: str) -> str:
    """Cleaned, and exactly the three characters escaped that Slack asks for; nothing in it opens a block of code."""
    return break_fences(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def is_web(url: str) -> bool:
    """Whether an address may be a link: http or https, with a host, of a sane length."""
    try:
        parts = urlsplit(url)
        return parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and len(address(url)) <= _URL
    except ValueError:  # such as "http://[x"
        return False


def address(url: str) -> str:
    """A web address as it stands in a link, what could end the link percent-encoded."""
    return _ENDS_LINK.sub(lambda found: quote(found[0]), encodable(url.strip())).replace("&", "&amp;")


def link(url: str, label: str) -> str:
    """``<url|label>``; the label alone where the address is none to link to."""
    if not is_web(url):
        return _label(label)
    return f"<{address(url)}|{_label(label) or _label(url)}>"


def _label(text: str) -> str:
    shown = one_line(text).replace("`", "ˋ")
    limit = _LABEL
    while size(escape(shorten(shown, limit))) > _LABEL_ESCAPED:
        limit //= 2
    return escape(shorten(shown, limit))


def code(text: str) -> str:
    """Inline code; it has no way to hold a backtick, nor a line break."""
    text = escape(text.replace("`", "ˋ")).replace("\n", " ").strip()
    return f"`{text}`" if text else ""


def fence(text: str) -> str:
    """Escaped code between fences that it cannot close."""
    return f"```\n{break_fences(text)}\n```"


def break_fences(text: str) -> str:
    """Escaped text in which no run of backticks opens or closes a block of code."""
    return _FENCE.sub(lambda found: _BREAKER.join(found[0]), text)


def mrkdwn(text: str) -> Json:
    """A text object in which Slack itself looks for no links, names or channels."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def plain_text(text: str, limit: int) -> Json:
    """A text object without markup, on one line."""
    return {"type": "plain_text", "text": shorten(one_line(text), limit) or "…", "emoji": False}
