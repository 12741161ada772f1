"""Views as messages of Teams. Everything fits its limits, pings nobody and links to the wiki only."""

from __future__ import annotations

from adapters.teams.cards.answer import answer_card, answer_message, part_card
from adapters.teams.cards.explanation import explanation_message
from adapters.teams.cards.in_place import ReasonForm, notice_card, reason_card
from adapters.teams.cards.notices import help_message, notice_message, render_waiting
from adapters.teams.cards.sources import sources_card
from adapters.teams.json import Json
from core.ports.chat import View
from core.views.answer import AnswerView
from core.views.explanation import ExplanationView
from core.views.notices import HelpView, Notice, Waiting

__all__ = ["ReasonForm", "answer_card", "notice_card", "part_card", "reason_card", "rendered", "sources_card"]


def render_message(view: View) -> Json:
    """The message that shows a view."""
    match view:
        case AnswerView():
            return answer_message(view)
        case ExplanationView():
            return explanation_message(view)
        case Waiting():
            return render_waiting(view)
        case Notice():
            return notice_message(view)
        case HelpView():
            return help_message(view)
