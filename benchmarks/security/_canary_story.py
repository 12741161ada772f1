"""One canary case: the acts of people, the changes, and the schedule, all from one seed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from benchmarks.security._canary_case import Bench, Case
from benchmarks.security._canary_director import Catalogue, Director, Pairs, Setting, calm_plan, plan
from benchmarks.security._canary_links import ask_page, show_form, show_previews
from benchmarks.security._canary_loop import ACTOR, Scheduler
from benchmarks.security._canary_oracle import Violation
from benchmarks.security._canary_world import (
    ADMIN,
    ENG,
    OPS,
    PEOPLE,
    ROOMS,
    TOPICS,
    Room,
    World,
)
from core.chat.requests import make_turn_id
from core.ports.chat import Click, Command, IncomingMessage, Place
from tests.servers.confluence.request import Flavour

ACTS = (
    "ask", "sources", "answer", "understood_question", "correct", "suggested", "feedback", "explain", "share",
    "sync command", "spaces command", "help command", "sync", "edit", "delete", "home", "links", "page form",
    "page question",
)  # fmt: skip
"""The acts that may follow a first question."""

_QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "travel": ("Who approves travel?", "Who owns travel abroad?", "What do I bring for travel?"),
    "kitchen": ("Who approves the kitchen?", "Who owns the kitchen abroad?", "What do I bring for the kitchen?"),
}
_FOLLOW_UPS = ("And who owns it abroad?", "What do I bring for it?", "Who approves it?")
_CORRECTIONS = ("Who owns travel abroad, please?", "Who approves kitchen things?")

FLAVOURS: tuple[Flavour, ...] = ("cloud", "datacenter")
_ROOMS = ("channel", "channel", "channel", "group", "teams channel", "direct ann", "direct bob")


@dataclass(slots=True)
class Story:
    """The events of a case."""

    seed: int
    setting: Setting
    violations: list[Violation]
    steps: int
    acts: list[str]
    lines: list[str]
    failures: list[str]
    texts: int = 0
    words: int = 0
    longest: int = 0


@dataclass(slots=True)
class _Teller:
    """Performs the acts of a case, one after the other or some concurrently."""

    case: Case
    random: Random
    director: Director
    room: Room
    user: str
    topic: str
    thread: str = ""
    asked: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    messages: list[str] = field(init=False)
    """Ids of the questions, which their authors may edit and delete."""

    def __post_init__(self) -> None:
        self.messages = [key.rpartition(":")[2] for key in self.asked]

    def place(self, room: Room, thread: str) -> Place:
        """Return the place as in a message event. Teams does not report foreign members of group chats."""
        shared = self.case.world.shared[room.name] and room.name != "group"
        return Place(room.platform, room.team, room.channel, thread, room.direct, shared)

    async def ask(self, text: str = "") -> None:
        message_id = self.case.platform.next_id()
        reply, self.thread = bool(self.thread), self.thread or message_id
        place = self.place(self.room, self.thread)
        text = text or self.random.choice(_FOLLOW_UPS if self.asked else _QUESTIONS[self.topic])
        await self.case.chat.service.handle_message(
            IncomingMessage(place, message_id, self.user, text, mentioned=True, reply=reply)
        )
        prefix = (
            f"ask:teams:{place.channel}" if place.platform == "teams" else f"ask:slack:{place.team}:{place.channel}"
        )
        self.asked.append(f"{prefix}:{message_id}")
        self.messages.append(message_id)

    async def change_question(self, deletes: bool) -> None:
        """Edit or delete a question."""
        if not self.messages:
            return
        service, place = self.case.chat.service, self.place(self.room, self.thread)
        message_id, changed_at = self.random.choice(self.messages), self.case.platform.next_id()
        if deletes:
            await service.handle_deletion(place, message_id, self.user, changed_at)
        else:
            text = self.random.choice(_QUESTIONS[self.topic])
            await service.handle_edit(place, message_id, self.user, text, changed_at)

    async def show_home(self) -> None:
        """Open the app's home, which one person sees."""
        person = self.clicker()
        channel = self.room.channel if self.room.direct else person
        place = Place(self.room.platform, self.room.team, channel, "", direct=True)
        view = await self.case.chat.home.build_view(place, person, "en")
        self.case.oracle.leaves(place, "return of home", view, person)

    async def use_link(self, act: str) -> None:
        """Post links to pages, or open or send the question form of a page."""
        place, person = self.place(self.room, self.thread), self.clicker()
        if act == "links":
            await show_previews(self.case, self.random, place, person)
        elif act == "page form":
            await show_form(self.case, self.random, place, person)
        else:
            question = self.random.choice(_QUESTIONS[self.topic])
            await ask_page(self.case, self.random, place, person, question)
            self._note_asked()

    def click(self) -> Click | None:
        keys = [key for key in self.asked if key in self.case.platform.posts]
        if not keys:
            return None
        key = self.random.choice(keys)
        room = self.room
        # Slack's clicks say neither whether the channel is direct nor whether it is shared.
        direct = room.direct and room.platform == "teams"
        place = Place(room.platform, room.team, room.channel, self.thread, direct)
        return Click(
            place, self.case.platform.posts[key], self.clicker(), self.case.platform.next_id(), make_turn_id(key)
        )

    def clicker(self) -> str:
        if self.room.direct:
            return self.user
        strangers = ["UFAY00001"] if self.case.world.shared[self.room.name] else []
        return self.random.choice([self.user, "UANN00001", "UBOB00001", "UGUS00001", *strangers])

    async def do(self, act: str) -> None:
        """Perform one of :data:`ACTS`."""
        of_no_answer: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {
            "ask": self.ask,
            "sync": lambda: self.case.sync_spaces([self.random.choice((ENG, OPS))]),
            "edit": lambda: self.change_question(deletes=False),
            "delete": lambda: self.change_question(deletes=True),
            "home": self.show_home,
            "links": lambda: self.use_link(act),
            "page form": lambda: self.use_link(act),
            "page question": lambda: self.use_link(act),
        }
        if act in of_no_answer:
            await of_no_answer[act]()
        elif act.endswith(" command"):
            await self._command(act.removesuffix(" command"))
        elif click := self.click():
            await self._click(act, click)

    async def _command(self, name: str) -> None:
        arguments = (self.random.choice((ENG, OPS)),) if name == "sync" else ()
        place = self.place(self.room, "")
        private = place.platform == "slack"  # the reply to a command is only for its author
        user = self.user if self.room.direct else ADMIN
        command = Command(place, user, (name, *arguments), self.case.platform.next_id(), private)
        told = await self.case.chat.commands.execute(command)
        to = command.user if private else ""
        self.case.oracle.leaves(place, f"return of {name} command", told, to, arguments)

    async def _click(self, act: str, click: Click) -> None:
        answers = self.case.chat.answers
        calls: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {
            "sources": lambda: answers.load_sources(click),
            "answer": lambda: answers.load_answer(click),
            "understood_question": lambda: answers.load_question_to_correct(click),
            "correct": lambda: answers.correct(click, self.random.choice(_CORRECTIONS)),
            "suggested": lambda: answers.ask_suggestion(click, self.random.randrange(2)),
            "feedback": lambda: answers.save_feedback(click, "bad"),
            "explain": lambda: answers.explain(click),
            "share": lambda: answers.share(click),
        }
        told = await calls[act]()
        self.case.oracle.leaves(click.place, f"return of {act}", told)
        if act in {"correct", "suggested"}:
            self._note_asked()

    def _note_asked(self) -> None:
        self.asked += [key for key in self.case.platform.posts if key.startswith("ask:") and key not in self.asked]

    async def tell(self, acts: list[str]) -> None:
        between = [each for each in self.director.planned if not each.name]
        for number, act in enumerate(acts):
            for disturbance in between:
                if disturbance.nth == number:
                    self.director.begin(disturbance, "nobody", "between acts")
            task = asyncio.get_running_loop().create_task(self._acted(act))
            if (number == 0 and not self.asked) or self.random.random() < 0.8:
                await task
                await self.case.runner.wait_until_idle()
            else:
                self.director.tasks.append(task)
        while not all(task.done() for task in self.director.tasks):
            await asyncio.gather(*self.director.tasks)
            await self.case.runner.wait_until_idle()

    async def _acted(self, act: str) -> None:
        ACTOR.set(act)
        try:
            await self.do(act)
        except Exception as error:  # no text leaves, but no case should end like this
            self.failures.append(f"{act}: {error!r}")
            self.case.scheduler.note(f"{act} failed: {error!r}")


def _prepared_name(flavour: Flavour, by_model: bool, room: Room, topic: str) -> object:
    return flavour, by_model, room.name, topic


async def prepare(bench: Bench, rooms: Collection[str]) -> None:
    """Make the templates: after a first sync, and with a question answered in each of these rooms."""
    await bench.sync_first()
    for flavour, by_model, room, topic in product(FLAVOURS, (False, True), map(ROOMS.__getitem__, rooms), TOPICS):
        name = _prepared_name(flavour, by_model, room, topic)
        random = Random(str(name))  # noqa: S311
        async with bench.case(bench.templates[flavour], flavour, by_model, random, 0.0) as case:
            director = Director(case, random, [], Counter(), faithful=1.0)
            bench.scheduler.reset(director)
            teller = _Teller(case, random, director, room, room.user or "UBOB00001", topic)
            ACTOR.set("ask")
            await teller.ask()
            await case.runner.wait_until_idle()
            bench.keep(name, case, teller.thread, tuple(teller.asked))


async def run_case(bench: Bench, seed: int, catalogue: Catalogue, pairs: Pairs, calm: bool = False) -> Story:
    """Run the case of a seed. ``calm``: without changes during the acts."""
    random = Random(seed)  # noqa: S311 - a seed has to repeat its case
    flavour, by_model, room = random.choice(FLAVOURS), random.random() < 0.4, ROOMS[random.choice(_ROOMS)]
    if calm:  # each act in each setting
        by_setting = list(product(FLAVOURS, (False, True), ("channel", "direct ann")))
        flavour, by_model, in_room = by_setting[seed // len(ACTS) % len(by_setting)]
        room = ROOMS[in_room]
    user = room.user or random.choice(("UANN00001", "UBOB00001", "UGUS00001"))
    topic = random.choice(("travel", "travel", "kitchen"))
    setting = (flavour, by_model, room.direct)
    name = _prepared_name(flavour, by_model, room, topic)
    led = not calm and random.random() < 0.6 and name in bench.templates  # with an earlier conversation
    acts = random.choices(ACTS, k=random.choice((1, 1, 2)))
    if not led:
        acts = ["ask", ACTS[seed % len(ACTS)]] if calm else ["ask", *acts[1:]]
    kills = 0.0 if calm else random.choice((0.0, 0.0, 0.1))
    template = bench.templates[name if led else flavour]
    async with bench.case(template, flavour, by_model, random, kills) as case:
        if not led:
            _set_up(case.world, room, random)
        case.oracle.look()
        known = catalogue.get(setting, {})
        planned = calm_plan(random, acts, room) if calm else plan(random, acts, room, topic, known, led)
        director = Director(case, random, planned, pairs, faithful=random.choice((0.95, 0.7, 0.3)))
        bench.scheduler.reset(director)
        teller = _Teller(case, random, director, room, user, topic, template.thread, list(template.asked))
        await teller.tell(acts)
        lines = _lines(bench.scheduler)
        oracle = case.oracle
        story = Story(seed, setting, oracle.violations, bench.scheduler.now, acts, lines, teller.failures)
        story.texts, story.words, story.longest = oracle.texts, oracle.words, oracle.longest
    model = "model" if by_model else "extractive"
    led_before = "answered before, " if led else ""
    story.lines.insert(
        0, f"seed {seed}: {flavour}, {model}, {room.name}, {PEOPLE[user].name}, {led_before}{', '.join(acts)}"
    )
    return story


def _set_up(world: World, room: Room, random: Random) -> None:
    choices: tuple[frozenset[str] | None, ...] = (None, None, frozenset({ENG}), frozenset({ENG, OPS}))
    world.config[room.name] = None if room.direct else random.choice(choices)
    if not room.direct and random.random() < 0.1:
        world.shared[room.name] = True


def _lines(scheduler: Scheduler) -> list[str]:
    """Return the schedule as text: operations by number and actor, with the changes between them."""
    notes: dict[int, list[str]] = {}
    for at, what in scheduler.notes:
        notes.setdefault(at, []).append(what)
    lines = [f"      {what}" for what in notes.get(0, [])]
    for step in scheduler.steps:
        lines.append(f"{step.at:5} {step.actor:15} {step.name}")
        lines += [f"      {what}" for what in notes.get(step.at, [])]
    return lines
