"""What belongs together in a chat, which in Teams has no threads.

A person's chat with the bot goes on for years. Its first question is not what a question of today is about: so each
sitting is a thread of its own for us, named as threads are, by its first message. In a group chat everybody has their
own, and who refers to what was said joins the last. Nobody in Teams sees anything of it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from core.chat.history import order_key
from core.completion.heuristic import refers_back
from core.identity.person import PersonId
from core.ports import Place, PostStore

PAUSE_MILLISECONDS = 4 * 3600 * 1000.0
"""Who says nothing for so long begins anew."""

_MOST_KNOWN = 10_000


@dataclass(slots=True)
class ChatSessions:
    """The sittings of all chats. Ids of messages in Teams are milliseconds."""

    posts: PostStore
    _newest: OrderedDict[tuple[str, str, str], tuple[str, str]] = field(default_factory=OrderedDict)
    """By organisation, chat and person ("" for whoever was last): the sitting, and the last message in it."""

    async def place(self, place: Place, message_id: str = "", user: str = "", text: str = "") -> Place:
        """The place with the sitting that a message belongs to, the last there is without one; others as they are."""
        if is_threaded(place):
            return place
        whose = user if message_id and not place.direct and not refers_back(text) else ""
        sitting, last = self._newest.get((place.team, place.channel, whose)) or await self._last(place, whose)
        goes_on = not message_id or order_key(message_id)[0] - order_key(last)[0] <= PAUSE_MILLISECONDS
        return replace(place, thread=sitting if sitting and goes_on else message_id)

    def note_message(self, place: Place, message_id: str, user: str) -> None:
        """Something was said to us there; ``place`` is with its sitting."""
        if is_threaded(place):
            return
        for whose in {user, ""}:
            chat = (place.team, place.channel, whose)
            _, last = self._newest.pop(chat, ("", ""))
            self._newest[chat] = (place.thread, max(last, message_id, key=order_key))
        while len(self._newest) > _MOST_KNOWN:
            self._newest.popitem(last=False)

    def forget(self, person: PersonId) -> None:
        """Forgets in which sittings a person is."""
        for chat in [chat for chat in self._newest if chat[2] and person.is_user(chat[0], chat[2])]:
            del self._newest[chat]

    async def _last(self, place: Place, whose: str) -> tuple[str, str]:
        """As far as the store knows; it does not tell people's sittings apart."""
        post = None if whose else await self.posts.last_in_channel(place)
        return (post.place.thread, post.message_id) if post else ("", "")


def is_threaded(place: Place) -> bool:
    """Whether it is a channel of a team, where every message stands in a thread."""
    return place.room != place.channel
