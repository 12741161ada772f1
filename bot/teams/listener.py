"""What people do in Teams, handed to the chat service, and what they see of it: cards in place, or words under one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from adapters.teams.activities import (
    Action,
    Judgement,
    account_of,
    adds_us,
    bot_of,
    is_by_a_person,
    language_of_client,
    message_id_of,
    parse_action,
    parse_command,
    parse_judgement,
    parse_message,
    place_of,
    plain_text,
    time_of,
    user_of,
)
from adapters.teams.cards import CARD, answer_card, form_card, part_card, render_plain, reply_card
from adapters.teams.platform import TeamsPlatform
from bot.chat.commands import Commands
from bot.chat.service import ChatService
from bot.coordination.bots import AUDIENCES, Bots, OneBot
from bot.server.service import BackgroundTasks
from bot.teams.chat_sessions import ChatSessions
from core.chat.listening import has_words
from core.languages import Language, detect_catalogue
from core.person import PersonId
from core.ports.chat import Click, Command, Incoming, Place
from core.ports.chat_store import Post, PostStore, Reference, ReferenceStore, TeamsUser
from core.ports.store import TurnStore
from core.views.building import EMPTY_QUESTION, EXPLANATION_SHARED, EXPLANATION_UNDER_WAY, READING, notice_for
from core.views.document import Form
from core.views.layout import build_reason_form
from core.views.model import AnswerView, HelpView, Notice, SourcesView, View

_MOST_KNOWN = 10_000  # conversations and people that are not stored again
_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds
_CHANGES = frozenset({"messageUpdate", "messageDelete"})

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]

TEXT_TYPE = "application/vnd.microsoft.activity.message"
"""The type of an answer to a click that is no card (``CARD``): a text, for the person who clicked."""

Shown = Notice | SourcesView | AnswerView | Form
"""What only the person who clicked sees."""


@dataclass(slots=True)
class TeamsListener:
    """What an activity starts is committed when it is answered. What only shows something is done after that."""

    service: ChatService
    commands: Commands
    platform: TeamsPlatform
    references: ReferenceStore
    posts: PostStore
    turns: TurnStore
    sessions: ChatSessions
    bots: Bots = field(default_factory=OneBot)
    _known: dict[tuple[str, str], Reference | TeamsUser] = field(default_factory=dict)
    _background: BackgroundTasks = field(default_factory=BackgroundTasks)
    _written: dict[tuple[str, str, str], Place] = field(default_factory=dict)
    """By organisation, channel and person, the thread in which they wrote to us last."""
    _under_way: set[str] = field(default_factory=set)
    """Keys of commands and welcomes that are being handled: Teams may deliver them more than once."""

    async def handle_activity(self, activity: Json) -> dict[str, Any] | None:
        """Handles an authenticated activity. Returns the answer to one that waits for it."""
        kind = activity["type"]
        message = await self._parse_message(activity) if kind == "message" else None
        if message and not await self._is_for_us(message, activity):
            return None
        if kind not in _CHANGES:  # of a message that was not for us, too: who wrote it is not our business
            await self._save_reference(activity)
        if kind in {"installationUpdate", "conversationUpdate"}:
            self.platform.audiences.forget()
            await self.bots.signal(AUDIENCES)
            self._welcome(activity)
        if not is_by_a_person(activity):
            return None
        if message:
            await self._handle_message(message, activity)
        match kind:
            case "messageUpdate":
                place = await self.sessions.place(place_of(activity))
                message_id, user = message_id_of(activity), user_of(activity)
                await self.service.handle_edit(place, message_id, user, plain_text(activity), time_of(activity))
            case "messageDelete":
                place = await self.sessions.place(place_of(activity))
                message_id, user = message_id_of(activity), user_of(activity)
                await self.service.handle_deletion(place, message_id, user, time_of(activity))
            case "invoke":
                return await self._handle_invoke(activity)
        return None

    def forget(self, person: PersonId) -> None:
        """Forgets what is in memory of a person: what is stored of them has to be stored anew."""
        self._known.clear()
        self._written.clear()
        self.sessions.forget(person)

    def forget_all(self) -> None:
        """Forgets what is in memory of all people."""
        self._known.clear()
        self._written.clear()
        self.sessions.forget_all()

    async def close(self) -> None:
        """Waits for what is being shown."""
        await self._background.wait_until_idle()
        await self.platform.close()

    # ------------------------------------------------------------------------------------ messages

    async def _parse_message(self, activity: Json) -> Incoming:
        """With the session that it belongs to, if it is in a chat."""
        message = parse_message(activity)
        place = await self.sessions.place(message.place, message.message_id, message.user, message.text)
        return replace(message, place=place, reply=message.message_id != place.thread)

    async def _is_for_us(self, message: Incoming, activity: Json) -> bool:
        """Where a team's owners let bots receive all messages, most are none of our business, nor who wrote them."""
        if message.mentioned or message.place.direct or parse_action(activity):
            return True
        return await self.service.takes_part(message.place)

    async def _handle_message(self, message: Incoming, activity: Json) -> None:
        if not message.text and (action := parse_action(activity)):
            await self._handle_action_message(action)
        elif (command := parse_command(message)) and await self.commands.is_meant(command):
            await self._handle_command(command, language_of_client(activity))
        else:
            self.sessions.note_message(message.place, message.message_id, message.user)
            self._written[message.place.team, message.place.room, message.user] = message.place
            await self.service.handle_message(message)

    # ------------------------------------------------------------------------------------ clicks

    async def _handle_invoke(self, activity: Json) -> dict[str, Any]:
        if activity.get("name") == "adaptiveCard/action":
            action = parse_action(activity)
            if action is None:
                return answer_notice(notice_for("unknown", language_of_client(activity)))
            return await asyncio.to_thread(answer_to, await self._handle_action(action), action)
        if activity.get("name") == "message/submitAction" and (judgement := parse_judgement(activity)):
            await self._keep_judgement(judgement)
        return {}

    async def _handle_action(self, action: Action) -> Shown:
        spoken = language_of(action)
        click = replace(await self._find_message(action.click), language=spoken)
        match action.name:
            case "explain" | "share":
                return await self._explain(action.name, click, spoken)
            case "suggest":
                return await self.service.ask_suggestion(click, action.index) or Notice(READING.render(spoken))
            case "correct" if has_words(action.text):
                return await self.service.correct(click, action.text) or Notice(READING.render(spoken))
            case "correct":
                return Notice(EMPTY_QUESTION.render(spoken))
            case "good":
                return await self.service.keep_feedback(click, "good")
            case "bad":
                return await self._keep_and_ask_reason(click)
            case "reason":
                return await self.service.keep_feedback(click, "bad", action.text)
            case "sources":
                return await self.service.sources(click)
            case "answer" | "whole":
                return await self.service.answer(click)
        return notice_for("unknown", spoken)

    async def _explain(self, name: str, click: Click, spoken: Language) -> Notice:
        if name == "explain":
            return await self.service.explain(click) or Notice(EXPLANATION_UNDER_WAY.render(spoken))
        return await self.service.share(click) or Notice(EXPLANATION_SHARED.render(spoken))

    async def _keep_and_ask_reason(self, click: Click) -> Shown:
        kept = await self.service.keep_feedback(click, "bad")
        question = await self.service.understood_question(click)
        if kept.kind != "done" or not isinstance(question, str):
            return kept
        return build_reason_form(question, detect_catalogue(question))

    async def _handle_action_message(self, action: Action) -> None:
        """On clients that send buttons as messages, which have no answer: what there is to show is posted."""
        found = await self._handle_action(action)
        if isinstance(found, Form) or (isinstance(found, Notice) and action.name not in {"sources", "answer"}):
            if isinstance(found, Notice) and found.kind != "done":  # otherwise the thread shows it
                logger.info("A button (%s) was answered in words: %s", action.name, found.text)
            return
        self._background.start(self._post_once(f"pressed:{action.click.action_id}", action.click.place, found))

    async def _find_message(self, click: Click) -> Click:
        """The click with the id of the answer's message, which may have been replaced, or is not given by Teams.

        Only a message of the same conversation counts, to which the person who clicked belongs.
        """
        if click.message_id and await self.posts.of_message(click.place, click.message_id):
            return click
        turn = await self.turns.get(click.turn_id)
        posts = await self.posts.in_conversation(turn.conversation_id) if turn else []
        of_turn = [post for post in posts if post.turn_id == click.turn_id and post.key.startswith("ask:")]
        of_turn = [post for post in of_turn if post.place.channel == click.place.channel]
        stored = next((post.message_id for post in of_turn if post.message_id), "")
        return replace(click, message_id=stored) if stored else click

    async def _keep_judgement(self, judgement: Judgement) -> None:
        """Keeps feedback by Teams' own thumbs."""
        post = await self._find_judged(judgement)
        if post is None:
            logger.warning("Feedback came for a message that is no answer of ours.")
            return
        action_id = f"{post.turn_id}.{judgement.user}"
        place = replace(post.place, shared=judgement.place.shared)
        click = Click(place, post.message_id, judgement.user, action_id, post.turn_id)
        kept = await self.service.keep_feedback(click, judgement.reaction, judgement.reason)
        if kept.kind != "done":
            logger.info("Feedback was not kept: %s", kept.text)

    async def _find_judged(self, judgement: Judgement) -> Post | None:
        """The answer that feedback is about: the last one, where Teams does not say which.

        Where it does not even say in which thread, as the Agents Playground, the last one that the person asked for.
        """
        if judgement.message_id and (post := await self.posts.of_message(judgement.place, judgement.message_id)):
            return post if post.turn_id else None
        place = await self.sessions.place(judgement.place)
        if not place.thread:
            place = self._written.get((place.team, place.room, judgement.user), place)
        answers: list[Post] = []
        for pause in _PAUSES:
            posts = await self.posts.in_conversation(place.conversation_id)
            answers = [post for post in posts if post.turn_id and post.key.startswith("ask:")]
            if all(post.message_id for post in answers):
                break
            await asyncio.sleep(pause)  # who judges at once may be faster than the message's id is stored
        if judgement.message_id:
            answers = [post for post in answers if await self._has_message(post, judgement.message_id)]
        return answers[-1] if answers else None

    async def _has_message(self, post: Post, message_id: str) -> bool:
        """Whether a message is the post's own, or stands for it now."""
        if post.message_id == message_id:
            return True
        place = post.place
        return await self.references.resolve_message(place.team, place.channel, post.message_id) == message_id

    # ------------------------------------------------------------------------------------ commands, welcome

    async def _handle_command(self, command: Command, spoken: Language) -> None:
        key = f"command:{command.place.channel}:{command.run_id}"
        if key in self._under_way or await self.posts.post(key):
            return
        self._under_way.add(key)
        try:
            result = await self.commands.execute(command, spoken)
        except BaseException:
            self._under_way.discard(key)
            raise
        self._background.start(self._post_result(key, command, result))

    async def _post_result(self, key: str, command: Command, result: Notice | HelpView) -> None:
        try:
            if not (isinstance(result, Notice) and result.starts_work):
                await self._post_once(key, command.place, result)
        finally:
            self._under_way.discard(key)

    def _welcome(self, activity: Json) -> None:
        """Posts how to ask, once in each team or group that we are added to; Teams tells of that in two ways.

        Not in a chat with one person: there Teams offers questions to begin with while the bot has said nothing.
        """
        place = place_of(activity)
        if place.direct:
            return
        key = f"welcome:{place.team}:{place.room}"
        if adds_us(activity) and key not in self._under_way:
            self._under_way.add(key)
            spoken = language_of_client(activity)
            self._background.start(self._post_welcome(key, replace(place, thread=""), user_of(activity), spoken))

    async def _post_welcome(self, key: str, place: Place, user: str, spoken: Language) -> None:
        try:
            await self._post_once(key, place, await self.commands.help.view(place, user, spoken))
        finally:
            self._under_way.discard(key)

    async def _post_once(self, key: str, place: Place, view: View) -> None:
        async with self.bots.lock(f"post:{key}"):  # another bot may have been told of it too
            if await self.posts.post(key) is None:
                message_id = await self.platform.post(place, view, key)
                await self.posts.keep(Post(key, place, message_id, finished=True))

    # ------------------------------------------------------------------------------------ references

    async def _save_reference(self, activity: Json) -> None:
        """Stores how the conversation and the person are reached, where that is new."""
        place = place_of(activity)
        direct = place.channel if place.direct else ""
        reference = Reference(place.team, place.room, str(activity["serviceUrl"]), bot_of(activity))
        person = TeamsUser(place.team, user_of(activity), account_of(activity), direct)
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
            self._written.clear()
        if self._known.get((reference.team, reference.conversation)) != reference:
            await self.references.keep(reference)
            self._known[reference.team, reference.conversation] = reference
        if is_by_a_person(activity) and self._known.get((person.team, person.user)) != person:
            await self.references.save_user(person)
            self._known[person.team, person.user] = person


def answer_to(found: Shown, action: Action) -> dict[str, Any]:
    """The response to ``adaptiveCard/action``. A text is shown under the card; what has links takes its place."""
    turn_id = action.click.turn_id
    match found:
        case AnswerView() if action.name == "whole":
            return _card(part_card(found, action.index, action.way))
        case AnswerView():
            return _card(answer_card(found, action.way))
        case Form():
            return _card(form_card(found, turn_id, action.way))
        case Notice() if not found.links and action.name != "reason":
            return answer_notice(found)
    return _card(reply_card(found, turn_id, language_of(action), action.way))


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    return {"statusCode": 200, "type": CARD, "value": card}


def answer_notice(notice: Notice) -> dict[str, Any]:
    return {"statusCode": 200, "type": TEXT_TYPE, "value": render_plain(notice)}


def language_of(action: Action) -> Language:
    """The language of the answer that the button belongs to."""
    return "de" if action.language == "de" else "en"
