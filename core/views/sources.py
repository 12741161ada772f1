"""The ranked evidences of an answer as plain data."""

from __future__ import annotations

from dataclasses import dataclass

from core.text import Language


@dataclass(frozen=True, slots=True)
class SourceView:
    """One evidence. ``number``: under which the answer cites it, None where it does not. ``text`` is shortened."""

    rank: int
    number: int | None
    title: str
    heading_path: tuple[str, ...]
    kind: str  # in words
    text: str
    url: str
    score: float


@dataclass(frozen=True, slots=True)
class SourcesView:
    """What an answer was made from: the cited evidences first, then the others by rank.

    ``hidden``: how many are not shown, because their pages are gone or may not be read (any more) here.
    """

    turn_id: str
    language: Language
    question: str
    sources: tuple[SourceView, ...]
    hidden: int = 0
