"""Messages in a thread after an answer of the bot, and the right decision for each.

The bot has just answered what a hotel night may cost. No message mentions it. ``follow_ups.txt`` has one message per
line. The "unseen" sections were written before the rules and not used to develop them, so they measure how well the
rules generalise.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

_SECTIONS = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n\n")


@dataclass(frozen=True)
class FollowUp:
    """A message with its right decision.

    ``after``: what somebody else wrote since the answer. ``to_others``: whether it mentions another person.
    """

    text: str
    wanted: Literal["ask", "listen"]
    after: str = ""
    to_others: bool = False


def _all(prefix: str = "") -> tuple[FollowUp, ...]:
    """Return the messages of the sections ``[ask]`` and ``[listen]`` with this prefix."""
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
