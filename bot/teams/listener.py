"""Handling of Teams' activities: calls the chat service, and responds to clicks with cards or texts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adapters.teams import activities
from adapters.teams.activities import Action, ThumbFeedback
from adapters.teams.cards import (
    make_card_response,
    make_text_response,
    render_answer_card,
    render_form_card,
    render_part_card,
    render_reply_card,
)
from adapters.teams.links import parse_link_action
from adapters.teams.platform import TeamsPlatform
from bot.chat.clicked_answers import ClickedAnswers
from bot.chat.commands import Commands
from bot.chat.service import ChatService
from bot.coordination.bots import AUDIENCES, Bots, OneBot
from bot.server.service import BackgroundTasks
from bot.teams.answer_finder import AnswerFinder
from bot.teams.chat_sessions import ChatSessions
from bot.teams.links import LinkCards
from core.errors import ChatRefused
from core.languages import Language
from core.model import PersonId
from core.model.views import AnswerView, HelpView, Notice, SourcesView, View
from core.ports.chat import Click, Command, IncomingMessage, Place
from core.ports.chat_stores import Post, PostStore
from core.ports.teams import Reference, ReferenceStore, TeamsUser
from core.views.document import Form
from core.views.help import build_correction_form, build_reason_form
from core.views.notices import EMPTY_QUESTION, EXPLANATION_SHARED, EXPLANATION_UNDER_WAY, READING, choose_notice
from core.wording.courtesy import has_words

_MOST_KNOWN = 10_000  # conversations and people in memory
_LANGUAGE_PAUSE = 1.0  # seconds
_CHANGES = frozenset({"messageUpdate", "messageDelete"})

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]

Shown = Notice | SourcesView | AnswerView | Form
"""Content for the person who clicked."""


@dataclass(slots=True)
class TeamsListener:
    """Handles activities.

    What has to survive a crash is committed before the response; notices and help are posted after it.
    """

    service: ChatService
    answers: ClickedAnswers
    commands: Commands
    platform: TeamsPlatform
    references: ReferenceStore
    posts: PostStore
    sessions: ChatSessions
    finder: AnswerFinder
    links: LinkCards
    bots: Bots = field(default_factory=OneBot)
    _known: dict[tuple[str, str], Reference | TeamsUser] = field(default_factory=dict)
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)
    _running: set[str] = field(default_factory=set)
    """Keys of commands and welcomes in progress: Teams may deliver them more than once."""

    async def handle_activity(self, activity: Json) -> dict[str, Any] | None:
        """Handle an authenticated activity; return the response if it needs one."""
        kind = activity["type"]
        if link := parse_link_action(activity):
            # Links are also pasted in chats without the bot, such as that of two people, which is personal too.
            if link.name and not link.click.place.direct:
                await self._save_reference(activity)
            return await self.links.respond(link, activity)
        message = await self._parse_message(activity) if kind == "message" else None
        if message and not await self._is_for_bot(message, activity):
            return None
        if kind not in _CHANGES:  # these also come for messages that were not for the bot
            await self._save_reference(activity)
        if kind in {"installationUpdate", "conversationUpdate"}:
            self.platform.audiences.forget()
            await self.bots.signal(AUDIENCES)
            self._welcome(activity)
        if not activities.is_by_person(activity):
            return None
        if message:
            await self._handle_message(message, activity)
        if kind in _CHANGES:
            await self._handle_change(activity)
        return await self._handle_invoke(activity) if kind == "invoke" else None

    def forget(self, person: PersonId) -> None:
        """Drop what is in memory about a person, so that it is stored again with their next activity."""
        self._known.clear()
        self.finder.forget()
        self.sessions.forget(person)

    def forget_all(self) -> None:
        """Drop what is in memory about all people."""
        self._known.clear()
        self.finder.forget()
        self.sessions.forget_all()

    async def finish_tasks(self) -> None:
        """Wait for background tasks, and cancel those that take too long."""
        await self._background.wait_until_idle()

    async def close(self) -> None:
        """End background tasks and typing indicators."""
        await self.finish_tasks()
        await self.platform.close()

    # ------------------------------------------------------------------------------------ messages

    async def _parse_message(self, activity: Json) -> IncomingMessage:
        """Parse a message; in a chat its session becomes the thread."""
        message = activities.parse_message(activity)
        place = await self.sessions.find_place(message.place, message.message_id, message.user, message.text)
        return replace(message, place=place, reply=message.message_id != place.thread)

    async def _is_for_bot(self, message: IncomingMessage, activity: Json) -> bool:
        """Whether the bot may handle a message: teams may send bots all messages, most of them not for this bot."""
        if message.mentioned or message.place.direct or activities.parse_action(activity):
            return True
        return await self.service.takes_part(message.place)

    async def _handle_message(self, message: IncomingMessage, activity: Json) -> None:
        if not message.text and (action := activities.parse_action(activity)):
            await self._handle_action_message(action)
        elif (command := activities.parse_command(message)) and await self.commands.is_meant(command):
            await self._handle_command(command, activities.parse_client_language(activity))
        else:
            self.sessions.note_message(message.place, message.message_id, message.user)
            self.finder.note_message(message)
            await self.service.handle_message(message)

    async def _handle_change(self, activity: Json) -> None:
        place = await self.sessions.find_place(activities.parse_place(activity))
        message_id, user = activities.parse_message_id(activity), activities.parse_user(activity)
        changed_at = activities.parse_time(activity)
        if activity["type"] == "messageDelete":
            await self.service.handle_deletion(place, message_id, user, changed_at)
        else:
            text, language = activities.parse_text(activity), activities.parse_client_language(activity)
            await self.service.handle_edit(place, message_id, user, text, changed_at, language)

    # ------------------------------------------------------------------------------------ clicks

    async def _handle_invoke(self, activity: Json) -> dict[str, Any]:
        if activity.get("name") == "adaptiveCard/action":
            action = activities.parse_action(activity)
            if action is None:
                return make_text_response(choose_notice("unknown", activities.parse_client_language(activity)))
            return await asyncio.to_thread(make_response, await self._handle_action(action), action)
        if activity.get("name") == "message/submitAction" and (feedback := activities.parse_thumb_feedback(activity)):
            await self._save_thumb_feedback(feedback)
        return {}

    async def _handle_action(self, action: Action) -> Shown:
        language = _parse_language(action)
        click = replace(await self.finder.find_clicked(action.click), language=language)
        match action.name:
            case "explain" | "share":
                return await self._explain(action.name, click, language)
            case "suggest":
                return await self.answers.ask_suggestion(click, action.index) or Notice(READING.render(language))
            case "correct" | "correction":
                return await self._correct(action, click, language)
            case "good":
                return await self.answers.save_feedback(click, "good")
            case "bad":
                return await self._save_and_ask_reason(click, language)
            case "reason":
                return await self.answers.save_feedback(click, "bad", action.text)
            case "sources":
                return await self.answers.load_sources(click)
            case "answer" | "whole":
                return await self.answers.load_answer(click)
        return choose_notice("unknown", language)

    async def _explain(self, name: str, click: Click, language: Language) -> Notice:
        if name == "explain":
            return await self.answers.explain(click) or Notice(EXPLANATION_UNDER_WAY.render(language))
        return await self.answers.share(click) or Notice(EXPLANATION_SHARED.render(language))

    async def _correct(self, action: Action, click: Click, language: Language) -> Shown:
        if has_words(action.text):
            return await self.answers.correct(click, action.text) or Notice(READING.render(language))
        if action.name == "correction":
            return Notice(EMPTY_QUESTION.render(language))
        question = await self.answers.load_question_to_correct(click)
        return question if isinstance(question, Notice) else build_correction_form(question, language)

    async def _save_and_ask_reason(self, click: Click, language: Language) -> Shown:
        kept = await self.answers.save_feedback(click, "bad")
        question = await self.answers.load_completed_question(click)
        if kept.kind != "done" or not isinstance(question, str):
            return kept
        return build_reason_form(question, language)

    async def _handle_action_message(self, action: Action) -> None:
        """Handle a click that an old client sent as a message: messages have no response, so the content is posted."""
        found = await self._handle_action(action)
        if isinstance(found, Form) or (isinstance(found, Notice) and action.name not in {"sources", "answer"}):
            if isinstance(found, Notice) and found.kind != "done":  # the thread shows the result
                logger.info("A click on %s ended with a notice: %s", action.name, found.text)
            return
        self._background.start(self._post_once(f"pressed:{action.activity_id}", action.click.place, found))

    async def _save_thumb_feedback(self, feedback: ThumbFeedback) -> None:
        """Store feedback by Teams' own thumbs."""
        post = await self.finder.find_rated(feedback)
        if post is None:
            logger.warning("Feedback came for a message that is no answer of ours.")
            return
        action_id = f"{post.turn_id}.{feedback.user}"
        place = replace(post.place, shared=feedback.place.shared)
        click = Click(place, post.message_id, feedback.user, action_id, post.turn_id)
        kept = await self.answers.save_feedback(click, feedback.reaction, feedback.reason)
        if kept.kind != "done":
            logger.info("Feedback was not kept: %s", kept.text)

    # ------------------------------------------------------------------------------------ commands, welcome

    async def _handle_command(self, command: Command, language: Language) -> None:
        key = f"command:{command.place.channel}:{command.run_id}"
        if key in self._running or await self.posts.load_post(key):
            return
        self._running.add(key)
        try:
            result = await self.commands.execute(command, language)
        except BaseException:
            self._running.discard(key)
            raise
        self._background.start(self._post_result(key, command, result))

    async def _post_result(self, key: str, command: Command, result: Notice | HelpView) -> None:
        try:
            if isinstance(result, Notice) and result.starts_work:
                await self.posts.save(Post(key, command.place, "", finished=True))
            else:
                await self._post_once(key, command.place, result)
        except ChatRefused as error:
            logger.warning("The result of a command is refused: %s", error)
            refused = choose_notice("result_refused", await self.service.find_language(command))
            await self.service.poster.notices.notify(key, command.place, command.user, refused)
        finally:
            self._running.discard(key)

    def _welcome(self, activity: Json) -> None:
        """Post the help once in each team or group chat that the bot is added to; Teams reports that twice.

        A personal chat gets no welcome: Teams suggests questions there until the bot posts something.
        """
        place = activities.parse_place(activity)
        if place.direct:
            return
        key = f"welcome:{place.team}:{place.room}"
        # Only one of the two reports tells the language. The other one waits, so that its welcome comes second.
        pause = 0.0 if activities.has_client_language(activity) else _LANGUAGE_PAUSE
        running = f"{key}:{pause}"
        if activities.is_adding_bot(activity) and running not in self._running:
            self._running.add(running)
            self._background.start(self._post_welcome(key, running, activity, pause))

    async def _post_welcome(self, key: str, running: str, activity: Json, pause: float) -> None:
        try:
            await asyncio.sleep(pause)
            place, user = replace(activities.parse_place(activity), thread=""), activities.parse_user(activity)
            view = await self.commands.help.build_view(place, user, activities.parse_client_language(activity))
            await self._post_once(key, place, view)
        finally:
            self._running.discard(running)

    async def _post_once(self, key: str, place: Place, view: View) -> None:
        async with self.bots.lock(f"post:{key}"):  # another bot may receive the activity too
            if await self.posts.load_post(key) is None:
                message_id = await self.platform.post(place, view, key)
                await self.posts.save(Post(key, place, message_id, finished=True))

    # ------------------------------------------------------------------------------------ references

    async def _save_reference(self, activity: Json) -> None:
        """Store the addresses of the conversation and the person if they are new."""
        place = activities.parse_place(activity)
        direct = place.channel if place.direct else ""
        reference = Reference(place.team, place.room, str(activity["serviceUrl"]), activities.parse_bot(activity))
        person = TeamsUser(place.team, activities.parse_user(activity), activities.parse_account(activity), direct)
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
            self.finder.forget()
        if self._known.get((reference.team, reference.conversation)) != reference:
            await self.references.save(reference)
            self._known[reference.team, reference.conversation] = reference
        if activities.is_by_person(activity) and self._known.get((person.team, person.user)) != person:
            await self.references.save_user(person)
            self._known[person.team, person.user] = person


def make_response(found: Shown, action: Action) -> dict[str, Any]:
    """Return the response to ``adaptiveCard/action``: a text below the card, or a card that replaces it."""
    turn_id = action.click.turn_id
    match found:
        case AnswerView() if action.name == "whole":
            return make_card_response(render_part_card(found, action.index, action.delivery))
        case AnswerView():
            return make_card_response(render_answer_card(found, action.delivery))
        case Form():
            return make_card_response(render_form_card(found, turn_id, action.activity_id, action.delivery))
        case Notice() if not found.links and not _closes_form(action):
            return make_text_response(found)
    return make_card_response(render_reply_card(found, turn_id, _parse_language(action), action.delivery))


def _closes_form(action: Action) -> bool:
    """Whether the form is gone after the click: the same text in the same form would count as the same click."""
    return action.name == "reason" or (action.name == "correction" and has_words(action.text))


def _parse_language(action: Action) -> Language:
    """Return the language of the answer that the button belongs to."""
    return "de" if action.language == "de" else "en"
