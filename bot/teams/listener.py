"""What people do in Teams, handed to the conversation service, and what that tells them."""

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
    action_of,
    adds_us,
    bot_of,
    command,
    is_by_a_person,
    judgement,
    locale,
    message_id_of,
    parse_message,
    place_of,
    plain_text,
    user_of,
)
from adapters.teams.cards import ReasonForm
from adapters.teams.platform import TeamsPlatform
from bot.chat.background import BackgroundTasks
from bot.chat.commands import Commands
from bot.chat.error_notices import instead
from bot.chat.service import ChatService
from bot.teams.chat_sessions import ChatSessions
from bot.teams.click_responses import Shown, answer_notice, answer_to, language_of, list_sources
from core.chat.incoming import Click, Command, Incoming
from core.chat.listening import is_something
from core.identity.person import PersonId
from core.ports import Place, Post, Reference, ReferenceStore, TeamsUser, View
from core.text import Language, language
from core.views.notices import HelpView, Notice
from core.views.sources import SourcesView
from core.views.wording import WORDS

_MOST_KNOWN = 10_000  # conversations and people that are not looked up again
_CHANGES = frozenset({"messageUpdate", "messageDelete"})

logger = logging.getLogger(__name__)

Json = Mapping[str, Any]


@dataclass(slots=True)
class TeamsListener:
    """Whatever it answers is committed by then. What only shows something is done after that."""

    service: ChatService
    commands: Commands
    platform: TeamsPlatform
    references: ReferenceStore
    sittings: ChatSessions
    _known: dict[tuple[str, str], Reference | TeamsUser] = field(default_factory=dict)
    _afterwards: BackgroundTasks = field(default_factory=BackgroundTasks)
    _doing: set[str] = field(default_factory=set)

    async def handle_activity(self, activity: Json) -> dict[str, Any] | None:
        """Does what an activity, which is proved, asks for. Returns what to answer to one that waits for it."""
        kind = activity["type"]
        message = await self._incoming(activity) if kind == "message" else None
        if message and not await self._is_for_us(message, activity):
            return None
        if kind not in _CHANGES:  # of a message that was not for us, too: who wrote it is not our business
            await self._remember(activity)
        if kind in {"installationUpdate", "conversationUpdate"}:
            self.platform.audiences.forget()
            self._welcome(activity)
        if not is_by_a_person(activity):
            return None
        if message:
            await self._message(message, activity)
        match kind:
            case "messageUpdate":
                place, said = await self.sittings.place(place_of(activity)), plain_text(activity)
                await self.service.handle_edit(place, message_id_of(activity), user_of(activity), said)
            case "messageDelete":
                await self.service.handle_deletion(
                    await self.sittings.place(place_of(activity)), message_id_of(activity)
                )
            case "invoke":
                return await self._invoked(activity)
        return None

    async def _is_for_us(self, message: Incoming, activity: Json) -> bool:
        """Where a team's owners let bots hear everything, not all is our business, nor who says it."""
        if message.mentioned or message.place.direct or action_of(activity):
            return True
        return await self.service.takes_part(message.place)

    async def _incoming(self, activity: Json) -> Incoming:
        """With the sitting that it belongs to, if it stands in a chat."""
        message = parse_message(activity)
        place = await self.sittings.place(message.place, message.message_id, message.user, message.text)
        return replace(message, place=place, reply=message.message_id != place.thread)

    def forget(self, person: PersonId) -> None:
        """Forgets what is remembered of a person: what is kept in the store has to be kept there anew."""
        self._known.clear()
        self.sittings.forget(person)

    async def close(self) -> None:
        """Lets what is being shown be shown."""
        await self._afterwards.wait_until_idle()
        await self.platform.close()

    async def _message(self, message: Incoming, activity: Json) -> None:
        if not message.text and (pressed := action_of(activity)):
            await self._pressed(pressed)
        elif given := command(message):
            await self._commanded(given, locale(activity))
        else:
            self.sittings.note_message(message.place, message.message_id, message.user)
            await self.service.handle_message(message)

    async def _invoked(self, activity: Json) -> dict[str, Any]:
        if activity.get("name") == "adaptiveCard/action":
            pressed = action_of(activity)
            if pressed is None:
                return answer_notice(instead("unknown", "en"))
            return await asyncio.to_thread(answer_to, await self._act(pressed), pressed)
        if activity.get("name") == "message/submitAction" and (given := judgement(activity)):
            await self._judge(given)
        return {}

    # ------------------------------------------------------------------------------------ clicks

    async def _act(self, pressed: Action) -> Shown:
        click = await self._of_ours(pressed.click)
        words = WORDS[language_of(pressed)]
        found: Shown
        match pressed.name:
            case "explain":
                found = await self.service.explain(click) or Notice(words.explaining_already)
            case "suggest":
                found = await self.service.ask_suggestion(click, pressed.index) or Notice(words.reading)
            case "correct" if is_something(pressed.text):
                found = await self.service.correct(click, pressed.text) or Notice(words.reading)
            case "correct":
                found = Notice(words.empty_question)
            case "good":
                found = await self.service.feedback(click, "good")
            case "bad":
                found = await self._blamed(click)
            case "reason":
                found = await self.service.feedback(click, "bad", pressed.text)
            case "sources":
                found = await self.service.sources(click)
            case "answer" | "whole":
                found = await self.service.again(click)
            case _:
                found = instead("unknown", language_of(pressed))
        return found

    async def _blamed(self, click: Click) -> Shown:
        """Keeps that an answer is no good at once, and asks why."""
        kept = await self.service.feedback(click, "bad")
        question = await self.service.correctable(click)
        return ReasonForm(question, language(question)) if kept.kind == "done" and isinstance(question, str) else kept

    async def _pressed(self, pressed: Action) -> None:
        """On a client that sends buttons as messages, which have no answer: what there is to say is said aloud."""
        found = await self._act(pressed)
        if isinstance(found, ReasonForm) or (isinstance(found, Notice) and pressed.name not in {"sources", "answer"}):
            if isinstance(found, Notice) and found.kind != "done":  # else the thread shows it
                logger.info("What somebody pressed (%s) was answered in words: %s", pressed.name, found.text)
            return
        view: View = list_sources(found) if isinstance(found, SourcesView) else found
        self._afterwards.do(self._say(f"pressed:{pressed.click.action_id}", pressed.click.place, view))

    async def _of_ours(self, click: Click) -> Click:
        """With the message that the answer has: a message may have been replaced, or Teams may not name it.

        Only one in the same conversation, to which who clicked belongs.
        """
        posts = self.service.application.posts
        if click.message_id and await posts.of_message(click.place, click.message_id):
            return click
        turn = await self.service.application.turns.get(click.turn_id)
        there = await posts.in_conversation(turn.conversation_id) if turn else []
        of_turn = [post for post in there if post.turn_id == click.turn_id and post.key.startswith("ask:")]
        of_turn = [post for post in of_turn if post.place.channel == click.place.channel]
        return replace(click, message_id=of_turn[0].message_id) if of_turn else click

    async def _judge(self, given: Judgement) -> None:
        """Keeps feedback. Where Teams does not say of which message, it is of the last answer."""
        post = await self._meant(given)
        if post is None:
            logger.warning("Feedback came for a message that is no answer of ours.")
            return
        click = Click(given.place, post.message_id, given.user, f"{post.turn_id}.{given.user}", post.turn_id)
        kept = await self.service.feedback(click, given.reaction, given.reason)
        if kept.kind != "done":
            logger.info("Feedback was not kept: %s", kept.text)

    async def _meant(self, given: Judgement) -> Post | None:
        posts = self.service.application.posts
        if given.message_id and (post := await posts.of_message(given.place, given.message_id)):
            return post if post.turn_id else None
        place = await self.sittings.place(given.place)
        there = await posts.in_conversation(place.conversation_id)
        answers = [post for post in there if post.turn_id and post.key.startswith("ask:")]
        meant = [post for post in answers if await self._is(post, given.message_id)] if given.message_id else answers
        return meant[-1] if meant else None

    async def _is(self, post: Post, message_id: str) -> bool:
        if post.message_id == message_id:
            return True
        place = post.place
        return await self.references.resolve_message(place.team, place.channel, post.message_id) == message_id

    # ------------------------------------------------------------------------------------ commands, welcome

    async def _commanded(self, given: Command, spoken: Language) -> None:
        key = f"command:{given.place.channel}:{given.run_id}"
        if key in self._doing or await self.service.application.posts.post(key):
            return
        self._doing.add(key)
        try:
            result = await self.commands.execute(given, spoken)
        except BaseException:
            self._doing.discard(key)
            raise
        self._afterwards.do(self._reported(key, given, result))

    async def _reported(self, key: str, given: Command, result: Notice | HelpView) -> None:
        try:
            if not (isinstance(result, Notice) and result.starts_work):
                await self._say(key, given.place, result)
        finally:
            self._doing.discard(key)

    def _welcome(self, activity: Json) -> None:
        """How to ask, once in each conversation that we are added to; Teams tells it in two ways."""
        place = place_of(activity)
        key = f"welcome:{place.team}:{place.room}"
        if adds_us(activity) and key not in self._doing:
            self._doing.add(key)
            self._afterwards.do(self._greeted(key, replace(place, thread=""), user_of(activity), locale(activity)))

    async def _greeted(self, key: str, place: Place, user: str, spoken: Language) -> None:
        try:
            await self._say(key, place, await self.commands.helping.view(place, user, spoken))
        finally:
            self._doing.discard(key)

    # ------------------------------------------------------------------------------------ saying, remembering

    async def _say(self, key: str, place: Place, view: View) -> None:
        """Says something that is no answer, once."""
        posts = self.service.application.posts
        if await posts.post(key) is None:
            message_id = await self.platform.post(place, view, key)
            await posts.keep(Post(key, place, message_id, finished=True))

    async def _remember(self, activity: Json) -> None:
        """Keeps how the conversation and the person are reached, where that is new."""
        place = place_of(activity)
        direct = place.channel if place.direct else ""
        there = Reference(place.team, place.room, str(activity["serviceUrl"]), bot_of(activity))
        person = TeamsUser(place.team, user_of(activity), account_of(activity), direct)
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if self._known.get((there.team, there.conversation)) != there:
            await self.references.keep(there)
            self._known[there.team, there.conversation] = there
        if is_by_a_person(activity) and self._known.get((person.team, person.user)) != person:
            await self.references.save_user(person)
            self._known[person.team, person.user] = person
