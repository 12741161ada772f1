"""Find the answer that a click or feedback means, where Teams does not say which message it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from adapters.teams.activities import ThumbFeedback
from bot.teams.chat_sessions import ChatSessions
from core.ports.chat import Click, IncomingMessage, Place
from core.ports.chat_stores import Post, PostStore
from core.ports.teams import ReferenceStore

_MOST_POSTS = 100  # newest of a thread, among which is the answer that was rated
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds between checks for a message's id


@dataclass(slots=True)
class AnswerFinder:
    """Finds answers by the posts of a conversation."""

    posts: PostStore
    sessions: ChatSessions
    references: ReferenceStore
    _written: dict[tuple[str, str, str], Place] = field(default_factory=dict)
    """Per organisation, channel and person: the thread in which the person last wrote to the bot."""

    def note_message(self, message: IncomingMessage) -> None:
        """Note a message to the bot."""
        self._written[message.place.team, message.place.room, message.user] = message.place

    def forget(self) -> None:
        """Drop what is in memory."""
        self._written.clear()

    async def find_clicked(self, click: Click) -> Click:
        """Return the click with the id of the answer's message, which may have been replaced or be missing.

        Only messages of the click's own conversation are considered, which the person may read.
        """
        place = click.place
        if click.message_id and await self.posts.find_by_message(place, click.message_id):
            return click
        posts = [post for post in await self.posts.find_of_turn(click.turn_id) if post.key.startswith("ask:")]
        of_turn = [post for post in posts if (post.place.team, post.place.channel) == (place.team, place.channel)]
        stored = next((post.message_id for post in of_turn if post.message_id), "")
        return replace(click, message_id=stored) if stored else click

    async def find_rated(self, feedback: ThumbFeedback) -> Post | None:
        """Return the post of the answer that feedback is about.

        If Teams does not say which message, it is the last answer of the thread. If the thread is missing too, as in
        the Agents Playground, it is the last answer to the person.
        """
        if feedback.message_id and (post := await self.posts.find_by_message(feedback.place, feedback.message_id)):
            return post if post.turn_id else None
        place = await self.sessions.find_place(feedback.place)
        if not place.thread:
            place = self._written.get((place.team, place.room, feedback.user), place)
        answers: list[Post] = []
        for pause in _PAUSES:
            posts = await self.posts.find_newest(place.conversation_id, _MOST_POSTS)
            answers = [post for post in posts if post.turn_id and post.key.startswith("ask:")]
            if all(post.message_id for post in answers):
                break
            await asyncio.sleep(pause)  # the message's id may not be stored yet
        if feedback.message_id:
            answers = [post for post in answers if await self._has_message(post, feedback.message_id)]
        return answers[-1] if answers else None

    async def _has_message(self, post: Post, message_id: str) -> bool:
        """Whether a message is the post's, or has replaced it."""
        if post.message_id == message_id:
            return True
        place = post.place
        return await self.references.resolve_message(place.team, place.channel, post.message_id) == message_id
