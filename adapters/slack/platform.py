"""Slack as a :class:`core.ports.chat.ChatPlatform`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.slack.blocks import render_forms
from adapters.slack.calls import TOO_LONG, SlackCalls, SlackRateLimited, SlackRefused
from adapters.slack.events import MENTION, Bot, format_metadata, parse_audience, parse_member, parse_thread
from adapters.slack.mrkdwn import Json
from adapters.slack.streams import SlackStreams
from adapters.slack.windows import render_explanation
from core.chat.requests import get_message_mark, is_message_mark
from core.errors import ChatRefused, ChatUnavailable, WikiWhyError
from core.i18n import message
from core.languages import Language
from core.model.views import AnswerView, ExplanationView, PrivateView, View, Waiting
from core.ports.chat import Audience, Capabilities, Member, Place, ThreadMessage
from core.timing import Clock, TtlCache, WarningLog

_MOST_NAMES = 10  # mentions of one message that are resolved
_PAGE = 200  # messages per request
_MOST_PAGES = 50  # Slack allows 50 requests per minute
_STATUS_SECONDS = 2.0  # time limit for setting the status, since the answer waits for it
_MEMBER_SECONDS = 900.0  # how long a person is cached: a guest may become a member, and the reverse
_REFUSED_SECONDS = 30.0  # how long it is cached that Slack does not tell who a person is
_AUDIENCE_SECONDS = 30.0  # ``channel_shared`` and events of a shared channel replace a channel's audience at once
_FLAG_SECONDS = 900.0  # of an event's flag, valid if the app may not call ``conversations.info`` (docs/slack.md)
_MOST_FLAGS = 10_000
# Slack's errors: for updating a message that is still a stream, as a killed process left it; for a modal that is no
# longer open; for a message that was deleted.
_STREAMING = "streaming_state_conflict"
_CLOSED = frozenset({"not_found", "view_not_found"})
_REMOVED = frozenset({"message_not_found", "channel_not_found"})

logger = logging.getLogger(__name__)


class SlackPlatform:
    """Implements ChatPlatform for one workspace."""

    capabilities = Capabilities(
        finds_messages=True, delivers_all_messages=True, unique_channels=False, has_commands=True, sign_seconds=120.0
    )

    def __init__(self, calls: SlackCalls, clock: Clock) -> None:
        self.calls = calls
        self._members: TtlCache[Member] = TtlCache(_MEMBER_SECONDS, clock, _REFUSED_SECONDS, SlackRefused)
        self._warnings = WarningLog(logger, clock)
        self.audiences = SlackAudiences(calls, clock)
        self._streams = SlackStreams(calls, clock)
        self._bot: Bot | None = None
        self._direct: dict[str, str] = {}

    async def find_bot(self) -> Bot:
        """Return the ids of the bot that the token belongs to. Raises ChatUnavailable and ChatRefused."""
        if self._bot is None:
            me = await self.calls.set("auth.test")
            enterprise = str(me.get("enterprise_id") or "")
            self._bot = Bot(str(me["team_id"]), str(me["user_id"]), enterprise)
        return self._bot

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        """Set the thread's status, which Slack clears when the bot posts, or after two minutes."""
        await self._set_status(place, format_status(waiting), _STATUS_SECONDS)
        return ""

    async def end_work(self, place: Place, key: str) -> None:
        if place.thread:  # otherwise there is no status
            await self.clear_status(place)

    async def clear_status(self, place: Place) -> None:
        """Clear the thread's status. Never raises: Slack clears it after two minutes in any case."""
        await self._set_status(place, "")

    async def _set_status(self, place: Place, status: str, seconds: float | None = None) -> None:
        where = {"channel_id": place.channel, "thread_ts": place.thread}
        try:
            async with asyncio.timeout(seconds):
                await self.calls.set("assistant.threads.setStatus", **where, status=status)
        except (WikiWhyError, TimeoutError) as error:
            logger.info("The status of a thread could not be set: %r", error)

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        place = await self._resolve_direct(place)
        answer = await self._send("chat.postMessage", view, get_message_mark(key), _make_thread_arguments(place))
        return str(answer["ts"])

    async def show_part(self, place: Place, user: str, view: AnswerView, stream: str) -> str:
        place = await self._resolve_direct(place)
        if not stream:
            return await self._streams.start(place, user, view)
        return stream if await self._streams.append(place, stream, view) else ""

    async def find_streams(self, place: Place) -> list[str]:
        messages, bot = await self._load_messages(await self._resolve_direct(place)), await self.find_bot()
        ours = (message for message in messages if message.get("user") == bot.user and not message.get("edited"))
        return [str(message["ts"]) for message in ours if not any(map(is_message_mark, _list_block_ids(message)))]

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        """Open a modal. Its ``external_id`` identifies it if Slack's response was lost."""
        modal = render_explanation(waiting, waiting.language)
        try:
            opened = await self.open_modal(trigger, {**modal, "external_id": get_message_mark(key)})
        except (SlackRefused, SlackRateLimited) as error:
            try:
                opened = await self.calls.set("views.update", external_id=get_message_mark(key), view=modal)
            except SlackRefused:
                logger.info("A modal cannot be opened; a message is shown instead: %s", error)
                return ""
        return str(opened["view"]["id"])

    async def open_modal(self, trigger: str, view: Mapping[str, Any]) -> Mapping[str, Any]:
        """Open a modal for the person whose click has this trigger, which is valid for three seconds.

        So a rate limit is not waited for. Raises as :meth:`SlackCalls.try_once` does.
        """
        return await self.calls.try_once("views.open", trigger_id=trigger, view=view)

    async def fill_window(self, place: Place, window: str, view: PrivateView, language: Language) -> None:
        answer = format_metadata(place, view.answer_id, view.turn_id) if isinstance(view, ExplanationView) else ""
        try:
            await self.calls.set("views.update", view_id=window, view=render_explanation(view, language, answer))
        except SlackRefused as error:
            if error.code not in _CLOSED:
                raise

    async def post_private(self, place: Place, user: str, view: View) -> str:
        """Post an ephemeral message in the thread, and return its id."""
        answer = await self._send("chat.postEphemeral", view, "", {**_make_thread_arguments(place), "user": user})
        return str(answer["message_ts"])

    async def update(self, place: Place, message_id: str, view: View) -> None:
        place = await self._resolve_direct(place)
        if await self._streams.end(place, message_id, view):
            return
        where = {"channel": place.channel, "ts": message_id}
        try:
            await self._send("chat.update", view, "", where)
        except SlackRefused as error:
            if error.code != _STREAMING:
                raise
            await self.calls.set("chat.stopStream", **where)
            await self._send("chat.update", view, "", where)

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        try:
            await self.update(place, message_id, view)
        except SlackRefused as error:
            if error.code not in _REMOVED:
                raise
            return await self.post(place, view, key)
        return message_id

    async def remove(self, place: Place, message_id: str) -> None:
        place = await self._resolve_direct(place)
        self._streams.forget(message_id)
        try:
            await self.calls.set("chat.delete", channel=place.channel, ts=message_id)
        except SlackRefused as error:
            if error.code not in _REMOVED:
                raise

    async def find_message(self, place: Place, key: str) -> str | None:
        mark, place = get_message_mark(key), await self._resolve_direct(place)
        bot = await self.find_bot()
        ours = (message for message in await self._load_messages(place) if message.get("user") == bot.user)
        return next((str(message["ts"]) for message in ours if mark in _list_block_ids(message)), None)

    async def find_link(self, place: Place, message_id: str) -> str:
        try:
            answer = await self.calls.read("chat.getPermalink", channel=place.channel, message_ts=message_id)
        except (ChatRefused, ChatUnavailable):
            return ""
        return str(answer.get("permalink") or "")

    async def load_messages(self, place: Place, before: str) -> list[ThreadMessage]:
        return parse_thread(await self._load_thread(place), await self.find_bot(), before)

    async def resolve_mentions(self, place: Place, text: str) -> str:
        names: dict[str, str] = {}  # "" for somebody whom Slack does not know
        for user in list(dict.fromkeys(MENTION.findall(text)))[:_MOST_NAMES]:
            try:
                names[user] = f"@{(await self.find_member(place, user)).name}"
            except ChatRefused:
                names[user] = ""
            except WikiWhyError:  # an outage
                names[user] = f"@{user}"
        return " ".join(MENTION.sub(lambda found: names.get(found[1], ""), text).split())

    async def find_member(self, place: Place, user: str) -> Member:
        key = f"{place.team}:{user}"
        try:
            return await self._members.get(key, lambda: self._request_member(place.team, user))
        except ChatRefused as error:
            self._warnings.warn(key, "Slack does not tell who %s is: %s", user, error)
            raise

    async def find_audience(self, place: Place) -> Audience:
        return await self.audiences.find_audience((await self._resolve_direct(place)).channel)

    async def find_answer_place(self, place: Place, user: str) -> Place:
        """Return where to answer a command: the same place, or direct messages if the bot is not a member there."""
        channel = await self._find_channel(place)
        if channel.get("is_member") or _is_direct_with(user, channel):
            return place
        return await self._resolve_direct(replace(place, channel=user, direct=True, shared=False))

    async def is_direct_with(self, place: Place, user: str) -> bool:
        """Whether a place is this person's direct messages with the bot; False if the bot may not read it.

        The channel id is not enough: direct messages of two people have ids of the same form.
        """
        return _is_direct_with(user, await self._find_channel(place))

    def forget(self, user: str) -> None:
        """Drop what is cached about a person."""
        self._members.forget()
        self._direct.pop(user, None)

    def forget_all(self) -> None:
        """Drop what is cached about all people."""
        self._members.forget()
        self._direct.clear()

    async def _find_channel(self, place: Place) -> Mapping[str, Any]:
        """Return the conversation object, {} if the bot may not read it."""
        try:
            return (await self.calls.read("conversations.info", channel=place.channel)).get("channel") or {}
        except SlackRefused:
            return {}

    async def _request_member(self, team: str, user: str) -> Member:
        enterprise = (await self.find_bot()).enterprise
        answer = await self.calls.read("users.info", user=user, include_locale="true")
        return parse_member(answer.get("user") or {}, team, user, enterprise)

    async def _send(self, method: str, view: View, mark: str, where: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send a message; if Slack refuses its size or blocks, send it in a simpler form."""
        forms = render_forms(view, mark)
        shown = await asyncio.to_thread(next, forms)  # an answer's Markdown may take long to parse
        while True:
            try:
                return await self._call(method, shown, where)
            except SlackRefused as error:
                simpler = await asyncio.to_thread(next, forms, None) if error.code in TOO_LONG else None
                if simpler is None:
                    raise
                logger.warning("Slack refused a message (%s); it is sent in a simpler form.", error.code)
                shown = simpler

    async def _call(self, method: str, shown: Json, where: Mapping[str, Any]) -> Mapping[str, Any]:
        if method == "chat.update":
            return await self.calls.set(method, **where, **shown)  # idempotent
        return await self.calls.write(method, **where, **shown, unfurl_links=False, unfurl_media=False)

    async def _resolve_direct(self, place: Place) -> Place:
        """Replace a user id as channel by the person's direct messages: only posting accepts user ids."""
        person = place.channel
        if not person.startswith(("U", "W")):
            return place
        if person not in self._direct:
            answer = await self.calls.set("conversations.open", users=person)
            self._direct[person] = str(answer["channel"]["id"])
        return replace(place, channel=self._direct[person])

    async def _load_messages(self, place: Place) -> list[Mapping[str, Any]]:
        """Return the thread's messages, or without a thread the channel's latest ones, oldest first.

        Returns [] for a channel that the bot may not read, because it cannot have posted there.
        """
        if place.thread:
            return await self._load_thread(place)
        try:
            answer = await self.calls.read("conversations.history", channel=place.channel, limit=_PAGE)
        except SlackRefused as error:
            logger.info("The latest messages of a channel cannot be read: %s", error)
            return []
        return list(reversed(answer.get("messages") or []))

    async def _load_thread(self, place: Place) -> list[Mapping[str, Any]]:
        """Return the thread's messages, oldest first, at most 10,000."""
        found: list[Mapping[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            answer = await self.calls.read(
                "conversations.replies", channel=place.channel, ts=place.thread, limit=_PAGE, cursor=cursor
            )
            found += answer.get("messages") or []
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
        return found


class SlackAudiences:
    """The audiences of channels. The clock returns monotonic seconds."""

    def __init__(self, calls: SlackCalls, clock: Clock) -> None:
        self._calls = calls
        self._clock = clock
        self._audiences: TtlCache[Audience] = TtlCache(_AUDIENCE_SECONDS, clock, failure_seconds=0)
        self._flags: dict[str, tuple[float, Audience]] = {}
        """Per channel: when the flag of its last event expires, and the audience that it says."""
        self._warned = False
        self._warnings = WarningLog(logger, clock)

    async def find_audience(self, channel: str) -> Audience:
        """Return a channel's audience. Raises ChatUnavailable if Slack does not answer after retries."""
        try:
            return await self._audiences.get(channel, lambda: self._request(channel))
        except SlackRefused as error:
            if error.code == "missing_scope":
                return self._read_flag(channel)
            self._warnings.warn(channel, "Slack does not tell who can read %s: %s", channel, error)
            return "unknown"

    def note_event(self, channel: str, shared: bool) -> None:
        """Store the flag ``is_ext_shared_channel`` of an event."""
        if shared:
            self._audiences.put(channel, "mixed")
        if len(self._flags) > _MOST_FLAGS:
            self._flags.clear()
        self._flags[channel] = (self._clock() + _FLAG_SECONDS, "mixed" if shared else "own")

    def forget(self, channel: str) -> None:
        """Drop a channel's audience after the channel was shared, or is no longer shared."""
        self._audiences.forget(channel)
        self._flags.pop(channel, None)

    def forget_all(self) -> None:
        """Drop the audiences of all channels."""
        self._audiences.forget()
        self._flags.clear()

    async def _request(self, channel: str) -> Audience:
        answer = await self._calls.read("conversations.info", channel=channel)
        return parse_audience(answer.get("channel"))

    def _read_flag(self, channel: str) -> Audience:
        if not self._warned:
            self._warned = True
            logger.warning(
                "Slack does not tell WikiWhy which channels are shared with other organisations: the app lacks "
                "channels:read, groups:read or mpim:read. Install what `wikiwhy slack manifest` prints again. Until "
                "then the buttons of answers work for 15 minutes after the last message in a channel."
            )
        until, audience = self._flags.get(channel, (0.0, "unknown"))
        return audience if self._clock() < until else "unknown"


def format_status(waiting: Waiting) -> str:
    """Return the status of work on an answer or explanation, to follow the bot's name."""
    explains = waiting.work == "explanation"
    status = message("is checking which sources matter …") if explains else message("is reading the wiki …")
    return status.render(waiting.language)


def _make_thread_arguments(place: Place) -> dict[str, str]:
    return {"channel": place.channel, **({"thread_ts": place.thread} if place.thread else {})}


def _is_direct_with(user: str, channel: Mapping[str, Any]) -> bool:
    return bool(channel.get("is_im")) and channel.get("user") == user


def _list_block_ids(message: Mapping[str, Any]) -> list[str]:
    """Return the ids of a message's blocks. The blocks of a stream's text are before the one with the mark."""
    return [str(block.get("block_id") or "") for block in message.get("blocks") or ()]
