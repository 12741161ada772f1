"""The Slack workspace as a :class:`tests.contracts.chat_world.ChatWorld`."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from core.ports.chat import Place
from tests.contracts.chat_world import Operation, Shown, Trouble
from tests.servers.chat_server import Json
from tests.servers.faults import Fault
from tests.servers.slack import payloads
from tests.servers.slack.blocks import texts_in
from tests.servers.slack.state import Message
from tests.servers.slack.streams import read_markdown
from tests.servers.slack.text import pings_in
from tests.servers.slack.world import SlackWorld

_METHODS: dict[Operation, tuple[str, ...]] = {
    "post": ("chat.postMessage",),
    "show": ("assistant.threads.setStatus",),
    "update": ("chat.update",),
    "remove": ("chat.delete",),
    "people": ("users.info",),
    "audience": ("conversations.info",),
    "thread": ("conversations.replies",),
}
_FAULTS: dict[Trouble, Fault] = {
    "slow down": Fault(status=429, retry_after=1),
    "broken": Fault(status=500),
    "gone": Fault(error="channel_not_found"),
    "cut": Fault(drop_after=True),
    "unknown": Fault(error="user_not_found"),
    "forbidden": Fault(error="cant_delete_message"),
}
_ANGLE = re.compile(r"<([^<>|\n]+)(?:\|([^<>\n]*))?>")


class SlackChatWorld:
    """See :class:`tests.contracts.chat_world.ChatWorld`; ``slack`` has all that only Slack has."""

    people_call, audience_call = "users.info", "conversations.info"

    def __init__(self, slack: SlackWorld) -> None:
        self.slack = slack
        self.bot = slack.bot

    @property
    def updates(self) -> int:
        return sum(call.method == "chat.update" for call in self.slack.calls)

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
        about: dict[str, Any] = {"restricted": guest, "stranger": elsewhere, "bot": robot, "locale": locale}
        return self.slack.add_user(name, email=email or None, **about)

    def channel(self, name: str, *members: str, shared: bool = False, with_bot: bool = True) -> str:
        return self.slack.add_channel(name, members=members, ext_shared=shared, bot=with_bot)

    def share(self, channel: str, shared: bool = True) -> None:
        self.slack.share(channel, shared)

    def direct(self, user: str) -> str:
        return self.slack.direct_channel(user)

    def place(self, channel: str, thread: str) -> Place:
        return Place("slack", self.slack.team, channel, thread, direct=channel.startswith("D"))

    def say(
        self, user: str, channel: str, text: str, thread: str = "", *,
        calling: bool = False, to: str = "", files: bool = False, times: int = 1,
    ) -> str:  # fmt: skip
        mentions = [f"<@{called}>" for called in (self.bot if calling else "", to) if called]
        said = " ".join([*mentions, text])
        attached: list[Json] = [{"id": "F1", "name": "plan.pdf", "mimetype": "application/pdf"}] if files else []
        return self.slack.say(user, channel, said, thread=thread or None, files=attached, deliveries=times)

    def fill(self, user: str, channel: str, thread: str, texts: list[str]) -> None:
        async def fill() -> None:
            there = self.slack.workspace.channel(channel)
            for text in texts:
                there.add(Message(channel, self.slack.workspace.new_ts(), user, text, thread_ts=thread))

        self.slack.run(fill())

    def edit(self, channel: str, message_id: str, text: str) -> None:
        self.slack.edit(channel, message_id, text)

    def delete(self, channel: str, message_id: str) -> None:
        self.slack.delete(channel, message_id)

    def click(self, user: str, channel: str, message_id: str, label: str) -> None:
        for _, element in payloads.clickable(self.slack.message(channel, message_id).blocks):
            for chosen in ("positive", "negative") if element["type"] == "feedback_buttons" else ():
                if element[f"{chosen}_button"]["text"]["text"] == label:
                    self.slack.feedback(user, channel, message_id, positive=chosen == "positive")
                    return
        self.slack.click(user, channel, message_id, label)

    def forge(self, user: str, channel: str, message_id: str, label: str, turn_id: str) -> None:
        message = self.slack.message(channel, message_id)
        _, element = payloads.find_clickable(message.blocks, label)
        kept, element["value"] = element["value"], turn_id
        self.slack.click(user, channel, message_id, label)
        element["value"] = kept

    def stop(self, user: str, channel: str, thread: str) -> None:
        self.slack.stop(user, channel, thread)

    def command(self, user: str, channel: str, words: str) -> None:
        self.slack.command(user, channel, "/wiki", words)

    def submit(self, user: str, text: str) -> None:
        self.slack.submit(self.slack.views[user], {"text": text})

    def thread(self, channel: str, thread: str) -> list[Shown]:
        return [read_message(message) for message in self.slack.thread(channel, thread)]

    def in_channel(self, channel: str) -> list[Shown]:
        messages = list(self.slack.channel(channel).messages.values())
        return [read_message(message) for message in messages if message.user == self.bot and not message.thread_ts]

    def reports(self, channel: str) -> list[Shown]:
        return self.in_channel(channel)

    def alone(self, user: str) -> list[Shown]:
        return [read_message(message) for message in self.slack.ephemerals(user)]

    def window(self, user: str) -> Shown | None:
        view = self.slack.views.get(user)
        if view is None:
            return None
        title = view.view["title"]["text"]
        return _of_blocks(view.id, self.bot, view.view["blocks"], title)

    def private(self, user: str) -> Shown | None:
        alone = self.slack.ephemerals(user)
        return self.window(user) or (read_message(alone[-1]) if alone else None)

    def press(self, user: str, label: str) -> None:
        view = self.slack.views.get(user)
        if view is None:
            alone = self.slack.ephemerals(user)[-1]
            self.slack.click(user, alone.channel, alone.ts, label)
        elif view.view.get("submit", {}).get("text") == label:
            self.slack.submit(view, {})
        else:
            raise KeyError(f"nothing to press by the name of {label!r}")

    def trouble(self, operation: Operation, trouble: Trouble, times: int = 1) -> None:
        for method in _METHODS[operation]:
            self.slack.faults.add(method, _FAULTS[trouble], times=times)

    def refuse_posts(self, channel: str, *, alone: bool = False) -> None:
        for method in ("chat.postMessage", "chat.update", *(("chat.postEphemeral",) if alone else ())):
            fault = Fault(error="restricted_action")
            self.slack.faults.add(method, fault, times=None, where=lambda given: given.get("channel") == channel)
        if alone:
            self.slack.faults.add("views.open", Fault(error="expired_trigger_id"), times=None)

    def down(self) -> None:
        self.slack.faults.add("*", Fault(error="fatal_error"), times=None)

    def up(self) -> None:
        self.slack.faults.clear()

    def told(self) -> bool:
        return not self.slack.pending


def read_message(message: Message) -> Shown:
    """A message by its blocks, which is what people see, or by its text where it has none."""
    pings = tuple(ping.target for ping in pings_in(message) if ping.kind not in {"link", "date", "channel"})
    if message.user != SlackWorld.bot or not message.blocks:
        return Shown(message.ts, message.user, html.unescape(message.text), pings=pings)
    found = _of_blocks(message.ts, message.user, message.blocks)
    return Shown(found.message_id, found.user, found.text, found.links, found.buttons, pings)


def read_blocks(blocks: list[Json]) -> Shown:
    """Blocks as people see them."""
    return _of_blocks("", SlackWorld.bot, blocks)


def _of_blocks(message_id: str, user: str, blocks: list[Json], title: str = "") -> Shown:
    texts = [title] if title else []
    links: list[tuple[str, str]] = []
    for text in _texts(blocks):
        links += [(html.unescape(label), html.unescape(url)) for url, label in _ANGLE.findall(text)]
        texts.append(html.unescape(_ANGLE.sub(lambda found: found[2] or found[1], text)))
    return Shown(message_id, user, "\n".join(texts), tuple(links), tuple(_buttons(blocks)))


def _texts(blocks: list[Json]) -> Iterator[str]:  # noqa: C901 - one case for each kind of block
    for block in blocks:
        match block["type"]:
            case "section":
                yield from (text["text"] for text in (block.get("text"), *block.get("fields", ())) if text)
            case "markdown":
                yield read_markdown(block["text"], "<{url}|{label}>")
            case "header":
                yield block["text"]["text"]
            case "data_visualization":
                yield " ".join([block["title"], *(point["label"] for point in block["chart"]["series"][0]["data"])])
            case "data_table":
                yield from (" ".join(texts_in(cell)) for row in block["rows"] for cell in row)
            case "context":
                yield from (element["text"] for element in block["elements"] if "text" in element)
            case "input":
                yield from (block["label"]["text"], str(block["element"].get("initial_value") or ""))
            case "container":  # opened
                yield from (block["title"]["text"], *_texts(block["child_blocks"]))
            case "divider" | "actions" | "context_actions":
                pass
            case other:
                raise ValueError(f"what people see of a {other} block is not known: {json.dumps(block)[:200]}")


def _buttons(blocks: list[Json]) -> Iterator[str]:
    for _, element in payloads.clickable(blocks):
        if element["type"] == "button":
            yield element["text"]["text"]
        elif element["type"] == "feedback_buttons":
            yield from (element[f"{which}_button"]["text"]["text"] for which in ("positive", "negative"))
