"""Chat sessions: the messages of a Teams chat that belong together.

Chats in Teams have no threads, and a personal chat with the bot may last for years. A session therefore serves as the
thread; its id is that of its first message. In a group chat each person has their own session, and a message that
refers to earlier ones joins the last session of the chat. Sessions are not visible in Teams.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from core.completion.back_references import refers_back
from core.history import make_sort_key
from core.model import PersonId
from core.ports.chat import Place
from core.ports.chat_stores import PostStore
from core.wording.courtesy import strip_courtesy

PAUSE_MILLISECONDS = 4 * 3600 * 1000.0
"""The pause after which a session ends."""

_MOST_KNOWN = 10_000


@dataclass(slots=True)
class ChatSessions:
    """The sessions of all chats. Ids of messages in Teams are milliseconds."""

    posts: PostStore
    are_shared: bool = False
    """Whether other bots receive messages of the same chats: then stored sessions are read too."""
    _newest: OrderedDict[tuple[str, str, str], tuple[str, str]] = field(default_factory=OrderedDict)
    """Per organisation, chat and person ("" for the last one): the session, and its last message."""

    async def find_place(self, place: Place, message_id: str = "", user: str = "", text: str = "") -> Place:
        """Return the place with a message's session, or without a message with the last session.

        A place in a channel is returned unchanged.
        """
        if is_threaded(place):
            return place
        person = user if message_id and not place.direct and not refers_back(strip_courtesy(text)) else ""
        session, last = await self._find_last(place, person)
        goes_on = not message_id or make_sort_key(message_id)[0] - make_sort_key(last)[0] <= PAUSE_MILLISECONDS
        return replace(place, thread=session if session and goes_on else message_id)

    def note_message(self, place: Place, message_id: str, user: str) -> None:
        """Store a message to the bot as the last one of its session, which is ``place.thread``."""
        if is_threaded(place):
            return
        for person in {user, ""}:
            chat = (place.team, place.channel, person)
            _, last = self._newest.pop(chat, ("", ""))
            self._newest[chat] = (place.thread, max(last, message_id, key=make_sort_key))
        while len(self._newest) > _MOST_KNOWN:
            self._newest.popitem(last=False)

    def forget(self, person: PersonId) -> None:
        """Drop the sessions of a person from memory."""
        for chat in [chat for chat in self._newest if chat[2] and person.is_user(chat[0], chat[2])]:
            del self._newest[chat]

    def forget_all(self) -> None:
        """Drop all sessions from memory."""
        self._newest.clear()

    async def _find_last(self, place: Place, person: str) -> tuple[str, str]:
        """Return the last session of a chat and its last message, "" if none is known."""
        known = self._newest.get((place.team, place.channel, person))
        if known and not self.are_shared:
            return known
        stored = await self._load_last(place, person)
        return max(known or ("", ""), stored, key=lambda each: make_sort_key(each[1]))

    async def _load_last(self, place: Place, person: str) -> tuple[str, str]:
        """Load the last session from the store; that of one person only if other bots receive messages too."""
        if person and not self.are_shared:
            return "", ""
        asker = place.make_person_key(person)
        post = await self.posts.find_last_in_channel(place, asker)
        return (post.place.thread, post.message_id or post.place.thread) if post else ("", "")


def is_threaded(place: Place) -> bool:
    """Whether a place is in a channel of a team, where every message is in a thread."""
    return place.room != place.channel
