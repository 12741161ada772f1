"""Letting an answer follow its question: one that was edited is answered anew in place, one that was deleted removed.

Of many edits in a moment only the last is answered. A question that is edited or deleted while it is being answered
gets no answer to its old words (see :meth:`bot.chat.message_poster.MessagePoster.post_once`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from bot.chat.ask_workflow import AnswerOutcome, AskWorkflow
from bot.durable import RunStep
from core.chat.listening import has_words
from core.chat.requests import ChatLimits, Json, QuestionRequest, RevisionRequest
from core.conversation import MAX_QUESTION_CHARS
from core.ports.chat import ChatPlatform, Platform
from core.ports.chat_store import Post, PostStore
from core.ports.store import TurnStore

_PAUSE = 1.0  # seconds that another edit may follow in
_POLL = 0.2  # seconds between two looks at whether the first answer is made

IsUnderWay = Callable[[str], Awaitable[bool]]
"""Whether the work of a key has begun and not ended."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReviseWorkflow:
    """Every step looks first whether the question was changed again: then the workflow of that change does the work."""

    ask: AskWorkflow
    platforms: Mapping[Platform, ChatPlatform]
    posts: PostStore
    turns: TurnStore
    limits: ChatLimits
    is_under_way: IsUnderWay
    pause: float = _PAUSE

    async def run(self, request: RevisionRequest, step: RunStep) -> None:
        await step("wait", lambda: self._wait(request))
        if request.text is None:
            await step("remove", lambda: self._remove(request))
            return
        stored = await step("answer", lambda: self._answer(request))
        if stored:
            await step("show", lambda: self._show(request, AnswerOutcome.from_json(stored)))

    async def report_failure(self, request: RevisionRequest) -> None:
        await self._show(request, AnswerOutcome(notice="failed"))

    async def _wait(self, request: RevisionRequest) -> None:
        """Until no edit follows, and the answer to the question as it was is made."""
        await asyncio.sleep(self.pause)
        while await self._find_post(request) and await self.is_under_way(request.of):  # noqa: ASYNC110 - in a database
            await asyncio.sleep(_POLL)

    async def _find_post(self, request: RevisionRequest) -> Post | None:
        """The post of the question, None where a later edition of it is known."""
        post = await self.posts.post(request.of)
        return post if post and post.edition == request.edition else None

    async def _answer(self, request: RevisionRequest) -> Json:
        """The outcome of answering the new words; nothing where there is nothing to show."""
        post = await self._find_post(request)
        if post is None:
            return {}
        question = await self._make_question(request)
        platform = self.platforms[request.place.platform]
        asked = await platform.resolve_mentions(request.place, question.text)
        earlier = await self.turns.get(post.turn_id)
        if post.message_id and earlier and earlier.question.as_asked == asked:
            return {}
        return await self.ask.answer(question)

    async def _make_question(self, request: RevisionRequest) -> QuestionRequest:
        text = request.text or ""
        notice = "" if has_words(text) else "how_to_ask"
        if len(text) > MAX_QUESTION_CHARS:
            notice = "too_long"
        question = _question_of(request)
        notice = notice or await self.limits.find_exceeded(request.place, request.user, question.key)
        return replace(question, notice=notice)

    async def _show(self, request: RevisionRequest, outcome: AnswerOutcome) -> None:
        post = await self._find_post(request)
        if post is None:
            return
        question = _question_of(request)
        view = await self.ask.make_view(question, outcome)
        platform = self.platforms[request.place.platform]
        if post.message_id:
            message_id = await platform.replace(request.place, post.message_id, view, request.of)
        else:
            found = await platform.find_message(request.place, request.of)
            message_id = found or await platform.post(request.place, view, request.of)
        await self._remove_turn(post)
        turn_id = "" if outcome.notice else question.turn_id
        await self.posts.replace(replace(post, message_id=message_id, turn_id=turn_id, finished=True))

    async def _remove(self, request: RevisionRequest) -> None:
        post = await self._find_post(request)
        if post is None:
            return
        if post.message_id:
            await self.platforms[request.place.platform].remove(request.place, post.message_id)
        await self._remove_turn(post)
        await self.posts.replace(replace(post, message_id="", turn_id="", finished=True))

    async def _remove_turn(self, post: Post) -> None:
        """Removes the turn that the question was, and the messages that explain it."""
        if not post.turn_id:
            return
        for other in await self.posts.in_conversation(post.place.conversation_id):
            if other.turn_id == post.turn_id and other.key != post.key:
                if other.message_id:
                    await self.platforms[other.place.platform].remove(other.place, other.message_id)
                await self.posts.replace(replace(other, message_id="", turn_id="", finished=True))
        await self.turns.remove(post.turn_id)


def _question_of(request: RevisionRequest) -> QuestionRequest:
    text = request.text or ""
    return QuestionRequest(
        key=f"{request.of}~{request.edition}",
        place=request.place,
        message_id=request.message_id,
        user=request.user,
        text=text[:MAX_QUESTION_CHARS],
        spoken=request.spoken,
        characters=len(text),
    )
