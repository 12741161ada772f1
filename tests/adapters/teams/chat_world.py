"""The tenant as what the contract of chat platforms needs of a :class:`tests.contracts.chat_world.ChatWorld`."""

from __future__ import annotations

import itertools
from typing import Any

from core.ports import Acquaintance, Place, Reference
from tests.contracts.chat_world import Operation, Shown, Trouble
from tests.servers.faults import Fault
from tests.servers.teams import Message, TeamsWorld
from tests.servers.teams.cards import elements
from tests.servers.teams.state import BOT

_ROUTES: dict[Operation, tuple[str, ...]] = {
    "post": ("post", "reply"),
    "update": ("update",),
    "people": ("member",),
    "thread": (),  # which nobody can ask for
}
_FAULTS: dict[Trouble, Fault] = {
    "slow down": Fault(status=429, retry_after=1),
    "broken": Fault(status=502),
    "gone": Fault(status=404, error="ConversationNotFound"),
    "cut": Fault(drop_after=True),
    "unknown": Fault(status=404, error="MemberNotFoundInConversation"),
}
_NUMBERS = itertools.count(1)


class TeamsChatWorld:
    """``teams`` has all that only Teams has. People are known by their Entra object ids."""

    bot = BOT

    def __init__(self, teams: TeamsWorld) -> None:
        self.teams = teams
        self.accounts: dict[str, str] = {}

    def person(
        self, name: str, *, email: str = "", guest: bool = False, elsewhere: bool = False, robot: bool = False
    ) -> str:
        about: dict[str, Any] = {"email": email or None, "role": "guest" if guest else "user", "robot": robot}
        if elsewhere:
            about["tenant"] = "another-tenant"
        account = self.teams.add_user(name, **about)
        user = self.teams.user(account).object_id
        self.accounts[user] = account
        for there in self.teams.context.tenant.conversations.values():
            if there.kind != "personal" and not robot:  # an app is no member
                there.members.add(account)
        return user

    def channel(self, name: str, *members: str, shared: bool = False, with_bot: bool = True) -> str:
        accounts = [self.accounts[member] for member in members]
        return self.teams.add_channel(f"{name}-{next(_NUMBERS)}", members=accounts, bot=with_bot)

    def place(self, channel: str, thread: str) -> Place:
        return Place("teams", self.teams.tenant, f"{channel};messageid={thread}", thread)

    def say(self, user: str, channel: str, text: str, thread: str = "", *, calling: bool = False, **more: Any) -> str:
        where = channel.partition(";")[0]
        return self.teams.say(self.accounts[user], where, text, thread=thread, mention=calling)

    def fill(self, user: str, channel: str, thread: str, texts: list[str]) -> None:
        for text in texts[:20]:  # of which a bot sees nothing, however many they are
            self.say(user, channel, text, thread)

    def thread(self, channel: str, thread: str) -> list[Shown]:
        return [shown(message) for message in self.teams.thread(channel.partition(";")[0], thread)]

    def in_channel(self, channel: str) -> list[Shown]:
        room = channel.partition(";")[0]
        ours = self.teams.answers(room)
        return [shown(message) for message in ours if message.conversation in {room, f"{room};messageid={message.id}"}]

    def trouble(self, operation: Operation, trouble: Trouble, times: int = 1) -> None:
        for route in _ROUTES[operation]:
            self.teams.faults.add(route, _FAULTS[trouble], times=times)

    def down(self) -> None:
        self.teams.faults.add("*", Fault(status=503), times=None)

    def up(self) -> None:
        self.teams.faults.clear()

    def told(self) -> bool:
        return not self.teams.pending


class KnowsAll:
    """A :class:`core.ports.ReferenceStore` that was told of everything in the tenant."""

    def __init__(self, world: TeamsChatWorld) -> None:
        self._world = world
        self.moves: dict[tuple[str, str], str] = {}

    async def keep(self, reference: Reference) -> None: ...

    async def of(self, team: str, conversation: str) -> Reference | None:
        return Reference(team, conversation, self._world.teams.service_url, BOT)

    async def meet(self, person: Acquaintance) -> None: ...

    async def person(self, team: str, user: str) -> Acquaintance | None:
        account = self._world.accounts.get(user)
        return Acquaintance(team, user, account, self._world.teams.personal(account)) if account else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        self.moves.setdefault((conversation, message_id), to)

    async def moved(self, team: str, conversation: str, message_id: str) -> str:
        return self.moves.get((conversation, message_id), message_id)


def shown(message: Message) -> Shown:
    """A message as people see it."""
    texts, links, buttons = [message.text] if message.text else [], [], []
    pings = [entity["text"] for entity in message.activity.get("entities") or [] if entity["type"] == "mention"]
    for card in message.cards:
        pings += [entity["text"] for entity in card.get("msteams", {}).get("entities", [])]
        for element in elements(card["body"]):
            match element.get("type"):
                case "RichTextBlock":
                    texts.append("".join(run["text"] for run in element["inlines"]))
                    links += [
                        (run["text"], run["selectAction"]["url"]) for run in element["inlines"] if "selectAction" in run
                    ]
                case "TextBlock":
                    raise AssertionError("a TextBlock has markup")
                case "Action.Execute" | "Action.ShowCard":
                    buttons.append(element["title"])
    return Shown(message.id, message.user, "\n".join(texts), tuple(links), tuple(buttons), tuple(pings))
