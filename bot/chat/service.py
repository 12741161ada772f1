"""The chat service handles messages and questions on any platform; ``clicked_answers.py`` handles the buttons.

Each method returns quickly. Longer work is a workflow, whose start is committed when the method returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from bot.chat.message_poster import MessagePoster
from bot.durable import Durable
from core.access import Access, ChatAccess
from core.chat.limits import ChatLimits
from core.chat.listening import Decision, decide, find_language
from core.chat.requests import (
    QuestionKind,
    QuestionRequest,
    RevisionRequest,
    SuggestionReference,
    make_ask_key,
    make_question_message_key,
    make_turn_id,
)
from core.completion.back_references import refers_back
from core.conversation import MAX_QUESTION_CHARS
from core.errors import ChatRefused, ChatUnavailable
from core.history import ThreadHistory, make_sort_key
from core.languages import Language
from core.model.reasons import NoReason, NoticeReason, RemarkReason
from core.model.views import Notice
from core.ports.chat import ChatPlatform, Click, Command, IncomingMessage, Place, Platform, ThreadMessage
from core.ports.chat_stores import Post, PostStore
from core.ports.store import TurnStore
from core.views.notices import choose_notice
from core.wording.courtesy import is_reaction, strip_courtesy

_MEMBER_SECONDS = 0.5  # seconds to wait for the platform's information about a person
_FOLLOWED = 4 * 3600.0  # maximum seconds between a message and a follow-up outside of its thread
_NOTICES: Mapping[Decision, RemarkReason] = {"help": "how_to_ask", "thanks": "thanks"}
"""Notices that are posted instead of an answer."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """What Stop found in a thread. ``own``: answers for the person, which it stopped; ``others``: for other people."""

    own: bool
    others: bool


@dataclass(frozen=True, slots=True)
class ChatService:
    """One service for all platforms. They call it for each event, and show what it returns only to this person.

    ``wait_for_threads``: waits until the steps of cancelled workflows that run in threads have ended.
    """

    platforms: Mapping[Platform, ChatPlatform]
    posts: PostStore
    turns: TurnStore
    access: ChatAccess
    history: ThreadHistory
    limits: ChatLimits
    durable: Durable
    poster: MessagePoster
    wait_for_threads: Callable[[], Awaitable[None]]

    async def handle_message(self, message: IncomingMessage) -> Decision:
        """Handle a new message. The workflow that it starts is committed on return."""
        in_thread = message.reply and await self.takes_part(message.place)
        takes_part = in_thread or (is_reaction(message.text) and bool(await self._find_latest(message)))
        since = []
        if in_thread and not message.mentioned:
            since = await self.history.load_since_our_last(message.place, message.message_id)
        decision = decide(message, takes_part, self.access.channels().find_channel(message.place).follow_ups, since)
        if decision == "ask":
            follows = await self._find_followed(message)
            await self._ask_message(message, follows=follows)
        elif decision in _NOTICES:
            await self._ask_message(message, notice=_NOTICES[decision])
        elif decision == "listen" and in_thread:
            await self.history.add(message.place, ThreadMessage(message.message_id, message.user, "", message.text))
        return decision

    async def _ask_message(
        self, message: IncomingMessage, notice: RemarkReason | NoReason = "", follows: str = ""
    ) -> None:
        place, user, text = message.place, message.user, message.text
        await self.ask(place, message.message_id, user, text, "message", notice, follows, message.language)

    async def _find_followed(self, message: IncomingMessage) -> str:
        """Return the thread that a direct message outside of threads continues, or "".

        It continues the latest thread if it refers back.
        """
        return await self._find_latest(message) if refers_back(strip_courtesy(message.text)) else ""

    async def _find_latest(self, message: IncomingMessage) -> str:
        """Return the thread of the bot's last post, if it was posted lately and the message is direct and in no thread.

        Otherwise return "".
        """
        if not message.place.direct or message.reply:
            return ""
        last = await self.posts.find_last_in_channel(message.place)
        if last is None or make_sort_key(message.message_id)[0] - make_sort_key(last.message_id)[0] > _FOLLOWED:
            return ""
        return last.place.thread

    async def takes_part(self, place: Place) -> bool:
        """Whether the bot has posted in a conversation."""
        return await self.posts.has_some(place.conversation_id)

    async def handle_edit(
        self, place: Place, message_id: str, user: str, text: str, changed_at: str, language: Language | None = None
    ) -> None:
        """Handle an edited message: update its answer and the history.

        ``changed_at``: time of the edit, by the platform's clock. ``language``: of the person's client, if known.
        """
        post = await self.load_question_post(place, message_id)
        place = _correct_place(post, place)
        await self.history.edit(place, ThreadMessage(message_id, user, "", text))
        await self._revise(place, message_id, user, changed_at, text, post, language)

    async def handle_deletion(self, place: Place, message_id: str, user: str, changed_at: str) -> None:
        """Handle a deleted message: remove its answer, and remove it from the history."""
        post = await self.load_question_post(place, message_id)
        place = _correct_place(post, place)
        await self.history.remove(place, message_id)
        await self._revise(place, message_id, user, changed_at, None, post)

    async def _revise(
        self,
        place: Place,
        message_id: str,
        user: str,
        changed_at: str,
        text: str | None,
        post: Post | None,
        told: Language | None = None,
    ) -> None:
        """Commit the start of a revision, if the message is a question whose conversation was not removed."""
        key = self._ask_key(place, message_id)
        is_forgotten = post is not None and post.key != key
        if is_forgotten or not (post or await self.durable.was_started(key)):
            return
        person = place.make_person_key(user)
        await self.posts.note_change(Post(key, place, "", make_turn_id(key), person=person, changed_at=changed_at))
        language = await self._find_language_of(text or "", place, user, told)
        length = len(text or "")
        cut, too_long = (None if text is None else text[:MAX_QUESTION_CHARS]), length > MAX_QUESTION_CHARS
        await self.durable.start(
            RevisionRequest(key, place, message_id, user, changed_at, cut, language, length if too_long else 0)
        )

    async def load_question_post(self, place: Place, message_id: str) -> Post | None:
        """Return the post of the question that a message asks."""
        return await self.posts.load_post(self._ask_key(place, message_id))

    def _ask_key(self, place: Place, message_id: str) -> str:
        return make_ask_key(
            place, message_id, with_team=not self.platforms[place.platform].capabilities.unique_channels
        )

    async def ask_by_command(
        self, command: Command, place: Place, language: Language, page_id: str = ""
    ) -> Notice | None:
        """Ask the question that follows a command's name, in a thread of its own, at a place where the bot may post.

        ``page_id``: of the page that a form asks about. Returns the reason why it cannot be asked, only for this
        person: then nobody else sees the question either.
        """
        question = " ".join(command.words)
        if len(question) > MAX_QUESTION_CHARS:
            return choose_notice("too_long", language, len(question))
        with suppress(ChatUnavailable, TimeoutError):  # then the workflow checks it again
            async with asyncio.timeout(_MEMBER_SECONDS):
                access = await self.access.find_access(place, command.user)
                if not isinstance(access, Access):
                    return choose_notice(access, language)
                if page_id and not await self.access.may_show({page_id}, access.scope):
                    return choose_notice("page_outside", language)
        key = make_ask_key(place, command.run_id)
        if exceeded := await self.limits.find_exceeded(place, command.user, key):
            return choose_notice(exceeded, language)
        await self.ask(place, command.run_id, command.user, question, "command", language=language, page_id=page_id)
        return None

    async def ask_in_form(self, click: Click, question: str, page_id: str) -> Notice | None:
        """Ask what a person wrote in a form about a page, under somebody else's message.

        Returns a notice if the page may not be shown any more: the form began with its title.
        """
        place, user, language = click.place, click.user, click.language
        with suppress(ChatUnavailable, TimeoutError):  # then the workflow checks it again
            async with asyncio.timeout(_MEMBER_SECONDS):
                access = await self.access.find_access(place, user)
                if not isinstance(access, Access):
                    return choose_notice(access, await self.find_language(click))
                if not await self.access.may_show({page_id}, access.scope):
                    return choose_notice("page_outside", await self.find_language(click))
        await self.ask(place, click.action_id, user, question, "page", language=language, page_id=page_id)
        return None

    async def ask(
        self,
        place: Place,
        message_id: str,
        user: str,
        text: str,
        kind: QuestionKind,
        notice: NoticeReason | NoReason = "",
        follows: str = "",
        language: Language | None = None,
        corrects: str = "",
        page_id: str = "",
        suggestion: SuggestionReference | None = None,
    ) -> None:
        """Commit the start of a question's workflow, once however often its message is delivered.

        ``corrects``, ``page_id``, ``suggestion``: see :class:`core.chat.requests.QuestionRequest`.
        """
        key = self._ask_key(place, suggestion.asking_id if suggestion else message_id)
        if await self.durable.is_started_here(key):
            return
        post = await self.posts.load_post(key)
        if post and post.finished:
            return
        if not notice:
            too_long = len(text) > MAX_QUESTION_CHARS
            notice = "too_long" if too_long else await self.limits.find_exceeded(place, user, key)
        request = QuestionRequest(
            key=key,
            place=place,
            message_id=message_id,
            user=user,
            text="" if suggestion else text[:MAX_QUESTION_CHARS],
            language=await self._find_language_of(text, place, user, language),
            kind=kind,
            characters=len(text),
            notice=notice,
            follows=follows,
            corrects=corrects,
            page_id=page_id,
            suggestion=suggestion,
        )
        await self.durable.start(request)

    async def stop(self, place: Place, user: str, streams: Collection[str] = (), pressed_at: str = "") -> Stopped:
        """Stop the answers to this person's questions that are being made in a thread, and nobody else's.

        ``streams``: messages that the platform has ended for the person; such an answer may have been finished since.
        ``pressed_at``: by the platform's clock, if known: a repeated delivery does not stop later questions.
        Nothing is posted. Stopped questions are not answered later, and are not part of the history.
        """
        posts = await self.posts.find_in_conversation(place.conversation_id)
        person = place.make_person_key(user)
        answering = [
            post for post in posts if _is_being_answered(post) and not await self._was_asked_after(post, pressed_at)
        ]
        ended = [post for post in posts if post.message_id in streams and post.key.startswith("ask:")]
        stopped = [post for post in posts if post in (*answering, *ended) and user and post.person == person]
        fresh = {post.key for post in stopped if self.poster.is_fresh(post.key)}  # unknown once they are removed
        for post in stopped:  # first, so that an answer that is ready is not posted
            await self.posts.save(replace(post, finished=True))
        if stopped:
            await self.durable.remove([post.key for post in stopped])
            await self.wait_for_threads()  # a thread may still be storing a turn
        for post in stopped:
            await self.poster.take_back(await self.posts.load_post(post.key) or post, post.key in fresh)
            await self.turns.remove(post.turn_id)
            await self.history.remove(place, await self._find_asking_message(post))
        return Stopped(bool(stopped), any(post.person != person for post in (*answering, *ended)))

    async def _was_asked_after(self, post: Post, moment: str) -> bool:
        """Whether the message that asks is later than this moment; False if that is unknown."""
        return bool(moment) and make_sort_key(await self._find_asking_message(post))[0] > make_sort_key(moment)[0]

    async def _find_asking_message(self, post: Post) -> str:
        """Return the id of the message that asks: the person's, or our message with a command's question."""
        shown = await self.posts.load_post(make_question_message_key(post.key))
        return shown.message_id if shown else post.key.rpartition(":")[2]

    async def find_language(self, action: Click | Command, text: str = "") -> Language:
        """Return the language of a text that an action is about; else of the message with the button, or the client."""
        if not text:
            return await self.find_client_language(action.place, action.user, action.language)
        return await self._find_language_of(text, action.place, action.user, action.language)

    async def _find_language_of(self, text: str, place: Place, user: str, language: Language | None) -> Language:
        """Return the language of a text, or of the person's client if the text does not tell."""
        return find_language(text) or await self.find_client_language(place, user, language)

    async def find_client_language(self, place: Place, user: str, told: Language | None = None) -> Language:
        """Return the language of a person's client: the event's, else the platform's if it answers soon, else English.

        A command must be answered within three seconds.
        """
        if told:
            return told
        try:
            async with asyncio.timeout(_MEMBER_SECONDS):
                return (await self.platforms[place.platform].find_member(place, user)).language
        except (ChatRefused, ChatUnavailable, TimeoutError):
            return "en"


def _is_being_answered(post: Post) -> bool:
    return post.key.startswith("ask:") and not post.finished


def _correct_place(post: Post | None, place: Place) -> Place:
    """Return the place of a question's post. A Teams chat has several chat sessions, which its events do not name."""
    return replace(post.place, shared=place.shared) if post and post.place.channel == place.channel else place
