"""The workspace for tests: what people do and see in it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from tests.servers.chat_server import Delivery, Json
from tests.servers.slack import payloads
from tests.servers.slack.methods import show_alone
from tests.servers.slack.payloads import changed_event, deleted_event, envelope, message_event, message_json
from tests.servers.slack.server import SlackServer
from tests.servers.slack.state import APP, BOT, BOT_USER, TEAM, TOKEN, Channel, Message, RequestError, User, View


class SlackWorld(SlackServer):
    """One workspace with the bot in it."""

    team, app, bot, bot_id = TEAM, APP, BOT_USER, BOT

    def __init__(
        self, signing_secret: str = "signing-secret", bot_token: str = "xoxb-world", app_token: str = "xapp-world"
    ) -> None:
        super().__init__(signing_secret, bot_token, app_token)
        self.workspace.users[BOT_USER] = User(BOT_USER, "wikiwhy", "WikiWhy", bot=True)

    # What people do

    def add_user(self, name: str, **about: Any) -> str:
        """Add a person. ``about``: further fields of :class:`User`."""
        if about.get("stranger"):
            about.setdefault("team", "T0STRANGER")
        user = User(self.workspace.new_id("U"), name, about.pop("real_name", None) or name.capitalize(), **about)
        self.workspace.users[user.id] = user
        return user.id

    def add_channel(
        self,
        name: str,
        *,
        members: Iterable[str] = (),
        private: bool = False,
        ext_shared: bool = False,
        bot: bool = True,
    ) -> str:
        """Add a channel. ``bot``: whether the bot is a member."""
        channel_id = self.workspace.new_id("G" if private else "C")
        there = {*members, BOT_USER} if bot else {*members}
        self.workspace.channels[channel_id] = Channel(channel_id, name, there, private, ext_shared)
        return channel_id

    def add_direct(self, *people: str) -> str:
        """Add direct messages between people, without the bot."""
        channel_id = self.workspace.new_id("D")
        stranger = any(self.workspace.user(each).stranger for each in people)
        self.workspace.channels[channel_id] = Channel(channel_id, "", {*people}, private=True, ext_shared=stranger)
        return channel_id

    def share(self, channel: str, shared: bool = True) -> None:
        """Share a channel with another organisation, or end that, and send the event."""
        self.channel(channel).ext_shared = shared
        kind = "channel_shared" if shared else "channel_unshared"
        who = "connected_team_id" if shared else "previously_connected_team_id"
        self.event({"type": kind, who: "E0PARTNER01", "channel": channel, "event_ts": f"{time.time():.6f}"}, channel)

    def join(self, user: str, channel: str) -> None:
        self.channel(channel).members.add(user)

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        *,
        thread: str | None = None,
        files: Sequence[Json] = (),
        as_kinds: Sequence[str] | None = None,
        deliveries: int = 1,
    ) -> str:
        """Post a message and send its events; return its ``ts``.

        ``as_kinds``: the types of the events; by default ``message``, and ``app_mention`` for a mention of the bot.
        ``deliveries``: how often each event is sent; all but the first are marked as retries.
        """

        def say() -> str:
            there, person = self.channel(channel), self.workspace.user(user)
            bot_id = f"B{user[1:]}" if person.bot else None
            message = Message(channel, self.workspace.new_ts(), user, text, [], thread, bot_id, files=list(files))
            there.add(message)
            mentioned = f"<@{BOT_USER}" in text and not there.im_with and not bot_id
            usual = ("app_mention", "message") if mentioned else ("message",)
            for kind in usual if as_kinds is None else as_kinds:
                event = message_event(self.workspace, there, message, kind)
                self.send_event(envelope(event, there), deliveries)
            return message.ts

        return self.do(say)

    def direct_message(self, user: str, text: str) -> str:
        return self.say(user, self.direct_channel(user), text)

    def direct_channel(self, user: str) -> str:
        """Return the user's channel with the bot."""
        return self.workspace.direct(user).id

    def edit(self, channel: str, ts: str, text: str) -> None:
        def edit() -> None:
            there = self.channel(channel)
            message = self.workspace.message(there, ts)
            before = message_json(self.workspace, there, message)
            message.edited_at = self.workspace.new_ts()
            message.change(text, [])
            self.send_event(envelope(changed_event(self.workspace, there, message, before), there))

        self.do(edit)

    def delete(self, channel: str, ts: str) -> None:
        def delete() -> None:
            there = self.channel(channel)
            message = self.workspace.message(there, ts)
            before = message_json(self.workspace, there, message)
            message.deleted = True
            self.send_event(envelope(deleted_event(self.workspace, there, message, before), there))

        self.do(delete)

    def click(self, user: str, channel: str, ts: str, wanted: str) -> Delivery:
        """Click a button, named by its action id or text, also in an ephemeral message."""
        return self._click(user, channel, ts, wanted, "")

    def feedback(self, user: str, channel: str, ts: str, *, positive: bool) -> Delivery:
        """Click a thumb of a ``feedback_buttons`` element."""
        return self._click(user, channel, ts, "", "positive" if positive else "negative")

    def _click(self, user: str, channel: str, ts: str, wanted: str, thumb: str) -> Delivery:
        there = self.channel(channel)
        alone = next((message for message in there.ephemerals if message.ts == ts), None)
        message = alone or self.workspace.message(there, ts)
        if thumb:
            clickable = payloads.clickable(message.blocks)
            block, element = next(pair for pair in clickable if pair[1]["type"] == "feedback_buttons")
        else:
            block, element = payloads.find_clickable(message.blocks, wanted)
        body = payloads.click_payload(self.workspace, user, there, message, block, element, thumb)
        return self._interact(Delivery("block_actions", body))

    def submit(self, view: View, values: Json) -> Delivery:
        """Submit a modal. ``values``: texts by action id. The modal closes unless the response names errors."""
        delivery = Delivery("view_submission", payloads.submission_payload(self.workspace, view, values))

        def close() -> None:
            errors = isinstance(delivery.answer, dict) and delivery.answer.get("response_action") == "errors"
            view.open = view.open and (errors or delivery.status != 200)

        return self._interact(delivery, close)

    def command(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Run a slash command. Its immediate response is added to :meth:`ephemerals`."""
        there = self.channel(channel)
        body = payloads.command_form(self.workspace, user, there, command, text)
        delivery = Delivery("command", body)

        def show() -> None:
            given = {"text": delivery.answer} if isinstance(delivery.answer, str) else delivery.answer
            if delivery.status != 200 or not given or given == {"text": ""}:
                return
            try:
                show_alone(self.workspace, there, user, given)
            except RequestError as error:
                self.note_refusal("command", error, given)

        return self._interact(delivery, show)

    def _interact(self, delivery: Delivery, then: Any = lambda: None) -> Delivery:
        async def send() -> None:
            await self.sender.interaction(delivery)
            then()

        self.do(lambda: self.sender.later(send()))
        return delivery

    def event(self, event: Json, channel: str | None = None, *, team: str = TEAM) -> None:
        """Send any other event in a complete envelope."""
        body = envelope(event, self.channel(channel) if channel else None, team)
        self.do(self.send_event, body)

    def share_links(self, user: str, channel: str, text: str, *urls: str, thread: str | None = None) -> str:
        """Post a message with links to hosts that the app registered; return its ``ts``.

        The event is also sent if the bot is not a member: https://docs.slack.dev/reference/events/link_shared.
        """
        ts = self.say(user, channel, text, thread=thread, as_kinds=())
        links = [{"domain": url.split("/")[2], "url": url} for url in urls]
        event: Json = {"type": "link_shared", "user": user, "channel": channel, "message_ts": ts, "links": links}
        event |= {"source": "conversations_history", "unfurl_id": "C1.1", "event_ts": ts}
        event["is_bot_user_member"] = BOT_USER in self.channel(channel).members
        self.event(event | ({"thread_ts": thread} if thread else {}), channel)
        return ts

    def click_preview(self, user: str, channel: str, ts: str, url: str, wanted: str) -> Delivery:
        """Click a button of a link preview."""
        there = self.channel(channel)
        message = self.workspace.message(there, ts)
        block, element = payloads.find_clickable(message.previews[url], wanted)
        body = payloads.click_payload(self.workspace, user, there, message, block, element)
        more = {"type": "message_attachment", "attachment_id": 1, "is_app_unfurl": True, "app_unfurl_url": url}
        body["container"] |= more
        return self._interact(Delivery("block_actions", body))

    def stop(self, user: str, channel: str, thread: str) -> None:
        """Press the stop button of a thread in which the bot works. Slack stops its streams."""

        def stop() -> None:
            there = self.channel(channel)
            open_ones = [message for message in there.threads.get(thread, []) if message.streaming]
            for message in open_ones:
                message.streaming, message.stopped_by = False, user
            event = {"type": "agent_session_stopped", "user": user, "channel": channel, "thread_ts": thread}
            about = {"streaming_message_ts": [each.ts for each in open_ones], "event_ts": f"{time.time():.6f}"}
            self.send_event(envelope(event | about, there))

        self.do(stop)

    def open_home(self, user: str, tab: str = "home") -> None:
        """Open the app's home tab or messages tab."""
        event = {"type": "app_home_opened", "user": user, "channel": self.direct_channel(user), "tab": tab}
        self.event(event | {"event_ts": f"{time.time():.6f}"})

    def verify_url(self, challenge: str = "challenge") -> Delivery:
        body = {"token": TOKEN, "challenge": challenge, "type": "url_verification"}
        return self.run(self.sender.event("url_verification", body))

    # What people see

    def channel(self, channel: str) -> Channel:
        return self.workspace.channel(channel)

    def message(self, channel: str, ts: str) -> Message:
        return self.channel(channel).messages[ts]

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Return what everybody sees, the first message first."""
        return [message for message in self.channel(channel).threads.get(ts, []) if not message.deleted]

    def answers(self, where: str, thread: str = "") -> list[Message]:
        return [message for message in self.thread(where, thread) if message.user == BOT_USER]

    def ephemerals(self, user: str) -> list[Message]:
        """Return the ephemeral messages of a user in all channels."""
        channels = list(self.workspace.channels.values())
        return [message for channel in channels for message in channel.ephemerals if message.ephemeral_to == user]

    def home(self, user: str) -> list[Json]:
        """Return the blocks of the home tab of a user."""
        found = self.workspace.homes.get(user)
        return list(found.view["blocks"]) if found else []

    @property
    def views(self) -> dict[str, View]:
        """The topmost open modal per user."""
        return {view.user: view for view in list(self.workspace.views.values()) if view.open}
