"""Adaptive cards as people see them: their texts and their buttons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.servers.chat_server import Json
from tests.servers.teams.state import Message

_CHILDREN = ("body", "items", "columns", "rows", "cells", "actions", "card", "facts", "inlines", "selectAction")


def elements(card: Any) -> Iterator[Json]:
    """Every object in a card, from the outside in, hidden ones and ShowCards' too."""
    if isinstance(card, list):
        for one in card:
            yield from elements(one)
    if isinstance(card, dict):
        yield card
        for name in _CHILDREN:
            yield from elements(card.get(name))


def texts(card: Json) -> list[str]:
    """What can be read in it, in order: texts, facts, and labels of charts, not the buttons."""
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
    """By its title, else by its verb or id, in the card that this person sees. Raises KeyError naming what there is."""
    own = message.seen_by.get(user)
    there = [action for card in ([own] if own else message.cards) for action in actions(card)]
    for name in ("title", "verb", "id"):
        for action in there:
            if action.get(name) == wanted:
                return action
    raise KeyError(f"nothing to press by the name of {wanted!r}; there is {[one.get('title') for one in there]}")
