"""The workflow that answers one question: begin, answer, post. Each step may run again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from bot.chat.answer_stream import AnswerStream
from bot.chat.commands import HelpBuilder
from bot.chat.message_poster import MessagePoster
from bot.server.metrics import Metrics
from bot.wiring import now
from bot.workflow import RunStep
from core.access import Access, ChatAccess
from core.answering.answerer import Listeners
from core.chat.listening import keep_language
from core.chat.requests import (
    AnswerOutcome,
    Json,
    QuestionKind,
    QuestionRequest,
    SuggestionReference,
    make_question_message_key,
)
from core.conversation import Assistant, QuestionToAnswer
from core.errors import OUTAGES, ChatRefused, ChatUnavailable, WikiWhyError
from core.history import (
    LATEST,
    MOST_TURNS,
    History,
    ThreadHistory,
    find_page_parts,
    find_page_parts_of_completed,
    find_pages,
    hide_words,
    select_visible,
)
from core.model import PagePart, Provenance, RankedEvidence, Scope, Suggestion, Turn
from core.model.reasons import NoticeReason
from core.model.views import Notice, QuestionView, View, Waiting
from core.ports.chat import ChatPlatform, Place, ThreadMessage
from core.ports.store import TurnStore
from core.suggesting.suggester import Suggester, add_suggestions
from core.views.messages import build_answer_view
from core.views.notices import THREAD_UNREAD, choose_notice, choose_reason, format_question, format_reason
from core.wording.courtesy import has_words

logger = logging.getLogger(__name__)

_ATTEMPTS = 3  # at an answer whose sources may no longer be shown once it is made
_BUSY = 3  # questions being answered at which suggestions are skipped, so that answers come first
_SUGGESTING = 5.0  # seconds that an answer waits for its suggestions
_UNSEEN: frozenset[QuestionKind] = frozenset({"correction", "page", "suggestion"})
"""Kinds of questions that no message shows, so that the answer repeats them."""


@dataclass(frozen=True, slots=True)
class AskWorkflow:
    """Answers a question in one message.

    The stored step names ``placeholder`` and ``show`` date from when a placeholder was posted first. They stay, so that
    workflows started by that version continue after an upgrade.
    """

    access: ChatAccess
    poster: MessagePoster
    history: ThreadHistory
    turns: TurnStore
    models: ChatModels
    help: HelpBuilder

    async def run(self, request: QuestionRequest, step: RunStep) -> None:
        if request.kind == "command":
            asked = await step("question", lambda: self._post_question(request))
            request = _move_to_thread(request, asked["message_id"])
        begun = await step("placeholder", lambda: self._begin(request))
        stream = begun["message_id"]
        made: list[Turn] = []  # empty if an earlier process made the turn, or at another try to post it
        outcome = AnswerOutcome.from_json(await step("answer", lambda: self.answer(request, stream, made.append)))
        await step("show", lambda: self._post(request, stream, outcome, made.pop() if made else None))

    async def report_failure(self, request: QuestionRequest) -> None:
        notice = choose_notice("failed", request.language)
        if request.kind == "command":
            asked = await self.poster.posts.load_post(make_question_message_key(request.key))
            request = _move_to_thread(request, asked.message_id) if asked else request
        refused = choose_notice("refused", request.language)
        if request.kind in {"command", "correction", "page"}:  # no message of the person shows the question
            refused = replace(refused, lines=(request.text,))
        await self.poster.show_failure(
            request.key, request.place, notice, request.turn_id, user=request.user, refused=refused
        )

    # ------------------------------------------------------------------------------------ step: question

    async def _post_question(self, request: QuestionRequest) -> Json:
        """Post the question of a command, which no message shows; it is answered in the thread of this post."""

        async def make_view() -> View:
            if request.page_id and not await self._may_ask_about_page(request):
                return choose_notice("page_outside", request.language)
            return QuestionView(request.user, request.text)

        post = await self.poster.post_once(
            make_question_message_key(request.key), request.place, make_view, user=request.user, work=request.key
        )
        return {"message_id": post.message_id}

    async def _may_ask_about_page(self, request: QuestionRequest) -> bool:
        """Whether the page of the form may be shown now: the question began with its title."""
        access = await self.access.find_access(request.place, request.user)
        return isinstance(access, Access) and await self.access.may_show({request.page_id}, access.scope)

    # ------------------------------------------------------------------------------------ step: begin

    async def _begin(self, request: QuestionRequest) -> Json:
        if request.notice:  # posted without delay, so without a work sign
            await self.poster.note_intent(request.key, request.place, request.turn_id, request.user)
            return {"message_id": ""}
        waiting = Waiting(request.language, "answer")
        beginning = self.poster.begin(
            request.key, request.place, waiting, request.turn_id, request.user, request.follows
        )
        # Look up the audience in parallel, so that the answer need not wait for it.
        stream, _ = await asyncio.gather(beginning, self._warm_access(request))
        return {"message_id": stream}

    async def _warm_access(self, request: QuestionRequest) -> None:
        with suppress(WikiWhyError):
            await self.access.warm(request.place, request.user)

    # ------------------------------------------------------------------------------------ step: answer

    async def answer(
        self, request: QuestionRequest, stream: str | None = None, keep: Callable[[Turn], None] = lambda turn: None
    ) -> Json:
        """Make and store the turn; return a JSON :class:`AnswerOutcome`. After an interruption it lacks ``reason`` and
        ``unread``.

        ``stream``: the stream of the answer's message, "" if none has started; None if no beginning may be shown.
        ``keep``: called with a new turn.
        """
        if request.notice:
            return AnswerOutcome(notice=request.notice).to_json()
        if stored := await self.turns.load_turn(request.turn_id):
            return AnswerOutcome(stored.turn_id).to_json()
        try:
            async with self.poster.repeat_sign(request.key, request.place, Waiting(request.language, "answer")):
                made = await self._make_visible_turn(request, stream)
        except OUTAGES:
            raise
        except WikiWhyError as error:
            logger.warning("%s could not be answered: %s", request.key, error)
            return AnswerOutcome(notice=choose_reason(error)).to_json()
        if not isinstance(made, _TurnWithAccess):
            return AnswerOutcome(notice=made).to_json()
        keep(made.turn)
        return AnswerOutcome(request.turn_id, made.access.reason, unread=made.unread).to_json()

    async def _make_visible_turn(self, request: QuestionRequest, stream: str | None) -> _TurnWithAccess | NoticeReason:
        """Make and store a turn whose sources may all be shown at its place; or return a reason.

        If rights change while an answer and its suggestions are made, they are made again with the new rights.
        """
        for _ in range(_ATTEMPTS):
            access = await self.access.find_access(request.place, request.user)
            if not isinstance(access, Access):
                return access
            # Before a slot is reserved, because the platform may let this wait for minutes, and others need the slot.
            prepared = await self._prepare(request, access)
            if not isinstance(prepared, _PreparedQuestion):
                return prepared
            async with self.models.reserve_answer():
                # The wait for the slot may be long, and no text that may not be shown now may be part of a prompt. Only
                # the store is asked here; rights that the platform or the wiki tells are checked after the answer.
                if not await self.access.may_show(prepared.asked.provenance.page_ids, access.scope):
                    logger.info("%s is prepared again, because a page of its history changed meanwhile.", request.key)
                    continue
                with self.models.metrics.count_question() as outcome:
                    made = await self._make_turn(request, prepared, stream)
                    outcome.turn = made.turn
            made = replace(made, turn=await self._suggest(made))
            if await self.access.may_still_show(request.place, request.user, made.access, made.turn.page_ids):
                await self.turns.save(made.turn)
                return made
            logger.info("%s is answered again, because access rights changed meanwhile.", request.key)
            stream = None
        return "changed"

    async def _prepare(self, request: QuestionRequest, access: Access) -> _PreparedQuestion | NoticeReason:
        """Load what the assistant needs for the question; or return the reason why it is not asked."""
        place, asked_at = request.place, now()  # before the history is read, see TurnStore.save
        question, suggested_in = await self._find_platform(place).resolve_mentions(place, request.text), ""
        parts: frozenset[PagePart] = frozenset()
        if request.suggestion:
            turn, suggestion = await self._load_suggestion(request.suggestion)
            if turn is None or suggestion is None:
                return "unknown"
            question, suggested_in = suggestion.question, turn.turn_id
            parts = find_page_parts(turn)
        elif request.corrects:
            turn = await self.turns.load_turn(request.corrects)
            if turn is None or turn.erased:  # the form may have been opened before words of it were erased
                return "unknown"
            parts = find_page_parts_of_completed(turn)
        elif request.page_id:
            parts = frozenset({PagePart(request.page_id)})
        if not await self.access.may_show({part.page_id for part in parts}, access.scope):
            return "page_outside" if request.page_id else "outside"
        if not has_words(question):  # it consisted of mentions
            return "how_to_ask"
        history = await self._load_history(request, question, access.scope)
        asked = QuestionToAnswer(
            turn_id=request.turn_id,
            conversation_id=place.conversation_id,
            asked_at=asked_at,
            question=question,
            history=history.messages,
            scope=access.scope,
            suggested_in=suggested_in,
            asker=place.make_person_key(request.user),
            provenance=Provenance(parts, history.page_parts),
        )
        return _PreparedQuestion(asked, access, history.unread)

    async def _make_turn(
        self, request: QuestionRequest, prepared: _PreparedQuestion, stream: str | None
    ) -> _TurnWithAccess:
        access, pages = prepared.access, {*prepared.asked.provenance.page_ids}

        def note_pages(evidences: Sequence[RankedEvidence]) -> None:
            pages.update(page_id for ranked in evidences for page_id in ranked.evidence.page_ids)

        async def may_show() -> bool:
            return await self.access.may_still_show(request.place, request.user, access, pages)

        part = None
        if stream is not None and self.models.writes:
            unseen = request.kind in _UNSEEN
            part = AnswerStream(self.poster, request, stream, may_show, shows_question=unseen)
        turn = await self.models.assistant().answer_question(
            prepared.asked, Listeners(None, part.note_question if part else None, note_pages, part)
        )
        turn = replace(turn, question=keep_language(turn.question, request.language))
        return _TurnWithAccess(turn, access, prepared.unread)

    async def _suggest(self, made: _TurnWithAccess) -> Turn:
        """Return the turn with suggestions, unless questions are waiting. An answer never fails because of them."""
        turn = made.turn
        if not (turn.answer.answered and self.models.may_suggest()):
            return turn
        try:
            # Words that may not be shown now must not become part of a prompt.
            stored = await self.turns.load_newest(turn.conversation_id, MOST_TURNS)
            visible = await self.access.find_visible_pages(find_pages([*stored, turn]), turn.scope)
            earlier = [each.question for each in select_visible(stored, turn.scope, visible)]
            asked = [*(each.as_asked for each in earlier), turn.question.as_asked]
            async with asyncio.timeout(_SUGGESTING):
                suggested = await self.models.add_suggestions(hide_words(turn, visible), asked)
            provenance = turn.question.provenance
            of_prompt = provenance.history.union(*(each.provenance.suggestion for each in earlier))
            question = replace(turn.question, provenance=replace(provenance, history=of_prompt))
            return replace(turn, question=question, suggestions=suggested.suggestions)
        except Exception as error:
            logger.warning("No suggestions could be made for turn %s: %r", turn.turn_id, error)
            return turn

    def _find_platform(self, place: Place) -> ChatPlatform:
        return self.poster.platforms[place.platform]

    async def _load_suggestion(self, reference: SuggestionReference) -> tuple[Turn | None, Suggestion | None]:
        """Load a suggestion and its turn; None for what was erased meanwhile."""
        turn = await self.turns.load_turn(reference.turn_id)
        suggestions = turn.suggestions if turn else ()
        return turn, suggestions[reference.index] if reference.index < len(suggestions) else None

    async def _load_history(self, request: QuestionRequest, question: str, scope: Scope) -> History:
        """Load the history of a question, and add the question to it."""
        match request.kind:
            case "correction" | "page":  # complete by itself
                return History()
            case "suggestion":
                return await self.history.load(request.place, LATEST, scope)
        place = replace(request.place, thread=request.follows) if request.follows else request.place
        history = await self.history.load(place, request.message_id, scope)
        if not request.is_from_page:  # else its words are stored in the turn only, which is erased with the page
            await self._add_to_history(request, request.message_id, question)
        return history

    async def _add_to_history(self, request: QuestionRequest, message_id: str, question: str) -> None:
        name = await self._find_name(request.place, request.user)
        await self.history.add(request.place, ThreadMessage(message_id, request.user, name, question))

    async def _find_name(self, place: Place, user: str) -> str:
        """Return the person's name, or their id if the platform does not tell."""
        try:
            return (await self._find_platform(place).find_member(place, user)).name
        except (ChatRefused, ChatUnavailable):
            return user

    # ------------------------------------------------------------------------------------ step: post

    async def _post(
        self, request: QuestionRequest, stream: str, outcome: AnswerOutcome, made: Turn | None = None
    ) -> None:
        with self.models.metrics.measure_stage("post"):
            post = await self.poster.post_once(
                request.key,
                request.place,
                lambda: self.make_view(request, outcome, made),
                turn_id=request.turn_id,
                user=request.user,
                stream=stream,
            )
        if request.kind == "correction" and not request.is_from_page:
            # No message in the thread shows it, so the answer's id is used.
            question = await self._find_platform(request.place).resolve_mentions(request.place, request.text)
            await self._add_to_history(request, post.message_id, question)

    async def make_view(self, request: QuestionRequest, outcome: AnswerOutcome, made: Turn | None = None) -> View:
        """Build what may be shown of an outcome now. ``made``: its turn as it was stored, None to load it."""
        match outcome.notice:
            case "":
                return await self._build_answer_view(request, outcome, made)
            case "how_to_ask":
                return await self.help.build_view(request.place, request.user, request.language)
        return choose_notice(outcome.notice, request.language, request.characters)

    async def _build_answer_view(self, request: QuestionRequest, outcome: AnswerOutcome, made: Turn | None) -> View:
        """Build the answer as it may be shown now, or a notice if it may not be shown any more."""
        found = await self._load_visible_turn(request, outcome, made)
        if isinstance(found, Notice):
            return found
        turn, visible = found
        view = build_answer_view(turn, visible, self.access.channels().find_contact(turn.evidences))
        asked = format_question(turn.question) if request.kind in _UNSEEN else ""
        reason = outcome.reason if self.access.has_accounts else None
        notes = [THREAD_UNREAD.render(view.language)] if outcome.unread else []
        if reason:
            notes.append(format_reason(reason, view.language))
        return replace(view, asked=asked, notes=(*view.notes, *notes))

    async def _load_visible_turn(
        self, request: QuestionRequest, outcome: AnswerOutcome, made: Turn | None
    ) -> tuple[Turn, frozenset[str]] | Notice:
        """Load the turn as it may be shown now, with its visible pages; or a notice if it may not be shown any more."""
        is_unchanged = made is not None and await self.turns.has_whole(made.turn_id)
        turn = made if is_unchanged else await self.turns.load_turn(outcome.turn_id)
        if turn is None:  # its space and conversation were removed meanwhile
            return choose_notice("unknown", request.language)
        access = await self.access.find_access_to(turn, request.place, request.user)
        if not isinstance(access, Access):
            return choose_notice(access, request.language)
        # Checked last, so that nothing is awaited between this and the platform.
        visible = await self.access.find_visible_pages(turn.page_ids, access.scope)
        return (turn, visible) if turn.page_ids <= visible else choose_notice("changed", request.language)


def _move_to_thread(request: QuestionRequest, message_id: str) -> QuestionRequest:
    """Return the request as if it was asked by this message, which begins a thread."""
    return replace(request, place=replace(request.place, thread=message_id), message_id=message_id)


@dataclass(frozen=True, slots=True)
class _PreparedQuestion:
    """A question with all that its answer needs, and the access that its history was read with.

    ``unread``: as in :class:`core.history.History`.
    """

    asked: QuestionToAnswer
    access: Access
    unread: bool


@dataclass(frozen=True, slots=True)
class _TurnWithAccess:
    """A turn with the access that it was made with. ``unread``: as in :class:`core.history.History`."""

    turn: Turn
    access: Access
    unread: bool = False


@dataclass(slots=True)
class ChatModels:
    """The models for answers and suggestions, for a limited number of concurrent questions, which the metrics count.

    ``assistant``, ``suggester``: return the models once they are loaded, the latter None if suggestions are off.
    ``loaded``: set when the models are loaded; questions wait for it. ``slots``: of questions answered at once.
    ``writes``: whether a language model writes the answers.
    """

    assistant: Callable[[], Assistant]
    suggester: Callable[[], Suggester | None]
    metrics: Metrics
    loaded: asyncio.Event
    slots: asyncio.Semaphore
    writes: bool = False
    _answering: int = 0
    _suggesting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))

    @asynccontextmanager
    async def reserve_answer(self) -> AsyncIterator[None]:
        """Wait for the models and a free slot, in which the block answers a question."""
        began = time.perf_counter()
        await self.loaded.wait()
        self._answering += 1
        try:
            async with self.slots:
                self.metrics.stage_seconds.labels("wait").observe(time.perf_counter() - began)
                yield
        finally:
            self._answering -= 1

    def may_suggest(self) -> bool:
        """Whether suggestions are enabled, and no questions are waiting."""
        return self.suggester() is not None and self._answering < _BUSY

    async def add_suggestions(self, turn: Turn, earlier: Sequence[str]) -> Turn:
        """Return the turn with suggested questions. ``earlier``: the questions asked before it."""
        suggester = self.suggester()
        if suggester is None:
            return turn
        async with self._suggesting, self.slots:  # answers come first
            suggested = await add_suggestions(suggester, turn, earlier, time.perf_counter)
        self.metrics.observe_stages({"suggest": suggested.timings_ms["suggest"]})
        return suggested
