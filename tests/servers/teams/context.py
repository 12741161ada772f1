"""What the parts of the world share. In the server's event loop."""

from __future__ import annotations

from dataclasses import dataclass

from tests.servers.teams.delivery import Deliverer
from tests.servers.teams.identity import Identity
from tests.servers.teams.state import Conversation, Json, Message, Refused, Tenant


@dataclass
class Refusal:
    """A call that Teams' limits forbade. ``why``: the error's message."""

    route: str
    code: str
    why: str
    body: Json


class Context:
    """``bot_name``: in mentions. ``reads_all``: owners of teams and chats let the bot hear what does not mention it.

    ``stream_life``: seconds; ``stream_pace``: seconds between pieces, 0 none.
    """

    def __init__(self, identity: Identity, bot_name: str) -> None:
        self.identity = identity
        self.bot_name = bot_name
        self.tenant = Tenant()
        self.deliverer = Deliverer(identity)
        self.refusals: list[Refusal] = []
        self.authenticates = True
        self.reads_all = False
        self.streams = True
        self.stream_life = 120.0
        self.stream_pace = 0.0
        self.page_size = 50
        self.service_url = ""

    @property
    def app_id(self) -> str:
        return self.identity.app_id

    def reached(self, given: str) -> tuple[Conversation, str]:
        """A conversation that the bot may write to, and the thread's root. Raises :class:`Refused`."""
        there, root = self.tenant.conversation(given)
        if not there.with_bot:
            raise Refused(403, "BotNotInConversationRoster", "The bot is not part of the conversation roster.")
        if root and root not in there.messages:
            raise Refused(404, "ConversationNotFound", "Conversation not found.")
        return there, root

    def message(self, there: Conversation, message_id: str) -> Message:
        return self.tenant.message(there, message_id)
