"""Short messages as plain data: that work is under way, and what went wrong or cannot be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from core.text import Language
from core.views.answer import PageLink


@dataclass(frozen=True, slots=True)
class Waiting:
    """A placeholder: the work that it stands for, and how far that has come where that is known (``total`` > 0)."""

    language: Language
    work: Literal["answer", "explanation", "sync"]
    about: str = ""  # a space's key
    done: int = 0
    total: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message in words: a headline, lines below it, and links. ``kind`` decides how urgent it looks.

    ``starts_work``: it only says that work has begun, which a message of its own tells too.
    """

    text: str
    lines: tuple[str, ...] = ()
    kind: Literal["info", "problem", "done"] = "info"
    links: tuple[PageLink, ...] = ()
    starts_work: bool = False


@dataclass(frozen=True, slots=True)
class HelpView:
    """How to ask; ``bot``: how people call it. ``spaces``: what is searched here. ``admin``: whether for one.

    ``by_mention``: whether follow-ups have to mention the bot.
    """

    language: Language
    bot: str
    spaces: tuple[str, ...] = ()
    direct: bool = False
    admin: bool = False
    by_mention: bool = False
