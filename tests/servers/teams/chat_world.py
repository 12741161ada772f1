"""The tenant as a :class:`tests.contracts.chat_world.ChatWorld`."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from markdown_it import MarkdownIt

from core.ports.chat import Place
from core.ports.teams import Reference, TeamsUser
from tests.contracts.chat_world import Operation, Shown, Trouble
from tests.servers.chat_server import Json
from tests.servers.faults import Fault
from tests.servers.teams.cards import actions, elements, find_action
from tests.servers.teams.state import BOT, Message
from tests.servers.teams.world import TeamsWorld

_ROUTES: dict[Operation, tuple[str, ...]] = {
    "post": ("post",),
    "show": ("typing",),
    "update": ("update",),
    "remove": ("delete",),
    "people": ("member",),
    "audience": ("pagedmembers",),
    "thread": (),  # which nobody can ask for
}
_FAULTS: dict[Trouble, Fault] = {
    "slow down": Fault(status=429, retry_after=1),
    "broken": Fault(status=502),
    "gone": Fault(status=404, error="ConversationNotFound"),
    "cut": Fault(drop_after=True),
    "unknown": Fault(status=404, error="MemberNotFoundInConversation"),
    "forbidden": Fault(status=403, error="ForbiddenOperationException"),
}
_PARTNER = "A partner"
_THUMBS = ("Helpful", "Not helpful")
"""Teams' own, under messages with a feedback loop."""
_NUMBERS = itertools.count(1)
_FILE = {"contentType": "application/vnd.microsoft.teams.file.download.info", "name": "plan.pdf", "content": {}}


class TeamsChatWorld:
    """``teams`` has all that only Teams has. People are known by their Entra object ids."""

    bot = BOT
    people_call, audience_call = "members/{id}", "pagedmembers"

    def __init__(self, teams: TeamsWorld) -> None:
        self.teams = teams
        self.accounts: dict[str, str] = {}
        self._commands: list[tuple[str, str, str, str]] = []
        """Who gave one, which, in which channel, and the first message of its thread."""
        self._judged: dict[str, tuple[str, str]] = {}
        """By user, the message whose thumb they pressed last, with its conversation: Teams asks for a reason there."""

    @property
    def updates(self) -> int:
        return sum(call.method == "update" for call in self.teams.calls)

    def person(
        self,
        name: str,
        *,
        email: str = "",
        guest: bool = False,
        elsewhere: bool = False,
        robot: bool = False,
        locale: str = "en-GB",
    ) -> str:
        role = "guest" if guest else "user"
        about: dict[str, Any] = {"email": email or None, "role": role, "robot": robot, "locale": locale}
        if elsewhere:
            about["tenant"] = "another-tenant"
        return self.known(self.teams.add_user(name, **about))

    def known(self, account: str) -> str:
        """Somebody who is in the tenant, in all channels from now on; returns their object id."""
        person = self.teams.user(account)
        self.accounts[person.object_id] = account
        for there in self.teams.directory.conversations.values():
            if there.kind != "personal" and not person.robot:  # an app is no member
                there.members.add(account)
        return person.object_id

    def channel(self, name: str, *members: str, shared: bool = False, with_bot: bool = True) -> str:
        accounts = [self.accounts[member] for member in members]
        accounts += [self._partner()] if shared else []
        return self.teams.add_channel(f"{name}-{next(_NUMBERS)}", members=accounts, bot=with_bot, shared=shared)

    def share(self, channel: str, shared: bool = True) -> None:
        (self.teams.join if shared else self.teams.leave)(self._partner(), channel)

    def _partner(self) -> str:
        """Somebody of another organisation, who is in shared channels only."""
        known = self.teams.directory.users.values()
        found = next((user.id for user in known if user.name == _PARTNER), "")
        return found or self.teams.add_user(_PARTNER, tenant="another-tenant")

    def direct(self, user: str) -> str:
        return self.teams.personal(self.accounts[user])

    def place(self, channel: str, thread: str) -> Place:
        if self.teams.conversation(channel).kind == "personal":
            return Place("teams", self.teams.tenant, channel, thread, direct=True)
        return Place("teams", self.teams.tenant, f"{channel};messageid={thread}", thread)

    # What people do

    def say(
        self, user: str, channel: str, text: str, thread: str = "", *,
        calling: bool = False, to: str = "", files: bool = False, times: int = 1,
    ) -> str:  # fmt: skip
        where = channel.partition(";")[0]
        there = self.teams.conversation(where)
        return self.teams.say(
            self.accounts[user], where, text, thread="" if there.kind == "personal" else thread, mention=calling,
            to=[self.accounts[to]] if to else (), attachments=[_FILE] if files else (), deliveries=times,
        )  # fmt: skip

    def fill(self, user: str, channel: str, thread: str, texts: list[str]) -> None:
        """A bot that was not mentioned has not heard them, and Teams lets none read them later."""
        reads_all, self.teams.reads_all = self.teams.reads_all, False
        for text in texts[:20]:
            self.say(user, channel, text, thread)
        self.teams.reads_all = reads_all

    def edit(self, channel: str, message_id: str, text: str) -> None:
        self.teams.edit(channel, message_id, text)

    def delete(self, channel: str, message_id: str) -> None:
        self.teams.delete(channel, message_id)

    def click(self, user: str, channel: str, message_id: str, label: str) -> None:
        account, message = self.accounts[user], self.teams.message(channel, message_id)
        if message.feedback_loop and label in _THUMBS:
            self.teams.feedback(account, channel, message_id, positive=label == "Helpful")
            self._judged[user] = (channel, message_id)
            return
        with suppress(KeyError):  # they go back to the answer first
            find_action(message, account, "Back to the answer")
            message.seen_by.pop(account)
        action = find_action(message, account, label)
        message.seen_by.pop(account, None)
        self.teams.press(account, channel, message_id, action)

    def forge(self, user: str, channel: str, message_id: str, label: str, turn_id: str) -> None:
        account, message = self.accounts[user], self.teams.message(channel, message_id)
        action = copy.deepcopy(find_action(message, account, label))
        action["data"]["turn"] = turn_id
        self.teams.press(account, channel, message_id, action)

    def stop(self, user: str, channel: str, thread: str) -> None:
        if channel == self.direct(user):
            for message in self.teams.answers(channel):
                if message.stream and message.stream.state != "final":
                    self.teams.cancel_stream(channel, message.id)

    def command(self, user: str, channel: str, words: str) -> None:
        root = self.say(user, channel, words, calling=True)
        self._commands.append((user, words, channel, root))

    def submit(self, user: str, text: str) -> None:
        if judged := self._judged.pop(user, None):
            self.teams.feedback(self.accounts[user], *judged, positive=False, text=text)
            return
        channel, message_id, form = self._card_of(user)
        (field,) = [element["id"] for element in elements(form) if element["type"] == "Input.Text"]
        send = copy.deepcopy(actions(form)[0])
        send["data"][field] = text
        self.teams.press(self.accounts[user], channel, message_id, send)

    # What people see

    def thread(self, channel: str, thread: str) -> list[Shown]:
        room = channel.partition(";")[0]
        if self.teams.conversation(room).kind == "personal":
            return [read_message(message) for message in self.teams.thread(room) if int(message.id) >= int(thread)]
        return [read_message(message) for message in self.teams.thread(room, thread)]

    def in_channel(self, channel: str) -> list[Shown]:
        room = channel.partition(";")[0]
        ours = self.teams.answers(room)
        return [
            read_message(message)
            for message in ours
            if message.conversation in {room, f"{room};messageid={message.id}"}
        ]

    def reports(self, channel: str) -> list[Shown]:
        roots = [root for _, words, where, root in self._commands if where == channel and words.startswith("sync ")]
        return [read_message(message) for root in roots for message in self.teams.answers(channel, root)]

    def alone(self, user: str) -> list[Shown]:
        """What commands were answered, and clicks, in order."""
        given = [(channel, root) for who, _, channel, root in self._commands if who == user]
        seen = [(message.at, read_message(message)) for where in given for message in self.teams.answers(*where)]
        seen += [(message.at, read_message(message)) for message in self.teams.targeted(self.accounts[user])]
        for clicked in self.teams.deliveries:
            if clicked.body["from"]["id"] == self.accounts[user] and isinstance(clicked.answer, dict):
                told = clicked.answer.get("value")
                seen += [(clicked.at, _read_response(told))] if told else []
        return [one for _, one in sorted(seen, key=lambda pair: pair[0])]

    def window(self, user: str) -> Shown | None:
        try:
            _, message_id, card = self._card_of(user)
        except LookupError:
            return None
        return _of_cards(message_id, BOT, [card])

    def private(self, user: str) -> Shown | None:
        targeted = self.teams.targeted(self.accounts[user])
        return read_message(targeted[-1]) if targeted else None

    def press(self, user: str, label: str) -> None:
        account = self.accounts[user]
        message = self.teams.targeted(account)[-1]
        self.teams.press(account, message.conversation, message.id, find_action(message, account, label))

    def _card_of(self, user: str) -> tuple[str, str, Json]:
        """What only this person sees in the place of an answer."""
        account = self.accounts[user]
        for there in self.teams.directory.conversations.values():
            for message in there.messages.values():
                if account in message.seen_by:
                    return there.id, message.id, message.seen_by[account]
        raise LookupError(f"{user} sees no card of their own")

    # How the platform fares

    def trouble(self, operation: Operation, trouble: Trouble, times: int = 1) -> None:
        for route in _ROUTES[operation]:
            self.teams.faults.add(route, _FAULTS[trouble], times=times)

    def refuse_posts(self, channel: str, *, alone: bool = False) -> None:
        def is_refused(given: Mapping[str, Any]) -> bool:
            return channel in str(given["conversation"]) and (alone or "isTargetedActivity" not in given)

        for route in ("post", "update"):
            self.teams.faults.add(route, Fault(status=403, error="Forbidden"), times=None, where=is_refused)

    def down(self) -> None:
        self.teams.faults.add("*", Fault(status=503), times=None)

    def up(self) -> None:
        self.teams.faults.clear()

    def told(self) -> bool:
        return not self.teams.pending


class TenantReferences:
    """A :class:`core.ports.teams.ReferenceStore` that was told of everything in the tenant."""

    def __init__(self, world: TeamsChatWorld) -> None:
        self._world = world
        self.moves: dict[tuple[str, str], str] = {}

    async def save(self, reference: Reference) -> None: ...

    async def load(self, team: str, conversation: str) -> Reference | None:
        return Reference(team, conversation, self._world.teams.service_url, BOT)

    async def save_user(self, person: TeamsUser) -> None: ...

    async def load_user(self, team: str, user: str) -> TeamsUser | None:
        account = self._world.accounts.get(user)
        return TeamsUser(team, user, account, self._world.teams.personal(account)) if account else None

    async def move(self, team: str, conversation: str, message_id: str, to: str) -> None:
        self.moves.setdefault((conversation, message_id), to)

    async def resolve_message(self, team: str, conversation: str, message_id: str) -> str:
        return self.moves.get((conversation, message_id), message_id)


def read_message(message: Message) -> Shown:
    """A message as people see it: citations with the names and addresses that Teams shows, and its own thumbs."""
    pings = [entity["text"] for entity in message.activity.get("entities") or [] if entity["type"] == "mention"]
    text, links = message.text, list[tuple[str, str]]()
    if message.activity.get("textFormat") == "markdown":
        text, links = read_markdown(text)
        for cited in message.citations:
            links.append((cited["name"], cited["url"]))
            text += f"\n[{cited['position']}] {cited['name']}"
    found = _of_cards(message.id, message.user, message.cards, text)
    thumbs = _THUMBS if message.feedback_loop else ()
    return Shown(
        found.message_id, found.user, found.text, (*links, *found.links), (*found.buttons, *thumbs),
        (*pings, *found.pings),
    )  # fmt: skip


def read_markdown(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What can be read, a paragraph a line, and the links, label and address. HTML and pictures would be faults."""
    lines: list[str] = []
    links: list[tuple[str, str]] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        assert token.type not in ("html_block", "table_open"), text
        if token.type == "fence":
            lines.append(token.content)
        inline = token.children or []
        for at, child in enumerate(inline):
            assert child.type not in ("html_inline", "image"), text
            if child.type == "link_open":
                links.append((inline[at + 1].content, str(child.attrs["href"])))
        if inline:
            lines.append("".join("\n" if child.type.endswith("break") else child.content for child in inline))
    return "\n".join(lines), links


def _read_response(value: Any) -> Shown:
    """The answer to a click."""
    return _of_cards("", BOT, [value]) if isinstance(value, dict) else Shown("", BOT, str(value))


def _of_cards(message_id: str, user: str, cards: list[Json], text: str = "") -> Shown:
    texts, links, buttons, pings = [text] if text else [], [], [], []
    for card in cards:
        pings += [entity["text"] for entity in card.get("msteams", {}).get("entities", [])]
        for element in elements({**card, "body": _without_phones(card["body"])}):
            match element.get("type"):
                case "RichTextBlock":
                    texts.append("".join(run["text"] for run in element["inlines"]))
                    links += [
                        (run["text"], run["selectAction"]["url"]) for run in element["inlines"] if "selectAction" in run
                    ]
                case "TextBlock":
                    assert re.fullmatch(r"[^\\`*_\[\]()<>#~|{}/@]+", element["text"]), "a TextBlock has markup"
                    texts.append(element["text"])
                case "Input.Text":
                    texts += [element["label"], str(element.get("value") or "")]
                case "Action.Execute" if element["title"] not in texts:
                    buttons.append(element["title"])
    return Shown(message_id, user, "\n".join(texts), tuple(links), tuple(buttons), tuple(pings))


def _without_phones(body: Any) -> Any:
    """The body as it stands on a wide screen."""
    if isinstance(body, list):
        return [_without_phones(one) for one in body if not (isinstance(one, dict) and _is_for_phones(one))]
    if isinstance(body, dict):
        return {name: _without_phones(value) for name, value in body.items()}
    return body


def _is_for_phones(element: Json) -> bool:
    return str(element.get("targetWidth", "")).startswith("atMost")
