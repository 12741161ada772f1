"""The history of a question: from a thread of a chat within a budget of tokens, from stored turns, or from a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from core.errors import HistoryUnreadable
from core.model import Message, Scope, Suggestion, Turn
from core.ports.chat import ThreadMessage

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


def parse_history(text: str) -> list[Message]:
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


BUDGET_TOKENS = 1_500
_MOST_CHARS = 2_000  # of one message: what it is about shows long before

TokenCounter = Callable[[str], int]


def thread_history(
    messages: Sequence[ThreadMessage],
    turns: Mapping[str, Turn],
    names: Mapping[str, str],
    count: TokenCounter,
    budget: int = BUDGET_TOKENS,
) -> list[Message]:
    """The history of a question, oldest first.

    ``messages``: what people wrote before it, by rising id. ``turns``: by the id of the message that each answers, or
    of its own message where a button asked (ids rise with time). ``names``: of users. The newest messages stay
    within ``budget`` tokens, and the first question always.
    """
    written = {message.message_id: message for message in messages}
    exchanges: list[list[Message]] = []
    for message_id in sorted(written.keys() | turns.keys(), key=order_key):
        exchanges.append(_exchange(written.get(message_id), turns.get(message_id), names))
    return _fit_budget(exchanges, count, budget)


def select_visible(turns: Sequence[Turn], scope: Scope, visible: Collection[str]) -> list[Turn]:
    """Those of the turns that may be shown in this scope now, without words of the others in their questions.

    ``turns``: of one conversation, oldest first. ``visible``: of their pages, those that may be shown now.
    """
    shown: list[Turn] = []
    hidden: list[Turn] = []
    for turn in turns:
        if is_visible(turn, scope, visible):
            shown.append(hide_words_of(hidden, turn))
        else:
            hidden.append(turn)
    return shown


def is_visible(turn: Turn, scope: Scope, visible: Collection[str]) -> bool:
    """Whether a turn's words may be shown, or be part of a prompt, in this scope now.

    Not those of a turn that was asked with more rights: they may say more than its pages.
    """
    return has_rights_of(scope, turn.scope) and pages_with_text([turn]) <= frozenset(visible)


def hide_words_of(hidden: Sequence[Turn], turn: Turn) -> Turn:
    """The turn without words of the ``hidden`` turns before it in its question.

    A completed question may repeat the title of any page that its conversation was about. A suggested one has the
    words of a page: nothing of it is left.
    """
    question = turn.question
    if question.suggested_in and question.suggested_in in {each.turn_id for each in hidden}:
        return replace(
            turn,
            question=replace(question, as_asked="", intent_explicit="", erased=True, kept_language=question.language),
        )
    return replace(turn, question=replace(question, intent_explicit=question.as_asked)) if hidden else turn


def pages_with_text(turns: Iterable[Turn]) -> frozenset[str]:
    """The pages of which the turns have text; of an erased page they have none."""
    return frozenset(ranked.evidence.page_id for turn in turns for ranked in turn.evidences if ranked.evidence.text)


def pages_of_suggestion(turn: Turn, suggestion: Suggestion) -> frozenset[str]:
    """The page whose words a suggestion of this turn has."""
    found = (ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id == suggestion.evidence_id)
    return frozenset(evidence.page_id for evidence in found)


def has_rights_of(scope: Scope, asked: Scope) -> bool:
    """Whether a scope has all the rights that a question was asked with."""
    if not asked.principals <= scope.principals:
        return False
    return scope.spaces is None or (asked.spaces is not None and asked.spaces <= scope.spaces)


def order_key(message_id: str) -> tuple[float, str]:
    """Orders messages of one platform by time: ids are decimal numbers, seconds in Slack, milliseconds in Teams."""
    try:
        return float(message_id), message_id
    except ValueError:
        return 0.0, message_id


def _exchange(written: ThreadMessage | None, turn: Turn | None, names: Mapping[str, str]) -> list[Message]:
    if turn is None:
        return [_by_person(written, names)] if written else []
    asked, answered = from_turns([turn])
    return [_by_person(written, names) if written else asked, replace(answered, text=answered.text[:_MOST_CHARS])]


def _by_person(written: ThreadMessage, names: Mapping[str, str]) -> Message:
    return Message("user", written.text[:_MOST_CHARS], names.get(written.user, written.name))


def _fit_budget(exchanges: Sequence[Sequence[Message]], count: TokenCounter, budget: int) -> list[Message]:
    if not exchanges:
        return []
    first, *others = exchanges
    left = budget - _tokens(first, count)
    kept: list[Sequence[Message]] = []
    for exchange in reversed(others):
        left -= _tokens(exchange, count)
        if left < 0:
            break
        kept.append(exchange)
    return [message for exchange in (first, *reversed(kept)) for message in exchange]


def _tokens(exchange: Sequence[Message], count: TokenCounter) -> int:
    return sum(count(message.text) + count(message.name) for message in exchange)
