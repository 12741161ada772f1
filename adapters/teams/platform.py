"""Microsoft Teams as a :class:`core.ports.ChatPlatform`."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import quote

from adapters.teams.audiences import TeamsAudiences
from adapters.teams.cards import render_message
from adapters.teams.cards.message import shorten_message, text_message
from adapters.teams.cards.notices import plain_waiting_text
from adapters.teams.connector import Connector, TeamsRefused
from adapters.teams.json import Json
from adapters.teams.people import member_of
from adapters.teams.streams import Streams
from core.errors import ChatRefused, WikiWhyError
from core.identity.ttl_cache import TtlCache
from core.ports import Audience, Member, Place, Reference, ReferenceStore, ThreadMessage, View
from core.timing import Clock
from core.views.answer import AnswerView
from core.views.notices import Waiting

_TOO_LONG = 413
_GONE = frozenset({400, 403, 404, 405})
"""What Teams says to an update of a stream that a killed process left open, whichever."""

TYPING: Json = {"type": "typing"}

_MEMBER_SECONDS = 900.0  # that what Teams told of a person is relied on
_MOST_POSTED = 1_000

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _There:
    """A place as its messages are sent to it. ``conversation``: with its thread."""

    reference: Reference
    conversation: str


class TeamsPlatform:
    """All organisations that the bot is in. The clock gives seconds, monotonic.

    ``streams``: whether answers are written piece by piece, so that it is worth showing them so.
    """

    def __init__(self, connector: Connector, references: ReferenceStore, clock: Clock, streams: bool) -> None:
        self._connector = connector
        self._references = references
        self._streams = Streams(connector, clock, streams)
        self._members: TtlCache[Member] = TtlCache(_MEMBER_SECONDS, clock, failure_seconds=0)
        self.audiences = TeamsAudiences(connector, clock)
        self._posted: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._typing: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Leaves what is only shown for a moment."""
        for task in self._typing:
            task.cancel()
        await asyncio.gather(*self._typing, return_exceptions=True)

    async def post(self, place: Place, view: View, key: str, asker: str = "") -> str:
        there = await self._reached(place)
        message_id = await self._started(there, view) if place.direct and asker else None
        if message_id is None:
            message_id = await self._send(there, await _rendered(view))
            if isinstance(view, Waiting):
                self._type(there)
        self._posted[there.conversation, key] = message_id
        while len(self._posted) > _MOST_POSTED:
            self._posted.popitem(last=False)
        return message_id

    async def update(self, place: Place, message_id: str, view: View) -> None:
        there = await self._reached(place)
        message_id = await self._ended(there, message_id)
        message = await _rendered(view)
        try:
            await self._put(there, message_id, message)
        except TeamsRefused as error:
            if not place.direct or error.status not in _GONE:
                raise
            await self._put(there, await self._replaced(there, message_id, message), message)

    async def draft(self, place: Place, message_id: str, text: str) -> None:
        try:
            there = await self._reached(place)
            streaming = self._streams.has(there.conversation, message_id)
            if streaming and await self._streams.grow(there.reference, there.conversation, message_id, text):
                return
            message_id = await self._ended(there, message_id)
            await self._put(there, message_id, text_message(text))
        except WikiWhyError as error:
            logger.info("A draft could not be shown: %s", error)

    async def find_message(self, place: Place, key: str, others: Collection[str]) -> str | None:
        """The message, if this process posted it and heard its id.

        Teams neither lets bots read what stands in a conversation nor lets them mark a message. So what a process
        posted just before it was killed is not found, and one placeholder stays.
        """
        there = await self._reached(place)
        return self._posted.get((there.conversation, key))

    async def link(self, place: Place, message_id: str) -> str:
        """A deep link; Teams has none into a person's chat with a bot."""
        if place.direct or not message_id.isdecimal():
            return ""
        address = f"https://teams.microsoft.com/l/message/{quote(place.room, safe='')}/{message_id}"
        tenant = f"?tenantId={quote(place.team, safe='')}"
        if place.room == place.channel:
            return f"{address}{tenant}&context=%7B%22contextType%22%3A%22chat%22%7D"
        return f"{address}{tenant}&parentMessageId={quote(place.thread, safe='')}"

    async def messages(self, place: Place, before: str) -> list[ThreadMessage]:
        """None: in Teams a bot sees only what is said to it, which is remembered as it comes."""
        return []

    async def resolve_mentions(self, place: Place, text: str) -> str:
        """The text: Teams writes the names of people whom a message mentions."""
        return text

    async def member(self, place: Place, user: str) -> Member:
        return await self._members.get(f"{place.team}:{user}", lambda: self._asked(place, user))

    async def audience(self, place: Place) -> Audience:
        try:
            there = await self._reached(place)
        except ChatRefused:
            return "unknown"
        return await self.audiences.audience(there.reference.service_url, place.team, place.room)

    async def _asked(self, place: Place, user: str) -> Member:
        """Of whom Teams does not tell nothing is believed."""
        known = await self._references.person(place.team, user)
        try:
            there = await self._reached(place)
            account = known.account if known else user
            found = await self._connector.member(there.reference.service_url, place.room, account)
        except ChatRefused:
            return Member(user, user, guest=True)
        return member_of(found, place.team, user)

    async def _reached(self, place: Place) -> _There:
        """How the place is reached; of a person's id their chat. Raises ChatRefused where that is not known."""
        room = place.room
        if place.direct and (person := await self._references.person(place.team, room)) and person.direct:
            room = person.direct
        reference = await self._references.of(place.team, room)
        if reference is None:
            raise ChatRefused("WikiWhy was never spoken to in this conversation, so it cannot write there.")
        return _There(reference, place.channel if place.thread and place.room != place.channel else room)

    async def _started(self, there: _There, view: View) -> str | None:
        if not isinstance(view, Waiting) or view.work != "answer":
            return None
        return await self._streams.start(there.reference, there.conversation, plain_waiting_text(view))

    def _type(self, there: _There) -> None:
        """Shows that more is to come; nothing waits for it, and nothing is lost where it fails."""

        async def type_quietly() -> None:
            try:
                await self._connector.send(there.reference.service_url, there.conversation, _addressed(there, TYPING))
            except WikiWhyError as error:
                logger.info("That we type could not be shown: %s", error)

        task = asyncio.create_task(type_quietly())
        self._typing.add(task)
        task.add_done_callback(self._typing.discard)

    async def _ended(self, there: _There, message_id: str) -> str:
        """The id under which a message can be updated; a stream is ended for that."""
        team = there.reference.team
        if self._streams.has(there.conversation, message_id):
            ended = await self._streams.end(there.reference, there.conversation, message_id)
            if ended != message_id:
                await self._references.move(team, there.conversation, message_id, ended)
        return await self._references.resolve_message(team, there.conversation, message_id)

    async def _replaced(self, there: _There, message_id: str, message: Json) -> str:
        """A message that can be updated, in place of one that cannot: say a stream that a killed process left open."""
        ended = await self._streams.end(there.reference, there.conversation, message_id)
        try:
            await self._put(there, ended, message)
        except TeamsRefused as error:
            if error.status not in _GONE:
                raise
            # A placeholder first: cut off here, no answer would stand there twice.
            ended = await self._send(there, text_message("…"))
        await self._references.move(there.reference.team, there.conversation, message_id, ended)
        return ended

    async def _send(self, there: _There, message: Json) -> str:
        """Sends a message; one that is too long for Teams again, as short as can be."""
        full = _addressed(there, message)
        url = there.reference.service_url
        try:
            message_id = await self._connector.send(url, there.conversation, full)
        except TeamsRefused as error:
            if error.status != _TOO_LONG:
                raise
            logger.warning("A message was too long for Teams, and was shortened.")
            short = {**full, **shorten_message(message)}
            message_id = await self._connector.send(url, there.conversation, short)
        if not message_id:
            raise ChatRefused("Teams took a message and did not say under which id.")
        return message_id

    async def _put(self, there: _There, message_id: str, message: Json) -> None:
        url = there.reference.service_url
        full = _addressed(there, message)
        try:
            await self._connector.update(url, there.conversation, message_id, full)
        except TeamsRefused as error:
            if error.status != _TOO_LONG:
                raise
            logger.warning("A message was too long for Teams, and was shortened.")
            await self._connector.update(url, there.conversation, message_id, {**full, **shorten_message(message)})


async def _rendered(view: View) -> Json:
    """As :func:`rendered`; an answer, whose Markdown may take long to parse, in a thread."""
    return await asyncio.to_thread(render_message, view) if isinstance(view, AnswerView) else render_message(view)


def _addressed(there: _There, activity: Json) -> Json:
    return {**activity, "from": {"id": there.reference.bot}, "conversation": {"id": there.conversation}}
