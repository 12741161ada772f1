"""What the buttons and forms under an answer do, for a person who may see the answer.

Each method returns quickly, as those of :mod:`bot.chat.service`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.chat.service import ChatService
from bot.durable import Durable
from bot.wiring import now
from core.access import Access, ChatAccess
from core.chat.limits import ChatLimits
from core.chat.requests import ExplanationRequest, PrivateClick, SuggestionReference, make_explain_key
from core.errors import ChatUnavailable
from core.history import find_pages, find_pages_with_text
from core.i18n import Message
from core.languages import Language
from core.model import Turn
from core.model.views import AnswerView, Notice, PageLink, SourcesView
from core.ports.chat import ChatPlatform, Click, Place, Platform
from core.ports.chat_stores import Feedback, FeedbackStore, Post, PostStore, Reaction
from core.ports.store import TurnStore
from core.views.messages import build_answer_view
from core.views.notices import (
    ANSWER_LINK,
    ASKED_ALREADY,
    EXPLAINED_ALREADY,
    EXPLANATION_LINK,
    EXPLANATION_UNDER_WAY,
    NOTHING_TO_EXPLAIN,
    THANKS,
    THANKS_FOR_REASON,
    choose_notice,
    format_question,
)
from core.views.sources import build_sources_view

_ACCESS_SECONDS = 1.0  # seconds that a window waits for the platform's information about its readers
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds; Slack allows opening a window within three seconds of the click


@dataclass(frozen=True, slots=True)
class ClickedAnswer:
    """A turn that was clicked. ``access``: what the person who clicked may see now."""

    turn: Turn
    place: Place
    access: Access

    @property
    def language(self) -> Language:
        return self.turn.question.language


@dataclass(frozen=True, slots=True)
class ClickedAnswers:
    """The answers that people click, on all platforms. What a method returns is shown only to this person."""

    service: ChatService
    platforms: Mapping[Platform, ChatPlatform]
    posts: PostStore
    turns: TurnStore
    feedback: FeedbackStore
    access: ChatAccess
    limits: ChatLimits
    durable: Durable

    async def explain(self, click: Click, trigger: str = "") -> Notice | None:
        """Start the explanation of a turn for the person who clicked; in a direct message it is posted.

        ``trigger``: allows opening a window for this person. Returns a notice only if no explanation will be shown.
        """
        found = await self._find_turn(click)
        if isinstance(found, Notice):
            return found
        turn, place = found
        with suppress(ChatUnavailable, TimeoutError):  # then the workflow checks it, while its window is open
            async with asyncio.timeout(_ACCESS_SECONDS):
                if isinstance(checked := await self._check_explainable(turn, place, click), Notice):
                    return checked
        if place.direct:
            return await self._post_explanation(turn, place, click)
        seen = PrivateClick(click.action_id, click.message_id, trigger)
        own = make_explain_key(turn.turn_id, place.make_person_key(click.user))
        if limited := await self.limits.find_exceeded(place, click.user, own):
            return choose_notice(limited, turn.question.language)
        await self.durable.restart(ExplanationRequest(place, turn.turn_id, click.user, seen))
        return None

    async def share(self, click: Click) -> Notice | None:
        """Post the explanation of a turn in its thread, once. Returns a notice only if there is nothing to post."""
        found = await self._find_turn(click)
        if isinstance(found, Notice):
            return found
        checked = await self._check_explainable(*found, click)
        return checked if isinstance(checked, Notice) else await self._post_explanation(*found, click)

    async def _check_explainable(self, turn: Turn, place: Place, click: Click) -> ClickedAnswer | Notice:
        found = await self._check_access(turn, place, click)
        if isinstance(found, Notice):
            return found
        if not found.turn.answer.answered:
            return Notice(NOTHING_TO_EXPLAIN.render(found.language))
        if not await self.access.may_show_turn(found.turn, found.access):
            return choose_notice("outside", found.language)
        return found

    async def _post_explanation(self, turn: Turn, place: Place, click: Click) -> Notice | None:
        request, language = ExplanationRequest(place, turn.turn_id, click.user), turn.question.language
        post = await self.posts.load_post(request.key)
        if post is None and await self.durable.is_started_here(request.key):  # its message is about to be posted
            return None
        under_way = post is not None and (post.finished or await self.durable.is_under_way(request.key))
        if not under_way:
            limited = await self.limits.find_exceeded(place, click.user, f"{request.key}:{click.action_id}")
            if limited:
                return choose_notice(limited, language)
        if post is None:
            await self.durable.start(request)
            return None
        if under_way or not await self.durable.restart(request):
            text = EXPLAINED_ALREADY if post.finished else EXPLANATION_UNDER_WAY
            return await self._point_to(post, text, EXPLANATION_LINK, language)
        return None

    async def _point_to(self, post: Post, text: Message, label: Message, language: Language) -> Notice:
        """Build a notice about a message that is already there, with a link to it if the platform gives an address."""
        platform, message_id = self.platforms[post.place.platform], post.message_id
        link = await platform.find_link(post.place, message_id) if message_id else ""
        return Notice(text.render(language), links=(PageLink(label.render(language), link),) if link else ())

    async def load_sources(self, click: Click) -> SourcesView | Notice:
        """Return the sources of a turn that the person may see now."""
        found = await self._find(click)
        if isinstance(found, Notice):
            return found
        return build_sources_view(
            found.turn, await self.access.load_visible_facts(found.turn.page_ids, found.access.scope)
        )

    async def load_answer(self, click: Click) -> AnswerView | Notice:
        """Return the answer as the thread shows it, for a person who looked at something else in its place."""
        found = await self._find(click)
        if isinstance(found, Notice):
            return found
        visible = await self.access.find_visible_pages(found.turn.page_ids, found.access.scope)
        if not find_pages_with_text(found.turn) <= visible:
            return choose_notice("outside", found.language)
        return build_answer_view(found.turn, visible)

    async def load_completed_question(self, click: Click) -> str | Notice:
        """Return the completed question, for a person who says what was wrong with its answer."""
        found = await self._find(click)
        return found if isinstance(found, Notice) else _format_completed_question(found.turn)

    async def load_question_to_correct(self, click: Click) -> str | Notice:
        """Return the completed question, for a person who wants to correct it."""
        found = await self._find_correctable(click)
        return found if isinstance(found, Notice) else _format_completed_question(found.turn)

    async def correct(self, click: Click, question: str) -> Notice | None:
        """Ask a question again in the words of its correction. Returns a notice if nothing is asked."""
        found = await self._find_correctable(click)
        if isinstance(found, Notice):
            return found
        place, user, turn_id = found.place, click.user, found.turn.turn_id
        await self.service.ask(
            place, click.action_id, user, question, "correction", language=found.language, corrects=turn_id
        )
        return None

    async def ask_suggestion(self, click: Click, index: int) -> Notice | None:
        """Ask a suggested question, once however often it is clicked. Returns a notice if this click asks nothing."""
        found = await self._find(click)
        if isinstance(found, Notice):
            return found
        turn, access = found.turn, found.access
        if not 0 <= index < len(turn.suggestions):
            return choose_notice("unknown", found.language)
        suggestion = turn.suggestions[index]
        if not await self.access.may_show(find_pages([turn]), access.scope):
            return choose_notice("outside", found.language)
        reference = SuggestionReference(turn.turn_id, index)
        post = await self.service.load_question_post(found.place, reference.asking_id)
        if post and post.finished:
            return await self._point_to(post, ASKED_ALREADY, ANSWER_LINK, found.language)
        await self.service.ask(
            found.place,
            "",
            click.user,
            suggestion.question,
            "suggestion",
            language=found.language,
            suggestion=reference,
        )
        return None

    async def save_feedback(self, click: Click, reaction: Reaction, reason: str = "") -> Notice:
        """Store a person's feedback on an answer."""
        found = await self._find(click)
        if isinstance(found, Notice):
            return found
        person = found.place.make_person_key(click.user)
        await self.feedback.save(Feedback(found.turn.turn_id, person, reaction, reason.strip(), now()))
        thanks = THANKS_FOR_REASON if reason else THANKS
        return Notice(thanks.render(found.language), kind="done")

    async def _find_correctable(self, click: Click) -> ClickedAnswer | Notice:
        """Return the turn that the person clicked, unless words of it were erased: an open form may still have them."""
        found = await self._find(click)
        if isinstance(found, ClickedAnswer) and found.turn.erased:
            return choose_notice("unknown", found.language)
        return found

    async def _find(self, click: Click) -> ClickedAnswer | Notice:
        """Return the turn under whose message the person clicked, if they may see it, else a notice."""
        found = await self._find_turn(click)
        return found if isinstance(found, Notice) else await self._check_access(*found, click)

    async def _find_turn(self, click: Click) -> tuple[Turn, Place] | Notice:
        """Return the turn under whose message the person clicked, and its place. A forged turn id finds nothing."""
        turn = await self.turns.load_turn(click.turn_id)
        post = await self._find_post(click, turn)
        if post is None or turn is None or post.turn_id != turn.turn_id:
            return choose_notice("unknown", await self.service.find_language(click))
        return turn, replace(post.place, shared=click.place.shared)

    async def _check_access(self, turn: Turn, place: Place, click: Click) -> ClickedAnswer | Notice:
        """Return a turn as the person who clicked may see it, else a notice.

        The audience is looked up again: what was stored with the message may be out of date.
        """
        access = await self.access.find_access_to(turn, place, click.user)
        if not isinstance(access, Access):
            return choose_notice(access, turn.question.language)
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
        return any(not post.message_id for post in await self.posts.find_of_turn(turn.turn_id))


def _format_completed_question(turn: Turn) -> str:
    return turn.question.intent_explicit or format_question(turn.question)
