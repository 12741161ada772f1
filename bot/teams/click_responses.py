"""What who clicked gets to see in Teams: a card in the answer's place, or words under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.teams.activities import Action
from adapters.teams.cards import ReasonForm, answer_card, notice_card, part_card, reason_card, sources_card
from adapters.teams.cards.message import CARD
from adapters.teams.cards.notices import without_slash
from core.text import Language
from core.views.answer import AnswerView
from core.views.notices import Notice
from core.views.sources import SourcesView
from core.views.wording import WORDS

WORDS_ALONE = "application/vnd.microsoft.activity.message"
"""The type of an answer to a click that is no card (``CARD``): words, for who clicked alone."""

Shown = Notice | SourcesView | AnswerView | ReasonForm
"""What who clicked sees then, and nobody else."""


def answer_to(found: Shown, pressed: Action) -> dict[str, Any]:
    """To a click by ``adaptiveCard/action``. Words alone stand under the card; what has links takes its place."""
    turn_id = pressed.click.turn_id
    match found:
        case SourcesView():
            return _card(sources_card(found))
        case AnswerView() if pressed.name == "whole":
            return _card(part_card(found, pressed.index))
        case AnswerView():
            return _card(answer_card(found))
        case ReasonForm():
            return _card(reason_card(found, turn_id))
        case Notice() if found.links or pressed.name == "reason":
            return _card(notice_card(found, turn_id, language_of(pressed)))
    return answer_notice(found)


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    return {"statusCode": 200, "type": CARD, "value": card}


def answer_notice(notice: Notice) -> dict[str, Any]:
    words = without_slash("\n".join([notice.text, *notice.lines]))
    return {"statusCode": 200, "type": WORDS_ALONE, "value": words}


def list_sources(sources: SourcesView) -> Notice:
    """Sources as a message."""
    words = WORDS[sources.language]
    lines = tuple(
        f"{f'[{source.number}] ' if source.number is not None else '• '}"
        f"{' › '.join((source.title, *source.heading_path))}: {source.text}"
        for source in sources.sources
    )
    return Notice(words.sources, lines or (words.no_sources,))


def language_of(pressed: Action) -> Language:
    """The language of the answer whose button it is."""
    return "de" if pressed.language == "de" else "en"
