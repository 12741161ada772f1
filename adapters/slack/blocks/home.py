"""The app's home in Slack: how to ask."""

from __future__ import annotations

from adapters.slack.blocks.notices import help_blocks
from adapters.slack.mrkdwn import Json
from core.views.notices import HelpView


def home_view(view: HelpView) -> Json:
    """The view for ``views.publish``."""
    return {"type": "home", "blocks": help_blocks(view)}
