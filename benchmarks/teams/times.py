"""The time in which the bot answers the request with an activity. Teams repeats the request after 15 s."""

from __future__ import annotations

import random

from benchmarks.chat.talk import Asked, Reply
from benchmarks.chat.times import IN_FLIGHT, keep_asking, measure_acknowledgement
from benchmarks.figure import Figure, at_most
from benchmarks.teams.served import Tenant, tenant
from tests.servers.teams import Delivery

_ANSWERED = at_most(2)
_QUESTION, _STARTED, _SHOWN = "an activity with a question", "a click on Explain", "a click that shows a card"
_JUDGED = "a thumb"


def measure_answers(questions: int, seed: int) -> list[Figure]:
    """Measure with 50 questions in flight and a click under each answer, then with 50 simultaneous questions.

    Some clicks only start work; the response to other clicks contains what they show.
    """
    chance = random.Random(seed)  # noqa: S311  # no secret
    clicks: dict[str, list[Delivery]] = {_STARTED: [], _SHOWN: [], _JUDGED: []}
    with tenant("answered") as there:
        keep_asking(there, questions, chance, lambda asked, reply: _click(there, asked, reply, chance, clicks))
        said = _questions(there)
        there.world.deliveries.clear()
        at_once = _at_once(there, min(IN_FLIGHT, questions), chance)
    figures = [
        measure_acknowledgement(f"answer to {what}", questions, found, _ANSWERED)
        for what, found in {_QUESTION: said, **clicks}.items()
        if found
    ]
    return [*figures, measure_acknowledgement("answer to each of as many at one moment", questions, at_once, _ANSWERED)]


def _click(there: Tenant, asked: Asked, reply: Reply, chance: random.Random, clicks: dict[str, list[Delivery]]) -> None:
    person = there.someone(chance, asked)
    if reply.explainable and chance.random() < 0.3:
        clicks[_STARTED].append(there.click(person, asked, reply.message_id, "explain"))
        return
    if reply.explainable and chance.random() < 0.5:
        clicks[_SHOWN].append(there.click(person, asked, reply.message_id, "sources"))
        return
    clicks[_JUDGED].append(there.judge(person, asked, reply.message_id))


def _at_once(there: Tenant, questions: int, chance: random.Random) -> list[Delivery]:
    asks = [there.asking(chance, "What is the hotel limit per night in the Netherlands?") for _ in range(questions)]
    for ask in asks:
        ask()
    there.world.wait_until(lambda: not there.world.pending, 60, "answers to requests")
    return _questions(there)


def _questions(there: Tenant) -> list[Delivery]:
    return [each for each in there.world.deliveries if each.kind == "message"]
