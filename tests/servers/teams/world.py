"""The tenant for tests: what people do and see in it.

https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events
"""

from __future__ import annotations

import datetime
import json
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from tests.servers.chat_server import Delivery, Json
from tests.servers.teams import arriving, cards
from tests.servers.teams.arriving import at
from tests.servers.teams.server import TeamsServer
from tests.servers.teams.state import ADAPTIVE, BOT, Conversation, Kind, Message, User


class TeamsWorld(TeamsServer):
    """One tenant with the bot in it.

    ``where``: the id of a conversation, a thread with ``;messageid=``, or a user's id for their chat with the bot.
    ``deliveries``: how often an activity is sent to the bot.
    """

    # Who and what there is

    def add_user(self, name: str, **about: Any) -> str:
        """Add a person and return the id ``29:…``. ``about``: further fields of :class:`User`."""
        about.setdefault("object_id", str(uuid.uuid4()))
        account = f"28:{uuid.uuid4()}" if about.get("robot") else self.directory.new_user_id()
        self.directory.users[account] = User(account, name, **about)
        return account

    def user(self, user: str) -> User:
        return self.directory.user(user)

    def personal(self, user: str) -> str:
        """Return the user's chat with the bot."""
        return self.directory.personal(user).id

    def add_group(self, name: str, *, members: Iterable[str] = ()) -> str:
        return self._add("groupChat", name, members)

    def add_channel(self, name: str, *, members: Iterable[str] = (), bot: bool = True, shared: bool = False) -> str:
        """Add a channel in a new team. ``bot``: whether the app is installed. ``shared``: with other organisations."""
        return self._add("channel", name, members, f"19:{uuid.uuid4().hex}@thread.tacv2", bot, shared)

    def _add(self, kind: Kind, name: str, members: Iterable[str], *more: Any) -> str:
        there = Conversation(self.directory.new_conversation_id(kind), kind, name, {*members}, *more)
        self.directory.conversations[there.id] = there
        return there.id

    # What people do

    def say(
        self,
        user: str,
        where: str,
        text: str,
        *,
        mention: bool = True,
        to: Sequence[str] = (),
        thread: str = "",
        attachments: Sequence[Json] = (),
        quote: tuple[str, str] | None = None,
        deliveries: int = 1,
    ) -> str:
        """Post a message, and send it to the bot if the bot may read it; return the message's id.

        ``mention``: whether the bot is mentioned before the text, except in personal chats. ``to``: other people to
        mention. ``thread``: the id of the thread's first message. ``quote``: sender and text of the message that this
        one replies to.
        """
        there, root = self.directory.conversation(where)
        body = self._write(user, there, thread or root, text, mention, to, attachments)
        body = arriving.quote_before(body, *quote) if quote else body
        message_id = str(body["id"])
        if there.kind == "channel" and not (thread or root):
            body["conversation"]["id"] = there.full_id(message_id)
        there.messages[message_id] = Message(str(body["conversation"]["id"]), message_id, user, body)
        if self._may_read(there, body):
            self._deliver("message", body, deliveries)
        return message_id

    def _write(
        self, user: str, there: Conversation, root: str, text: str, mention: bool, to: Sequence[str] = (),
        attachments: Sequence[Json] = (),
    ) -> Json:  # fmt: skip
        people = [self.user(one) for one in to]
        if mention and there.kind != "personal" and at(self.bot_name) not in text:
            text = f"{at(self.bot_name)} {text}"
        for one in people:
            text = text if at(one.name) in text else f"{text} {at(one.name)}"
        return arriving.message(self, self.user(user), there, root, text, people, attachments)

    def _may_read(self, there: Conversation, body: Json) -> bool:
        """Whether the bot receives a message: in personal chats, with a mention, or with the owners' consent.

        https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/channel-messages-with-rsc
        """
        mentioned = [entity["mentioned"]["id"] for entity in body["entities"] if entity["type"] == "mention"]
        return there.with_bot and (self.reads_all or there.kind == "personal" or f"28:{self.app_id}" in mentioned)

    def _deliver(self, kind: str, body: Json, copies: int = 1) -> Delivery:
        delivery = Delivery(kind, body)
        self.do(lambda: self.sender.later(self.sender.deliver(delivery, copies)))
        return delivery

    def edit(self, where: str, message_id: str, text: str) -> None:
        self._change(where, message_id, "messageUpdate", "editMessage", text)

    def delete(self, where: str, message_id: str) -> None:
        self._change(where, message_id, "messageDelete", "softDeleteMessage", "")

    def _change(self, where: str, message_id: str, kind: str, event: str, text: str) -> None:
        there = self.conversation(where)
        message = self.directory.message(there, message_id)
        before = message.activity
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        data = before["channelData"] | {"eventType": event}
        body = {**before, "type": kind, "timestamp": now, "text": text, "channelData": data}
        if kind == "messageDelete":
            message.deleted = True
            body = {name: value for name, value in body.items() if name not in ("text", "attachments", "entities")}
        else:
            message.change({**before, "text": text})
        if self._may_read(there, before):
            self._deliver(kind, body)

    def paste_link(self, user: str, where: str, url: str) -> Json | None:
        """Paste a link into the message that a person is writing; return the card that Teams would send with it."""
        delivery = self.send(self.invoke(user, where, "composeExtension/queryLink", {"url": url}))
        shown = (delivery.answer or {}).get("composeExtension")
        return shown["attachments"][0]["content"] if shown else None

    def click(
        self,
        user: str,
        where: str,
        message_id: str,
        wanted: str,
        *,
        values: Json | None = None,
        fallback: bool = False,
        deliveries: int = 1,
    ) -> Delivery:
        """Click a button by its title, verb or id. ``values``: of the card's inputs.

        ``fallback``: whether to act as an older client, which uses Action.Submit. Copies of an invoke have new ids.
        """
        action = cards.find_action(self.message(where, message_id), user, wanted)
        action = action["fallback"] if fallback else action
        return self.press(user, where, message_id, action, values=values, deliveries=deliveries)

    def press(
        self, user: str, where: str, message_id: str, action: Json, *, values: Json | None = None, deliveries: int = 1
    ) -> Delivery:
        """Press any action, also a forged one that is on no card."""
        there, message, person = self.conversation(where), self.message(where, message_id), self.user(user)
        root, data = message.root, {**action.get("data", {}), **(values or {})}
        if action["type"] != "Action.Execute":
            body = arriving.submitted(self, person, there, root, message_id, data)
            return self._deliver("message", body, deliveries)
        value = arriving.execute(action, data)
        body = arriving.invoke(self, person, there, root, "adaptiveCard/action", value) | {"replyToId": message_id}
        delivery = Delivery("adaptiveCard/action", body)
        self.do(lambda: self.sender.later(self._execute(delivery, message, user, deliveries)))
        return delivery

    async def _execute(self, delivery: Delivery, message: Message, user: str, copies: int) -> None:
        """Deliver an invoke; a card in the response replaces the message for this person."""
        await self.sender.deliver(delivery, copies)
        for one in self.deliveries:
            same = one.body.get("replyToId") == message.id and one.body.get("value") == delivery.body["value"]
            if same and one.status == 200 and isinstance(one.answer, dict) and one.answer.get("type") == ADAPTIVE:
                message.seen_by[user] = one.answer["value"]

    def feedback(
        self,
        user: str,
        where: str,
        message_id: str,
        *,
        positive: bool,
        text: str = "",
        plain: bool = False,
        reply_to: bool = True,
    ) -> Delivery:
        """Press a thumb. ``plain``: send the reason as plain text, not as JSON; ``reply_to``: name the message."""
        message = self.message(where, message_id)
        assert message.feedback_loop == "default", f"no thumbs under {message.text[:80]!r}"
        given = text if plain else json.dumps({"feedbackText": text})
        reaction = {"reaction": "like" if positive else "dislike", "feedback": given}
        value = {"actionName": "feedback", "actionValue": reaction}
        body = self.invoke(user, message.conversation, "message/submitAction", value)
        return self._deliver("message/submitAction", body | ({"replyToId": message_id} if reply_to else {}))

    def install(self, user: str, where: str, *, deliveries: int = 1) -> None:
        """Install the app: send installationUpdate and conversationUpdate."""
        there, person = self.conversation(where), self.user(user)
        there.with_bot = True
        body = arriving.activity(self, "installationUpdate", person, there, action="add", locale=person.locale)
        self._deliver("installationUpdate", body, deliveries)
        self._send_members(person, there, "membersAdded", {"id": f"28:{self.app_id}"}, deliveries)

    def join(self, user: str, where: str) -> None:
        there, person = self.conversation(where), self.user(user)
        there.members.add(user)
        self._send_members(person, there, "membersAdded", {"id": person.id, "aadObjectId": person.object_id})

    def leave(self, user: str, where: str) -> None:
        there, person = self.conversation(where), self.user(user)
        there.members.discard(user)
        self._send_members(person, there, "membersRemoved", {"id": person.id, "aadObjectId": person.object_id})

    def _send_members(self, person: User, there: Conversation, changed: str, who: Json, deliveries: int = 1) -> None:
        """Send a conversationUpdate if the bot is installed."""
        body = arriving.activity(self, "conversationUpdate", person, there) | {changed: [who]}
        if there.kind == "channel":
            event = "teamMemberAdded" if changed == "membersAdded" else "teamMemberRemoved"
            body["channelData"] = body["channelData"] | {"eventType": event}
        if there.with_bot:
            self._deliver("conversationUpdate", body, deliveries)

    # Anything else that could arrive

    def activity(
        self, user: str, where: str, text: str, *, mention: bool = True, thread: str = "", **more: Any
    ) -> Json:
        """Return a message as :meth:`say` sends it, without sending it; ``more`` replaces fields."""
        there, root = self.directory.conversation(where)
        return self._write(user, there, thread or root, text, mention) | more

    def invoke(self, user: str, where: str, name: str, value: Json, **more: Any) -> Json:
        """Return an invoke without sending it."""
        there, root = self.directory.conversation(where)
        return arriving.invoke(self, self.user(user), there, root, name, value) | more

    def send(self, activity: Json, authorization: str | None = "") -> Delivery:
        """Send an activity once and wait for the response. ``authorization``: replaces the header; None: no header."""
        delivery = Delivery(str(activity.get("name") or activity.get("type")), activity)
        self.run(self.sender.send(delivery, authorization))
        return delivery

    # What people see

    def conversation(self, where: str) -> Conversation:
        return self.directory.conversation(where)[0]

    def message(self, where: str, message_id: str) -> Message:
        return self.conversation(where).messages[message_id]

    def thread(self, where: str, root: str = "") -> list[Message]:
        """Return what everybody sees, in order, in a thread or, without ``root``, in a chat or channel."""
        there, named = self.directory.conversation(where)
        full = there.full_id(root or named)
        messages = [one for one in list(there.messages.values()) if not one.deleted and not one.only_for]
        return [one for one in messages if full in (there.id, one.conversation)]

    def targeted(self, user: str) -> list[Message]:
        """Return the targeted messages of a person in all conversations, in order."""
        there = [one for conversation in list(self.directory.conversations.values()) for one in
                 list(conversation.messages.values())]  # fmt: skip
        return [one for one in there if one.only_for == user and not one.deleted]

    def answers(self, where: str, thread: str = "") -> list[Message]:
        return [message for message in self.thread(where, thread) if message.user == BOT]

    def typing(self, where: str) -> int:
        """Count the typing indicators there, without streams."""
        there, root = self.directory.conversation(where)
        return sum(thread == there.full_id(root) for _, thread in there.typing)

    def cancel_stream(self, where: str, message_id: str) -> None:
        """Press Stop while the bot works."""
        stream = self.message(where, message_id).stream
        assert stream
        stream.state = "cancelled"

    def close(self, where: str) -> None:
        """Delete the conversation."""
        self.conversation(where).gone = True
