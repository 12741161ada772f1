"""The history file of ``wikiwhy ask --history``: the messages before the question, in the forms that people write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from core.errors import HistoryUnreadable
from core.model import HistoryMessage

_FORMAT = (
    'Give a JSON list of {"role": "user" or "assistant", "text": …}, of {"question": …, "answer": …}, or of the '
    "earlier questions as strings."
)
_MAX_CHARS = 20_000  # of one message
_ASSISTANTS = {"assistant", "bot", "system", "wikiwhy", "ai"}


def read_history(path: Path) -> list[HistoryMessage]:
    """Read a history file, oldest message first. Raises HistoryUnreadable."""
    try:
        return parse_history(path.read_text("utf-8-sig"))
    except OSError as error:
        raise HistoryUnreadable(
            f"The history {path} cannot be read: {error.strerror}. Name a file that you can read."
        ) from error
    except UnicodeDecodeError as error:
        raise HistoryUnreadable(
            f"The history {path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        ) from error


def parse_history(text: str) -> list[HistoryMessage]:
    """Parse the text of a history file, oldest message first. Raises HistoryUnreadable."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for numbers with thousands of digits
        raise HistoryUnreadable(f"The history is not valid JSON: {error}. {_FORMAT}") from error
    if isinstance(data, dict):
        data = next((data[name] for name in ("messages", "turns", "history") if name in data), None)
    if not isinstance(data, list):
        raise HistoryUnreadable(f"The history is not a list. {_FORMAT}")
    return [message for number, item in enumerate(data, start=1) for message in _parse_item(item, number)]


def _parse_item(item: Any, number: int) -> Iterator[HistoryMessage]:
    if isinstance(item, str):
        yield from _make_message("user", item)
        return
    if not isinstance(item, dict):
        raise HistoryUnreadable(f"Message {number} of the history is neither text nor an object. {_FORMAT}")
    question, answer = item.get("question", item.get("q")), item.get("answer", item.get("a"))
    text = item.get("text", item.get("content"))
    if isinstance(question, str):
        yield from _make_message("user", question)
        if isinstance(answer, str):
            yield from _make_message("assistant", answer)
    elif isinstance(text, str):
        role = str(item.get("role", "user")).lower()
        yield from _make_message("assistant" if role in _ASSISTANTS else "user", text, str(item.get("name", "")))
    else:
        raise HistoryUnreadable(f"Message {number} of the history has no text. {_FORMAT}")


def _make_message(role: Literal["user", "assistant"], text: str, name: str = "") -> Iterator[HistoryMessage]:
    tidy = " ".join(text[:_MAX_CHARS].replace("\x00", " ").split()).encode("utf-8", "ignore").decode()
    if tidy:
        yield HistoryMessage(role, tidy, name)
