"""Random histories of people in chats, with a canary in each text of a person."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from core.model import (
    ModelCall,
    PersonId,
    Prompt,
    PromptMessage,
    ProposedCompletion,
    Question,
    Scope,
    Suggestion,
    Trace,
    Usage,
)
from core.ports.chat import Place, Platform, ThreadMessage
from core.ports.chat_stores import Feedback, Post
from core.ports.teams import Reference, TeamsUser
from tests.contracts.examples import indexed_page, turn
from tests.contracts.stores import Stores

PEOPLE = 3
EVENTS = ("ask", "ask", "ask", "say", "judge", "explain", "mention", "meet")


@dataclass(frozen=True)
class Event:
    kind: str
    who: int
    whom: int
    where: int  # 0 and 1: channels; 2: the direct messages of ``who``
    thread: int


events = st.lists(
    st.builds(
        Event,
        st.sampled_from(EVENTS),
        st.integers(0, PEOPLE - 1),
        st.integers(0, PEOPLE - 1),
        st.integers(0, 2),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=14,
)


@dataclass
class World:
    """A store with the events so far. ``canaries``: person to words that only they wrote."""

    stores: Stores
    platform: Platform
    canaries: dict[int, set[str]] = field(default_factory=lambda: {who: set() for who in range(PEOPLE)})
    asked: list[tuple[int, Place, str]] = field(default_factory=list)
    judged: dict[tuple[int, str], str] = field(default_factory=dict)
    serial: int = 0

    def person(self, who: int) -> PersonId:
        return PersonId(self.platform, "t1" if self.platform == "teams" else "T1", self.user(who))

    def user(self, who: int) -> str:
        return f"uperson{who}x" if self.platform == "teams" else f"UPERSON{who}X"

    def name(self, who: int) -> str:
        return f"Namequail{'abc'[who]} Müllerö{'abc'[who]}"

    def place(self, event: Event) -> Place:
        person = self.person(event.who)
        if event.where == 2:
            return Place(self.platform, person.team, f"Dchatof{event.who}q", f"{100 + event.thread}.0", direct=True)
        return Place(self.platform, person.team, f"C{event.where}", f"{100 + event.thread}.0")

    def canary(self, who: int, kind: str) -> str:
        self.serial += 1
        word = f"{kind}canary{'abc'[who]}{self.serial}z"
        self.canaries[who].add(word)
        return word

    async def happen(self, event: Event) -> None:
        self.serial += 1
        place, message_id = self.place(event), f"{1000 + self.serial}.0"
        if event.kind == "ask":
            await self._ask(event.who, place, message_id)
        elif event.kind == "say":
            await self._say(event.who, place, message_id, self.canary(event.who, "said"))
        elif event.kind == "mention" and event.who != event.whom and event.where != 2:
            named = f"ask @{self.user(event.whom)} or @{self.name(event.whom)} about {self.canary(event.who, 'said')}"
            await self._say(event.who, place, message_id, named)
        elif event.kind == "judge" and self._sees_last(event.who):
            turn_id = self.asked[-1][2]
            reason = self.canary(event.who, "reason")
            self.canaries[event.who].discard(
                self.judged.get((event.who, turn_id), "")
            )  # only the last feedback is stored
            self.judged[event.who, turn_id] = reason
            key = self.person(event.who).key
            await self.stores.feedback.save(Feedback(turn_id, key, "bad", reason, "2026-01-01T00:00:00+00:00"))
        elif event.kind == "explain" and self._sees_last(event.who):
            _, there, turn_id = self.asked[-1]
            post = Post(f"explain:{turn_id}", there, f"{message_id}9", turn_id, True, self.person(event.who).key)
            await self.stores.posts.save(post)
        elif event.kind == "meet" and self.platform == "teams":
            person = self.person(event.who)
            chat = f"Dchatof{event.who}q"
            await self.stores.references.save_user(TeamsUser(person.team, person.user, f"29:{person.user}", chat))
            await self.stores.references.save(Reference(person.team, chat, "https://service", "28:bot"))
            await self.stores.references.move(person.team, chat, message_id, f"{message_id}1")

    def _sees_last(self, who: int) -> bool:
        return bool(self.asked) and (self.asked[-1][0] == who or not self.asked[-1][1].direct)

    async def _say(self, who: int, place: Place, message_id: str, text: str) -> None:
        said = ThreadMessage(message_id, self.user(who), self.name(who), text)
        await self.stores.threads.add(place.conversation_id, [said])
        await self.stores.threads.mark_read(place.conversation_id)

    async def _ask(self, who: int, place: Place, message_id: str) -> None:
        """Store a question like the bot: the trace contains the history, and the completed question its words."""
        question = f"What of {self.canary(who, 'asked')}?"
        history = await self.stores.threads.load_messages(place.conversation_id)
        earlier = await self.stores.turns.load_newest(place.conversation_id, 1_000)
        heard = [f"{said.name}: {said.text}" for said in history] + [each.question.as_asked for each in earlier]
        words = " ".join([*(said.text for said in history[-1:]), *(each.question.as_asked for each in earlier[-1:])])
        prompt = Prompt("complete", tuple(PromptMessage("user", text) for text in [*heard, question]))
        trace = Trace(
            (ProposedCompletion(f"{question} ({words})"),), (ModelCall(prompt, words, Usage(1, 2, 3), 1.0),), ()
        )
        page = indexed_page("1")
        turn_id = f"turn{self.serial}"
        made = turn(turn_id, place.conversation_id, used=(page,), cited=(page,), scope=Scope(frozenset({"DOC"})))
        made = replace(
            made,
            question=Question(question, f"{question} ({words})"),
            trace=trace,
            asker=self.person(who).key,
            suggestions=(Suggestion("And the second passage?", page.evidences[1].evidence.evidence_id),),
        )
        key = f"ask:{place.platform}:{place.team}:{place.channel}:{message_id}"
        await self.stores.posts.save(Post(key, place, f"{message_id}5", turn_id, True, self.person(who).key))
        await self._say(who, place, message_id, question)
        await self.stores.turns.add(made)
        self.asked.append((who, place, turn_id))
