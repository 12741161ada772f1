"""Questions in the workspace, and the bot's messages as people see them."""

from __future__ import annotations

import time
from collections.abc import Iterable

from benchmarks.chat.talk import Asked, Kind, Reply
from core.ports.chat import Place
from tests.servers.chat_server import Json
from tests.servers.slack import Message, SlackWorld


def say(world: SlackWorld, person: str, channel: str, text: str, thread: str | None = None, times: int = 1) -> Asked:
    """Mention the bot in the channel, or ask a follow-up in a thread. ``times``: number of deliveries of each event."""
    at = time.monotonic()
    said = text if thread else f"<@{world.bot}> {text}"
    ts = world.say(person, channel, said, thread=thread, deliveries=times)
    return Asked(Place("slack", world.team, channel, thread or ts), ts, at)


def reply(message: Message) -> Reply:
    """Return a message of the bot as a reply."""
    return Reply(message.ts, kind_of(message), message.at, message.at, message.text, _can_be_explained(message))


def kind_of(message: Message) -> Kind:
    """Return the kind of a message: an answer asks for feedback, an orphan has no buttons or is an open stream."""
    if _is_answer(message.blocks):
        return "answer"
    kinds = {block["type"] for block in message.blocks}
    if message.streaming or kinds <= {"context"}:
        return "orphan"
    return "explanation" if "section" in kinds and kinds & {"context", "container"} else "other"


def _is_answer(blocks: Iterable[Json]) -> bool:
    return any(block["type"] == "context_actions" for block in blocks)


def _can_be_explained(message: Message) -> bool:
    return any(
        element.get("action_id") == "explain" for block in message.blocks for element in block.get("elements", [])
    )
