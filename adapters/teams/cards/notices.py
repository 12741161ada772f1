"""Short messages in Teams: that people have to wait, what cannot be done, how to ask."""

from __future__ import annotations

from adapters.teams.cards.elements import Run, heading, line, page_lines, shorten, text, visible
from adapters.teams.cards.fitting import within
from adapters.teams.cards.message import MOST_BYTES, card_message, text_message
from adapters.teams.json import Json
from core.views.notices import HelpView, Notice, Waiting
from core.views.wording import WORDS, help_lines, progress_text

_SIGNS = {"info": "", "problem": "⚠ ", "done": "✓ "}
_ROOM = MOST_BYTES - 2_000


def plain_waiting_text(view: Waiting) -> str:
    """What stands while people wait, without markup."""
    return "\n".join([progress_text(view), *([view.detail] if visible(view.detail) else [])])


def render_waiting(view: Waiting) -> Json:
    """A placeholder: a text alone, which an update may turn into a card."""
    return text_message(plain_waiting_text(view), 1_000)


def notice_message(view: Notice) -> Json:
    """A headline, lines and links."""
    return card_message(notice_body(view), _headline(view))


def notice_body(view: Notice) -> list[Json]:
    """The card's elements."""
    headline = _headline(view)
    shown = Run(_SIGNS[view.kind] + shorten(" ".join(headline.split()), 2_500), bold=bool(view.lines))
    lines = [line(text(without_slash(each)), tight=True) for each in view.lines if visible(each)]
    body = [line([_cleaned(shown)]), *page_lines(view.links[:5]), *lines[:100]]
    return within(body, _ROOM)


def _headline(view: Notice) -> str:
    return without_slash(view.text) if visible(view.text) else "…"


def _cleaned(run: Run) -> Run:
    return Run(text(run.text, 2_600)[0].text, bold=run.bold)


def help_message(view: HelpView) -> Json:
    """How to ask, and the commands for who may give them."""
    words = WORDS[view.language].help
    lines = [line(text(f"• {each}", 1_000), tight=True) for each in help_lines(view)]
    commands = [line(text(f"• {without_slash(each)}"), tight=True) for each in words.commands]
    admin = [heading(words.admin), *commands] if view.admin else []
    return card_message(within([heading(words.heading), *lines, *admin], _ROOM), words.heading)


def without_slash(sentence: str) -> str:
    """Commands are words here, as ``sync DOC``."""
    return sentence.replace("/wiki ", "")
