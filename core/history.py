"""The earlier messages of a conversation, from stored turns or from a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from core.errors import HistoryUnreadable
from core.model import Message, Turn

_FORMAT = (
    'Give a JSON list of {"role": "user" or "assistant", "text": …}, of {"question": …, "answer": …}, or of the '
    "earlier questions as strings."
)
_MAX_CHARS = 20_000  # of one message
_ASSISTANTS = {"assistant", "bot", "system", "wikiwhy", "ai"}


def from_turns(turns: Iterable[Turn]) -> list[Message]:
    """The messages of these turns, oldest first."""
    return [message for turn in turns for message in _of_turn(turn)]


def _of_turn(turn: Turn) -> tuple[Message, Message]:
    if turn.answer.citations:
        subject = turn.answer.citations[0].title
    else:  # the next question after "not found" is usually about the same
        subject = turn.evidences[0].evidence.context.title if turn.evidences else ""
    return Message("user", turn.question.as_asked), Message("assistant", turn.answer.text, subject=subject)


def parse(text: str) -> list[Message]:
    """Parses a history file, oldest message first. Raises HistoryUnreadable."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise HistoryUnreadable(f"The history is not valid JSON: {error}. {_FORMAT}") from error
    if isinstance(data, dict):
        data = next((data[name] for name in ("messages", "turns", "history") if name in data), None)
    if not isinstance(data, list):
        raise HistoryUnreadable(f"The history is not a list. {_FORMAT}")
    return [message for number, item in enumerate(data, start=1) for message in _messages(item, number)]


def _messages(item: Any, number: int) -> Iterator[Message]:
    if isinstance(item, str):
        yield from _message("user", item)
        return
    if not isinstance(item, dict):
        raise HistoryUnreadable(f"Message {number} of the history is neither text nor an object. {_FORMAT}")
    question, answer = item.get("question", item.get("q")), item.get("answer", item.get("a"))
    text = item.get("text", item.get("content"))
    if isinstance(question, str):
        yield from _message("user", question)
        if isinstance(answer, str):
            yield from _message("assistant", answer)
    elif isinstance(text, str):
        role = str(item.get("role", "user")).lower()
        yield from _message("assistant" if role in _ASSISTANTS else "user", text, str(item.get("name", "")))
    else:
        raise HistoryUnreadable(f"Message {number} of the history has no text. {_FORMAT}")


def _message(role: Literal["user", "assistant"], text: str, name: str = "") -> Iterator[Message]:
    tidy = " ".join(text[:_MAX_CHARS].replace("\x00", " ").split()).encode("utf-8", "ignore").decode()
    if tidy:
        yield Message(role, tidy, name)
