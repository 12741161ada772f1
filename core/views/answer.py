"""An answer as plain data: what every chat platform shows of it, each in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.model import Citation
from core.text import Language

Markup = Literal["plain", "markdown"]
"""``plain``: the wiki's own words, in which nothing is markup but fenced code. ``markdown``: a model wrote it."""


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page by its title; ``url`` may be ""."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer, or that there is none. No text of it is escaped: that is each platform's own.

    ``text`` holds its citations as ``[1]``, and ``[?]`` after what no source supports. ``understood_as``: the completed
    question, "" where it was asked whole. ``asked``: the question, where a button asked it and so no message shows it.
    ``closest``: pages to try where the wiki does not answer, ``contact``: who can help then, as an admin wrote it.
    ``notes``: what people should know of this answer. ``explainable``: False where there is nothing to explain.
    """

    turn_id: str
    language: Language
    text: str
    answered: bool
    markup: Markup = "plain"
    citations: tuple[Citation, ...] = ()
    understood_as: str = ""
    closest: tuple[PageLink, ...] = ()
    contact: str = ""
    asked: str = ""
    notes: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    explainable: bool = True
