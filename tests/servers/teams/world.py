"""The tenant as a test holds it in its hands."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tests.servers.parts import until, wait_until
from tests.servers.teams import arriving, installing, people_acts
from tests.servers.teams.arriving import at
from tests.servers.teams.context import Context
from tests.servers.teams.delivery import Delivery
from tests.servers.teams.server import TeamsServer
from tests.servers.teams.state import BOT, Conversation, Json, Message, User

Result = TypeVar("Result")


class TeamsWorld(TeamsServer):
    """One tenant with the bot in it, served by threads of its own while the ``with`` block lasts.

    Methods of people (``say``, ``click`` …) return at once; what the bot does with it is seen later: wait for it with
    :meth:`await_message`, :meth:`wait_until` or, in a coroutine whose loop the bot runs in, :meth:`until`.
    """

    # People

    def add_user(self, name: str, **about: Any) -> str:
        """``about``: as :class:`User` has it: email, upn, role, tenant, object_id … Returns the id ``29:…``."""
        about.setdefault("object_id", str(uuid.uuid4()))
        account = f"28:{uuid.uuid4()}" if about.get("robot") else self.context.tenant.new_user_id()
        user = User(account, name, **about)
        self.context.tenant.users[user.id] = user
        return user.id

    def user(self, user: str) -> User:
        return self.context.tenant.user(user)

    def personal(self, user: str) -> str:
        """Their chat with the bot."""

        def find(context: Context) -> str:
            return context.tenant.personal(user).id

        return self.do(find)

    def add_group(self, name: str, *, members: Iterable[str] = (), bot: bool = True) -> str:
        return self.do(installing.add_conversation, "groupChat", name, members, "", bot)

    def add_team(self, name: str) -> str:
        return self.do(installing.add_team, name)

    def add_channel(
        self, name: str, *, members: Iterable[str] = (), team: str = "", bot: bool = True, shared: bool = False
    ) -> str:
        """``team``: a new one by default. ``bot``: whether the app is installed in it. ``shared``: with others."""
        where = self.do(installing.add_conversation, "channel", name, members, team or self.add_team(name), bot)
        self.conversation(where).shared = shared
        return where

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
        deliveries: int = 1,
    ) -> str:
        """Posts it, and tells the bot if it may hear it; returns the message's id.

        ``where``: a conversation, with ``;messageid=`` or ``thread`` (the root's id) for a reply in a channel, or a
        user's id for their own chat with the bot. ``mention``: of the bot, before the text unless :attr:`at_bot`
        stands in it; never in personal chats. ``to``: other people mentioned. ``deliveries``: how often it arrives.
        """
        return self.do(people_acts.say, user, where, text, mention, to, thread, attachments, deliveries)

    @property
    def at_bot(self) -> str:
        return at(self.context.bot_name)

    def edit(self, where: str, message_id: str, text: str) -> None:
        self.do(people_acts.edit, where, message_id, text)

    def delete(self, where: str, message_id: str) -> None:
        self.do(people_acts.delete, where, message_id)

    def undelete(self, where: str, message_id: str) -> None:
        self.do(people_acts.undelete, where, message_id)

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
        """A button by its title, verb or id; a suggested action too. ``values``: of the card's inputs.

        ``fallback``: as an older client, which submits where it cannot execute. Copies of an invoke have new ids.
        """
        return self.do(people_acts.click, user, where, message_id, wanted, values or {}, fallback, deliveries)

    def press(self, user: str, where: str, message_id: str, action: Json, *, deliveries: int = 1) -> Delivery:
        """Any action, also one that stands on no card: a forged one."""

        def press(context: Context) -> Delivery:
            there, _ = context.tenant.conversation(where)
            message = there.messages[message_id]
            root = message.conversation.partition(";messageid=")[2]
            return people_acts.pressed(context, user, there, root, message, action, {}, deliveries)

        return self.do(press)

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
        deliveries: int = 1,
    ) -> Delivery:
        """A thumb. ``plain``: the reason as a bare text, not JSON in a text; ``reply_to``: names the message."""
        given = (user, where, message_id, positive, text, plain, reply_to, deliveries)
        return self.do(people_acts.feedback, *given)

    def install(self, user: str, where: str, *, deliveries: int = 1) -> list[Delivery]:
        """The installationUpdate and the conversationUpdate."""
        return self.do(installing.install, user, where, "add", deliveries)

    def uninstall(self, user: str, where: str) -> list[Delivery]:
        return self.do(installing.install, user, where, "remove", 1)

    def join(self, user: str, where: str) -> Delivery | None:
        return self.do(installing.join, user, where, True)

    def leave(self, user: str, where: str) -> Delivery | None:
        return self.do(installing.join, user, where, False)

    def rename(self, user: str, where: str, name: str) -> Delivery:
        return self.do(installing.rename, user, where, name)

    def react(self, user: str, where: str, message_id: str, kind: str = "like") -> Delivery:
        return self.do(installing.react, user, where, message_id, kind)

    # Anything else that could arrive

    def activity(
        self, user: str, where: str, text: str, *, mention: bool = True, thread: str = "", **more: Any
    ) -> Json:
        """A message as :meth:`say` would send it, not sent and shown to nobody; ``more`` replaces fields."""

        def write(context: Context) -> Json:
            there, root = context.tenant.conversation(where)
            return people_acts.written(context, user, there, thread or root, text, mention, (), ()) | more

        return self.do(write)

    def invoke(self, user: str, where: str, name: str, value: Json, **more: Any) -> Json:
        """An invoke of this name, not sent."""

        def write(context: Context) -> Json:
            there, root = context.tenant.conversation(where)
            return arriving.invoke(context, context.tenant.user(user), there, root, name, value) | more

        return self.do(write)

    def send(self, activity: Json, authorization: str | None = "") -> Delivery:
        """Once, and waits for the bot's answer. ``authorization``: the header in place of a good one; None: without."""
        delivery = Delivery(str(activity.get("name") or activity.get("type")), activity)
        self.run(self.context.deliverer.send(delivery, authorization))
        return delivery

    # What people see

    def conversation(self, where: str) -> Conversation:
        return self.context.tenant.conversation(where)[0]

    def thread_id(self, where: str, message_id: str) -> str:
        """The full conversation id that a message was sent with."""
        return self.message(where, message_id).conversation

    def message(self, where: str, message_id: str) -> Message:
        return self.conversation(where).messages[message_id]

    def thread(self, where: str, root: str = "") -> list[Message]:
        """What everybody sees, in order: of a channel's thread, or of the whole chat (or channel, without ``root``)."""
        there, named = self.context.tenant.conversation(where)
        full = there.full_id(root or named)
        messages = [one for one in list(there.messages.values()) if not one.deleted]
        return [one for one in messages if full in (there.id, one.conversation)]

    def answers(self, where: str, root: str = "") -> list[Message]:
        """The bot's messages there."""
        return [message for message in self.thread(where, root) if message.user == BOT]

    def typing(self, where: str) -> int:
        """How often the bot was seen typing there, streams apart."""
        there, root = self.context.tenant.conversation(where)
        return sum(thread == there.full_id(root) for _, thread in there.typing)

    def cancel_stream(self, where: str, message_id: str) -> None:
        """As a person who presses Stop while the bot writes."""
        stream = self.message(where, message_id).stream
        assert stream
        stream.state = "cancelled"

    def close(self, where: str) -> None:
        """The conversation is no more, for anybody."""
        self.conversation(where).gone = True

    # Waiting

    def wait_until(self, condition: Callable[[], Result], timeout: float = 10.0, what: str = "") -> Result:
        """Its first value that is true; TimeoutError after ``timeout`` seconds. Not in the bot's own loop."""
        return wait_until(condition, timeout, lambda: self._late(what))

    async def until(self, condition: Callable[[], Result], timeout: float = 10.0, what: str = "") -> Result:  # noqa: ASYNC109
        """The same for coroutines."""
        return await until(condition, timeout, lambda: self._late(what))

    def await_message(
        self,
        where: str,
        root: str = "",
        predicate: Callable[[Message], object] = lambda message: True,
        timeout: float = 10.0,
    ) -> Message:
        """The bot's first message there (in a channel: in this thread) of which that is true."""
        found = self.wait_until(lambda: self._first(where, root, predicate), timeout, f"answer in {where} {root}")
        assert found
        return found

    async def message_comes(
        self,
        where: str,
        root: str = "",
        predicate: Callable[[Message], object] = lambda message: True,
        timeout: float = 10.0,  # noqa: ASYNC109
    ) -> Message:
        """:meth:`await_message` for coroutines."""
        found = await self.until(lambda: self._first(where, root, predicate), timeout, f"answer in {where} {root}")
        assert found
        return found

    def _first(self, where: str, root: str, predicate: Callable[[Message], object]) -> Message | None:
        return next((message for message in self.answers(where, root) if predicate(message)), None)

    def _late(self, what: str) -> str:
        last = [f"{call.route} {call.code or call.status}" for call in self.calls[-5:]]
        sent = [f"{delivery.kind} {delivery.status}" for delivery in self.deliveries[-5:]]
        return f"no {what or 'such state'}; last calls: {last}, last deliveries: {sent}"
