"""Keys of durable work: whatever comes twice has the same key."""

from __future__ import annotations

import hashlib

from core.ports import Place


def ask_key(place: Place, message_id: str) -> str:
    """Of the question that a message asks, whatever kinds of events bring it."""
    if place.platform == "teams":  # the channel is the conversation's full id there
        return f"ask:teams:{place.channel}:{message_id}"
    return f"ask:{place.platform}:{place.team}:{place.channel}:{message_id}"


def explain_key(turn_id: str) -> str:
    """Of a turn's explanation, however often it is asked for."""
    return f"explain:{turn_id}"


def sync_key(space: str, run: str) -> str:
    """Of one run of a space's sync; ``run``: a moment, or the id of the message that asked for it."""
    return f"sync:{space}:{run}"


def turn_id_of(key: str) -> str:
    """The id of the turn that a question of this key becomes: opaque, and the same whenever it is asked."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def mark_of(key: str) -> str:
    """What a message of ours carries to be found by its key."""
    return f"ww-{hashlib.sha256(key.encode()).hexdigest()[:24]}"
