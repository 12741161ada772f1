"""Answering one question of a chat, step by step; each step may be repeated."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from bot.channels import Channels
from bot.chat.access import ChatAccess
from bot.chat.drafting import latest
from bot.chat.helping import Helping
from bot.chat.parts import ChatParts
from bot.chat.payloads import Json, place_of
from bot.chat.posting import Posting
from bot.chat.remembering import Remembering
from bot.chat.telling import failure, instead
from bot.durable import Step, Workflow
from bot.keeping import keep_turn
from bot.wiring import Application, now
from core.chat.keys import turn_id_of
from core.conversation import Ask
from core.errors import ChatUnavailable, WikiWhyError
from core.identity.identities import Access
from core.identity.person import person_key
from core.model import Message, Scope, Turn
from core.ports import Member, Place, Post, ThreadMessage, View
from core.suggesting.suggester import suggested
from core.text import Language
from core.views.answer import AnswerView
from core.views.answer_building import answer_view
from core.views.notices import Waiting
from core.views.turn_wording import question_text
from core.views.wording import WORDS

logger = logging.getLogger(__name__)

_BUSY = 3  # questions being answered, from which on nobody waits for suggestions: answers come first
_AT_ONCE = (os.cpu_count() or 2) + 1  # questions being answered: more would only make each of them slower
_AT_ONCE_BY_MODEL = 64  # where they mostly wait for a language model, which has a limit of its own


@dataclass(slots=True)
class Asking:
    """The workflow ``ask``. Its payload: see :meth:`bot.chat.service.ChatService.heard`."""

    application: Application
    access: ChatAccess
    posting: Posting
    remembering: Remembering
    channels: Callable[[], Channels]
    helping: Helping
    parts: ChatParts
    _slots: asyncio.Semaphore = field(init=False)
    _answering: int = 0
    _suggesting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    def __post_init__(self) -> None:
        by_model = self.application.settings.has_language_model
        self._slots = asyncio.Semaphore(_AT_ONCE_BY_MODEL if by_model else _AT_ONCE)

    @property
    def workflow(self) -> Workflow:
        return Workflow(
            "ask",
            [
                Step("placeholder", self._placeholder),
                Step("answer", self._answer),
                Step("show", self._show),
                Step("suggest", self._suggest, attempts=1),
            ],
            self._failed,
        )

    async def _placeholder(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        waiting = Waiting(payload["spoken"], "answer")
        turn_id = turn_id_of(payload["key"])
        post = await self.posting.placed(payload["key"], place_of(payload), waiting, turn_id, payload["user"])
        return {"message_id": post.message_id}

    async def _answer(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        """To ``turn``, with the ``reason`` of its scope if there is one; or to a ``notice`` for the person instead."""
        if payload["notice"]:
            return {"notice": payload["notice"]}
        turn_id = turn_id_of(payload["key"])
        if await self.application.turns.get(turn_id):
            return {"turn": turn_id}
        place = place_of(payload)
        member = await self._asker(place, payload["user"])
        access = await self.access.scope(place, member)
        if not isinstance(access, Access):
            return {"notice": access}
        try:
            await self.parts.loaded.wait()
            async with self._counted(), self._slots:
                with self.parts.metrics.asking() as outcome:
                    outcome.turn = await self._asked(payload, _post(payload, outcomes), member, access.scope)
        except WikiWhyError as error:
            logger.warning("%s could not be answered: %s", payload["key"], error)
            return {"notice": failure(error)}
        return {"turn": turn_id, "reason": access.reason}

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1

    async def _asker(self, place: Place, user: str) -> Member:
        """Who asks. In a channel all see the same, so that only the name is missing where it cannot be had now."""
        try:
            return await self.posting.platforms[place.platform].member(place, user)
        except ChatUnavailable:
            if place.direct:
                raise
            return Member(user, user)

    async def _asked(self, payload: Json, post: Post, member: Member, scope: Scope) -> Turn:
        place = post.place
        platform = self.posting.platforms[place.platform]
        asked = await platform.named(place, payload["text"])
        suggested_in = payload["message_id"].rpartition(".")[0] if payload["kind"] == "suggestion" else ""
        question = asked or await self._suggested(payload["message_id"])
        history = await self._history(payload, question, post, member, scope)
        asker = person_key(place.platform, place.team, payload["user"])
        ask = Ask(
            post.turn_id, place.conversation_id, now(), question, history, scope, suggested_in=suggested_in, asker=asker
        )

        async def draft(text: str) -> None:
            await platform.draft(place, post.message_id, text)

        async with latest(draft) as hear:
            turn = await self.application.assistant().ask(ask, hear)
        await keep_turn(self.application, turn)
        return turn

    async def _suggested(self, which: str) -> str:
        """The words of a suggestion, "" if they were erased meanwhile. ``which``: its turn, a dot, and its place."""
        turn_id, _, index = which.rpartition(".")
        turn = await self.application.turns.get(turn_id)
        questions = [suggestion.question for suggestion in turn.suggestions] if turn else []
        return questions[int(index)] if int(index) < len(questions) else ""

    async def _history(self, payload: Json, question: str, post: Post, member: Member, scope: Scope) -> list[Message]:
        # What a button asked has no message of its own: ours stands for it, which comes at the same time.
        message_id = payload["message_id"] if payload["kind"] == "message" else post.message_id
        history: list[Message] = []
        if payload["kind"] != "correction":  # which says all that is meant
            history = await self.remembering.before(post.place, message_id, scope)
        if payload["kind"] != "suggestion":  # whose words are a page's: the turn has them, and is erased with it
            said = ThreadMessage(message_id, member.user, member.name, question)
            await self.remembering.remember(post.place, said)
        return history

    async def _show(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        post, outcome = _post(payload, outcomes), outcomes["answer"]
        if "turn" in outcome:
            turn = await self.application.turns.get(outcome["turn"])
            if turn is None:  # its space was forgotten meanwhile, and the conversation with it
                await self.posting.shown(post, instead("unknown", payload["spoken"]))
                return {}
            await self.posting.shown(post, await self._view(turn, payload, outcome.get("reason")))
        else:
            await self.posting.shown(post, await self._instead(payload, outcome["notice"]))
        return {}

    async def _suggest(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        suggester, turn_id = self.application.suggester, outcomes["answer"].get("turn")
        if suggester is None or turn_id is None or self._answering >= _BUSY:
            return {}
        turn = await self.application.turns.get(turn_id)
        if turn is None or not turn.answer.answered:
            return {}
        turns = await self.application.turns.of_conversation(turn.conversation_id)
        earlier = [each.question.as_asked for each in turns]
        async with self._suggesting, self._slots:  # answers come first
            turn = await suggested(suggester, turn, earlier, time.perf_counter)
        await self.application.turns.keep_suggestions(turn.turn_id, turn.suggestions)
        if turn.suggestions:
            view = await self._view(turn, payload, outcomes["answer"].get("reason"))
            await self.posting.changed(_post(payload, outcomes), view)
        return {}

    async def _instead(self, payload: Json, why: str) -> View:
        spoken: Language = payload["spoken"]
        if why == "how_to_ask":
            return await self.helping.view(place_of(payload), payload["user"], spoken)
        return instead(why, spoken, payload["characters"])

    async def _view(self, turn: Turn, payload: Json, reason: Any) -> AnswerView:
        pages = {ranked.evidence.page_id for ranked in turn.evidences}
        visible = await self.application.evidences.visible(pages, turn.scope)
        view = answer_view(turn, visible, self._contact(turn))
        asked = "" if payload["kind"] == "message" else question_text(turn.question)
        # Where there is no Confluence nobody has an account there, and nobody misses it.
        known = WORDS[view.language].reasons if self.application.settings.confluence_url else {}
        notes = (*view.notes, known[reason]) if reason in known else view.notes
        return replace(view, asked=asked, notes=notes)

    def _contact(self, turn: Turn) -> str:
        """Whom to ask: of the space that the question led to first."""
        contacts = self.channels().contacts
        spaces = (ranked.evidence.space for ranked in turn.evidences)
        return next((contacts[space] for space in spaces if space in contacts), "")

    async def _failed(self, payload: Json, error: Exception) -> None:
        notice = instead("failed", payload["spoken"])
        turn_id = turn_id_of(payload["key"])
        await self.posting.told_of_failure(payload["key"], place_of(payload), notice, turn_id)


def _post(payload: Json, outcomes: Mapping[str, Json]) -> Post:
    """Our message, as the step that placed it left it."""
    key = payload["key"]
    return Post(key, place_of(payload), outcomes["placeholder"]["message_id"], turn_id_of(key))
