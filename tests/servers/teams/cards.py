"""Texts and buttons of adaptive cards as people see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.servers.chat_server import Json
from tests.servers.teams.state import Message

_CHILDREN = ("body", "items", "columns", "rows", "cells", "actions", "facts", "inlines", "selectAction")


def elements(card: Any) -> Iterator[Json]:
    """Yield every object of a card, outer ones first, including hidden ones."""
    if isinstance(card, list):
        for one in card:
            yield from elements(one)
    if isinstance(card, dict):
        yield card
        for name in _CHILDREN:
            yield from elements(card.get(name))


def texts(card: Json) -> list[str]:
    """Return the readable texts in order: texts, facts and labels of charts, but no buttons."""
    found: list[str] = []
    for element in elements(card):
        if str(element.get("type", "")).startswith("Action."):
            continue
        for name in ("text", "title", "value"):
            if isinstance(element.get(name), str):
                found.append(element[name])
        if str(element.get("type", "")).startswith("Chart."):
            found += [f"{one.get('x')}: {one.get('y')}" for one in element.get("data") or []]
    return found


def actions(card: Json) -> list[Json]:
    return [one for one in elements(card) if str(one.get("type", "")).startswith("Action.")]


def find_action(message: Message, user: str, wanted: str) -> Json:
    """Find an action by title, verb or id in the card that a person sees. Raises KeyError with the existing titles."""
    own = message.seen_by.get(user)
    there = [action for card in ([own] if own else message.cards) for action in actions(card)]
    for name in ("title", "verb", "id"):
        for action in there:
            if action.get(name) == wanted:
                return action
    raise KeyError(f"nothing to press by the name of {wanted!r}; there is {[one.get('title') for one in there]}")
