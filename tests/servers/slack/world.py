"""The workspace as a test holds it in its hands."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from aiohttp import web

from tests.servers.faults import Faults
from tests.servers.parts import Setting, until, wait_until
from tests.servers.slack import people_acts, views
from tests.servers.slack.context import Context
from tests.servers.slack.delivery import Delivery
from tests.servers.slack.edge import Call, Edge
from tests.servers.slack.emulator import Emulator
from tests.servers.slack.page import Page
from tests.servers.slack.state import APP, BOT, BOT_USER, TEAM, Channel, Json, Message, Refusal, User, View
from tests.servers.threaded import ThreadedApplication

Result = TypeVar("Result")


class SlackWorld:
    """One workspace with the bot in it, served by a thread of its own while the ``with`` block lasts.

    Methods of people (``say``, ``click`` …) return at once; what the bot does with it is seen later: wait for it with
    :meth:`await_message`, :meth:`wait_until` or, in a coroutine whose loop the bot runs in, :meth:`until`.
    """

    team, app, bot, bot_id = TEAM, APP, BOT_USER, BOT

    def __init__(
        self,
        signing_secret: str = "signing-secret",
        bot_token: str = "xoxb-world",
        *,
        app_token: str = "xapp-world",
        port: int = 0,
        emulator: bool = True,
        bot_name: str = "wikiwhy",
    ) -> None:
        """``emulator`` False: the edge alone, without node; methods that only the emulator has are unknown then."""
        self.context = Context(signing_secret, bot_token, app_token)
        self.edge = Edge(self.context)
        self.signing_secret, self.bot_token, self.app_token = signing_secret, bot_token, app_token
        self.url = ""
        self._with_emulator = emulator
        self._server = ThreadedApplication(port=port)
        self.context.workspace.users[BOT_USER] = User(BOT_USER, bot_name, "WikiWhy", bot=True)

    def __enter__(self) -> SlackWorld:
        if self._with_emulator:
            self.context.emulator = Emulator(self.bot_token)
        application = web.Application(client_max_size=2**26)
        application.add_routes([*self.edge.routes(), *Page(self.context).routes()])
        self._server.start(application)
        self.url = self.context.url = self._server.url
        self.run(self.context.deliverer.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.run(self.context.deliverer.close())
        self._server.stop()
        if self.context.emulator:
            self.context.emulator.stop()

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """In the server's event loop."""
        return self._server.run(work)

    @property
    def api_url(self) -> str:
        """For slack_sdk's ``base_url``; ends with ``/api/``."""
        return f"{self.url}/api/"

    @property
    def faults(self) -> Faults:
        return self.edge.faults

    @property
    def calls(self) -> list[Call]:
        """Every call of the bot, in order of beginning; ``response_url`` for those."""
        return self.edge.calls

    @property
    def deliveries(self) -> list[Delivery]:
        """Every request to the bot, retries too."""
        return self.context.deliverer.deliveries

    @property
    def refusals(self) -> list[Refusal]:
        """The calls that Slack's limits forbade."""
        return self.context.refusals

    @property
    def pending(self) -> int:
        """Events and clicks neither acknowledged nor given up."""
        return self.context.deliverer.pending

    retry_delays = Setting[tuple[float, ...]]("context.deliverer.retry_delays")
    """Seconds before each retry of an event that was not acknowledged. Slack's own: about 1, 60 and 300."""
    patience = Setting[float]("context.deliverer.patience")
    """Seconds until an unanswered request counts as failed; Slack's 3 at first."""
    streams = Setting[bool]("context.streams")
    """Whether the workspace has streaming; without, ``chat.startStream`` is ``feature_not_enabled``."""
    stream_life = Setting[float]("context.stream_life")
    """Seconds from its start until a stream dies."""
    trigger_life = Setting[float]("context.triggers.life")
    """Seconds within which a trigger id can be used."""
    rates = Setting[bool]("edge.rates.on")
    """Whether calls above Slack's rates are answered 429. Off at first."""
    echoes = Setting[bool]("context.echoes")
    """Whether the bot is told of its own messages, as one that listens to ``message.channels`` is."""
    scopes = Setting[tuple[str, ...]]("context.scopes")
    """What the bot's token was granted; only told, not enforced."""
    latency = Setting[float]("edge.latency")
    """Seconds that every call takes at least."""

    def deliver_to(self, url: str | None) -> None:
        """The bot's request URL. While it has a Socket Mode connection, that is used instead."""
        self.context.deliverer.url = url

    def disconnect_sockets(self, reason: str = "refresh_requested") -> None:
        self.run(self.context.deliverer.sockets.disconnect(reason))

    def verify_url(self, challenge: str = "challenge") -> Delivery:
        return self.run(people_acts.verify_url(self.context, challenge))

    # People

    def add_user(self, name: str, **about: Any) -> str:
        """``about``: as :class:`User` has it: email, real_name, restricted, stranger, bot, team, tz …"""
        user_id = self.context.workspace.new_id("U")
        if about.get("stranger"):
            about.setdefault("team", "T0STRANGER")
        user = User(user_id, name, about.pop("real_name", None) or name.capitalize(), **about)
        self.context.workspace.users[user.id] = user
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
        """``bot``: whether it is a member too."""
        return self.run(people_acts.add_channel(self.context, name, {*members}, private, ext_shared, bot))

    def share(self, channel: str, shared: bool = True) -> None:
        """With another organisation, from now on, or not any more; the bot is told."""
        self.run(people_acts.share(self.context, channel, shared))

    def join(self, user: str, channel: str) -> None:
        self.context.workspace.channel(channel).members.add(user)

    def leave(self, user: str, channel: str) -> None:
        self.context.workspace.channel(channel).members.discard(user)

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
        """Posts it and tells the bot; returns its ``ts``.

        ``as_kinds``: of events, default ``message``, and ``app_mention`` where it mentions the bot.
        ``deliveries``: how often each is sent, from the second on marked as a retry.
        """
        said = people_acts.say(self.context, user, channel, text, thread, files, as_kinds, deliveries)
        return self.run(said)

    def direct_message(self, user: str, text: str, *, thread: str | None = None, deliveries: int = 1) -> str:
        """In the user's channel with the bot, see :meth:`direct_channel`."""
        return self.say(user, self.direct_channel(user), text, thread=thread, deliveries=deliveries)

    def direct_channel(self, user: str) -> str:
        return self.context.workspace.direct(user).id

    def edit(self, channel: str, ts: str, text: str) -> None:
        self.run(people_acts.edit(self.context, channel, ts, text))

    def delete(self, channel: str, ts: str) -> None:
        self.run(people_acts.delete(self.context, channel, ts))

    def click(self, user: str, channel: str, ts: str, wanted: str, *, value: str | None = None) -> Delivery:
        """A button by its action id or its text, also in an ephemeral message. ``value``: the option chosen."""
        return self.run(people_acts.click(self.context, user, channel, ts, wanted, value))

    def click_in_view(self, view: View, wanted: str, *, value: str | None = None) -> Delivery:
        return self.run(people_acts.click_in_view(self.context, view, wanted, value))

    def feedback(self, user: str, channel: str, ts: str, *, positive: bool) -> Delivery:
        """The thumb in a ``feedback_buttons`` element."""
        chosen = "positive" if positive else "negative"
        return self.run(people_acts.feedback(self.context, user, channel, ts, chosen))

    def submit(self, view: View, values: Json) -> Delivery:
        """``values`` by action id; texts, or option values for a select."""
        return self.run(people_acts.submit(self.context, view, values))

    def command(self, user: str, channel: str, command: str, text: str = "") -> Delivery:
        """Its answer, once ``status`` is there, is the immediate response; later ones are in :meth:`ephemerals`."""
        return self.run(people_acts.command(self.context, user, channel, command, text))

    def open_home(self, user: str, tab: str = "home") -> None:
        self.run(people_acts.open_home(self.context, user, tab))

    def event(self, event: Json, channel: str | None = None, *, deliveries: int = 1, team: str = TEAM) -> None:
        """Any other event, in a complete envelope."""
        self.run(people_acts.send_event(self.context, event, channel, deliveries, team))

    # What people see

    def channel(self, channel: str) -> Channel:
        return self.context.workspace.channel(channel)

    def thread(self, channel: str, ts: str) -> list[Message]:
        """What everybody sees, the root first. The messages go on changing with the workspace."""
        return [message for message in self.channel(channel).threads.get(ts, []) if not message.deleted]

    def message(self, channel: str, ts: str) -> Message:
        return self.channel(channel).messages[ts]

    def answers(self, channel: str, ts: str) -> list[Message]:
        """The bot's messages in this thread."""
        return [message for message in self.thread(channel, ts) if message.user == BOT_USER]

    def ephemerals(self, user: str) -> list[Message]:
        """What this user alone sees, of all channels."""
        channels = list(self.context.workspace.channels.values())
        seen = [message for channel in channels for message in channel.ephemerals if not message.deleted]
        return [message for message in seen if message.ephemeral_to == user]

    def status(self, channel: str, ts: str) -> str:
        """The line "… is thinking" under this thread, or nothing."""
        return self.context.workspace.statuses.get((channel, ts), "")

    @property
    def views(self) -> dict[str, View]:
        """The topmost open modal by user."""
        return {view.user: view for view in list(self.context.workspace.views.values()) if view.open}

    @property
    def homes(self) -> dict[str, View]:
        return self.context.workspace.homes

    def view_json(self, view: View) -> Json:
        return views.view_json(view)

    # Waiting

    def wait_until(self, condition: Callable[[], Result], timeout: float = 10.0, what: str = "") -> Result:
        """Its first value that is true; TimeoutError after ``timeout`` seconds. Not in the bot's own loop."""
        return wait_until(condition, timeout, lambda: self._late(what))

    async def until(self, condition: Callable[[], Result], timeout: float = 10.0, what: str = "") -> Result:  # noqa: ASYNC109
        """The same for coroutines."""
        return await until(condition, timeout, lambda: self._late(what))

    def await_message(
        self,
        channel: str,
        thread: str,
        predicate: Callable[[Message], object] = lambda message: True,
        timeout: float = 10.0,
    ) -> Message:
        """The bot's first message in this thread of which that is true."""
        found = self.wait_until(lambda: self._first(channel, thread, predicate), timeout, f"answer in {thread}")
        assert found
        return found

    async def message_comes(
        self,
        channel: str,
        thread: str,
        predicate: Callable[[Message], object] = lambda message: True,
        timeout: float = 10.0,  # noqa: ASYNC109
    ) -> Message:
        """:meth:`await_message` for coroutines."""
        found = await self.until(lambda: self._first(channel, thread, predicate), timeout, f"answer in {thread}")
        assert found
        return found

    def _first(self, channel: str, thread: str, predicate: Callable[[Message], object]) -> Message | None:
        return next((message for message in self.answers(channel, thread) if predicate(message)), None)

    def _late(self, what: str) -> str:
        last = [f"{call.method} {call.error or call.status}" for call in self.calls[-5:]]
        sent = [f"{delivery.kind} {delivery.status}" for delivery in self.deliveries[-5:]]
        return f"no {what or 'such state'}; last calls: {last}, last deliveries: {sent}"
