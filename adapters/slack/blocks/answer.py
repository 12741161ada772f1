"""An answer in Slack: how it was understood, the text, its sources, what to do next."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adapters.slack.blocks.elements import (
    actions,
    button,
    context,
    mark_blocks,
    page_lines,
    place_link,
    section,
    sections,
)
from adapters.slack.blocks.elements import words as prose
from adapters.slack.citing import Citing
from adapters.slack.fitting import MESSAGE, characters, fit_pieces, goes_on
from adapters.slack.markdown import parse_markdown
from adapters.slack.message import Message, plain_message
from adapters.slack.mrkdwn import Json, is_web, link, plain_text, size
from adapters.slack.pieces import Piece
from adapters.slack.plain import plain_pieces
from core.model import Citation
from core.views.answer import AnswerView
from core.views.markup import MOST_CHARS
from core.views.wording import WORDS

_CONTACT = re.compile(r"<(?:@[UW]|#C)[A-Z0-9]{2,20}>")
_SOURCES = 20
_SOURCE_CHARS = 4_000  # of all of them, addresses included
_SUGGESTIONS = 4
_CLOSEST = 3
_NOTES = 5


def answer_message(view: AnswerView, mark: str) -> Message:
    """The answer, or that there is none and where to look instead."""
    words = WORDS[view.language]
    lead = _lead(view)
    sources = _source_lines(view.citations, words.more) if view.answered else _elsewhere(view)
    after = [
        *(context(*sources) if view.answered else sections([Piece(line, tight=True) for line in sources])),
        *context(*(prose(note) for note in view.notes[:_NOTES])),
        *_buttons(view),
        *_suggestions(view),
        _feedback(view),
    ]
    room = MESSAGE - characters(lead) - characters(after)
    pieces = _pieces(view)
    shown = sections(fit_pieces(pieces, room, words, _first_link(view.citations))) or [section("…")]
    text = plain_message([*_said(view), *(piece.spoken for piece in pieces), *sources])
    return Message(text, mark_blocks([*lead, *shown, *after], mark))


def _said(view: AnswerView) -> list[str]:
    """The question where no message of its asker shows it, and how it was understood."""
    asked = [f"› {prose(view.asked)}"] if view.asked else []
    understood = [f"{WORDS[view.language].understood_as} {prose(view.understood_as)}"] if view.understood_as else []
    return [*asked, *understood]


def _lead(view: AnswerView) -> list[Json]:
    asked = sections([Piece(f"*› {prose(view.asked)}*")]) if view.asked else []
    if not view.understood_as:
        return asked
    return [*asked, *context(f"{WORDS[view.language].understood_as} {prose(view.understood_as)}")]


def _pieces(view: AnswerView) -> list[Piece]:
    citing = Citing(view.citations if view.answered else ())
    text = view.text[:MOST_CHARS]
    pieces = parse_markdown(text, citing) if view.markup == "markdown" else plain_pieces(text, citing)
    return pieces if text == view.text else [*pieces, goes_on(WORDS[view.language], _first_link(view.citations))]


def _source_lines(citations: Sequence[Citation], more: str) -> list[str]:
    lines: list[str] = []
    room = _SOURCE_CHARS
    for citation in citations[:_SOURCES]:
        line = f"[{citation.number}] {place_link(citation.title, [citation.heading], citation.url)}"
        room -= size(line) + 1
        if room < 0:
            break
        lines.append(line)
    left = len(citations) - len(lines)
    return [*lines, more.format(count=left)] if left else lines


def _elsewhere(view: AnswerView) -> list[str]:
    """The closest pages, and whom to ask."""
    words = WORDS[view.language]
    pages = [words.closest, *page_lines(view.closest[:_CLOSEST])] if view.closest else []
    return [*pages, f"{words.whom_to_ask} {_contact(view.contact)}"] if view.contact.strip() else pages


def _contact(contact: str) -> str:
    """As an admin wrote it: exactly one user or channel is named as such, anything else is text."""
    return contact.strip() if _CONTACT.fullmatch(contact.strip()) else prose(contact, 300)


def _first_link(citations: Sequence[Citation]) -> str:
    first = next((citation for citation in citations if is_web(citation.url)), None)
    return link(first.url, f"[{first.number}]") if first else ""


def _buttons(view: AnswerView) -> list[Json]:
    words = WORDS[view.language]
    buttons = []
    if view.answered and view.explainable:
        buttons.append(button(words.explain, "explain", view.turn_id))
    if view.answered:
        buttons.append(button(words.sources, "sources", view.turn_id))
    if view.understood_as:
        buttons.append(button(words.not_meant, "correct", view.turn_id))
    return actions(buttons)


def _suggestions(view: AnswerView) -> list[Json]:
    suggested = [question for question in view.suggestions if question.strip()][:_SUGGESTIONS]
    if not suggested:
        return []
    buttons = [button(question, f"suggest:{at}", view.turn_id) for at, question in enumerate(suggested)]
    return [*context(WORDS[view.language].also_ask), *actions(buttons)]


def _feedback(view: AnswerView) -> Json:
    words = WORDS[view.language]
    element = {
        "type": "feedback_buttons",
        "action_id": "feedback",
        "positive_button": {"text": plain_text(words.good, 75), "value": f"good:{view.turn_id}"},
        "negative_button": {"text": plain_text(words.bad, 75), "value": f"bad:{view.turn_id}"},
    }
    return {"type": "context_actions", "elements": [element]}
