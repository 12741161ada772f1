"""An answer that is still being written, and a message that has to be shorter than was thought."""

from __future__ import annotations

from adapters.slack.blocks.elements import section
from adapters.slack.message import Message, plain_message
from adapters.slack.mrkdwn import Json, escape
from adapters.slack.pieces import cut, visible

_DRAFT = 2_800
_SHORT = 1_500
_KEPT = frozenset({"actions", "context_actions"})


def draft_message(text: str) -> Message:
    """The end of what is written so far, for it is what changes."""
    shown = escape(text[-_DRAFT // 2 :]).strip()
    return Message(plain_message([shown]), (section(f"{cut(shown, _DRAFT)[0]} …" if visible(shown) else "…"),))


def shorten_message(message: Message) -> Message:
    """The beginning of what a message says, and its buttons: what Slack takes when it has refused the whole."""
    text, rest = cut(message.text, _SHORT)
    buttons = [block for block in message.blocks if block["type"] in _KEPT]
    head: Json = section(text + (" …" if rest else ""))
    if mark := message.blocks[0].get("block_id"):
        head["block_id"] = mark
    return Message(text, (head, *buttons))
