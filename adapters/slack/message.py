"""A message as Slack takes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.slack.mrkdwn import Json
from adapters.slack.pieces import cut, remove_links

_TEXT = 3_000
_ADDRESS = re.compile("(?:[a-z]:(?=//)|mailto(?=:))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Message:
    """``text``: for notifications and screen readers, escaped, never blank. ``blocks``: what is seen."""

    text: str
    blocks: tuple[Json, ...]


def plain_message(lines: Sequence[str]) -> str:
    """Escaped lines as the text of a message, without links: of this one Slack itself links addresses."""
    said = _ADDRESS.sub("\\g<0>\u200b", remove_links("\n".join(line for line in lines if line.strip())))
    text, rest = cut(said, _TEXT - 2)
    return (text + " …" if rest else text) or "…"
