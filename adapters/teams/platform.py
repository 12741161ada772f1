"""Microsoft Teams as a :class:`core.ports.chat.ChatPlatform`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from adapters.teams.cards import render_message, render_plain, shorten_message
from adapters.teams.connector import Connector, Json, TeamsRefused
from adapters.teams.elements import Delivery
from adapters.teams.people import TeamsAudiences, parse_member
from adapters.teams.streams import Send, StreamEnded, Streams
from core.errors import ChatRefused, WikiWhyError
from core.languages import Language
from core.model.views import AnswerView, PrivateView, View, Waiting
from core.ports.chat import Audience, Capabilities, Member, Place, ThreadMessage
from core.ports.teams import Reference, ReferenceStore
from core.timing import Clock, TtlCache, WarningLog

_NOT_FOUND, _TOO_LONG = 404, 413
_NO_TARGETED = frozenset({400, 404, 405})
"""Teams' statuses for the deletion of a targeted message that does not exist."""

_GONE = frozenset({400, 403, 404, 405})
"""Teams' statuses for an update of a stream that was left open."""

_STREAM_SECONDS = 2.0  # time limit for starting a stream, since the answer waits for it

TYPING: Json = {"type": "typing"}
_TYPING_PAUSE = 5.0  # seconds until clients hide the indicator
_TYPING_TIMES = 24
_MEMBER_SECONDS = 900.0  # how long a person is cached
_REFUSED_SECONDS = 30.0  # how long it is cached that Teams does not tell who a person is

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Address:
    """Where messages to a place are sent. ``conversation``: its id, including the thread."""

    reference: Reference
    conversation: str


class TeamsPlatform:
    """Implements ChatPlatform for all organisations of the bot. The clock returns monotonic seconds."""

    capabilities = Capabilities(finds_messages=False, delivers_all_messages=False, unique_channels=True)

    def __init__(self, connector: Connector, references: ReferenceStore, clock: Clock) -> None:
        self._connector = connector
        self._references = references
        self._streams = Streams(clock)
        self._members: TtlCache[Member] = TtlCache(_MEMBER_SECONDS, clock, _REFUSED_SECONDS, TeamsRefused)
        self._warnings = WarningLog(logger, clock)
        self.audiences = TeamsAudiences(connector, clock)
        self._typing: dict[str, asyncio.Task[None]] = {}
        """Per key of the message that ends the indicator."""

    async def close(self) -> None:
        """Cancel typing indicators."""
        for task in self._typing.values():
            task.cancel()
        await asyncio.gather(*self._typing.values(), return_exceptions=True)

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        """Start a stream in a personal chat, elsewhere the typing indicator."""
        try:
            address = await self._find_address(place)
            if place.direct and waiting.work == "answer":
                async with asyncio.timeout(_STREAM_SECONDS):
                    stream = await self._streams.start(
                        address.conversation, render_plain(waiting), self._make_sender(address)
                    )
                if stream:
                    return stream
        except (WikiWhyError, TimeoutError) as error:
            logger.info("The progress of work could not be shown: %r", error)
            return ""
        self._typing[key] = task = asyncio.create_task(self._keep_typing(address))
        task.add_done_callback(lambda _: self._typing.pop(key, None))
        return ""

    async def end_work(self, place: Place, key: str) -> None:
        if typing := self._typing.pop(key, None):
            typing.cancel()

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        address = await self._find_address(place)
        await self.end_work(place, key)
        if stream:
            if await self._end_stream(address, stream, view):
                return stream
            await self._remove_left(address, place, stream, view)
        return await self._send(address, await _render(view, "post"))

    async def show_part(self, place: Place, user: str, view: AnswerView, stream: str) -> str:
        """Show the text in the stream; nothing without one, as in channels and group chats."""
        if not stream:
            return ""
        address, message = await self._find_address(place), await _render(view, "stream")
        return stream if await self._streams.show(stream, str(message["text"]), self._make_sender(address)) else ""

    async def find_streams(self, place: Place) -> list[str]:
        """Return []: the ids of streams are stored before anything else is done with them."""
        return []

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        """Return "": Teams opens windows only with their complete content, in the response to a click."""
        return ""

    async def fill_window(self, place: Place, window: str, view: PrivateView, language: Language) -> None:
        """Do nothing: no window is open."""

    async def post_private(self, place: Place, user: str, view: PrivateView) -> str:
        """Post a targeted message, which Teams keeps for a day."""
        address = await self._find_address(place)
        person = await self._references.load_user(place.team, user)
        if person is None:
            raise ChatRefused("WikiWhy does not know this person's Teams id.")
        activity = {**await _render(view, "post"), "recipient": {"id": person.account}}
        return await self._make_sender(address, targeted=True)(activity)

    async def update(self, place: Place, message_id: str, view: View) -> None:
        address, message = await self._find_address(place), await _render(view, "update")
        team, conversation = address.reference.team, address.conversation
        message_id = await self._references.resolve_message(team, conversation, message_id)
        try:
            await self._update(address, message_id, message)
        except TeamsRefused as error:
            if not place.direct or error.status not in _GONE:
                raise
            # An earlier version may have left the message as an open stream.
            if not await self._end_stream(address, message_id, view):
                posted = await self._send(address, await _render(view, "post"))
                await self._references.move(team, conversation, message_id, posted)

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        """Post a new message: an update loses the AI label, the citations and Teams' thumbs."""
        try:
            await self.remove(place, message_id)
        except TeamsRefused as error:
            logger.warning("The answer to an edited question could not be deleted: %s", error)
        return await self.post(place, view, key)

    async def remove(self, place: Place, message_id: str) -> None:
        address = await self._find_address(place)
        team, conversation = address.reference.team, address.conversation
        message_id = await self._references.resolve_message(team, conversation, message_id)
        refused: list[TeamsRefused] = []
        for targeted in (False, True):  # a targeted message is deleted by another call
            try:
                await self._connector.delete(address.reference.service_url, conversation, message_id, targeted)
                return
            except TeamsRefused as error:
                refused.append(error)
        plain, other = refused
        if plain.status != _NOT_FOUND:
            raise plain
        if other.status not in _NO_TARGETED:  # a message that is gone is no targeted one
            raise other

    async def _remove_left(self, address: _Address, place: Place, stream: str, view: View) -> None:
        """Delete the text of a stream that its message could not end, before the message is posted instead."""
        try:
            await self.remove(place, stream)
        except WikiWhyError as error:
            logger.warning("The text of a stream could not be deleted: %s", error)
            await self._streams.close(stream, await _render(view, "stream"), self._make_sender(address))
        self._streams.drop(stream)

    async def find_message(self, place: Place, key: str) -> str | None:
        """Return None: in Teams bots can neither read a conversation nor mark a message."""
        return None

    async def find_link(self, place: Place, message_id: str) -> str:
        """Return a deep link, "" for a personal chat, for which Teams has none."""
        if place.direct or not message_id.isdecimal():
            return ""
        link = f"https://teams.microsoft.com/l/message/{quote(place.room, safe='')}/{message_id}"
        tenant = f"?tenantId={quote(place.team, safe='')}"
        if place.room == place.channel:
            return f"{link}{tenant}&context=%7B%22contextType%22%3A%22chat%22%7D"
        return f"{link}{tenant}&parentMessageId={quote(place.thread, safe='')}"

    async def load_messages(self, place: Place, before: str) -> list[ThreadMessage]:
        """Return []: in Teams a bot sees only messages to it, which are stored when they arrive."""
        return []

    async def resolve_mentions(self, place: Place, text: str) -> str:
        """Return the text unchanged: Teams already sends the names of mentioned people."""
        return text

    async def find_member(self, place: Place, user: str) -> Member:
        key = f"{place.team}:{user}"
        try:
            return await self._members.get(key, lambda: self._request_member(place, user))
        except ChatRefused as error:
            self._warnings.warn(key, "Teams does not tell who %s is (members/{id}): %s", user, error)
            raise

    async def find_audience(self, place: Place) -> Audience:
        try:
            address = await self._find_address(place)
        except ChatRefused as error:
            self.audiences.warn(place.team, place.room, error)
            return "unknown"
        return await self.audiences.find_audience(address.reference.service_url, place.team, place.room)

    async def _request_member(self, place: Place, user: str) -> Member:
        known = await self._references.load_user(place.team, user)
        address = await self._find_address(place)
        account = known.account if known else user
        found = await self._connector.find_member(address.reference.service_url, place.room, account)
        return parse_member(found, place.team, user)

    async def _find_address(self, place: Place) -> _Address:
        """Return the address of a place, for a user id that of the personal chat. Raises ChatRefused if unknown."""
        room = place.room
        if place.direct and (person := await self._references.load_user(place.team, room)) and person.direct:
            room = person.direct
        reference = await self._references.load(place.team, room)
        if reference is None:
            raise ChatRefused("WikiWhy was never spoken to in this conversation, so it cannot write there.")
        return _Address(reference, place.channel if place.thread and place.room != place.channel else room)

    async def _keep_typing(self, address: _Address) -> None:
        """Show the typing indicator until the task is cancelled. Failures are logged only."""
        send = self._make_sender(address)
        try:
            for _ in range(_TYPING_TIMES):
                await send(TYPING)
                await asyncio.sleep(_TYPING_PAUSE)
        except WikiWhyError as error:
            logger.info("The typing indicator could not be shown: %s", error)

    async def _end_stream(self, address: _Address, stream: str, view: View) -> bool:
        """End a stream with a message; return False if the message has to be posted instead."""
        try:
            message_id = await self._streams.end(stream, await _render(view, "stream"), self._make_sender(address))
        except StreamEnded as error:
            # A killed process may have ended its stream with this message, which can then be updated.
            return error.has_message and await self._try_update(address, stream, await _render(view, "update"))
        if message_id != stream:
            await self._references.move(address.reference.team, address.conversation, stream, message_id)
        return True

    async def _try_update(self, address: _Address, message_id: str, message: Json) -> bool:
        try:
            await self._update(address, message_id, message)
        except TeamsRefused as error:
            logger.info("A stream that has ended could not be updated: %s", error)
            return False
        return True

    def _make_sender(self, address: _Address, targeted: bool = False) -> Send:
        """Return a function that sends activities to a conversation."""

        async def send(activity: Json) -> str:
            url, conversation = address.reference.service_url, address.conversation
            return await _shorten_if_too_long(
                address, activity, lambda whole: self._connector.send(url, conversation, whole, targeted)
            )

        return send

    async def _send(self, address: _Address, message: Json) -> str:
        message_id = await self._make_sender(address)(message)
        if not message_id:
            raise ChatRefused("Teams accepted a message without returning its id.")
        return message_id

    async def _update(self, address: _Address, message_id: str, message: Json) -> None:
        url = address.reference.service_url
        await _shorten_if_too_long(
            address, message, lambda activity: self._connector.update(url, address.conversation, message_id, activity)
        )


async def _shorten_if_too_long(address: _Address, message: Json, send: Callable[[Json], Awaitable[T]]) -> T:
    """Send a message; if Teams finds it too long, send it shortened, unless it is a typing indicator."""
    full = _add_address(address, message)
    try:
        return await send(full)
    except TeamsRefused as error:
        if error.status != _TOO_LONG or message["type"] == TYPING["type"]:
            raise
        logger.warning("A message was too long for Teams and was shortened.")
        return await send({**full, **shorten_message(message)})


async def _render(view: View, delivery: Delivery) -> Json:
    """Render a view; an answer in a thread, because its Markdown may take long to parse."""
    if isinstance(view, AnswerView):
        return await asyncio.to_thread(render_message, view, delivery)
    return render_message(view, delivery)


def _add_address(address: _Address, activity: Json) -> Json:
    return {**activity, "from": {"id": address.reference.bot}, "conversation": {"id": address.conversation}}
