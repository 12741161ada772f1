"""Microsoft Teams as a :class:`core.ports.chat.ChatPlatform`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from adapters.teams.cards import Way, render_message, render_plain, shorten_message
from adapters.teams.connector import Connector, TeamsRefused
from adapters.teams.json import Json
from adapters.teams.people import TeamsAudiences, member_of
from adapters.teams.streams import Send, StreamEnded, Streams
from core.errors import ChatRefused, WikiWhyError
from core.languages import Language
from core.ports.chat import Audience, Capabilities, Member, Place, ThreadMessage
from core.ports.chat_store import Reference, ReferenceStore
from core.timing import Clock
from core.ttl_cache import TtlCache
from core.views.model import AnswerView, PrivateView, View, Waiting

_TOO_LONG = 413
_GONE = frozenset({400, 403, 404, 405})
"""Teams' answers to an update of a stream that was left open."""

_STREAM_SECONDS = 2.0  # that an answer waits for its stream to begin

TYPING: Json = {"type": "typing"}
_TYPING_PAUSE = 5.0  # seconds until clients show it no more
_TYPING_TIMES = 24

_MEMBER_SECONDS = 900.0  # how long what Teams says of a person counts

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Address:
    """Where messages of a place are sent. ``conversation``: its id with its thread."""

    reference: Reference
    conversation: str


class TeamsPlatform:
    """All organisations that the bot is in. The clock gives seconds, monotonic."""

    capabilities = Capabilities(finds_messages=False, delivers_all_messages=False, unique_channels=True)

    def __init__(self, connector: Connector, references: ReferenceStore, clock: Clock) -> None:
        self._connector = connector
        self._references = references
        self._streams = Streams(clock)
        self._members: TtlCache[Member] = TtlCache(_MEMBER_SECONDS, clock, failure_seconds=0)
        self.audiences = TeamsAudiences(connector, clock)
        self._typing: dict[str, asyncio.Task[None]] = {}
        """By the key of the message that ends it."""

    async def close(self) -> None:
        """Cancels typing indicators."""
        for task in self._typing.values():
            task.cancel()
        await asyncio.gather(*self._typing.values(), return_exceptions=True)

    async def show_work(self, place: Place, waiting: Waiting, key: str) -> str:
        """A stream in a chat with the bot alone; elsewhere the typing indicator."""
        try:
            address = await self._address_of(place)
            if place.direct and waiting.work == "answer":
                async with asyncio.timeout(_STREAM_SECONDS):
                    stream = await self._streams.start(
                        address.conversation, render_plain(waiting), self._sender(address)
                    )
                if stream:
                    return stream
        except (WikiWhyError, TimeoutError) as error:
            logger.info("That there is work under way could not be shown: %r", error)
            return ""
        self._typing[key] = task = asyncio.create_task(self._keep_typing(address))
        task.add_done_callback(lambda _: self._typing.pop(key, None))
        return ""

    async def post(self, place: Place, view: View, key: str, stream: str = "") -> str:
        address = await self._address_of(place)
        if typing := self._typing.pop(key, None):
            typing.cancel()
        if stream:
            if await self._end_stream(address, stream, view):
                return stream
            await self._remove_left(place, stream)
        return await self._send(address, await _render(view, "post"))

    async def open_window(self, place: Place, waiting: Waiting, key: str, trigger: str) -> str:
        """None: what Teams opens as a window has to be complete in the answer to the click."""
        return ""

    async def fill_window(self, place: Place, window: str, view: PrivateView, spoken: Language) -> bool:
        return False

    async def post_private(self, place: Place, user: str, view: PrivateView) -> str:
        """As a targeted message, which Teams keeps for a day."""
        address = await self._address_of(place)
        person = await self._references.person(place.team, user)
        if person is None:
            raise ChatRefused("WikiWhy does not know under which id Teams reaches this person.")
        activity = {**await _render(view, "post"), "recipient": {"id": person.account}}
        url, conversation = address.reference.service_url, address.conversation
        return await _shorten_if_too_long(
            address, activity, lambda whole: self._connector.send_targeted(url, conversation, whole)
        )

    async def update(self, place: Place, message_id: str, view: View) -> None:
        address, message = await self._address_of(place), await _render(view, "update")
        team, conversation = address.reference.team, address.conversation
        message_id = await self._references.resolve_message(team, conversation, message_id)
        try:
            await self._update(address, message_id, message)
        except TeamsRefused as error:
            if not place.direct or error.status not in _GONE:
                raise
            # An earlier version may have left it open as a stream.
            if not await self._end_stream(address, message_id, view):
                posted = await self._send(address, await _render(view, "post"))
                await self._references.move(team, conversation, message_id, posted)

    async def replace(self, place: Place, message_id: str, view: View, key: str) -> str:
        """As a new message: an updated one loses its label, its citations and Teams' thumbs."""
        await self.remove(place, message_id)
        return await self.post(place, view, key)

    async def remove(self, place: Place, message_id: str) -> None:
        address = await self._address_of(place)
        team, conversation = address.reference.team, address.conversation
        message_id = await self._references.resolve_message(team, conversation, message_id)
        for targeted in (False, True):  # what only one person sees is no message for the others
            try:
                await self._connector.delete(address.reference.service_url, conversation, message_id, targeted)
                return
            except TeamsRefused as error:
                if error.status not in _GONE:
                    raise

    async def _remove_left(self, place: Place, stream: str) -> None:
        """Deletes what a stream showed that its message could not end. Before the message: its id is stored at once."""
        try:
            await self.remove(place, stream)
        except WikiWhyError as error:
            logger.info("What a stream showed could not be deleted: %s", error)

    async def find_message(self, place: Place, key: str) -> str | None:
        """None: Teams lets bots neither read a conversation nor mark a message."""
        return None

    async def link(self, place: Place, message_id: str) -> str:
        """A deep link; Teams has none into a person's chat with a bot."""
        if place.direct or not message_id.isdecimal():
            return ""
        link = f"https://teams.microsoft.com/l/message/{quote(place.room, safe='')}/{message_id}"
        tenant = f"?tenantId={quote(place.team, safe='')}"
        if place.room == place.channel:
            return f"{link}{tenant}&context=%7B%22contextType%22%3A%22chat%22%7D"
        return f"{link}{tenant}&parentMessageId={quote(place.thread, safe='')}"

    async def messages(self, place: Place, before: str) -> list[ThreadMessage]:
        """None: in Teams a bot sees only messages to it, which are stored as they come."""
        return []

    async def resolve_mentions(self, place: Place, text: str) -> str:
        """The text: Teams writes the names of people whom a message mentions."""
        return text

    async def member(self, place: Place, user: str) -> Member:
        return await self._members.get(f"{place.team}:{user}", lambda: self._request_member(place, user))

    async def audience(self, place: Place) -> Audience:
        try:
            address = await self._address_of(place)
        except ChatRefused:
            return "unknown"
        return await self.audiences.audience(address.reference.service_url, place.team, place.room)

    async def _request_member(self, place: Place, user: str) -> Member:
        """A person whom Teams does not tell of is a guest."""
        known = await self._references.person(place.team, user)
        try:
            address = await self._address_of(place)
            account = known.account if known else user
            found = await self._connector.member(address.reference.service_url, place.room, account)
        except ChatRefused:
            return Member(user, user, guest=True)
        return member_of(found, place.team, user)

    async def _address_of(self, place: Place) -> _Address:
        """Where the place is, for a person's id their chat. Raises ChatRefused where that is not known."""
        room = place.room
        if place.direct and (person := await self._references.person(place.team, room)) and person.direct:
            room = person.direct
        reference = await self._references.of(place.team, room)
        if reference is None:
            raise ChatRefused("WikiWhy was never spoken to in this conversation, so it cannot write there.")
        return _Address(reference, place.channel if place.thread and place.room != place.channel else room)

    async def _keep_typing(self, address: _Address) -> None:
        """Shows that more is to come. Nothing waits for it, and nothing is lost if it fails."""
        send = self._sender(address)
        try:
            for _ in range(_TYPING_TIMES):
                await send(TYPING)
                await asyncio.sleep(_TYPING_PAUSE)
        except WikiWhyError as error:
            logger.info("The typing indicator could not be shown: %s", error)

    async def _end_stream(self, address: _Address, stream: str, view: View) -> bool:
        """Ends a stream with a message. Returns False where the message has to be posted."""
        try:
            message_id = await self._streams.end(stream, await _render(view, "stream"), self._sender(address))
        except StreamEnded as error:
            # That of a process that was killed may have ended with this message: then it can be updated.
            return not error.known and await self._try_update(address, stream, await _render(view, "update"))
        if message_id != stream:
            await self._references.move(address.reference.team, address.conversation, stream, message_id)
        return True

    async def _try_update(self, address: _Address, message_id: str, message: Json) -> bool:
        try:
            await self._update(address, message_id, message)
        except TeamsRefused as error:
            if error.status not in _GONE:
                raise
            return False
        return True

    def _sender(self, address: _Address) -> Send:
        """Sends activities to a conversation."""

        async def send(activity: Json) -> str:
            url, conversation = address.reference.service_url, address.conversation
            return await _shorten_if_too_long(
                address, activity, lambda whole: self._connector.send(url, conversation, whole)
            )

        return send

    async def _send(self, address: _Address, message: Json) -> str:
        message_id = await self._sender(address)(message)
        if not message_id:
            raise ChatRefused("Teams took a message and did not say under which id.")
        return message_id

    async def _update(self, address: _Address, message_id: str, message: Json) -> None:
        url = address.reference.service_url
        await _shorten_if_too_long(
            address, message, lambda activity: self._connector.update(url, address.conversation, message_id, activity)
        )


async def _shorten_if_too_long(address: _Address, message: Json, send: Callable[[Json], Awaitable[T]]) -> T:
    """Sends a message; if it is too long for Teams, again as short as can be, unless it only shows work."""
    full = _add_address(address, message)
    try:
        return await send(full)
    except TeamsRefused as error:
        if error.status != _TOO_LONG or message["type"] == TYPING["type"]:
            raise
        logger.warning("A message was too long for Teams, and was shortened.")
        return await send({**full, **shorten_message(message)})


async def _render(view: View, way: Way) -> Json:
    """Renders a view; an answer, whose Markdown may take long to parse, in a thread."""
    if isinstance(view, AnswerView):
        return await asyncio.to_thread(render_message, view, way)
    return render_message(view, way)


def _add_address(address: _Address, activity: Json) -> Json:
    return {**activity, "from": {"id": address.reference.bot}, "conversation": {"id": address.conversation}}
