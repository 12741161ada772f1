"""What was said in a thread before a question: people's messages with their names, and our answers, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from core.history import from_turns
from core.model import Message, Scope, Suggestion, Turn
from core.ports import ThreadMessage

BUDGET_TOKENS = 1_500
_MOST_CHARS = 2_000  # of one message: its subject shows long before

TokenCounter = Callable[[str], int]


def thread_history(
    said: Sequence[ThreadMessage],
    turns: Mapping[str, Turn],
    names: Mapping[str, str],
    count: TokenCounter,
    budget: int = BUDGET_TOKENS,
) -> list[Message]:
    """The history of a question, oldest first.

    ``said``: what people wrote before it, by rising id. ``turns``: by the id of the message that each answers, or under
    which it was posted, where that was no message (ids rise with time). ``names``: of users. The newest messages stay
    within ``budget`` tokens, and the first question always.
    """
    written = {message.message_id: message for message in said}
    exchanges: list[list[Message]] = []
    for message_id in sorted(written.keys() | turns.keys(), key=order_key):
        exchanges.append(_exchange(written.get(message_id), turns.get(message_id), names))
    return _within(exchanges, count, budget)


def tellable(turns: Sequence[Turn], scope: Scope, visible: Collection[str]) -> list[Turn]:
    """Those of the turns whose words may be told in this scope now, their questions in words that may be told.

    ``turns``: of one conversation, oldest first. ``visible``: of their pages, those that may be shown now.
    """
    told: list[Turn] = []
    hidden: list[Turn] = []
    for turn in turns:
        if may_be_told(turn, scope, visible):
            told.append(with_showable_question(turn, hidden))
        else:
            hidden.append(turn)
    return told


def may_be_told(turn: Turn, scope: Scope, visible: Collection[str]) -> bool:
    """Whether the words of a turn may be shown, or enter a prompt, in this scope now.

    Not those of a turn that was asked with more rights, which may hold more than its pages tell.
    """
    return reaches(scope, turn.scope) and pages_with_text([turn]) <= frozenset(visible)


def with_showable_question(turn: Turn, hidden: Sequence[Turn]) -> Turn:
    """The turn without words of the ``hidden`` turns before it in its question.

    A completed question may repeat the title of any page that its conversation was on; a suggested one has the words
    of a page, and nothing is left of it.
    """
    question = turn.question
    if question.suggested_in and question.suggested_in in {each.turn_id for each in hidden}:
        return replace(
            turn,
            question=replace(question, as_asked="", intent_explicit="", erased=True, kept_language=question.language),
        )
    return replace(turn, question=replace(question, intent_explicit=question.as_asked)) if hidden else turn


def pages_with_text(turns: Iterable[Turn]) -> frozenset[str]:
    """The pages of whose text the turns have something; of an erased page they have nothing."""
    return frozenset(ranked.evidence.page_id for turn in turns for ranked in turn.evidences if ranked.evidence.text)


def pages_of_suggestion(turn: Turn, suggestion: Suggestion) -> frozenset[str]:
    """The page whose words a suggestion of this turn has."""
    found = (ranked.evidence for ranked in turn.evidences if ranked.evidence.evidence_id == suggestion.evidence_id)
    return frozenset(evidence.page_id for evidence in found)


def reaches(scope: Scope, asked: Scope) -> bool:
    """Whether a scope has all the rights that something was asked with."""
    if not asked.principals <= scope.principals:
        return False
    return scope.spaces is None or (asked.spaces is not None and asked.spaces <= scope.spaces)


def order_key(message_id: str) -> tuple[float, str]:
    """To order messages of one platform by: Slack's ids are seconds, Teams' milliseconds, both as decimal numbers."""
    try:
        return float(message_id), message_id
    except ValueError:
        return 0.0, message_id


def _exchange(said: ThreadMessage | None, turn: Turn | None, names: Mapping[str, str]) -> list[Message]:
    if turn is None:
        return [_person(said.text, said, names)] if said else []
    asked, answered = from_turns([turn])
    return [_person(said.text, said, names) if said else asked, replace(answered, text=answered.text[:_MOST_CHARS])]


def _person(text: str, said: ThreadMessage, names: Mapping[str, str]) -> Message:
    return Message("user", text[:_MOST_CHARS], names.get(said.user, said.name))


def _within(exchanges: Sequence[Sequence[Message]], count: TokenCounter, budget: int) -> list[Message]:
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
