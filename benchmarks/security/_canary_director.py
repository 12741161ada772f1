"""The scheduling policy of a canary case: which task continues at each checkpoint, and what changes there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.security._canary_case import Case
from benchmarks.security._canary_loop import ACTOR, Waiting
from benchmarks.security._canary_world import ENG, MUTATIONS, OF_ROOM, OPS, Room
from core.indexing.page_refresh import Hint

Pairs = Counter[tuple[str, str]]
Setting = tuple[str, bool, bool]
"""Wiki flavour, with a model, direct chat: the checkpoints depend on them."""

Catalogue = Mapping[Setting, Mapping[str, list[tuple[str, int]]]]
"""By setting and actor: the checkpoints that it reaches, with their highest number."""


@dataclass(slots=True)
class Disturbance:
    """A change when ``actor`` reaches the checkpoint ``name`` for the nth time.

    ``follow``: how the bot learns of it: "sync", "refresh" or "" for not at all. ``depth``: how many of its steps are
    done before the other tasks continue. ``name`` "": between two acts, before act ``nth``.
    """

    kind: str
    letter: str
    room: str
    actor: str
    name: str
    nth: int
    follow: str
    depth: int


@dataclass(slots=True)
class Director:
    """The policy of a case. Disturbances happen at their checkpoints; otherwise it usually stays with one actor."""

    case: Case
    random: Random
    planned: list[Disturbance]
    pairs: Pairs
    faithful: float
    _followed: str = ""
    _left: int = 0
    _last: str = ""
    _seen: int = 0
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)

    def __call__(self, waiting: list[Waiting]) -> Waiting | None:
        for held in waiting:
            if held.number > self._seen:
                self._seen = held.number
                if self._disturbed(held):
                    return None
        if self._left > 0:
            following = [held for held in waiting if held.actor == self._followed]
            if following:
                self._left -= 1
                return following[0]
            if all(task.done() for task in self.tasks):
                self._left = 0
        same = [held for held in waiting if held.actor == self._last]
        chosen = same[0] if same and self.random.random() < self.faithful else self.random.choice(waiting)
        self._last = chosen.actor
        return chosen

    def _disturbed(self, held: Waiting) -> bool:
        for disturbance in self.planned:
            if (disturbance.actor, disturbance.name) == (held.actor, held.name):
                disturbance.nth -= 1
                if disturbance.nth == 0:
                    self.begin(disturbance, held.actor, held.name)
                    return True
        return False

    def begin(self, disturbance: Disturbance, actor: str, name: str) -> None:
        """Change the world, and start the task by which the bot learns of it."""
        case, kind = self.case, disturbance.kind
        self.pairs[kind, f"{actor}: {name}"] += 1
        case.scheduler.note(f"CHANGE {kind} (page {disturbance.letter}, {disturbance.room}) before {name} of {actor}")
        case.world.change(kind, disturbance.letter, disturbance.room, self.random)
        page_id = case.world.ids[disturbance.letter]
        if disturbance.follow == "sync":
            self._start("sync", case.sync_spaces([ENG, OPS] if self.random.random() < 0.8 else [ENG]))
        elif disturbance.follow == "refresh":
            self._start("refresh", case.hints.note_hint(Hint("", page_id)))
        self._followed, self._left = disturbance.follow, disturbance.depth if disturbance.follow else 0

    def _start(self, actor: str, work: Coroutine[Any, Any, Any]) -> None:
        async def run() -> None:
            ACTOR.set(actor)
            try:
                await work
            except Exception as error:  # a sync may fail, and the next one repeats it
                self.case.scheduler.note(f"{actor} failed: {error!r}")

        self.tasks.append(asyncio.get_running_loop().create_task(run()))


_AND_EDIT = tuple(kind for kind in MUTATIONS if kind.endswith(", edit"))


def calm_plan(random: Random, acts: list[str], room: Room) -> list[Disturbance]:
    """Return a plan with changes only between the acts, as work for a sync and a refresh."""
    follow = random.choice(("sync", "refresh", ""))
    return [
        Disturbance("edit", letter, room.name, "", "", random.randrange(len(acts)), follow, 10_000) for letter in "ag"
    ]


def plan(
    random: Random, acts: list[str], room: Room, topic: str, known: Mapping[str, list[tuple[str, int]]], led: bool
) -> list[Disturbance]:
    """Return a plan of one to three changes, usually of the question's pages, and usually followed by a sync."""
    planned: list[Disturbance] = []
    likely = "abef" if topic == "travel" else "egea"
    for _ in range(random.choice((1, 1, 2, 2, 3))):
        kind = random.choice(list(MUTATIONS))
        letter = random.choice(likely if random.random() < (0.4 if kind == "break" else 0.8) else "cdgh")
        follow = "" if kind in OF_ROOM and random.random() < 0.7 else random.choice(("sync", "sync", "refresh", ""))
        depth = 10_000 if random.random() < 0.7 else random.randint(1, 60)
        before = planned[-1] if planned else None
        names = ""
        if before and before.follow and random.random() < 0.5:  # during the sync that the last change started
            actor, letter = before.follow, before.letter if random.random() < 0.7 else letter
            if random.random() < 0.5:  # a page is restricted and edited while it is read
                before.kind, before.letter, kind, names = "edit", letter, random.choice(_AND_EDIT), "confluence."
        elif (led or len(acts) > 1) and random.random() < 0.25:
            nth = random.randrange(0 if led else 1, len(acts))
            planned.append(Disturbance(kind, letter, room.name, "", "", nth, follow, depth))
            continue
        else:
            actor = random.choice(acts)
        found = [each for each in known.get(actor, ()) if each[0].startswith(names)]
        name, most = random.choice(found or [("durable.step", 4)])
        nth = 1 if random.random() < 0.5 else random.randint(1, min(most, 6))
        planned.append(Disturbance(kind, letter, room.name, actor, name, nth, follow, depth))
    return planned
