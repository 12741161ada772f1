"""Questions and Explain clicks while the server is killed again and again: each is answered once, whatever happens."""

from __future__ import annotations

import json
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.child import MeasurementFailed
from benchmarks.figure import Figure, at_most
from benchmarks.slack.asking import (
    Asked,
    can_be_explained,
    conversations,
    in_flight,
    is_answer,
    is_explanation,
    is_placeholder,
    say,
)
from benchmarks.slack.killing import Kill, Killer, drawn
from benchmarks.slack.left import Left
from benchmarks.slack.model import TimedModel
from benchmarks.slack.served import FOLDER, Workplace, workplace
from core.chat.keys import ask_key, explain_key, turn_id_of
from core.ports import Place
from tests.servers.scripted_model import ScriptedModel
from tests.servers.slack import Delivery, Message, SlackWorld

_IN_FLIGHT = 16
_PATIENCE = 120.0
_SECONDS = 0.2  # of a call to the scripted model
_GRACE = 1.0  # seconds that Slack may take for what it was asked just before the kill
_QUIET = 4.0  # seconds without a call after which nothing more is to be expected


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of all works under kills. ``others``: texts of messages that are neither wanted nor placeholders."""

    works: int
    lost: list[str]
    double: list[str]
    orphans: list[Message]
    others: list[str]
    kills: list[Kill]
    seconds: float


def measure_kills(questions: int, kills: int, seed: int, streamed: bool = False) -> list[Figure]:
    """Questions first, then an Explain of each of their answers; both with so many kills.

    ``streamed``: by a scripted model, so that answers are streaming messages. Details are written beside the server's
    data, as ``kills.json``.
    """
    if not streamed:
        return _measured("kills", "", questions, kills, seed, {})
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it tells of every connection that a kill cuts
    with ScriptedModel(TimedModel(_SECONDS).reply) as server:
        settings = {"WIKIWHY_LLM_BASE_URL": server.base_url}
        return _measured("kills-streamed", ", streamed", questions, kills, seed, settings)


def _measured(name: str, what: str, questions: int, kills: int, seed: int, settings: Mapping[str, str]) -> list[Figure]:
    chance = random.Random(seed)  # noqa: S311  # no secret
    with workplace(name, settings) as place:
        # While the server is down everything is refused at once; Slack's own retries go on for six minutes.
        place.world.retry_delays = (0.5,) * 400
        texts = _answerable(place)
        asked, of_asks = _asks(place, questions, kills, chance, texts)
        of_explains = _explains(place, asked, kills, chance)
    details = {"seed": seed, "asks": _details(of_asks), "explains": _details(of_explains)}
    (FOLDER / f"{name}.json").write_text(json.dumps(details, indent=2) + "\n", "utf-8")
    return [*_figures("answers", what, of_asks, seed), *_figures("explanations", what, of_explains, seed)]


def _answerable(place: Workplace) -> list[str]:
    """Those questions of the samples that get an answer that can be explained: asked once, without kills."""
    texts = iter([gold.human_completed for turns in conversations() for gold in turns if gold.answerable])
    found: list[str] = []
    by_ts: dict[str, str] = {}

    def ask(number: int, text: str) -> Callable[[], Asked]:
        def said() -> Asked:
            person, channel = number % len(place.people), number % len(place.channels)
            asked = say(place.world, place.people[person], place.channels[channel], text)
            by_ts[asked.ts] = text
            return asked

        return said

    for asked in in_flight(place.world, (ask(number, text) for number, text in enumerate(texts)), _IN_FLIGHT):
        message = asked.answer(place.world)
        if message and can_be_explained(message):
            found.append(by_ts[asked.ts])
    return sorted(found)


def _asks(
    place: Workplace, questions: int, kills: int, chance: random.Random, texts: Sequence[str]
) -> tuple[list[Asked], Outcome]:
    asked: list[Asked] = []
    done: list[Asked] = []

    def ask(number: int) -> Callable[[], Asked]:
        person, channel = chance.choice(place.people), chance.choice(place.channels)
        text, times = chance.choice(texts), chance.randint(1, 3)

        def said() -> Asked:
            asked.append(say(place.world, person, channel, text, times=times))
            return asked[-1]

        return said

    def look(left: Left) -> Counter[str]:
        return _hits(left, [(_key(each), turn_id_of(_key(each)), bool(each.replies(place.world))) for each in asked])

    began = time.monotonic()
    plan = [ask(number) for number in range(questions)]
    with Killer(place.server, drawn(kills, questions, chance), lambda: len(done), look) as killer:
        for each in in_flight(place.world, iter(plan), _IN_FLIGHT):
            done.append(each)
            _raise(killer)
        _settle(place, killer)
    replies = {each.ts: each.replies(place.world) for each in asked}
    outcome = _outcome(replies, lambda message: is_answer(message.blocks), killer.kills, began)
    return asked, outcome


def _explains(place: Workplace, asked: Sequence[Asked], kills: int, chance: random.Random) -> Outcome:
    """Of every answer; each is clicked by one to three people, who click again where Slack says that it failed."""
    world = place.world
    answers = {each.ts: each.answer(world) for each in asked}
    waiting = [(each, message) for each in asked if (message := answers[each.ts]) and can_be_explained(message)]
    before = {message.ts for each in asked for message in each.replies(world)}
    clicking: dict[str, list[_Clicker]] = {}
    explained: set[str] = set()

    def clickers(each: Asked, message: Message) -> list[_Clicker]:
        people = chance.sample(place.people, chance.randint(1, 3))
        now = time.monotonic()
        later = [0.0, *(chance.random() * 2 for _ in people[1:])]
        return [
            _Clicker(place, each, message, person, now + pause) for person, pause in zip(people, later, strict=True)
        ]

    def look(left: Left) -> Counter[str]:
        works = [each for each in asked if each.ts in clicking and any(one.clicked for one in clicking[each.ts])]
        keys = [(each, turn_id_of(_key(each))) for each in works]
        return _hits(left, [(explain_key(turn), turn, posted(each)) for each, turn in keys])

    def posted(each: Asked) -> bool:
        return any(message.ts not in before for message in each.replies(world))

    began = moved = time.monotonic()
    total, todo = len(waiting), list(waiting)
    with Killer(place.server, drawn(kills, total, chance), lambda: len(explained), look) as killer:
        while len(explained) < total or any(not one.done for each in clicking.values() for one in each):
            while todo and len(clicking) - len(explained) < _IN_FLIGHT:
                each, message = todo.pop()
                clicking[each.ts] = clickers(each, message)
            for each, _ in waiting:
                for one in clicking.get(each.ts, []):
                    one.go_on()
                if each.ts not in explained and any(
                    is_explanation(one) for one in each.replies(world) if one.ts not in before
                ):
                    explained.add(each.ts)
                    moved = time.monotonic()
            _raise(killer)
            if time.monotonic() - moved > _PATIENCE:
                break
            time.sleep(0.01)
        _settle(place, killer)
    replies = {each.ts: [one for one in each.replies(world) if one.ts not in before] for each, _ in waiting}
    return _outcome(replies, is_explanation, killer.kills, began)


class _Clicker:
    """Somebody who clicks Explain, and again while they see that it did not work."""

    def __init__(self, place: Workplace, asked: Asked, message: Message, person: str, at: float) -> None:
        self._place, self._asked, self._message, self._person, self._at = place, asked, message, person, at
        self._delivery: Delivery | None = None
        self.done = False

    @property
    def clicked(self) -> bool:
        return self._delivery is not None

    def go_on(self) -> None:
        """Clicks if it is time."""
        if self.done or time.monotonic() < self._at:
            return
        if self._delivery and self._delivery.status is None:
            return
        if self._delivery and self._delivery.acknowledged:
            self.done = True
            return
        self._at = time.monotonic() + 0.7
        self._delivery = self._place.world.click(self._person, self._asked.channel, self._message.ts, "explain")


def _key(asked: Asked) -> str:
    return ask_key(Place("slack", SlackWorld.team, asked.channel, asked.thread), asked.ts)


def _hits(left: Left, works: Sequence[tuple[str, str, bool]]) -> Counter[str]:
    return Counter(filter(None, (left.moment(key, turn_id, posted) for key, turn_id, posted in works)))


def _raise(killer: Killer) -> None:
    if killer.failure:
        raise MeasurementFailed(f"the killed server did not come back: {killer.failure}")


def _settle(place: Workplace, killer: Killer) -> None:
    """Waits until all was delivered and the bot calls nothing any more: doubles come late."""
    end = time.monotonic() + _PATIENCE
    calls, since = -1, time.monotonic()
    while time.monotonic() < end:
        _raise(killer)
        if place.world.pending or len(place.world.calls) != calls:
            calls, since = len(place.world.calls), time.monotonic()
        if time.monotonic() - since > _QUIET:
            return
        time.sleep(0.1)


def _outcome(
    replies: dict[str, list[Message]], wanted: Callable[[Message], bool], kills: list[Kill], began: float
) -> Outcome:
    right = {ts: [message for message in messages if wanted(message)] for ts, messages in replies.items()}
    rest = [message for messages in replies.values() for message in messages if not wanted(message)]
    orphans = [message for message in rest if is_placeholder(message)]
    return Outcome(
        works=len(replies),
        lost=[ts for ts, messages in right.items() if not messages],
        double=[ts for ts, messages in right.items() if len(messages) > 1],
        orphans=orphans,
        others=[message.text for message in rest if message not in orphans],
        kills=kills,
        seconds=time.monotonic() - began,
    )


def _orphans_by_kill(outcome: Outcome) -> list[int]:
    """Orphans that were posted before each kill, and after the one before it; the last: after all."""
    counts = [0] * (len(outcome.kills) + 1)
    for orphan in outcome.orphans:
        counts[sum(kill.at + _GRACE < orphan.at for kill in outcome.kills)] += 1
    return counts


def _figures(name: str, what: str, outcome: Outcome, seed: int) -> list[Figure]:
    kills = outcome.kills
    title = f"{name}{what}, kill -9 at {len(kills)} moments"
    hits = sum((kill.hit for kill in kills), Counter[str]())
    moments = ", ".join(f"{count} {moment}" for moment, count in hits.most_common()) or "nothing under way"
    down = ", ".join(f"{kill.down:.1f}" for kill in kills)
    by_kill = _orphans_by_kill(outcome)
    others = f"; other messages: {sorted(set(outcome.others))}" if outcome.others else ""
    return [
        Figure(f"{title}: lost", name, len(outcome.lost), at_most(0),
               f"of {outcome.works}; seed {seed}, {outcome.seconds:.0f} s; down for {down} s{others}"),
        Figure(f"{title}: double", name, len(outcome.double), at_most(0), f"at the kills: {moments}"),
        Figure(f"{title}: orphan placeholders of one kill", "messages", max(by_kill), at_most(1),
               f"{len(outcome.orphans)} in all"),
    ]  # fmt: skip


def _details(outcome: Outcome) -> dict[str, Any]:
    return {
        "works": outcome.works,
        "lost": outcome.lost,
        "double": outcome.double,
        "orphans": [f"{each.channel} {each.thread_ts} {each.ts}" for each in outcome.orphans],
        "others": outcome.others,
        "kills": [
            {"done": kill.moment.done, "call": kill.moment.call, "delay": kill.moment.delay,
             "posting": kill.moment.posting, "hit": dict(kill.hit),
             "down": kill.down, "orphans": orphans}
            for kill, orphans in zip(outcome.kills, _orphans_by_kill(outcome), strict=False)
        ],
    }  # fmt: skip
