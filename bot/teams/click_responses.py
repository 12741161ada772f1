"""What a person who clicked in Teams sees: a card in the answer's place, or words under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.teams.activities import Action
from adapters.teams.cards import (
    CARD,
    ReasonForm,
    answer_card,
    notice_card,
    part_card,
    reason_card,
    sources_card,
    without_slash,
)
from core.i18n import message
from core.text import Language
from core.views.model import AnswerView, Notice, SourcesView
from core.views.wording import NO_SOURCES

TEXT_TYPE = "application/vnd.microsoft.activity.message"
"""The type of an answer to a click that is no card (``CARD``): a text, for the person who clicked."""

Shown = Notice | SourcesView | AnswerView | ReasonForm
"""What only the person who clicked sees."""


def answer_to(found: Shown, action: Action) -> dict[str, Any]:
    """The response to ``adaptiveCard/action``. A text is shown under the card; what has links takes its place."""
    turn_id = action.click.turn_id
    match found:
        case SourcesView():
            return _card(sources_card(found))
        case AnswerView() if action.name == "whole":
            return _card(part_card(found, action.index))
        case AnswerView():
            return _card(answer_card(found))
        case ReasonForm():
            return _card(reason_card(found, turn_id))
        case Notice() if found.links or action.name == "reason":
            return _card(notice_card(found, turn_id, language_of(action)))
    return answer_notice(found)


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    return {"statusCode": 200, "type": CARD, "value": card}


def answer_notice(notice: Notice) -> dict[str, Any]:
    words = without_slash("\n".join([notice.text, *notice.lines]))
    return {"statusCode": 200, "type": TEXT_TYPE, "value": words}


def list_sources(sources: SourcesView) -> Notice:
    """Sources as a message."""
    lines = tuple(
        f"{f'[{source.number}] ' if source.number is not None else '• '}"
        f"{' › '.join((source.title, *source.heading_path))}: {source.text}"
        for source in sources.sources
    )
    return Notice(message("Sources").render(sources.language), lines or (NO_SOURCES.render(sources.language),))


def language_of(action: Action) -> Language:
    """The language of the answer that the button belongs to."""
    return "de" if action.language == "de" else "en"
