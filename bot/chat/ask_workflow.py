"""Answering one question of a chat, step by step; each step may be repeated."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from bot.channels import Channels
from bot.chat.access import ChatAccess
from bot.chat.error_notices import failure, instead
from bot.chat.help import HelpBuilder
from bot.chat.message_poster import MessagePoster
from bot.chat.parts import ChatParts
from bot.chat.payloads import Json, place_of
from bot.chat.thread_history import History, ThreadHistory
from bot.chat.throttle import latest
from bot.durable import Step, Workflow
from bot.wiring import Application, now
from core.chat.history import pages_of_suggestion, pages_with_text, reaches, tellable
from core.chat.keys import turn_id_of
from core.conversation import Ask
from core.errors import ChatUnavailable, WikiWhyError
from core.identity.identities import Access
from core.identity.person import person_key
from core.model import RankedEvidence, Scope, Suggestion, Turn
from core.ports import Place, Post, ThreadMessage, View
from core.suggesting.suggester import add_suggestions
from core.text import Language
from core.views.answer import AnswerView
from core.views.answer_building import answer_view
from core.views.notices import Waiting
from core.views.turn_wording import question_text
from core.views.wording import reason_text

logger = logging.getLogger(__name__)

_BUSY = 3  # questions being answered, from which on nobody waits for suggestions: answers come first
_AT_ONCE = (os.cpu_count() or 2) + 1  # questions being answered: more would only make each of them slower
_ATTEMPTS = 3  # at an answer whose place may not see it any more when it is made
_AT_ONCE_BY_MODEL = 64  # where they mostly wait for a language model, which has a limit of its own


@dataclass(slots=True)
class AskWorkflow:
    """The workflow ``ask``. Its payload: see :meth:`bot.chat.service.ChatService.heard`."""

    application: Application
    access: ChatAccess
    posting: MessagePoster
    remembering: ThreadHistory
    channels: Callable[[], Channels]
    helping: HelpBuilder
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
        turn_id, place = turn_id_of(payload["key"]), place_of(payload)
        # The platform tells who can read there while it posts, so that the answer need not wait for it.
        placed = self.posting.ensure_posted(payload["key"], place, waiting, turn_id, payload["user"])
        post, _ = await asyncio.gather(placed, self._look_up(place, payload["user"]))
        return {"message_id": post.message_id}

    async def _look_up(self, place: Place, user: str) -> None:
        with suppress(WikiWhyError):
            if not place.direct:
                await self.access.now(place, user)

    async def _answer(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        """To ``turn``, with the ``reason`` of its scope if there is one, and the ``pages`` whose text it may have.

        Or to a ``notice`` for the person instead.
        """
        if payload["notice"]:
            return {"notice": payload["notice"]}
        turn_id, post = turn_id_of(payload["key"]), _post(payload, outcomes)
        if kept := await self.application.turns.get(turn_id):
            return {"turn": turn_id, "pages": sorted(pages_with_text([kept]))}
        access = await self.access.now(post.place, payload["user"])
        if not isinstance(access, Access):
            return {"notice": access}
        try:
            await self.parts.loaded.wait()
            async with self._counted(), self._slots:
                with self.parts.metrics.count_question() as outcome:
                    asked = await self._asked(payload, post)
                    outcome.turn = asked.turn if isinstance(asked, _Asked) else None
        except ChatUnavailable:
            raise
        except WikiWhyError as error:
            logger.warning("%s could not be answered: %s", payload["key"], error)
            return {"notice": failure(error)}
        if not isinstance(asked, _Asked):
            return {"notice": asked}
        return {"turn": turn_id, "reason": asked.access.reason, "pages": sorted(asked.pages)}

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1

    async def _asked(self, payload: Json, post: Post) -> _Asked | str:
        """The turn, which rests on nothing that its place may not see now; or the name of a notice.

        Rights may change while an answer is made: then it is made again, with the rights of today.
        """
        place, user = post.place, payload["user"]
        for _ in range(_ATTEMPTS):
            access = await self.access.now(place, user)
            if not isinstance(access, Access):
                return access
            asked = await self._made(payload, post, access)
            if not isinstance(asked, _Asked):
                return asked
            if await self.may_show(place, user, asked.access, asked.pages):
                await self.application.turns.keep(asked.turn)
                return asked
            logger.info("%s is answered again: what may be seen there changed meanwhile.", payload["key"])
        return "changed"

    async def _made(self, payload: Json, post: Post, access: Access) -> _Asked | str:
        place, platform = post.place, self.posting.platforms[post.place.platform]
        question, suggested_in = await platform.resolve_mentions(place, payload["text"]), ""
        pages: set[str] = set()
        if payload["kind"] == "suggestion":
            turn, suggestion = await self._suggested(payload["message_id"])
            if turn is None or suggestion is None:
                return "unknown"
            question, suggested_in = suggestion.question, turn.turn_id
            pages |= pages_of_suggestion(turn, suggestion)
            if not await self.access.may_show(pages, access.scope):
                return "outside"
        history = await self._history(payload, question, post, access.scope)
        pages |= history.pages
        said = history.messages
        asker = person_key(place.platform, place.team, payload["user"])
        ask = Ask(post.turn_id, place.conversation_id, now(), question, said, access.scope, suggested_in, asker)

        def retrieved(evidences: Sequence[RankedEvidence]) -> None:
            pages.update(ranked.evidence.page_id for ranked in evidences)

        drafting = _Drafting(self, post, payload["user"], payload["spoken"], access, pages)
        async with latest(drafting.show) as hear:
            turn = await self.application.assistant().ask(ask, hear, on_evidences=retrieved)
        return _Asked(turn, access, frozenset(pages | pages_with_text([turn])))

    async def may_show(self, place: Place, user: str, asked_with: Access, pages: Collection[str]) -> bool:
        """Whether what was made with these rights, from these pages, may be shown now."""
        access = await self.access.now(place, user)
        if not isinstance(access, Access) or not reaches(access.scope, asked_with.scope):
            return False
        return await self.access.may_show(pages, access.scope)

    async def _name(self, place: Place, user: str) -> str:
        """How whoever asks is called; their id where that cannot be told now."""
        try:
            return (await self.posting.platforms[place.platform].member(place, user)).name
        except ChatUnavailable:
            return user

    async def _suggested(self, which: str) -> tuple[Turn | None, Suggestion | None]:
        """A suggestion and its turn, None where it was erased meanwhile. ``which``: its turn, a dot, and its place."""
        turn_id, _, index = which.rpartition(".")
        turn = await self.application.turns.get(turn_id)
        suggestions = turn.suggestions if turn else ()
        return turn, suggestions[int(index)] if int(index) < len(suggestions) else None

    async def _history(self, payload: Json, question: str, post: Post, scope: Scope) -> History:
        # What a button asked has no message of its own: ours stands for it, which comes at the same time.
        message_id = payload["message_id"] if payload["kind"] == "message" else post.message_id
        history = History()
        if payload["kind"] != "correction":  # which says all that is meant
            history = await self.remembering.before(post.place, message_id, scope)
        if payload["kind"] != "suggestion":  # whose words are a page's: the turn has them, and is erased with it
            name = await self._name(post.place, payload["user"])
            said = ThreadMessage(message_id, payload["user"], name, question)
            await self.remembering.remember(post.place, said)
        return history

    async def _show(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        post, outcome = _post(payload, outcomes), outcomes["answer"]
        if "turn" in outcome:
            await self.posting.finish(post, await self._view(payload, outcome))
        else:
            await self.posting.finish(post, await self._instead(payload, outcome["notice"]))
        return {}

    async def _suggest(self, payload: Json, outcomes: Mapping[str, Json]) -> Json:
        suggester, outcome = self.application.suggester, outcomes["answer"]
        if suggester is None or "turn" not in outcome or self._answering >= _BUSY:
            return {}
        turn = await self.application.turns.get(outcome["turn"])
        if turn is None or not turn.answer.answered:
            return {}
        if not isinstance(await self._view(payload, outcome), AnswerView):
            return {}
        turns = await self.application.turns.of_conversation(turn.conversation_id)
        earlier = [each.question.as_asked for each in tellable(turns, turn.scope, outcome.get("pages", ()))]
        async with self._suggesting, self._slots:  # answers come first
            turn = await add_suggestions(suggester, turn, earlier, time.perf_counter)
        await self.application.turns.keep_suggestions(turn.turn_id, turn.suggestions)
        if turn.suggestions:
            view = await self._view(payload, outcome)
            if isinstance(view, AnswerView):  # else what stands there stays as it is
                await self.posting.update(_post(payload, outcomes), view)
        return {}

    async def _instead(self, payload: Json, why: str) -> View:
        spoken: Language = payload["spoken"]
        if why == "how_to_ask":
            return await self.helping.view(place_of(payload), payload["user"], spoken)
        return instead(why, spoken, payload["characters"])

    async def _view(self, payload: Json, outcome: Json) -> View:
        """The answer, as far as it may be shown now; a notice where it may not be shown any more."""
        spoken: Language = payload["spoken"]
        turn = await self.application.turns.get(outcome["turn"])
        if turn is None:  # its space was forgotten meanwhile, and the conversation with it
            return instead("unknown", spoken)
        access = await self.access.to_see(turn, place_of(payload), payload["user"])
        if not isinstance(access, Access):
            return instead(access, spoken)
        turn = await self.access.showable(turn, access)
        pages = frozenset(outcome.get("pages", ())) | {ranked.evidence.page_id for ranked in turn.evidences}
        # Asked last: nothing waits between this and the platform.
        visible = await self.application.evidences.visible(pages, access.scope)
        if not pages <= visible:
            return instead("changed", spoken)
        view = answer_view(turn, visible, self._contact(turn))
        asked = "" if payload["kind"] == "message" else question_text(turn.question)
        # Where there is no Confluence nobody has an account there, and nobody misses it.
        reason = outcome.get("reason") if self.application.settings.confluence_url else None
        notes = (*view.notes, reason_text(reason, view.language)) if reason else view.notes
        return replace(view, asked=asked, notes=notes)

    def _contact(self, turn: Turn) -> str:
        """Whom to ask: of the space that the question led to first."""
        contacts = self.channels().contacts
        spaces = (ranked.evidence.space for ranked in turn.evidences)
        return next((contacts[space] for space in spaces if space in contacts), "")

    async def _failed(self, payload: Json, error: Exception) -> None:
        notice = instead("failed", payload["spoken"])
        turn_id = turn_id_of(payload["key"])
        await self.posting.show_failure(payload["key"], place_of(payload), notice, turn_id)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A turn, the rights it was asked with, and the pages whose words it may have: its own, and its history's."""

    turn: Turn
    access: Access
    pages: frozenset[str]


@dataclass(slots=True)
class _Drafting:
    """Shows an answer as far as it is written, as long as it may be shown. ``pages``: as known so far."""

    asking: AskWorkflow
    post: Post
    user: str
    spoken: Language
    access: Access
    pages: set[str]
    _withdrawn: bool = False

    async def show(self, text: str) -> None:
        asking, post = self.asking, self.post
        if self._withdrawn:
            return
        try:
            allowed = await asking.may_show(post.place, self.user, self.access, self.pages)
        except ChatUnavailable:
            return  # nothing is shown as long as nobody tells who would read it
        if allowed:
            await asking.posting.platforms[post.place.platform].draft(post.place, post.message_id, text)
        else:  # what was written so far goes, too
            self._withdrawn = True
            await asking.posting.show_progress(post, Waiting(self.spoken, "answer"))


def _post(payload: Json, outcomes: Mapping[str, Json]) -> Post:
    """Our message, as the step that placed it left it."""
    key = payload["key"]
    return Post(key, place_of(payload), outcomes["placeholder"]["message_id"], turn_id_of(key))
