"""A channel with one answered question, for tests of actions on the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.slack.platform import SlackPlatform
from bot.wiring import Application
from core.answering.extractive.answerer import ExtractiveAnswerer
from core.model import Question, Scope, Turn
from core.model.views import Notice
from core.ports.chat import Click, Place
from core.ports.chat_stores import Post
from core.ports.pages import IndexedPage
from tests.contracts.examples import turn
from tests.servers.slack import SlackWorld

QUESTION = "Who approves travel?"


@dataclass
class Answered:
    """The answer to a question of Ada's."""

    world: SlackWorld
    application: Application
    ada: str
    place: Place
    turn: Turn
    message_id: str

    def click(self) -> Click:
        return Click(self.place, self.message_id, self.ada, "1.5", self.turn.turn_id)

    async def add_answer(self, other: Turn) -> Click:
        """Store another answer in the same thread; return a click on it."""
        await self.application.turns.add(other)
        await self.application.posts.save(Post("ask:y", self.place, "1.000009", other.turn_id, finished=True))
        return replace(self.click(), message_id="1.000009", turn_id=other.turn_id)

    @property
    def explanations(self) -> list[str]:
        seen = self.world.answers(self.place.channel, self.place.thread)
        return [message.text for message in seen if message.ts != self.message_id]

    @property
    def sent(self) -> str:
        """Everything that was sent to Slack."""
        return str([call.arguments for call in self.world.calls])


async def answer_question(
    world: SlackWorld, application: Application, platform: SlackPlatform, pages: Sequence[IndexedPage]
) -> Answered:
    """Store and post an answer that uses these pages and cites the first of them."""
    ada = world.add_user("ada")
    channel = world.add_channel("eng", members=[ada])
    place = Place("slack", world.team, channel, world.say(ada, channel, QUESTION))
    made = turn(used=pages, cited=pages[:1], answer="Ann approves travel. [1]", scope=Scope(frozenset({"ENG"})))
    question, configuration = Question(QUESTION, QUESTION), {"answerer": ExtractiveAnswerer.name}
    made = replace(made, question=question, configuration=configuration, conversation_id=place.conversation_id)
    await application.turns.add(made)
    message_id = await platform.post(place, Notice("Ann approves travel."), "ask:x")
    await application.posts.save(Post("ask:x", place, message_id, made.turn_id, finished=True))
    return Answered(world, application, ada, place, made, message_id)
