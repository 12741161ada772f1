"""The workflow that updates an answer after its question was edited, and removes it after the question was deleted.

Of several edits in quick succession only the last is answered. A question that changes while it is being answered gets
no answer to its old text (see :meth:`bot.chat.message_poster.MessagePoster.post_once`). Revisions of one question run
one at a time; a superseded revision shows nothing and leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.chat.ask_workflow import AskWorkflow
from bot.chat.message_poster import MessagePoster
from bot.coordination.bots import Bots
from bot.workflow import RunStep
from core.chat.limits import ChatLimits
from core.chat.listening import has_question
from core.chat.requests import AnswerOutcome, Json, QuestionRequest, RevisionRequest
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ChatRefused
from core.history import ThreadHistory
from core.model.reasons import NoReason, NoticeReason
from core.ports.chat import ChatPlatform
from core.ports.chat_stores import Post
from core.ports.store import TurnStore
from core.views.notices import choose_notice
from core.wording.courtesy import is_thanks

_PAUSE = 1.0  # seconds to wait for another edit
_POLL = 0.2  # seconds between two checks whether the first answer is made

IsUnderWay = Callable[[str], Awaitable[bool]]
"""Whether the workflow of a key has begun and not ended."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReviseWorkflow:
    """Answers an edited question, or removes the answer to a deleted one.

    It works on the post with the key ``RevisionRequest.of``.
    """

    ask: AskWorkflow
    poster: MessagePoster
    turns: TurnStore
    history: ThreadHistory
    limits: ChatLimits
    is_under_way: IsUnderWay
    bots: Bots

    async def run(self, request: RevisionRequest, step: RunStep) -> None:
        await step("wait", lambda: self._wait(request))
        async with self.bots.lock(f"revise:{request.of}"):
            if request.text is None:
                await step("remove", lambda: self._remove(request))
                return
            answered = await step("answer", lambda: self._answer(request))
            if answered:
                await step("show", lambda: self._show(request, AnswerOutcome.from_json(answered["outcome"])))
                await step("clean", lambda: self._clean(request, answered["turn_before"]))

    async def report_failure(self, request: RevisionRequest) -> None:
        if request.text is None:
            return
        try:
            await self._show(request, AnswerOutcome(notice="failed"))
        except ChatRefused:
            await self._clean(request, "")
            notice = choose_notice("edit_refused", request.language)
            await self.poster.notices.notify(request.key, request.place, request.user, notice)

    async def _wait(self, request: RevisionRequest) -> None:
        """Wait until no further edit follows and the first answer is finished."""
        await asyncio.sleep(_PAUSE)
        while await self._find_post(request) and await self.is_under_way(request.of):  # noqa: ASYNC110 - in a database
            await asyncio.sleep(_POLL)

    async def _find_post(self, request: RevisionRequest) -> Post | None:
        """Return the post of the question, or None if a later change exists."""
        post = await self.poster.posts.load_post(request.of)
        return post if post and post.changed_at == request.changed_at else None

    # ------------------------------------------------------------------------------------ edited

    async def _answer(self, request: RevisionRequest) -> Json:
        """Answer the new text; return the outcome and the replaced turn's id, or {} if there is nothing to show."""
        post = await self._find_post(request)
        if post is None:
            return {}
        question = await self._make_question(request, post)
        asked = await self._find_platform(request).resolve_mentions(request.place, question.text)
        earlier = await self.turns.load_turn(post.turn_id)
        if post.message_id and earlier and earlier.question.as_asked == asked:
            return {}
        return {"outcome": await self.ask.answer(question), "turn_before": post.turn_id}

    async def _make_question(self, request: RevisionRequest, post: Post) -> QuestionRequest:
        text = request.text or ""
        notice: NoticeReason | NoReason = ""
        if not has_question(text):
            notice = "thanks" if is_thanks(text) else "how_to_ask"
        question = replace(_make_request(request), follows=post.follows)
        if question.characters > MAX_QUESTION_CHARS:
            notice = "too_long"
        notice = notice or await self.limits.find_exceeded(request.place, request.user, question.key)
        return replace(question, notice=notice)

    async def _show(self, request: RevisionRequest, outcome: AnswerOutcome) -> None:
        post, question = await self._find_post(request), _make_request(request)
        if post is None or (post.message_id and post.turn_id == question.turn_id):
            return
        turn_id = "" if outcome.notice else question.turn_id
        await self.poster.replace(post, turn_id, lambda: self.ask.make_view(question, outcome))

    async def _clean(self, request: RevisionRequest, turn_before: str) -> None:
        """Remove the replaced turn, or the new one if it was not shown: a later change came, or it is refused."""
        post, turn_id = await self.poster.posts.load_post(request.of), _make_request(request).turn_id
        for unused in {turn_before, turn_id} - {post.turn_id if post else ""}:
            await self._remove_turn(request, unused)

    # ------------------------------------------------------------------------------------ deleted

    async def _remove(self, request: RevisionRequest) -> None:
        post = await self._find_post(request)
        if post is None:
            return
        await self.history.remove(request.place, request.message_id)  # an answer in progress may have added it again
        if turn := await self.turns.load_turn(post.turn_id):  # a deleted message has no language
            request = replace(request, language=turn.question.language)
        if post.message_id:
            await self._delete(request, post)
        await self._remove_turn(request, post.turn_id)
        await self.poster.posts.replace(replace(post, message_id="", turn_id="", finished=True))

    async def _remove_turn(self, request: RevisionRequest, turn_id: str) -> None:
        """Remove a turn and the messages that explain it."""
        if not turn_id:
            return
        for other in await self.poster.posts.find_of_turn(turn_id):
            if other.key != request.of:
                if other.message_id:
                    await self._delete(request, other)
                await self.poster.posts.replace(replace(other, message_id="", turn_id="", finished=True))
        await self.turns.remove(turn_id)

    async def _delete(self, request: RevisionRequest, post: Post) -> None:
        try:
            await self.poster.platforms[post.place.platform].remove(post.place, post.message_id)
        except ChatRefused as error:  # such as an archived channel; stored data is removed all the same
            logger.warning("The message of %s could not be deleted: %s", post.key, error)
            if request.text is None:
                notice = choose_notice("deletion_refused", request.language)
                await self.poster.notices.notify(request.key, request.place, request.user, notice)

    def _find_platform(self, request: RevisionRequest) -> ChatPlatform:
        return self.poster.platforms[request.place.platform]


def _make_request(request: RevisionRequest) -> QuestionRequest:
    text = request.text or ""
    return QuestionRequest(
        key=f"{request.of}~{request.changed_at}",
        place=request.place,
        message_id=request.message_id,
        user=request.user,
        text=text[:MAX_QUESTION_CHARS],
        language=request.language,
        characters=request.characters or len(text),
    )
