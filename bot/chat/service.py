"""The conversation service: what people do in a chat, and what that leads to, on any platform.

Everything here ends quickly: what takes longer is started as durable work, and its start is committed on return.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace

from bot.channels import Channels
from bot.chat.access import ChatAccess
from bot.chat.error_notices import instead
from bot.chat.thread_history import ThreadHistory
from bot.chat.token_budget import Spending
from bot.durable import Durable
from bot.wiring import Application, now
from core.chat.history import pages_of_suggestion, pages_with_text
from core.chat.incoming import Click, Incoming
from core.chat.keys import ask_key, explain_key
from core.chat.limits import Limits
from core.chat.listening import Decision, decision
from core.conversation import MAX_QUESTION_CHARS
from core.identity.identities import Access
from core.identity.person import person_key
from core.model import Turn
from core.ports import ChatPlatform, Feedback, Place, Platform, Reaction, ThreadMessage
from core.text import Language, language
from core.views.answer import AnswerView, PageLink
from core.views.answer_building import answer_view
from core.views.notices import Notice
from core.views.source_building import sources_view
from core.views.sources import SourcesView
from core.views.turn_wording import question_text
from core.views.wording import WORDS

MESSAGE, CORRECTION, SUGGESTION = "message", "correction", "suggestion"
"""How a question is asked: by a message, in a form, or by the button of one that was suggested."""


@dataclass(frozen=True, slots=True)
class ChatService:
    """One for all platforms. Its adapters hand it what they receive, and show what it returns to the person alone."""

    application: Application
    platforms: Mapping[Platform, ChatPlatform]
    access: ChatAccess
    remembering: ThreadHistory
    channels: Callable[[], Channels]
    limits: Limits
    spending: Spending
    durable: Durable

    async def handle_message(self, message: Incoming) -> Decision:
        """A message was written. Returns once what it leads to is committed."""
        known = message.reply and await self.takes_part(message.place)
        since = []
        if known and not message.mentioned:
            since = await self.remembering.since_our_last(message.place, message.message_id)
        decided = decision(message, known, self.channels().of(message.place).follow_ups, since)
        if decided == "ask":
            await self._ask(message.place, message.message_id, message.user, message.text, MESSAGE)
        elif decided == "help":
            await self._ask(message.place, message.message_id, message.user, message.text, MESSAGE, "how_to_ask")
        elif decided == "listen":
            said = ThreadMessage(message.message_id, message.user, "", message.text)
            await self.remembering.remember(message.place, said)
        return decided

    async def takes_part(self, place: Place) -> bool:
        """Whether we have said something in a conversation."""
        return bool(await self.application.posts.in_conversation(place.conversation_id))

    async def handle_edit(self, place: Place, message_id: str, user: str, text: str) -> None:
        """A message was changed. What was answered stays; what is asked next is understood by the new words."""
        if await self.takes_part(place):
            await self.remembering.remember(place, ThreadMessage(message_id, user, "", text))

    async def handle_deletion(self, place: Place, message_id: str) -> None:
        """A message was taken back: it is no part of the history any more."""
        await self.application.threads.remove(place.conversation_id, message_id)

    async def explain(self, click: Click) -> Notice | None:
        """Explains a turn in its thread. Returns what to tell the person, None where the thread shows it anyway."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        turn, place, access = found
        words = WORDS[_spoken(turn)]
        if not turn.answer.answered:
            return Notice(words.nothing_to_explain)
        if not await self.access.all_visible(turn, access):
            return instead("outside", _spoken(turn))
        key = explain_key(turn.turn_id)
        payload = {"place": asdict(place), "turn": turn.turn_id, "user": click.user}
        there = await self.application.posts.post(key)
        if there is None and self.durable.knows(key):  # it has begun, and its message is about to be posted
            await self.durable.wait_until_committed(key)
            return None
        under_way = there is not None and (there.finished or await self.durable.is_under_way(key))
        if not under_way and (refused := await self._over_limit(place, click.user, f"{key}:{click.action_id}")):
            return instead(refused, _spoken(turn))
        if there is None:
            await self.durable.start("explain", key, payload)
            return None
        if under_way or not await self.durable.again("explain", key, payload):
            link = await self.platforms[there.place.platform].link(there.place, there.message_id)
            said = words.explained_already if there.finished else words.explaining_already
            return Notice(said, links=(PageLink(words.the_explanation, link),) if link else ())
        return None

    async def sources(self, click: Click) -> SourcesView | Notice:
        """What a turn was made from, as far as whoever clicked may see it now."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        turn, _, access = found
        return sources_view(turn, await self.access.visible(turn, access))

    async def again(self, click: Click) -> AnswerView | Notice:
        """The answer as it stands in the thread, for whoever looked at something else in its place."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        turn, _, access = found
        visible = await self.access.visible(turn, access)
        if not pages_with_text([turn]) <= visible:
            return instead("outside", _spoken(turn))
        return answer_view(turn, visible)

    async def correctable(self, click: Click) -> str | Notice:
        """How a question was understood, for whoever asks it to be corrected."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        question = found[0].question
        return question.intent_explicit or question_text(question)

    async def correct(self, click: Click, question: str) -> Notice | None:
        """Asks a question again as its asker meant it."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        _, place, _ = found
        await self._ask(place, click.action_id, click.user, question, CORRECTION)
        return None

    async def ask_suggestion(self, click: Click, index: int) -> Notice | None:
        """Asks what was suggested under an answer, once however often it is clicked."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        turn, place, access = found
        if not 0 <= index < len(turn.suggestions):
            return instead("unknown", _spoken(turn))
        suggestion = turn.suggestions[index]
        if not await self.access.may_show(pages_of_suggestion(turn, suggestion), access.scope):
            return instead("outside", _spoken(turn))
        await self._ask(place, f"{turn.turn_id}.{index}", click.user, suggestion.question, SUGGESTION)
        return None

    async def feedback(self, click: Click, reaction: Reaction, reason: str = "") -> Notice:
        """Keeps what somebody thinks of an answer."""
        found = await self._found(click)
        if isinstance(found, Notice):
            return found
        turn, place, _ = found
        person = person_key(place.platform, place.team, click.user)
        await self.application.feedback.keep(Feedback(turn.turn_id, person, reaction, reason.strip(), now()))
        words = WORDS[_spoken(turn)]
        return Notice(words.thanks_for_reason if reason else words.thanks, kind="done")

    async def _ask(self, place: Place, message_id: str, user: str, text: str, kind: str, notice: str = "") -> None:
        key = ask_key(place, message_id)
        if self.durable.knows(key):  # the same message, as another event or once more
            await self.durable.wait_until_committed(key)
            return
        there = await self.application.posts.post(key)
        if there and there.finished:
            return
        payload = {
            "place": asdict(place),
            "message_id": message_id,
            "user": user,
            # Of what is suggested the words are a page's: they stay in the turn, where they are erased with the page.
            "text": "" if kind == SUGGESTION else text[:MAX_QUESTION_CHARS],
            "spoken": language(text),
            "kind": kind,
            "characters": len(text),
            "notice": notice or await self._refused(place, user, text, key),
        }
        await self.durable.start("ask", key, payload)

    async def _refused(self, place: Place, user: str, text: str, key: str) -> str:
        """Why a question is not to be answered, by its name; "" if it is."""
        if len(text) > MAX_QUESTION_CHARS:
            return "too_long"
        return await self._over_limit(place, user, key)

    async def _over_limit(self, place: Place, user: str, key: str) -> str:
        """Which limit a question or an explanation of this key would exceed, by its name; "" if it may begin."""
        today = await self.spending.today() if self.limits.of_tokens else 0
        person = person_key(place.platform, place.team, user)
        exceeded = self.limits.check(person, f"{place.team}:{place.room}", key, today)
        return f"limit_{exceeded}" if exceeded else ""

    async def _found(self, click: Click) -> tuple[Turn, Place, Access] | Notice:
        """The turn under whose message somebody clicked, if they may see it, and its place. A forged id leads nowhere.

        Who else can read there is asked anew: what was stored with the message is of the time when it was posted.
        """
        post = await self.application.posts.of_message(click.place, click.message_id)
        turn = await self.application.turns.get(click.turn_id)
        if post is None or turn is None or post.turn_id != turn.turn_id:
            return instead("unknown", "en")
        place = replace(post.place, shared=click.place.shared)
        access = await self.access.to_see(turn, place, click.user)
        if not isinstance(access, Access):
            return instead(access, _spoken(turn))
        return await self.access.showable(turn, access), place, access


def _spoken(turn: Turn) -> Language:
    return turn.question.language
