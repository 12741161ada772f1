"""What the Agents Playground shows, from what it tells its page over the websocket."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.servers.chat_server import Json
from tests.servers.teams.state import ADAPTIVE


@dataclass
class Shown:
    """A message as it stands now. ``raw``: as the page gets it; ``updates``: what it was before, each time."""

    id: str
    conversation: str
    raw: Json
    updates: list[Json] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.raw.get("text") or "")

    @property
    def cards(self) -> list[Json]:
        return [one["content"] for one in self.raw.get("attachments") or [] if one["contentType"] == ADAPTIVE]

    @property
    def citations(self) -> list[Json]:
        given = (self.raw.get("aiEntity") or {}).get("citation") or []
        return [one["appearance"] | {"position": one["position"]} for one in given]

    @property
    def ai_generated(self) -> bool:
        return "AIGeneratedContent" in ((self.raw.get("aiEntity") or {}).get("additionalType") or [])

    def by_bot(self, bot: str) -> bool:
        return bool(self.raw["from"]["id"] == bot)


class Screen:
    """Follows the websocket. ``events``: all that came, in order; ``typing``: where the bot was seen typing."""

    def __init__(self) -> None:
        self.events: list[Json] = []
        self.typing: list[str] = []
        self._messages: dict[str, Shown] = {}

    def see(self, event: Json) -> None:
        self.events.append(event)
        where = str(event.get("actionConversationId"))
        if event["action"] == "typing":
            self.typing.append(where)
            return
        message = event["message"]
        message_id = str(message["messageId"])
        there = self._messages.get(message_id)
        if there is None:
            where = str(message.get("postConversationId") or where)
            self._messages[message_id] = Shown(message_id, where, message)
            return
        there.updates.append(there.raw)
        there.raw = message

    def messages(self, where: str) -> list[Shown]:
        """In a conversation or a channel's thread, the first one first."""
        return [one for one in self.everywhere if one.conversation == where]

    @property
    def everywhere(self) -> list[Shown]:
        """All messages, in order of their coming."""
        return list(self._messages.values())
