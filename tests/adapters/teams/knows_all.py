"""Where everybody is, without anybody having spoken yet."""

from __future__ import annotations

from core.ports.chat_store import Reference, TeamsUser
from tests.servers.teams.chat_world import TeamsChatWorld
from tests.servers.teams.state import BOT


class KnowsAll:
    """A :class:`core.ports.chat_store.ReferenceStore` that was told of everything in the tenant."""

    def __init__(self, world: TeamsChatWorld) -> None:
        self._world = world
        self.moves: dict[tuple[str, str], str] = {}

    async def keep(self, reference: Reference) -> None: ...

    async def of(self, team: str, conversation: str) -> Reference | None:
        return Reference(team, conversation, self._world.teams.service_url, BOT)

    async def save_user(self, person: TeamsUser) -> None: ...

    async def person(self, team: str, user: str) -> TeamsUser | None:
        account = self._world.accounts.get(user)
        return TeamsUser(team, user, account, self._world.teams.personal(account)) if account else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        self.moves.setdefault((conversation, message_id), to)

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        return self.moves.get((conversation, message_id), message_id)
