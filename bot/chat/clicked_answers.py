"""The answer under whose message a person clicked, if they may see it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.access import Access, ChatAccess
from core.errors import ChatUnavailable
from core.languages import Language
from core.model import Turn
from core.ports.chat import ChatPlatform, Click, Command, Place, Platform
from core.ports.chat_store import Post, PostStore
from core.ports.store import TurnStore
from core.views.building import notice_for
from core.views.model import Notice

PATIENCE = 0.5
"""Seconds that a reply waits for the platform to tell of a person."""

_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds; Slack lets a window be opened for three after the click


@dataclass(frozen=True, slots=True)
class ClickedAnswer:
    """``access``: what the person who clicked may see now."""

    turn: Turn
    place: Place
    access: Access

    @property
    def spoken(self) -> Language:
        return self.turn.question.language


@dataclass(frozen=True, slots=True)
class ClickedAnswers:
    """Of all platforms."""

    platforms: Mapping[Platform, ChatPlatform]
    posts: PostStore
    turns: TurnStore
    access: ChatAccess

    async def find(self, click: Click) -> ClickedAnswer | Notice:
        """The turn under whose message the person clicked, if they may see it. A forged id leads nowhere.

        Who else can read there is asked anew: what was stored with the message is of the time when it was posted.
        """
        turn = await self.turns.get(click.turn_id)
        post = await self._find_post(click, turn)
        if post is None or turn is None or post.turn_id != turn.turn_id:
            return notice_for("unknown", await self.find_language(click))
        place = replace(post.place, shared=click.place.shared)
        access = await self.access.to_see(turn, place, click.user)
        if not isinstance(access, Access):
            return notice_for(access, turn.question.language)
        return ClickedAnswer(await self.access.showable(turn, access), place, access)

    async def _find_post(self, click: Click, turn: Turn | None) -> Post | None:
        """The post whose message was clicked. Who clicks at once may be faster than the message's id is stored."""
        for pause in _PAUSES:
            # Asked first: it may be stored between the two.
            is_being_posted = turn is not None and await self._is_being_posted(turn)
            post = await self.posts.of_message(click.place, click.message_id)
            if post is not None or not is_being_posted:
                return post
            await asyncio.sleep(pause)
        return await self.posts.of_message(click.place, click.message_id)

    async def _is_being_posted(self, turn: Turn) -> bool:
        posts = await self.posts.in_conversation(turn.conversation_id)
        return any(post.turn_id == turn.turn_id and not post.message_id for post in posts)

    async def find_language(self, action: Click | Command) -> Language:
        """The language of a person's client, where what they did says it, or the platform does soon; else English.

        A command has to be answered within three seconds.
        """
        if isinstance(action, Click) and action.language:
            return action.language
        try:
            async with asyncio.timeout(PATIENCE):
                return (await self.platforms[action.place.platform].member(action.place, action.user)).language
        except (ChatUnavailable, TimeoutError):
            return "en"
