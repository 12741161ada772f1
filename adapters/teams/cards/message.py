"""A message as Teams takes it: a card alone, or a text alone.

One with both is split by Teams into two messages of which neither can be updated (``Activity resulted into multiple
skype activities``); so whatever has buttons is a card, label, citations and feedback included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.teams.cards.elements import Run, card, clean, line, shorten
from adapters.teams.json import Json, size

MOST_BYTES = 26_000
"""Of an activity as it is sent; Teams takes 28 KB, and its connector adds to it."""

CARD = "application/vnd.microsoft.card.adaptive"
_SUMMARY = 300
_TAG = re.compile(r"<(?=[A-Za-z/!])")


def card_message(body: Sequence[Json], summary: str, **more: object) -> Json:
    """A card, its summary for notifications."""
    return {
        "type": "message",
        "summary": shorten(" ".join(clean(summary).split()), _SUMMARY) or "…",
        "attachments": [{"contentType": CARD, "content": card(body)}],
        **more,
    }


def text_message(text: str, limit: int = 8_000) -> Json:
    """A text without any markup, its end where it is too long, for it is what changes."""
    shown = clean(text).strip()
    if len(shown) > limit:
        shown = "… " + shown[-limit:]
    message: Json = {"type": "message", "textFormat": "plain", "text": harmless(shown) or "…"}
    while size(message) > MOST_BYTES:
        shown = "… " + shown[len(shown) // 4 :]
        message["text"] = harmless(shown)
    return message


def harmless(text: str) -> str:
    """Plain text in which no client sees tags or addresses. What a longer text begins with stays as it was."""
    return _TAG.sub("<\u200b", text).replace("//", "/\u200b/")


def shorten_message(message: Json) -> Json:
    """What a message says in short, and its buttons: what is sent when Teams has refused the whole."""
    if "attachments" not in message:
        return text_message(str(message["text"]), 1_000)
    body = message["attachments"][0]["content"]["body"]
    buttons = [element for element in body if element["type"] == "ActionSet"]
    said = line([Run(message["summary"])])
    kept = {name: message[name] for name in ("channelData",) if name in message}
    return card_message([said, *buttons], message["summary"], **kept)
