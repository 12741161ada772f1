"""Views as Slack's messages and modals. Everything fits Slack's limits, pings nobody and links to the wiki only."""

from __future__ import annotations

from adapters.slack.blocks.answer import answer_message
from adapters.slack.blocks.explanation import explanation_message
from adapters.slack.blocks.home import home_view
from adapters.slack.blocks.modals import correction_modal, reason_modal
from adapters.slack.blocks.notices import help_message, notice_message, render_waiting
from adapters.slack.blocks.sources import sources_modal
from adapters.slack.message import Message
from core.ports.chat import View
from core.views.answer import AnswerView
from core.views.explanation import ExplanationView
from core.views.notices import HelpView, Notice, Waiting

__all__ = ["Message", "correction_modal", "home_view", "reason_modal", "rendered", "sources_modal"]


def render_message(view: View, mark: str) -> Message:
    """The message that shows a view. ``mark``: becomes its first block's ``block_id``, to find it again ("": none)."""
    match view:
        case AnswerView():
            return answer_message(view, mark)
        case ExplanationView():
            return explanation_message(view, mark)
        case Waiting():
            return render_waiting(view, mark)
        case Notice():
            return notice_message(view, mark)
        case HelpView():
            return help_message(view, mark)
