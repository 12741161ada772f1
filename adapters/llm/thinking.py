"""What reasoning models write before their answer."""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


def without_thinking(text: str) -> str:
    """The answer in a text that may still be growing; "" while the model thinks, or may be about to.

    Some chat templates put the opening tag into the prompt, so that the text has the closing one only.
    """
    begun = text.lstrip()
    thought, closed, answer = begun.removeprefix(_OPEN).partition(_CLOSE)
    if closed and _OPEN not in thought:
        return answer.lstrip()
    if begun.startswith(_OPEN) or _OPEN.startswith(begun):
        return ""
    return begun
