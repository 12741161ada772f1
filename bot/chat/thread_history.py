"""The history of threads: our turns, the messages that we received, and once the thread as the platform has it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.errors import WikiWhyError
from core.history import TokenCounter, order_key, pages_with_text, select_visible, thread_history
from core.model import Message, Scope, Turn
from core.ports.chat import ChatPlatform, Place, Platform, ThreadMessage
from core.ports.chat_store import Post, PostStore, ThreadStore
from core.ports.store import EvidenceStore, TurnStore

_MOST_NAMED = 30  # messages, the last ones, whose mentions are replaced by names
_MOST_NAMES = 20  # people of a thread that are looked up for one question

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class History:
    """The messages before a question. ``pages``: whose text its answers have."""

    messages: tuple[Message, ...] = ()
    pages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ThreadHistory:
    """What was written in threads."""

    turns: TurnStore
    evidences: EvidenceStore
    posts: PostStore
    threads: ThreadStore
    platforms: Mapping[Platform, ChatPlatform]
    count: TokenCounter

    async def load(self, place: Place, message_id: str, scope: Scope) -> History:
        """The history of a question, as much of it as may be shown in this scope now."""
        if message_id == place.thread:
            return History()
        conversation = place.conversation_id
        platform = self.platforms[place.platform]
        await self._read_once(place, message_id)
        earlier = [each for each in await self.threads.messages(conversation) if _is_before(each, message_id)]
        posts = await self.posts.in_conversation(conversation)
        stored = await self.turns.of_conversation(conversation)
        visible = await self.evidences.visible(pages_with_text(stored), scope)
        turns = {turn.turn_id: turn for turn in select_visible(stored, scope, visible)}
        answered = _by_message(posts, turns, {each.message_id for each in earlier}, message_id)
        recent = [
            replace(each, text=await platform.resolve_mentions(place, each.text)) for each in earlier[-_MOST_NAMED:]
        ]
        written = [*earlier[:-_MOST_NAMED], *recent]
        messages = thread_history(written, answered, await self._names(place, written), self.count)
        return History(tuple(messages), pages_with_text(answered.values()))

    async def add(self, place: Place, message: ThreadMessage) -> None:
        """Adds a message, or replaces its text after an edit."""
        await self.threads.add(place.conversation_id, [message])

    async def remove(self, place: Place, message_id: str) -> None:
        """Removes a message that a person deleted."""
        await self.threads.remove(place.conversation_id, message_id)

    async def since_our_last(self, place: Place, message_id: str) -> list[ThreadMessage]:
        """What people wrote after our last message in the thread, and before this one."""
        posts = await self.posts.in_conversation(place.conversation_id)
        ours = max((post.message_id for post in posts), key=order_key, default="0")
        messages = await self.threads.messages(place.conversation_id)
        before = [each for each in messages if _is_before(each, message_id)]
        return [each for each in before if order_key(each.message_id) > order_key(ours)]

    async def _read_once(self, place: Place, message_id: str) -> None:
        """Reads what was written before the bot was called. Once: platforms allow few requests for threads."""
        if await self.threads.was_read(place.conversation_id):
            return
        try:
            messages = await self.platforms[place.platform].messages(place, message_id)
        except WikiWhyError as error:
            logger.warning("The thread of a question could not be read; it is answered without: %s", error)
            return
        await self.threads.add(place.conversation_id, messages)
        await self.threads.mark_read(place.conversation_id)

    async def _names(self, place: Place, messages: Sequence[ThreadMessage]) -> dict[str, str]:
        unnamed = list(dict.fromkeys(message.user for message in reversed(messages) if not message.name))[:_MOST_NAMES]
        platform = self.platforms[place.platform]
        names: dict[str, str] = {}
        try:
            for user in unnamed:
                names[user] = (await platform.member(place, user)).name
        except WikiWhyError as error:  # the text matters more than who wrote it
            logger.warning("The people of a thread could not be looked up, and stay without names: %s", error)
        return names


def _is_before(message: ThreadMessage, message_id: str) -> bool:
    return order_key(message.message_id) < order_key(message_id)


def _by_message(posts: Sequence[Post], turns: Mapping[str, Turn], written: set[str], before: str) -> dict[str, Turn]:
    """The turns before a message, by the message that asked, or by ours where a button did."""
    found: dict[str, Turn] = {}
    for post in posts:
        if post.turn_id in turns and post.key.startswith("ask:"):
            asked_by = post.key.rpartition(":")[2]
            found[asked_by if asked_by in written else post.message_id] = turns[post.turn_id]
    return {message_id: turn for message_id, turn in found.items() if order_key(message_id) < order_key(before)}
