"""Limits of the Markdown that a message shows: its length, and how deep its spans nest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

MOST_CHARS = 12_000
"""Characters of an answer that are parsed. No message shows more, and an answer of a model has fewer."""

_DEEPEST = 8  # spans within each other: bold, italic, strikethrough, links


class Token(Protocol):
    """A token of a paragraph."""

    @property
    def nesting(self) -> int:
        """1 where a span begins, -1 where it ends, else 0."""
        ...


T = TypeVar("T", bound=Token)


def without_deep_spans(tokens: Iterable[T]) -> list[T]:
    """The tokens of a paragraph without the begin and end of spans that are nested too deep; their text stays.

    A tree of them is read recursively, and a model can nest as deep as its answer is long.
    """
    kept: list[T] = []
    depth = 0
    for token in tokens:
        depth -= token.nesting < 0
        if not token.nesting or depth < _DEEPEST:
            kept.append(token)
        depth += token.nesting > 0
    return kept
