"""What people write in a thread after an answer of the bot, and what a thoughtful colleague would do in its place.

The bot has just told what a night in a hotel may cost. None of these messages mentions it. The messages are in
``follow_ups.txt``, one a line; the unseen ones were written before the rules and never looked at while they were made:
how well these carry over.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_SECTIONS = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")


@dataclass(frozen=True)
class FollowUp:
    """``after``: what somebody else wrote since the answer. ``to_others``: whether it mentions them as Slack does."""

    text: str
    wanted: Literal["ask", "listen"]
    after: str = ""
    to_others: bool = False


def _all(prefix: str = "") -> tuple[FollowUp, ...]:
    """The messages of the sections ``[ask]`` and ``[listen]``, or of those with a prefix."""
    lines = {heading: texts for heading, *texts in (section.strip().split("\n") for section in _SECTIONS)}
    asked, heard = lines[f"[{prefix}ask]"], lines[f"[{prefix}listen]"]
    return (*(FollowUp(text, "ask") for text in asked), *(FollowUp(text, "listen") for text in heard))


AMONG_OTHERS = (
    FollowUp("And in Berlin?", "listen", after="I think that was changed in May"),
    FollowUp("When was that?", "listen", after="We discussed that with HR"),
    FollowUp("Wann war das?", "listen", after="Das haben wir mit HR besprochen"),
    FollowUp("Which one?", "listen", after="@Ada can you send me the form?"),
    FollowUp("And in Berlin?", "ask", after="thanks!"),
    FollowUp("And in Berlin?", "ask", after="good to know"),
    FollowUp("Und in Berlin?", "ask", after="👍"),
    FollowUp("Und in Berlin?", "ask", after="gut zu wissen, danke"),
    FollowUp("ok", "listen", after="thanks!"),
    FollowUp("can you check?", "listen", to_others=True),
    FollowUp("What is the limit in Berlin?", "listen", to_others=True),
    FollowUp("gilt das noch?", "listen", to_others=True),
)

FOLLOW_UPS = (*_all(), *AMONG_OTHERS)
UNSEEN = _all("unseen ")
