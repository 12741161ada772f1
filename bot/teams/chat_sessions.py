"""Chat sessions: which messages of a Teams chat belong together.

Chats in Teams have no threads, and a person's chat with the bot goes on for years: its first question is not what a
question of today is about. So each session is a thread of its own for us, whose id is, as a thread's, that of its first
message. In a group chat every person has their own, and a message that refers to what was said joins the last one.
Sessions are not visible in Teams.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from core.completion.heuristic import refers_back
from core.history import order_key
from core.person import PersonId, person_key
from core.ports.chat import Place
from core.ports.chat_store import PostStore

PAUSE_MILLISECONDS = 4 * 3600 * 1000.0
"""The pause after which a session ends."""

_MOST_KNOWN = 10_000


@dataclass(slots=True)
class ChatSessions:
    """The sessions of all chats. Ids of messages in Teams are milliseconds."""

    posts: PostStore
    are_shared: bool = False
    """Whether other bots get messages of the same chats: then what is stored counts too."""
    _newest: OrderedDict[tuple[str, str, str], tuple[str, str]] = field(default_factory=OrderedDict)
    """By organisation, chat and person ("" for whoever wrote last): the session, and the last message in it."""

    async def place(self, place: Place, message_id: str = "", user: str = "", text: str = "") -> Place:
        """The place with the session of a message, without a message with the last one. Channels stay as they are."""
        if is_threaded(place):
            return place
        person = user if message_id and not place.direct and not refers_back(text) else ""
        session, last = await self._find_last(place, person)
        goes_on = not message_id or order_key(message_id)[0] - order_key(last)[0] <= PAUSE_MILLISECONDS
        return replace(place, thread=session if session and goes_on else message_id)

    def note_message(self, place: Place, message_id: str, user: str) -> None:
        """Notes a message to the bot; ``place`` is with its session."""
        if is_threaded(place):
            return
        for person in {user, ""}:
            chat = (place.team, place.channel, person)
            _, last = self._newest.pop(chat, ("", ""))
            self._newest[chat] = (place.thread, max(last, message_id, key=order_key))
        while len(self._newest) > _MOST_KNOWN:
            self._newest.popitem(last=False)

    def forget(self, person: PersonId) -> None:
        """Forgets in which sessions a person is."""
        for chat in [chat for chat in self._newest if chat[2] and person.is_user(chat[0], chat[2])]:
            del self._newest[chat]

    def forget_all(self) -> None:
        """Forgets all sessions that are not stored."""
        self._newest.clear()

    async def _find_last(self, place: Place, person: str) -> tuple[str, str]:
        """The last session in a chat and its last message, "" where none is known."""
        known = self._newest.get((place.team, place.channel, person))
        if known and not self.are_shared:
            return known
        stored = await self._load_last(place, person)
        return max(known or ("", ""), stored, key=lambda each: order_key(each[1]))

    async def _load_last(self, place: Place, person: str) -> tuple[str, str]:
        """The last session as far as the store knows: of one person only where other bots get their messages too."""
        if person and not self.are_shared:
            return "", ""
        asker = person_key(place.platform, place.team, person) if person else ""
        post = await self.posts.last_in_channel(place, asker)
        return (post.place.thread, post.message_id or post.place.thread) if post else ("", "")


def is_threaded(place: Place) -> bool:
    """Whether it is a channel of a team, where every message is in a thread."""
    return place.room != place.channel
