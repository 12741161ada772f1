"""Microsoft Teams as a :class:`core.ports.chat.ChatPlatform`."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from adapters.teams.cards import render_message, render_plain, shorten_message, text_message
from adapters.teams.connector import Connector, TeamsRefused
from adapters.teams.json import Json
from adapters.teams.people import TeamsAudiences, member_of
from adapters.teams.streams import Streams
from core.errors import ChatRefused, WikiWhyError
from core.ports.chat import Audience, Capabilities, Member, Place, ThreadMessage
from core.ports.chat_store import Reference, ReferenceStore
from core.timing import Clock
from core.ttl_cache import TtlCache
from core.views.model import AnswerView, View, Waiting

_TOO_LONG = 413
_GONE = frozenset({400, 403, 404, 405})
"""Teams' answers to an update of a stream that a killed process left open."""

TYPING: Json = {"type": "typing"}

_MEMBER_SECONDS = 900.0  # how long what Teams says of a person counts
_MOST_POSTED = 1_000

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Address:
    """Where messages of a place are sent. ``conversation``: its id with its thread."""

    reference: Reference
    conversation: str


class TeamsPlatform:
    """All organisations that the bot is in. The clock gives seconds, monotonic.

    ``streams``: whether answers come piece by piece, so that streaming messages are worth it.
    """

    capabilities = Capabilities(finds_messages=False, delivers_all_messages=False, unique_channels=True)

    def __init__(self, connector: Connector, references: ReferenceStore, clock: Clock, streams: bool) -> None:
        self._connector = connector
        self._references = references
        self._streams = Streams(connector, clock, streams)
        self._members: TtlCache[Member] = TtlCache(_MEMBER_SECONDS, clock, failure_seconds=0)
        self.audiences = TeamsAudiences(connector, clock)
        self._posted: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._typing: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Cancels typing indicators."""
        for task in self._typing:
            task.cancel()
        await asyncio.gather(*self._typing, return_exceptions=True)

    async def post(self, place: Place, view: View, key: str, asker: str = "") -> str:
        address = await self._address_of(place)
        message_id = await self._start_stream(address, view) if place.direct and asker else None
        if message_id is None:
            message_id = await self._send(address, await _render(view))
            if isinstance(view, Waiting):
                self._show_typing(address)
        self._posted[address.conversation, key] = message_id
        while len(self._posted) > _MOST_POSTED:
            self._posted.popitem(last=False)
        return message_id

    async def update(self, place: Place, message_id: str, view: View) -> None:
        address = await self._address_of(place)
        message_id = await self._end_stream(address, message_id)
        message = await _render(view)
        try:
            await self._update(address, message_id, message)
        except TeamsRefused as error:
            if not place.direct or error.status not in _GONE:
                raise
            await self._update(address, await self._replace(address, message_id, message), message)

    async def draft(self, place: Place, message_id: str, text: str) -> None:
        try:
            address = await self._address_of(place)
            streaming = self._streams.has(address.conversation, message_id)
            if streaming and await self._streams.grow(address.reference, address.conversation, message_id, text):
                return
            message_id = await self._end_stream(address, message_id)
            await self._update(address, message_id, text_message(text))
        except WikiWhyError as error:
            logger.info("A draft could not be shown: %s", error)

    async def find_message(self, place: Place, key: str, others: Collection[str]) -> str | None:
        """The message, if this process posted it and received its id.

        Teams lets bots neither read a conversation nor mark a message. So what a process posted just before it was
        killed is not found, and one placeholder stays.
        """
        address = await self._address_of(place)
        return self._posted.get((address.conversation, key))

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

    async def _start_stream(self, address: _Address, view: View) -> str | None:
        if not isinstance(view, Waiting) or view.work != "answer":
            return None
        return await self._streams.start(address.reference, address.conversation, render_plain(view))

    def _show_typing(self, address: _Address) -> None:
        """Shows that more is to come. Nothing waits for it, and nothing is lost if it fails."""

        async def send_typing() -> None:
            try:
                await self._connector.send(
                    address.reference.service_url, address.conversation, _add_address(address, TYPING)
                )
            except WikiWhyError as error:
                logger.info("The typing indicator could not be shown: %s", error)

        task = asyncio.create_task(send_typing())
        self._typing.add(task)
        task.add_done_callback(self._typing.discard)

    async def _end_stream(self, address: _Address, message_id: str) -> str:
        """The id by which a message can be updated; a stream is ended first."""
        team = address.reference.team
        if self._streams.has(address.conversation, message_id):
            ended = await self._streams.end(address.reference, address.conversation, message_id)
            if ended != message_id:
                await self._references.move(team, address.conversation, message_id, ended)
        return await self._references.resolve_message(team, address.conversation, message_id)

    async def _replace(self, address: _Address, message_id: str, message: Json) -> str:
        """Puts a message in place of one that cannot be updated, as a stream that a killed process left open."""
        ended = await self._streams.end(address.reference, address.conversation, message_id)
        try:
            await self._update(address, ended, message)
        except TeamsRefused as error:
            if error.status not in _GONE:
                raise
            # A placeholder first: if the process is killed here, no answer is there twice.
            ended = await self._send(address, text_message("…"))
        await self._references.move(address.reference.team, address.conversation, message_id, ended)
        return ended

    async def _send(self, address: _Address, message: Json) -> str:
        url = address.reference.service_url
        message_id = await _shorten_if_too_long(
            address, message, lambda activity: self._connector.send(url, address.conversation, activity)
        )
        if not message_id:
            raise ChatRefused("Teams took a message and did not say under which id.")
        return message_id

    async def _update(self, address: _Address, message_id: str, message: Json) -> None:
        url = address.reference.service_url
        await _shorten_if_too_long(
            address, message, lambda activity: self._connector.update(url, address.conversation, message_id, activity)
        )


async def _shorten_if_too_long(address: _Address, message: Json, send: Callable[[Json], Awaitable[T]]) -> T:
    """Sends a message; if it is too long for Teams, again as short as can be."""
    full = _add_address(address, message)
    try:
        return await send(full)
    except TeamsRefused as error:
        if error.status != _TOO_LONG:
            raise
        logger.warning("A message was too long for Teams, and was shortened.")
        return await send({**full, **shorten_message(message)})


async def _render(view: View) -> Json:
    """Renders a view; an answer, whose Markdown may take long to parse, in a thread."""
    return await asyncio.to_thread(render_message, view) if isinstance(view, AnswerView) else render_message(view)


def _add_address(address: _Address, activity: Json) -> Json:
    return {**activity, "from": {"id": address.reference.bot}, "conversation": {"id": address.conversation}}
