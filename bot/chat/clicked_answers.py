"""Find the answer under whose message a person clicked, if they may see it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.access import Access, ChatAccess
from core.errors import ChatUnavailable
from core.languages import Language
from core.model import Turn
from core.ports.chat import ChatPlatform, Click, Command, Place, Platform, Post, PostStore
from core.ports.store import TurnStore
from core.views.model import Notice
from core.views.notices import notice_for

PATIENCE = 0.5
"""Seconds to wait for the platform's information about a person."""

_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds; Slack allows opening a window within three seconds of the click


@dataclass(frozen=True, slots=True)
class ClickedAnswer:
    """A turn that was clicked. ``access``: what the person who clicked may see now."""

    turn: Turn
    place: Place
    access: Access

    @property
    def spoken(self) -> Language:
        return self.turn.question.language


@dataclass(frozen=True, slots=True)
class ClickedAnswers:
    """Finds clicked answers on all platforms."""

    platforms: Mapping[Platform, ChatPlatform]
    posts: PostStore
    turns: TurnStore
    access: ChatAccess

    async def find(self, click: Click) -> ClickedAnswer | Notice:
        """Return the turn under whose message the person clicked, if they may see it, else a notice.

        A forged turn id finds nothing. The audience is looked up again: what was stored with the message may be out of
        date.
        """
        turn = await self.turns.load_turn(click.turn_id)
        post = await self._find_post(click, turn)
        if post is None or turn is None or post.turn_id != turn.turn_id:
            return notice_for("unknown", await self.find_language(click))
        place = replace(post.place, shared=click.place.shared)
        access = await self.access.find_access_to(turn, place, click.user)
        if not isinstance(access, Access):
            return notice_for(access, turn.question.language)
        return ClickedAnswer(await self.access.redact(turn, access), place, access)

    async def _find_post(self, click: Click, turn: Turn | None) -> Post | None:
        """Return the post whose message was clicked.

        Waits if the click came before the message's id was stored.
        """
        for pause in _PAUSES:
            # Checked first: the id may be stored between the two queries.
            is_being_posted = turn is not None and await self._is_being_posted(turn)
            post = await self.posts.find_by_message(click.place, click.message_id)
            if post is not None or not is_being_posted:
                return post
            await asyncio.sleep(pause)
        return await self.posts.find_by_message(click.place, click.message_id)

    async def _is_being_posted(self, turn: Turn) -> bool:
        posts = await self.posts.find_in_conversation(turn.conversation_id)
        return any(post.turn_id == turn.turn_id and not post.message_id for post in posts)

    async def find_language(self, action: Click | Command) -> Language:
        """Return the language of the message with the button, or of the person's client."""
        return await self.find_client_language(action.place, action.user, action.language)

    async def find_client_language(self, place: Place, user: str, told: Language | None) -> Language:
        """Return the language of a person's client: the event's, else the platform's if it answers soon, else English.

        A command must be answered within three seconds.
        """
        if told:
            return told
        try:
            async with asyncio.timeout(PATIENCE):
                return (await self.platforms[place.platform].find_member(place, user)).language
        except (ChatUnavailable, TimeoutError):
            return "en"
